"""Matches at the end of a training run, what the file says of them, and what `auto` makes of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import pytest
from support.commands import Ggp
from support.executors import Here

import gdl
from ggp.learning import measuring, trainer
from ggp.learning.matches import search_match
from ggp.learning.roles import split
from ggp.learning.self_play_process import actions
from ggp.learning.train import Settings, train
from ggp.match.match import play_match
from ggp.match.settings import Settings as MatchSettings
from ggp.players import make_player
from ggp.players.auto import AutoPlayer
from ggp.players.clock import NEVER
from ggp.players.learned_values.array_file import ArrayFileError, packed
from ggp.players.learned_values.measured import MEASURED, Measured
from ggp.players.learned_values.value import ALPHABETA, MCTS, LearnedValue, read_value
from ggp.players.player import Start
from ggp.rules.shipped_games import find_game
from ggp.tournament.ratings import wilson
from ggp.work.job import Done, Job, Lost

T = TypeVar("T")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of a tenth of a second, and as short matches."""
    monkeypatch.setattr(trainer, "_NODES", 2_000)
    monkeypatch.setattr(trainer, "_PLAYOUTS", 1_000)
    monkeypatch.setattr(measuring, "NODES", 20)
    monkeypatch.setattr(measuring, "PLAY_CLOCK", 0.02)


class Watched(Here):
    """Notes the matches of a kind, and how many of them there are at a time."""

    def __init__(self, cores: int, kind: str = "auto_match") -> None:
        super().__init__(actions)
        self.progress.cores = cores
        self.kind = kind
        self.batches: list[list[dict[str, Any]]] = []

    def run(self, tasks: Sequence[T], job: Callable[[T], Job], *, until: float = inf) -> Iterator[Done[T] | Lost[T]]:
        jobs = [job(task) for task in tasks]
        if jobs[0].kind == self.kind:
            self.batches.append([dict(one.settings) for one in jobs])
        return super().run(tasks, job, until=until)


@pytest.mark.parametrize("name", ["tic_tac_toe", pytest.param("odd_one_out", marks=pytest.mark.slow)])
def test_a_training_ends_with_matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Played again by tournament rules, each match gives the points that were counted."""
    monkeypatch.setattr(measuring, "_ENOUGH", 5)
    monkeypatch.setattr("ggp.learning.train.SHARE", 100.0)
    game, output, executor = gdl.compile(find_game(name)), tmp_path / "some.learned", Watched(3)
    reports = list(
        train(game, output, Settings(rounds=1, search=None if name == "odd_one_out" else ALPHABETA), executor)
    )
    assert [report.final.games if report.final else 0 for report in reports] == [0, 3, 5]
    assert [len(batch) for batch in executor.batches] == [3, 2]
    value = read_value(output)
    assert value.measured is not None
    assert (value.measured.games, value.measured.nodes) == (5, 20)
    assert (value.measured.low, value.measured.high) == pytest.approx(wilson(value.measured.points, 5))
    points = 0.0
    for number, match in enumerate(one for batch in executor.batches for one in batch):
        theirs = split(number + 1, len(game.roles))
        names = [
            "auto(simulations=20,learned=0)" if theirs >> place & 1 else f"learned({output},{_limit(value)}=20)"
            for place in range(len(game.roles))
        ]
        players = {role: make_player(one) for role, one in zip(game.roles, names, strict=True)}
        goals = play_match(game, players, MatchSettings(seed=match["seed"])).goals
        assert goals is not None
        sides: tuple[list[float], list[float]] = ([], [])
        for place, goal in enumerate(goals):
            assert goal is not None
            sides[theirs >> place & 1].append(goal)
        own, other = (sum(side) / len(side) for side in sides)
        points += 1.0 if own > other else 0.5 if own == other else 0.0
    assert points == value.measured.points


def _limit(value: LearnedValue) -> str:
    return "simulations" if value.roles else "nodes"


@pytest.mark.parametrize(("points", "search"), [(0.0, ALPHABETA), (0.5, ALPHABETA), (1.0, MCTS)])
def test_matches_choose_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, points: float, search: str) -> None:
    """They end as soon as one search is clearly better, and what they chose is measured against auto."""
    monkeypatch.setattr("ggp.learning.train.SHARE", 100.0)
    monkeypatch.setattr(measuring, "_ENOUGH", 12)
    monkeypatch.setattr("ggp.learning.matches.search_match", lambda *_, **__: points)
    monkeypatch.setattr("ggp.learning.matches.auto_match", lambda *_, **__: 1.0)
    game, output, executor = gdl.compile(find_game("tic_tac_toe")), tmp_path / "some.learned", Watched(2)
    report = list(train(game, output, Settings(rounds=1), executor))[-1]
    assert report.mcts is not None
    assert (report.mcts.share, report.mcts.games) == (points, 12 if points == 0.5 else 10)
    value = read_value(output)
    assert value.search == search
    assert value.made["mcts"]["games"] == report.mcts.games
    assert executor.batches[0][0]["search"] == search


@pytest.mark.parametrize(
    ("name", "search"), [("tic_tac_toe", MCTS), pytest.param("odd_one_out", None, marks=pytest.mark.slow)]
)
def test_nothing_is_chosen_that_is_given(tmp_path: Path, name: str, search: str | None) -> None:
    game, output, executor = gdl.compile(find_game(name)), tmp_path / "some.learned", Watched(1, "search_match")
    report = list(train(game, output, Settings(rounds=1, search=search), executor))[-1]
    assert report.mcts is None
    assert not executor.batches
    assert read_value(output).search == MCTS


def test_a_match_of_searches(tmp_path: Path) -> None:
    """Each search plays either role in turn, at its clock."""
    game, output = gdl.compile(find_game("tic_tac_toe")), tmp_path / "some.learned"
    list(train(game, output, Settings(rounds=1, measure=False), Here(actions)))
    value = read_value(output)
    points = [search_match(game, value, number=number, seed=1, play_clock=0.05) for number in range(2)]
    assert set(points) <= {0.0, 0.5, 1.0}


def test_matches_that_were_begun_are_the_least(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.learning.train.SHARE", 0.0)
    game, output, executor = gdl.compile(find_game("tic_tac_toe")), tmp_path / "some.learned", Watched(2)
    list(train(game, output, Settings(rounds=1, search=ALPHABETA), executor))
    assert [len(batch) for batch in executor.batches] == [2]
    # Values that go on to change have not been measured.
    list(train(game, output, Settings(rounds=2, measure=False), executor))
    assert read_value(output).measured is None
    assert [len(batch) for batch in executor.batches] == [2]


def test_one_role_is_not_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.learning.measuring.Measuring.against_auto", lambda *_: None)
    executor = Watched(1)
    list(train(gdl.compile(find_game("lights_out")), tmp_path / "some.learned", Settings(rounds=1), executor))
    assert not executor.batches


def measured(points: float, games: int) -> Measured:
    return Measured(points, games, *wilson(points, games), 2_000)


def test_what_counts_as_harm() -> None:
    assert measured(38, 100).harmful
    assert not measured(38, 100).text.startswith("39%")
    assert not measured(42, 100).harmful  # chance may explain it
    assert not measured(15, 36).harmful
    assert not measured(60, 100).harmful
    assert measured(38, 100).text == (
        "38% of the points (29% to 48%) in 100 matches against auto(learned=0), at 2,000 nodes or simulations a move"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("measured")
    shutil.copy(find_game("tic_tac_toe"), made / "tic_tac_toe.kif")
    game = gdl.compile(made / "tic_tac_toe.kif")
    list(train(game, made / "plain.learned", Settings(rounds=1, measure=False), Here(actions)))
    return made


def say(folder: Path, fields: object, search: str = MCTS) -> None:
    """Write a file beside the rules whose header says something of matches."""
    plain = read_value(folder / "plain.learned")
    made = {**plain.made, MEASURED: fields}
    (folder / "tic_tac_toe.learned").write_bytes(packed(replace(plain, made=made, search=search).file()))


@pytest.mark.parametrize(
    ("points", "search", "used"), [(38, MCTS, False), (42, MCTS, True), (38, ALPHABETA, True), (90, MCTS, True)]
)
def test_auto_does_without_values_that_did_harm(folder: Path, points: float, search: str, used: bool) -> None:
    say(folder, measured(points, 100).fields(), search)
    player = AutoPlayer(simulations=50)
    player.start(Start("match", gdl.compile(folder / "tic_tac_toe.kif"), "xplayer", 1), NEVER)
    assert player.chosen is not None
    assert (player.chosen.name == "learned(tic_tac_toe.learned)") == used
    file, text = "tic_tac_toe.learned", measured(points, 100).text
    assert player.note == (f"plays with {file}" if used else f"does not use {file}: it had only {text}")


def test_people_see_it(folder: Path, ggp: Ggp) -> None:
    say(folder, measured(38, 100).fields())
    rules, file = folder / "tic_tac_toe.kif", folder / "tic_tac_toe.learned"
    text = measured(38, 100).text
    found = ggp("play", rules, "--simulations", "20", "--seed", "1", "--quiet")
    assert f"xplayer does not use tic_tac_toe.learned: it had only {text}" in found.err.splitlines()
    found = ggp("explain", "value", rules, file)
    assert f"measured: {text}" in found.out.splitlines()
    assert ggp("play", rules, "--player", f"learned({file},simulations=20)", "--seed", "1").status == 0


@pytest.mark.parametrize(
    "entry",
    [
        *(5, "", [], {}, {"points": 1, "games": 2, "interval": [0, 1]}),
        {"points": 1, "games": 2, "interval": [0], "nodes": 5},
        {"points": 1, "games": 2, "interval": [0.6, 0.4], "nodes": 5},
        {"points": 3, "games": 2, "interval": [0, 1], "nodes": 5},
        {"points": 0, "games": 0, "interval": [0, 1], "nodes": 5},
        {"points": float("nan"), "games": 2, "interval": [0, 1], "nodes": 5},
        {"points": 1, "games": float("inf"), "interval": [0, 1], "nodes": 5},
        {"points": 1, "games": 10**400, "interval": [0, 1], "nodes": 5},
        {"points": 1, "games": 2, "interval": [0, 1], "nodes": 10**400},
    ],
)
def test_headers_that_are_wrong_there(folder: Path, entry: object) -> None:
    say(folder, entry)
    with pytest.raises(ArrayFileError, match="the measurement is not in the format"):
        read_value(folder / "tic_tac_toe.learned")
