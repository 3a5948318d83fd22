"""Data sets: the choices of many matches as columns, for learning without an environment.

Each row is a choice of one role: what it saw, its legal actions, the action, and how the match ended. Rows of a match
follow each other. A file has whole matches only, in NumPy's format (NPZ) or as Parquet. docs/guides/datasets.md has the
columns.

Matches of random players are played side by side in compiled code; others one after the other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, Protocol, final
from zipfile import ZIP_STORED, ZipFile

import numpy as np
from numpy.typing import NDArray

from gdl.errors import GdlError, NamedFileError
from gdl.simulator.arrays import NO_GOAL
from gdl.simulator.seeds import derive
from gdl.system.files import whole_file
from ggp.environments.episode import Episode, Settings
from ggp.environments.game import EnvironmentGame
from ggp.environments.lane_loops import TERMINAL
from ggp.environments.lanes import Lanes
from ggp.environments.libraries import MissingLibraryError
from ggp.environments.observations import FactsObserver, Observer, observer_of
from ggp.environments.opponents import Opponents
from ggp.environments.perspective import Perspective
from ggp.environments.position import Position
from ggp.environments.rewards import Scale
from ggp.match.record import Result
from ggp.players.player import Player

#: The name of the player whose matches are played side by side.
RANDOM: Final = "random"

#: The endings of file names.
NPZ, PARQUET = ".npz", ".parquet"

#: Matches that are played side by side.
_LANES: Final = 1 << 14

#: Rows of matches played one after the other that are written together.
_TOGETHER: Final = 4096

#: Nobody has made the choice: the seat of no agent.
_NOBODY: Final = -1

#: Columns by name, of whole matches.
Rows = dict[str, NDArray[Any]]


@final
class DatasetError(NamedFileError):
    """A data set cannot be written."""

    code = "dataset"


@final
@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of a data set: their number, the player of each role by name, the seed, and the limit of plies.

    With `text`, each row has the state as text, too.
    """

    number: int
    players: Mapping[str, str]
    seed: int
    max_plies: int
    text: bool = False


@final
@dataclass(slots=True)
class Written:
    """The contents of a file: matches, those of them that were truncated, and rows."""

    matches: int = 0
    truncated: int = 0
    rows: int = 0


def write_dataset(
    path: Path,
    game: EnvironmentGame,
    matches: Matches,
    make: Callable[[str], Player],
    progress: Callable[[Written], object] = lambda _: None,
) -> Written:
    """Play matches and write them to a file, which takes the place of an older one at the end; return what it has.

    `make` makes players by name. `progress` is told what has been written so far. An interrupt (KeyboardInterrupt) is
    raised again once the file has the matches that were over; if none was, the older file stays.

    Raises DatasetError for another ending of the name or a game without a choice, MissingLibraryError for
    Parquet without pyarrow, OSError, and what `make` raises.
    """
    writers: dict[str, Callable[[IO[bytes]], _Writer]] = {NPZ: _NpzWriter, PARQUET: _ParquetWriter}
    if path.suffix not in writers:
        raise DatasetError(str(path), f"the name of the file must end with {' or '.join(writers)}")
    if game.simulator.is_terminal(game.simulator.initial_state()):
        raise DatasetError(str(path), f"{game.name} is over before it has begun")
    written = Written()
    observer = observer_of(game)
    at_random = set(matches.players.values()) == {RANDOM} and isinstance(observer, FactsObserver)
    interrupt: KeyboardInterrupt | None = None

    def keep(rows: Rows, ended: NDArray[np.int16]) -> None:
        writer.append(rows)
        written.matches += len(ended)
        written.truncated += int(np.count_nonzero(ended == NO_GOAL))
        written.rows += len(rows["action"])

    # An interrupt reaches only the main thread, so that rows are written and counted, or neither.
    with whole_file(path) as file, writers[path.suffix](file) as writer, ThreadPoolExecutor(1) as beside:
        try:
            for rows, ended in (
                _side_by_side(game, observer, matches)
                if at_random and isinstance(observer, FactsObserver)
                else _one_by_one(path, game, observer, matches, make)
            ):
                beside.submit(keep, rows, ended).result()
                progress(written)
        except KeyboardInterrupt as error:
            beside.shutdown()
            if not written.matches:
                raise
            interrupt = error
        if not written.matches:
            raise DatasetError(str(path), f"no role of {game.name} ever has a choice")
        writer.close(_about(game, observer, matches, written))
    if interrupt is not None:
        raise interrupt
    return written


def _about(game: EnvironmentGame, observer: Observer, matches: Matches, written: Written) -> str:
    from ggp import __version__

    about = {
        "format": 1,
        "ggp": __version__,
        "game": game.name,
        "rules": game.simulator.source_text,
        "roles": game.roles,
        "agents": game.agent_roles,
        "players": dict(matches.players),
        "moves": [move.text for move in game.actions],
        "observation": observer.legend,
        "perspective": game.perspective.value,
        "seed": matches.seed,
        "max_plies": matches.max_plies,
        "matches": written.matches,
        "truncated": written.truncated,
    }
    return json.dumps(about)


def _side_by_side(
    game: EnvironmentGame, observer: FactsObserver, matches: Matches
) -> Iterator[tuple[Rows, NDArray[np.int16]]]:
    """Play matches of random players in lanes. Yields the rows of some, and the first goal of each match."""
    rewards = game.rewards(Scale.UNIT)
    arrays = game.simulator.arrays
    sides = game.agents if game.perspective is Perspective.MOVER else game.agents[:1]
    for first in range(0, matches.number, _LANES):
        n = min(_LANES, matches.number - first)
        lanes = Lanes(game, n, asked=game.agents, max_plies=matches.max_plies, rewards=rewards)
        lanes.seed(derive(matches.seed, "matches", str(first)))
        lanes.reset()
        steps: list[Rows] = []
        actions = np.zeros(n, np.int32)
        mask = np.zeros((n, len(game.actions)), np.uint8)
        observed = np.zeros((n, observer.packed_size), np.uint8)
        while len(live := np.flatnonzero(lanes.role >= 0)):
            states, role = lanes.states, lanes.role[live]
            for agent in sides:
                if len(sides) == 1:
                    observer.pack_states(states, agent, observed)
                    break
                own = live[role == agent]
                seen = np.empty((len(own), observer.packed_size), np.uint8)
                observer.pack_states(states[own], agent, seen)
                observed[own] = seen
            lanes.write_masks(mask)
            lanes.sample(actions)
            step: Rows = {
                "match": live.astype(np.uint16),
                "ply": lanes.plies[live],
                "role": role,
                "observation": observed[live],
                "mask": np.packbits(mask[live], axis=1, bitorder="little"),
                "action": actions[live],
            }
            if matches.text:
                step["state"] = _texts([_text_of(state) for state in arrays.unpack(states[live])])
            steps.append(step)
            lanes.step(actions, "raise")
        goals = arrays.goal_values(arrays.look(lanes.states))[:, list(game.agents)]
        goals[lanes.role != TERMINAL] = NO_GOAL
        if steps:
            yield _in_order(steps, goals.astype(np.int8), first), goals[:, 0]


def _in_order(steps: list[Rows], goals: NDArray[np.int8], first: int) -> Rows:
    """Return the rows of steps match by match, with the goals of each."""
    match = np.concatenate([step["match"] for step in steps])
    order = np.argsort(match, kind="stable")
    match = match[order]
    columns = {name: np.concatenate([step[name] for step in steps])[order] for name in steps[0] if name != "match"}
    return {"match": match.astype(np.int64) + first, **columns, "goals": goals[match]}


def _one_by_one(
    path: Path, game: EnvironmentGame, observer: Observer, matches: Matches, make: Callable[[str], Player]
) -> Iterator[tuple[Rows, NDArray[np.int16]]]:
    """Play matches of named players. Yields the rows of some, and the first goal of each match."""
    settings = Settings(max_plies=matches.max_plies, ask_always=True)
    found: list[tuple[Any, ...]] = []
    ended: list[int] = []
    for number in range(matches.number):
        seats = _Seats(game, observer, matches, make)
        try:
            Episode(game, settings, derive(matches.seed, "match", str(number)), (), seats).play({})
        except Exception as error:  # a player's code may raise anything
            told = str(error) if isinstance(error, GdlError) else f"{type(error).__name__}: {error}"
            raise DatasetError(str(path), f"match {number}: {told}") from error
        found += [(number, *row, seats.goals) for row in seats.rows]
        ended.append(seats.goals[0])
        if len(found) >= _TOGETHER or (found and number == matches.number - 1):
            yield _columns(found, text=matches.text), np.array(ended, np.int16)
            found, ended = [], []


@final
class _Seats:
    """The players of one match, with what they have seen and chosen."""

    def __init__(
        self, game: EnvironmentGame, observer: Observer, matches: Matches, make: Callable[[str], Player]
    ) -> None:
        self._game, self._observer, self._text = game, observer, matches.text
        players: dict[str, Any] = {role: make(name) for role, name in matches.players.items()}
        self._players = Opponents(game, _NOBODY, players, observer, ask_always=True)
        #: Ply, role, observation, mask, action and text of each choice.
        self.rows: list[tuple[Any, ...]] = []
        #: The goal of each agent at the end.
        self.goals: list[int] = [NO_GOAL] * len(game.agents)

    def start(self, seed: int) -> None:
        self._players.start(seed)

    def actions(self, position: Position) -> Mapping[int, int]:
        actions = self._players.actions(position)
        text = _text_of(position.state) if self._text else ""
        for role in self._game.agents if self._game.hides_states else position.deciding():
            seen, mask = self._observer.observe(position, role), position.mask(role)
            bits = (np.packbits(one, bitorder="little") for one in (seen, mask))
            self.rows.append((position.plies, role, *bits, actions[role], text))
        return actions

    def stop(self, position: Position, result: Result, goals: Mapping[int, float] | None) -> None:
        self._players.stop(position, result, goals)
        if goals is not None:
            self.goals = [int(goals[agent]) for agent in self._game.agents]


def _columns(found: list[tuple[Any, ...]], *, text: bool) -> Rows:
    match, ply, role, seen, mask, action, texts, goals = zip(*found, strict=True)
    rows: Rows = {
        "match": np.array(match, np.int64),
        "ply": np.array(ply, np.int32),
        "role": np.array(role, np.int8),
        "observation": np.stack(seen),
        "mask": np.stack(mask),
        "action": np.array(action, np.int32),
    }
    if text:
        rows["state"] = _texts(list(texts))
    return {**rows, "goals": np.array(goals, np.int8)}


def _text_of(state: Any) -> str:
    """Return a state as the text of a position, in one line."""
    return " ".join(f"(true {fact.text})" for fact in state)


def _texts(texts: list[str]) -> NDArray[Any]:
    return np.array([text.encode() for text in texts])


class _Writer(Protocol):
    """Writes columns to a file."""

    def __enter__(self) -> _Writer: ...

    def __exit__(self, *_: object) -> None: ...

    def append(self, rows: Rows) -> None:
        """Add the rows of whole matches, which have the same columns each time."""
        ...

    def close(self, about: str) -> None:
        """Add what the file is about, as JSON, and finish it."""
        ...


@final
class _NpzWriter:
    """Keeps columns in temporary files until their lengths are known."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._opened = ExitStack()
        self._columns: dict[str, IO[bytes]] = {}
        #: The types and shapes of the columns of each part.
        self._parts: list[dict[str, tuple[np.dtype[Any], tuple[int, ...]]]] = []

    def __enter__(self) -> _NpzWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def append(self, rows: Rows) -> None:
        for name, array in rows.items():
            if name not in self._columns:
                # Beside the file, where there is room for all of it.
                folder = Path(self._file.name).parent
                self._columns[name] = self._opened.enter_context(TemporaryFile(dir=folder))  # noqa: SIM115  # until the end
            self._columns[name].write(np.ascontiguousarray(array).data)
        # At once, so that all columns have the same length after an interrupt.
        self._parts.append({name: (array.dtype, array.shape) for name, array in rows.items()})

    def close(self, about: str) -> None:
        with ZipFile(self._file, "w", ZIP_STORED) as archive:
            for name, column in self._columns.items():
                parts = [part[name] for part in self._parts]
                column.seek(0)
                dtype = np.result_type(*(kind for kind, _ in parts))  # the longest of texts
                shape = (sum(one[0] for _, one in parts), *parts[0][1][1:])
                header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
                with archive.open(f"{name}.npy", "w", force_zip64=True) as out:
                    np.lib.format.write_array_header_1_0(out, header)
                    for kind, one in parts:
                        size = int(np.prod(one)) * kind.itemsize
                        part = np.frombuffer(column.read(size), kind)
                        out.write(part.astype(dtype, copy=False).data)
            with archive.open("about.npy", "w") as out:
                np.lib.format.write_array(out, np.array(about), allow_pickle=False)


@final
class _ParquetWriter:
    """Writes each part as a row group."""

    def __init__(self, file: IO[bytes]) -> None:
        try:
            self._arrow, self._parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        except ModuleNotFoundError as error:
            raise MissingLibraryError("pyarrow", "parquet") from error
        self._file = file
        self._writer: Any = None

    def __enter__(self) -> _ParquetWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer = None

    def append(self, rows: Rows) -> None:
        table = self._arrow.table({name: self._column(array) for name, array in rows.items()})
        if self._writer is None:
            # By its name: an interrupt would be raised in the middle of a row group by an object of Python.
            self._writer = self._parquet.ParquetWriter(str(self._file.name), table.schema, compression="zstd")
        self._writer.write_table(table)

    def close(self, about: str) -> None:
        if self._writer is not None:
            self._writer.add_key_value_metadata({"ggp": about})
            self._writer.close()

    def _column(self, array: NDArray[Any]) -> Any:
        arrow = self._arrow
        if array.dtype.kind == "S":
            return arrow.array([text.decode() for text in array.tolist()])
        if array.ndim == 1:
            return arrow.array(array)
        if array.dtype == np.uint8:  # bits
            buffer = arrow.py_buffer(np.ascontiguousarray(array))
            return arrow.Array.from_buffers(arrow.binary(array.shape[1]), len(array), [None, buffer])
        return arrow.FixedSizeListArray.from_arrays(arrow.array(array.reshape(-1)), array.shape[1])
