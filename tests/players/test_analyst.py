"""Evaluations of positions for people: values of all roles, best moves with lines, exact values, mistakes."""

from __future__ import annotations

from threading import Event

import pytest
from support.toy_rules import NIM

from gdl.reasoner.reasoner import Reasoner
from ggp.players.analyst import Analyst, Candidate, Evaluation, MistakeKind, mistake_of
from ggp.rules.shipped_games import find_game

#: left and right choose at the same time, and then chance decides who has won.
CHANCE = """
(role left) (role right) (role random) (init (step 1))
(<= (legal left (take ?n)) (true (step 1)) (number ?n)) (<= (legal right (take ?n)) (true (step 1)) (number ?n))
(number 1) (number 2) (<= (legal left noop) (true (step 2))) (<= (legal right noop) (true (step 2)))
(<= (legal random noop) (true (step 1)))
(<= (legal random heads) (true (step 2))) (<= (legal random tails) (true (step 2)))
(<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
(<= (next (won left)) (does random heads)) (<= (next (won right)) (does random tails))
(<= terminal (true (step 3)))
(<= (goal ?r 100) (true (won ?r))) (<= (goal left 0) (true (won right))) (<= (goal right 0) (true (won left)))
(<= (goal left 0) (not (true (step 3)))) (<= (goal right 0) (not (true (step 3)))) (goal random 0)
"""


def last(analyst: Analyst, state: object, seconds: float = 60.0) -> Evaluation:
    *_, found = analyst.evaluate(state, seconds, Event(), patient=True)  # type: ignore[arg-type]
    return found


@pytest.mark.slow
def test_a_game_that_is_solved() -> None:
    game = Reasoner.load(find_game("tic_tac_toe"))
    analyst = Analyst(game)
    state = game.initial_state()
    for moves in (("(mark 1 1)", "noop"), ("noop", "(mark 3 3)"), ("(mark 1 3)", "noop")):
        state = game.next_state(state, moves)
    found = last(analyst, state)
    # oplayer must stop the line, which gives xplayer a fork.
    assert found.proven
    assert found.expected == {"xplayer": 100.0, "oplayer": 0.0}
    assert found.alone
    (best, *_) = found.best["oplayer"]
    assert (best.goal, best.proven) == (0.0, True)
    assert len(found.best["oplayer"]) == 3
    ended = state
    for moves in (("noop", "(mark 2 2)"), ("(mark 1 2)", "noop")):
        ended = game.next_state(ended, moves)
    over = last(analyst, ended)
    assert (over.expected, over.exact, over.best) == ({"xplayer": 100.0, "oplayer": 0.0}, "the game is over", {})


@pytest.mark.slow
def test_goals_that_always_have_the_same_sum() -> None:
    game = Reasoner.load(find_game("connect_four"))
    state = game.initial_state()
    for column in (1, 7, 1, 7, 1):  # red threatens to win in the next ply
        legal = [game.legal_moves(state, role) for role in game.roles]
        wanted = [[move for move in moves if move.text == f"(drop {column})"] or moves for moves in legal]
        state = game.next_state(state, [moves[0] for moves in wanted])
    found = last(Analyst(game), state, 1.0)
    assert sum(found.expected.values()) == pytest.approx(100.0)
    assert found.best["yellow"][0].move == "(drop 1)"
    assert all(one.line[0] == one.move for one in found.best["yellow"])


@pytest.mark.slow
def test_several_roles_and_chance() -> None:
    game = Reasoner(CHANCE)
    found = last(Analyst(game), game.initial_state(), 0.5)
    assert not found.alone
    assert found.expected.keys() <= {"left", "right"}
    assert {role: {one.move for one in best} for role, best in found.best.items()} == {
        "left": {"(take 1)", "(take 2)"},
        "right": {"(take 1)", "(take 2)"},
    }
    after = game.next_state(game.initial_state(), ("(take 1)", "(take 2)", "noop"))
    chance = last(Analyst(game), after, 0.5)
    assert (chance.expected, chance.best) == ({"left": 50.0, "right": 50.0}, {})


def test_an_evaluation_that_is_stopped_ends() -> None:
    game = Reasoner(NIM)
    stopped = Event()
    stopped.set()
    assert list(Analyst(game).evaluate(game.initial_state(), 60.0, stopped)) == []


BEST = {"white": (Candidate("a", 80.0, 10), Candidate("b", 60.0, 5))}


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        (71.0, None),
        (70.0, MistakeKind.INACCURACY),
        (60.0, MistakeKind.MISTAKE),
        (50.0, MistakeKind.BLUNDER),
        (0.0, MistakeKind.BLUNDER),
        (100.0, None),
    ],
)
def test_the_size_of_a_mistake(after: float, kind: MistakeKind | None) -> None:
    before = Evaluation({"white": 80.0, "black": 20.0}, BEST, alone=True)
    found = mistake_of(before, Evaluation({"white": after}, {}), {"white": "b", "black": "noop"})
    assert (found.kind if found else None) == kind
    if found:
        assert (found.role, found.better, found.loss) == ("white", "a", 80.0 - after)


def test_the_best_move_is_no_mistake_and_with_several_movers_nobody_is_blamed() -> None:
    before, after = Evaluation({"white": 80.0}, BEST, alone=True), Evaluation({"white": 0.0}, {})
    assert mistake_of(before, after, {"white": "a"}) is None
    assert mistake_of(Evaluation({"white": 80.0}, BEST, alone=False), after, {"white": "b"}) is None
    assert mistake_of(before, Evaluation({}, {}), {"white": "b"}) is None
