"""The state of a training run in a file, so that it can go on after Ctrl-C or a crash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gdl.simulator.seeds import SEEDS
from gdl.system.files import write_whole
from ggp.learning.duels import DEEPEST
from ggp.learning.errors import CheckpointError
from ggp.learning.trainer import MANY, MOST_SELVES, MOST_TASKS, Progress, Trainer
from ggp.match.record.fields import Fields
from ggp.players.learned_values.array_file import ArrayFile, ArrayFileError, packed, read_arrays
from ggp.players.learned_values.images import Images
from ggp.players.learned_values.network import Network, network_of
from ggp.players.learned_values.role_networks import networks_of
from ggp.players.learned_values.tuples import Tuples
from ggp.players.learned_values.value import facts_of, players_of, rules_hash

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator

FORMAT: Final = "ggp-training-4"

#: Added to the name of the file of learned values.
SUFFIX: Final = ".training"

#: The largest counts of a training run.
_MOST: Final = 10**15


def write_checkpoint(path: Path, trainer: Trainer, seconds: float) -> None:
    """Write the state of a training run between two rounds, as a whole or not at all. Raises OSError."""
    simulator, replay = trainer.simulator, trainer.replay
    tuples = trainer.networks[0].tuples
    arrays: dict[str, NDArray[Any]] = {"links": tuples.links, "sizes": tuples.sizes, **trainer.images.arrays()}
    for number, network in enumerate(trainer.networks):
        arrays |= {f"network_{number}_{name}": array for name, array in network.progress().items()}
    words = _words(simulator)
    for name, examples in (("replay", replay.batches), ("pending", trainer.pending)):
        nothing = np.empty((0, words), np.uint64), np.empty((0, *_columns(trainer)), np.float32)
        for part, kind in enumerate(("states", "values")):
            arrays[f"{name}_{kind}"] = np.concatenate([nothing[part], *(batch[part] for batch in examples)])
    for rounds, weights in trainer.selves:
        arrays |= {f"self_{rounds}_{name}": array for name, array in weights.items()}
    about = {
        "rules": rules_hash(simulator.rulesheet),
        "facts": list(facts_of(simulator)),
        "roles": list(trainer.method.roles),
        "progress": asdict(trainer.progress),
        "seconds": seconds,
        "replay": [len(states) for states, _ in replay.batches],
        "pending": [len(states) for states, _ in trainer.pending],
        "selves": [rounds for rounds, _ in trainer.selves],
    }
    write_whole(path, packed(ArrayFile(FORMAT, about, arrays)))


def read_checkpoint(path: Path, trainer: Trainer, seed: int | None, tasks: int | None = None) -> float:
    """Continue the training run in a file with a trainer that has not begun; return the seconds taken so far.

    Raises CheckpointError if the file is damaged, or of other rules, or of another seed or number of tasks than
    those given.
    """
    try:
        file = read_arrays(path, FORMAT)
    except ArrayFileError as error:
        raise CheckpointError(str(path), error.reason) from None
    simulator = trainer.simulator
    about = Fields(file.about, str(path), CheckpointError)
    if about.optional("rules", str, "") != rules_hash(simulator.rulesheet):
        raise CheckpointError(str(path), "a training run of other rules")
    if about.row("facts", str, ()) != facts_of(simulator):
        raise CheckpointError(str(path), "another version of the program compiled its rules")
    if about.row("roles", str, ()) != trainer.method.roles:
        raise CheckpointError(str(path), "a training run of another kind of games")
    progress = _progress(about.part("progress"))
    seconds = about.required("seconds", float, 0)
    selves = about.row("selves", int)
    if len(selves) > MOST_SELVES or not all(0 < rounds <= progress.rounds for rounds in selves):
        raise CheckpointError(str(path), "selves: not those of its rounds")
    try:
        facts = len(simulator.all_facts)
        tuples = Tuples.read(file.arrays, facts)
        trainer.networks = [Network(facts, 0, tuples) for _ in trainer.networks]
        for number, network in enumerate(trainer.networks):
            network.restore(_named(file.arrays, f"network_{number}_"))
        trainer.images = Images.read(file.arrays, facts, len(players_of(simulator)))
        shape = facts, _words(simulator), _columns(trainer)
        trainer.replay.restore(_batches(file.arrays, "replay", about.row("replay", int), *shape))
        trainer.pending = _batches(file.arrays, "pending", about.row("pending", int), *shape)
        trainer.selves = [(rounds, _self(_named(file.arrays, f"self_{rounds}_"), trainer)) for rounds in selves]
    except (KeyError, ValueError):
        raise CheckpointError(str(path), "its contents are not in the format") from None
    if seed is not None and seed != progress.seed:
        raise CheckpointError(str(path), f"its seed is {progress.seed}, not {seed}")
    if tasks is not None and tasks != progress.tasks:
        raise CheckpointError(str(path), f"its rounds have {progress.tasks} tasks, not {tasks}")
    trainer.progress = progress
    return seconds


def _words(simulator: Simulator) -> int:
    """Return the number of words of a packed state."""
    return len(simulator.initial_state().bits) // 8


def _columns(trainer: Trainer) -> tuple[int, ...]:
    """Return the shape of the values of a state: the number of roles that have a network; none in a duel."""
    return (len(trainer.networks),) if trainer.method.roles else ()


def _progress(read: Fields) -> Progress:
    """Return progress from its JSON form. Raises CheckpointError."""
    return Progress(
        seed=read.required("seed", int, 0, SEEDS - 1),
        rounds=read.required("rounds", int, 0, _MOST),
        states=read.required("states", int, 0, _MOST),
        nodes=read.required("nodes", int, 0, _MOST),
        tasks=read.required("tasks", int, 1, MOST_TASKS),
        room=read.required("room", int, 1, MANY),
        depth=read.required("depth", int, 1, DEEPEST),
        deepest=read.required("deepest", int, 0, DEEPEST),
        error=read.required("error", float, 0),
    )


def _named(arrays: Mapping[str, NDArray[Any]], start: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin in some way, by the rest of their names."""
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}


def _self(arrays: dict[str, NDArray[Any]], trainer: Trainer) -> dict[str, NDArray[Any]]:
    """Return the arrays of an earlier self. Raises ValueError if they are not such as the trainer has now."""
    now = trainer.arrays()
    if arrays.keys() != now.keys() or any(arrays[name].shape != array.shape for name, array in now.items()):
        raise ValueError("an earlier self that does not fit")
    if trainer.method.roles:
        networks_of(arrays, len(trainer.networks))
    else:
        network_of(arrays)
    return arrays


def _batches(
    arrays: Mapping[str, NDArray[Any]],
    name: str,
    lengths: Sequence[int],
    facts: int,
    words: int,
    columns: tuple[int, ...],
) -> list[tuple[NDArray[np.uint64], NDArray[np.float32]]]:
    """Return states and values in batches of these lengths. Raises KeyError, ValueError."""
    states, values = arrays[f"{name}_states"], arrays[f"{name}_values"]
    fits = states.shape == (len(values), words) and values.shape == (len(values), *columns)
    if states.dtype != np.uint64 or values.dtype != np.float32 or not fits:
        raise ValueError("states that do not fit the game")
    # Learning has weights for facts alone, and each bit of a state is the place of one.
    beyond = np.packbits(np.arange(64 * words) >= facts, bitorder="little").view(np.uint64)
    if (states & beyond).any() or not np.isfinite(values).all():
        raise ValueError("states or values that do not fit the game")
    if sum(lengths) != len(values) or min(lengths, default=0) < 0:
        raise ValueError("batches that do not fit")
    ends = np.cumsum(np.array(lengths, np.int64))
    return [(states[end - length : end], values[end - length : end]) for end, length in zip(ends, lengths, strict=True)]
