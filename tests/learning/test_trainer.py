"""Training: the same seed gives the same network, interrupted or not, and what is learned is of use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.executors import Here

import gdl
from ggp.learning import duels
from ggp.learning import trainer as training
from ggp.learning.checkpoint import FORMAT, read_checkpoint, write_checkpoint
from ggp.learning.errors import CheckpointError, NotTrainableError
from ggp.learning.measuring import Measuring
from ggp.learning.self_play_process import actions
from ggp.learning.train import MODULE, Settings, train, value_of
from ggp.learning.trainer import Trainer
from ggp.match.match import play_match
from ggp.match.settings import Settings as MatchSettings
from ggp.players import make_player
from ggp.players.learned_values.array_file import packed, read_arrays
from ggp.players.learned_values.value import read_value
from ggp.players.player import Player
from ggp.rules.shipped_games import find_game
from ggp.work.job import Done, Executor, Lost, WorkError
from ggp.work.pool import open_executor


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of a tenth of a second."""
    monkeypatch.setattr(training, "_NODES", 10_000)
    monkeypatch.setattr(training, "_PLAYOUTS", 4_000)
    monkeypatch.setattr(duels, "_DEEPER", 5_000)
    monkeypatch.setattr(duels, "_ENOUGH", 100)


def game(name: str = "tic_tac_toe") -> gdl.Simulator:
    return gdl.compile(find_game(name))


def learned(trainer: Trainer) -> dict[str, Any]:
    arrays = {**trainer.arrays(), **trainer.networks[0].progress()}
    return {name: array.copy() for name, array in arrays.items()}


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def here() -> Here:
    return Here(actions)


def rounds(number: int, seed: int = 1, executor: Executor | None = None, tasks: int = 8) -> dict[str, Any]:
    with Trainer(game(), seed, executor or here(), tasks) as trainer:
        for _ in range(number):
            trainer.round()
        return learned(trainer)


@pytest.mark.slow
def test_the_seed_and_the_number_of_tasks_determine_what_is_learned() -> None:
    assert same(rounds(6), rounds(6))
    assert not same(rounds(6), rounds(6, seed=2))
    assert not same(rounds(6), rounds(6, tasks=11))


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 3])
def test_the_number_of_processes_does_not(jobs: int) -> None:
    with open_executor(MODULE, jobs=jobs) as pool:
        assert same(rounds(6, executor=pool), rounds(6))
        assert pool.progress.done == 1 + 6 * 8


def test_a_training_that_goes_on_learns_what_an_uninterrupted_one_does(tmp_path: Path) -> None:
    simulator, path = game(), tmp_path / "some.training"
    with Trainer(simulator, 5, here()) as whole:
        for done in range(9):
            if done == 5:
                write_checkpoint(path, whole, 12.5)
            whole.round()
        wanted, progress = learned(whole), whole.progress
    with Trainer(simulator, 0, here(), goes_on=True) as trainer:
        assert read_checkpoint(path, trainer, None) == 12.5
        assert trainer.progress.rounds == 5
        for _ in range(4):
            trainer.round()
        assert trainer.progress == progress
        assert same(learned(trainer), wanted)
    assert progress.depth > 2


def test_a_depth_that_leaves_too_few_states_is_given_up() -> None:
    with Trainer(game(), 1, here()) as trainer:
        deepen, progress = trainer.method.deepen, trainer.progress
        progress.states = 10**9
        depths = []
        for room in (5_000, 5_000, 99, 5_000, 100, 60, 5_000, 60, 60):
            progress.room = room
            deepen(progress)
            depths.append(progress.depth)
    assert depths == [3, 4, 3, 3, 3, 2, 2, 1, 1]
    assert progress.deepest == 1


def test_games_that_cannot_be_played_end_a_training() -> None:
    class Failing(Here):
        def run(self, tasks: Any, *_: Any, **__: Any) -> Iterator[Done[Any] | Lost[Any]]:
            for task in tasks:
                yield Lost(task, "its processes died, 3 times")

    with (
        Trainer(game(), 1, Failing(actions)) as trainer,
        pytest.raises(WorkError, match="playouts: its processes died"),
    ):
        trainer.round()


def test_measuring_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.learning.measuring.NODES", 50)
    monkeypatch.setattr("ggp.learning.measuring.SHARE", 100.0)
    with Trainer(game(), 1, here()) as trainer, Measuring(trainer) as measuring:
        for _ in range(6):
            trainer.round()
            measuring.expected()
            score = measuring.against_earlier()
            measuring.against_auto(value_of(trainer))
        assert same(learned(trainer), rounds(6))
    assert score is not None
    assert score.games >= 16
    assert 0 <= score.points <= score.games


def test_measuring_takes_a_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games against an earlier self are played until they have taken too much time, but some against each rival."""
    clock = iter(range(0, 100_000, 10))
    monkeypatch.setattr("ggp.learning.measuring.monotonic", lambda: float(next(clock)))
    with Trainer(game(), 1, here()) as trainer, Measuring(trainer) as measuring:
        measuring._gauge = Slow()
        scores = []
        for _ in range(8):
            trainer.round()
            if (score := measuring.against_earlier()) is not None:
                scores.append((score.rounds, score.games))
    # Each call takes 10 s, and so does all else: the first one has used up its share.
    assert scores == [(1, 2)] * 2 + [(2, 2)] * 4 + [(4, 2)]


class Slow:
    """A gauge whose games nobody needs to wait for."""

    def expected(self, _: Any) -> float:
        return 50.0

    def points(self, *_: Any) -> list[float]:
        return [1.0]


@pytest.mark.slow
def test_what_is_expected_takes_few_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the full depth, it would take minutes in games with many moves."""
    monkeypatch.setattr(duels, "_NODES", 500)
    simulator = game("crossing")
    with Trainer(simulator, 1, here()) as trainer:
        gauge = trainer.method.gauge()
        assert 0 <= gauge.expected(trainer.networks) <= 100
        assert isinstance(gauge, duels.DuelGauge)
        assert 0 < gauge._search.nodes <= 500


def test_what_is_learned_wins(tmp_path: Path) -> None:
    """A few nodes of search with learned values against random moves."""
    simulator, output = game("connect_four"), tmp_path / "connect_four.learned"
    reports = list(train(simulator, output, Settings(rounds=5, measure=False), here()))
    assert reports[-1].rounds == 5
    assert reports[-1].states > 2_000
    assert read_value(output).made["rounds"] == 5
    points = 0.0
    for number in range(8):
        players: list[Player] = [make_player(f"learned({output},nodes=60)"), make_player("random")]
        own = number % 2
        players = players[::-1] if own else players
        lineup = dict(zip(simulator.roles, players, strict=True))
        goals = play_match(simulator, lineup, MatchSettings(seed=number)).goals
        assert goals is not None
        points += (goals[own] or 0) / 100
    assert points >= 7


def test_an_ended_training_wants_a_higher_limit(tmp_path: Path) -> None:
    simulator, output = game(), tmp_path / "some.learned"
    list(train(simulator, output, Settings(rounds=2, measure=False), here()))
    with pytest.raises(CheckpointError, match=r"it has had 2 rounds in .* ask for more"):
        list(train(simulator, output, Settings(rounds=2, measure=False), here()))
    assert [report.rounds for report in train(simulator, output, Settings(rounds=3, measure=False), here())] == [3]
    again = list(train(simulator, output, Settings(rounds=1, measure=False, restart=True), here()))
    assert again[-1].rounds == 1


def test_checkpoints_that_do_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "some.training"
    with Trainer(game(), 5, here()) as trainer:
        trainer.round()
        write_checkpoint(path, trainer, 1.0)
        with pytest.raises(CheckpointError, match="its seed is 5, not 6; --restart starts anew"):
            read_checkpoint(path, trainer, 6)
        with pytest.raises(CheckpointError, match="its rounds have 8 tasks, not 16; --restart starts anew"):
            read_checkpoint(path, trainer, 5, 16)
    with (
        Trainer(game("connect_four"), 5, here()) as other,
        pytest.raises(CheckpointError, match="a training run of other rules"),
    ):
        read_checkpoint(path, other, None)
    data = path.read_bytes()
    for place in range(0, len(data), len(data) // 20):
        changed = bytearray(data)
        changed[place] ^= 4
        path.write_bytes(changed)
        with pytest.raises(CheckpointError):
            read_checkpoint(path, trainer, None)


def test_sums_by_which_learning_divides_are_positive(tmp_path: Path) -> None:
    path = tmp_path / "some.training"
    with Trainer(game("connect_four"), 5, here()) as trainer:
        write_checkpoint(path, trainer, 1.0)
        content = path.read_bytes()
        # Of patterns, the last column has such sums; those of the others may have any sign.
        for name, place, fits in (
            ("patterns", -2, True),
            ("patterns", -1, False),
            ("grown_weights", -1, False),
            ("grown_heads", 0, False),
        ):
            path.write_bytes(content)
            file = read_arrays(path, FORMAT)
            changed = file.arrays[f"network_0_{name}"].copy()
            changed.reshape(-1)[place] *= -1
            file.arrays[f"network_0_{name}"] = changed
            path.write_bytes(packed(file))
            if fits:
                assert read_checkpoint(path, trainer, None) == 1.0
            else:
                with pytest.raises(CheckpointError, match="its contents are not in the format; --restart starts anew"):
                    read_checkpoint(path, trainer, None)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"progress": {"states": float("inf")}}, "states: Infinity is not a whole number"),
        ({"progress": {"tasks": 10**9}}, "tasks: 1000000000 is not from 1 to 10,000"),
        ({"progress": {"tasks": 10**400}}, r"tasks: 10+\.\.\. is not from 1 to 10,000"),
        ({"progress": {"depth": 60}}, "depth: 60 is not from 1 to 6"),
        ({"progress": {"error": float("nan")}}, "error: NaN is not a number"),
        ({"progress": []}, "progress: training-file: not a JSON object"),
        ({"seconds": float("inf")}, "seconds: Infinity is not a number"),
        ({"selves": [10**9]}, "selves: not those of its rounds"),
        ({"selves": 1}, "selves: 1 is not a list"),
        ({"replay": [[]]}, "replay: a list is not a whole number"),
        ({"replay": [2**63]}, "its contents are not in the format"),
        ({"rules": 1}, "rules: 1 is not a text"),
    ],
)
def test_a_file_of_the_wrong_types(change: dict[str, Any], expected: str, tmp_path: Path) -> None:
    path = tmp_path / "some.training"
    with Trainer(game(), 5, here()) as trainer:
        write_checkpoint(path, trainer, 1.0)
        file = read_arrays(path, FORMAT)
        for name, value in change.items():
            file.about[name] = {**file.about[name], **value} if isinstance(value, dict) else value
        path.write_bytes(packed(file))
        with pytest.raises(CheckpointError, match=expected):
            read_checkpoint(path, trainer, None)


@pytest.mark.parametrize("name", ["pending_states", "pending_values", "self_1_weights", "self_1_links"])
def test_arrays_that_no_round_could_use(name: str, tmp_path: Path) -> None:
    path = tmp_path / "some.training"
    with Trainer(game(), 5, here()) as trainer:
        trainer.round()
        write_checkpoint(path, trainer, 1.0)
        file = read_arrays(path, FORMAT)
        changed = file.arrays[name].copy()
        changed.reshape(-1)[-1] = {"f": np.nan, "i": 2**30, "u": 2**63}[changed.dtype.kind]
        file.arrays[name] = changed
        path.write_bytes(packed(file))
        with pytest.raises(CheckpointError, match="its contents are not in the format"):
            read_checkpoint(path, trainer, None)


def test_games_with_hidden_states_are_refused() -> None:
    expected = "not-trainable: states are hidden in this game; training needs states that all roles see"
    with pytest.raises(NotTrainableError, match=expected):
        Trainer(game("kuhn_poker"), 1, here())
