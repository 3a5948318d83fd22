"""The value of a game as studies find it: by which solver, in which words, and why not."""

from __future__ import annotations

from typing import Any

import pytest
from support.toy_rules import COIN, NIM

import gdl
from ggp.rules.game_type import classify_game
from ggp.rules.shipped_games import find_game
from ggp.solver.errors import NotSolvableError
from ggp.solver.planner import Plan
from ggp.study import value
from ggp.study.value import Value, value_of

#: Both show one or two fingers at the same time; left gets 100 if both show one, 60 if both show two, else 20. {} is
#: for further roles.
FINGERS = """\
(role left) (role right) {} (init start)
(<= (legal ?r (show ?n)) (role ?r) (finger ?n))
(finger one) (finger two)
(<= (next (shown ?r ?n)) (does ?r (show ?n)))
(<= terminal (true (shown ?r ?n)))
(<= (gain 100 0) (true (shown left one)) (true (shown right one)))
(<= (gain 60 40) (true (shown left two)) (true (shown right two)))
(<= (gain 20 80) (true (shown left ?n)) (true (shown right ?m)) (distinct ?n ?m))
(<= (goal left ?n) (gain ?n ?m))
(<= (goal ?r ?m) (role ?r) (distinct ?r left) (gain ?n ?m))
"""

#: Who holds has what the die showed last; another throw leads back to the same positions.
AGAIN = """\
(role player) (role random) (init (die 1))
(side 1) (side 2)
(legal player again) (legal player hold)
(<= (legal random (throw ?n)) (side ?n))
(<= (next (die ?n)) (does player again) (does random (throw ?n)))
(<= (next (held ?n)) (does player hold) (true (die ?n)))
(<= terminal (true (held ?n)))
(<= (goal player 50) (true (held 1))) (<= (goal player 100) (true (held 2)))
"""


B = gdl.Constant("b")

#: Two steps are made, and both must be b to win.
PUZZLE = """\
(role robot) (init (at start)) (step a) (step b)
(<= (legal robot ?s) (step ?s))
(<= (next (first ?s)) (does robot ?s) (true (at start)))
(<= (next (first ?s)) (true (first ?s)))
(<= (next (second ?s)) (does robot ?s) (true (first ?t)))
(<= terminal (true (second ?s)))
(<= (goal robot 100) (true (first b)) (true (second b)))
(<= (goal robot 0) (true (first ?s)) (true (second ?t)) (distinct ?s b))
(<= (goal robot 0) (true (second ?t)) (distinct ?t b))
"""


def found(game: gdl.Reasoner, seconds: float = 60.0, memory: float = 4.0) -> Value:
    return value_of(game, classify_game(game, seconds=0.2), seconds, memory, lambda _: None)


def shipped(name: str, **limits: float) -> Value:
    return found(gdl.Reasoner.load(find_game(name)), **limits)


def test_turns() -> None:
    own = found(gdl.Reasoner(NIM))
    assert own == Value(("left wins in 3 plies: left 100, right 0",), solved=True, goals=(100, 0), states=8)


def test_hidden_information() -> None:
    own = shipped("kuhn_poker")
    assert own.solved
    assert own.goals is not None
    assert own.exploitability is not None
    assert own.exploitability <= 0.001
    # alice loses 1/18 of a chip, which is 25 points (Kuhn 1950); neither goal is off by more than both can still gain.
    assert own.goals[0] == pytest.approx(50 - 25 / 18, abs=2 * 100 * own.exploitability)
    assert sum(own.goals) == pytest.approx(100)
    # The start, and 8 states of each of 6 deals: a called bet looks the same whether alice checked before or not.
    assert own.states == 1 + 6 * 8
    assert own.text[0].startswith("expected goals: alice 48.")
    assert own.text[2].startswith("exploitability 0.")


def test_one_player_against_chance() -> None:
    own = shipped("monty_hall")
    assert own.goals == (pytest.approx(200 / 3),)
    assert own.solved
    assert own.exploitability is None


def test_moves_at_the_same_time() -> None:
    own = found(gdl.Reasoner(FINGERS.replace("{}", "")))
    # One finger with probability 1/3: 100/3 + 20 * 2/3 against one finger is as much as 20/3 + 60 * 2/3 against two.
    assert own.goals == (pytest.approx(140 / 3, abs=0.2), pytest.approx(160 / 3, abs=0.2))
    assert own.exploitability is not None


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (FINGERS.replace("{}", "(role third)"), "unknown: at most 2 players may have simultaneous moves"),
        (COIN, "unknown: the players' goals have no constant sum: "),
        (AGAIN, "unknown: a position can come again"),
    ],
)
def test_games_without_such_a_value(rules: str, reason: str) -> None:
    own = found(gdl.Reasoner(rules))
    assert len(own.text) == 1
    assert own.text[0].startswith(reason)
    assert not own.solved
    assert own.goals is None


@pytest.mark.parametrize(
    ("planned", "text", "goals"),
    [
        (None, ("no plan was found in 0 s",), None),
        (
            Plan((), None, proven=True, shortest=True, states=7, seconds=0.1, how="by hand"),
            ("there is no way to an end",),
            None,
        ),
        (
            Plan((B, B), 100, proven=True, shortest=True, states=7, seconds=0.1, how="by hand"),
            ("robot has 100 in 2 plies", "no plan reaches a higher goal", "no plan for this goal is shorter"),
            (100,),
        ),
    ],
)
def test_plans_for_one_role(
    planned: Plan | None, text: tuple[str, ...], goals: tuple[float, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise NotSolvableError("not asked")

    monkeypatch.setattr(value, "plan", lambda *_, **__: planned)
    monkeypatch.setattr(value, "solve", refused)
    game = gdl.compile(PUZZLE)
    own = value_of(game, classify_game(game, seconds=0.2), 60.0, 4.0, lambda _: None)
    assert own == Value(text, solved=planned is not None, goals=goals)


def test_when_the_time_is_up() -> None:
    own = shipped("kuhn_poker", seconds=0.0)
    assert own.text[-1] == "time limit reached (--time)"
    assert not own.solved
    assert own.goals is None
    assert own.exploitability is not None
    assert own.exploitability > 0.001


def test_a_game_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.solver.extensive.tree._STRIDE", 1)
    own = shipped("kuhn_poker", seconds=0.0)
    assert own.text[0].endswith("too many for the time limit (--time)")


def test_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(value, "solve_extensive", interrupted)
    assert shipped("kuhn_poker") == Value(interrupted=True)
