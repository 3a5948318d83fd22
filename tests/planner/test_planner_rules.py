"""The planner's reading of rules: clocks, interchangeable objects, facts that do not matter; and what it refuses."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from support.puzzles import CLOSED, COUNT, FAR, LATE, LOCK, MOMENT, SWITCHES, TOKENS, WALK

import gdl
from ggp.solver.planner.puzzle import Puzzle
from ggp.solver.planner.symmetry import interchangeable, runs_by_rules


def puzzle(text: Path | str) -> Puzzle:
    return Puzzle(gdl.compile(text))


def steps(last: int) -> set[str]:
    return {f"(step {number})" for number in range(last + 1)}


@pytest.mark.parametrize("text", [WALK, FAR, LATE, MOMENT, TOKENS])
def test_a_step_counter_is_a_clock(text: str) -> None:
    found = puzzle(text)
    assert found.clock
    assert set(found.clock) <= steps(8)


def test_the_clock_says_when_the_game_ends() -> None:
    times = puzzle(WALK).times
    assert (times.settled, times.limit, times.late, times.highest) == (0, 5, 10, 100)
    times = puzzle(LATE).times
    assert (times.limit, times.late) == (6, 90)
    # The end is worth most after five plies: what is seen before and after may not be taken for the same.
    times = puzzle(MOMENT).times
    assert (times.settled, times.limit) == (6, 7)


def test_the_clock_goes_on_from_the_state_at_hand() -> None:
    game = gdl.compile(WALK)
    state = game.next_state(game.next_state(game.initial_state(), ["stay"]), ["left"])
    assert Puzzle(game, state).times.limit == 3


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("a legal move depends on it", CLOSED),
        (
            "another fact depends on it",
            WALK + "(<= (next (late)) (true (step 4)) (does r stay)) (<= terminal (true (late)))",
        ),
        ("a move changes it", WALK.replace("(<= (next (step ?b))", "(<= (next (step ?b)) (not (does r stay))")),
        ("a fact changes it", WALK.replace("(<= (next (step ?b))", "(<= (next (step ?b)) (not (true (at 2)))")),
    ],
)
def test_what_is_more_than_a_clock_is_none(why: str, text: str) -> None:
    assert not puzzle(text).clock, why


def test_a_clock_that_comes_round_and_counts_is_kept() -> None:
    """Day and night: the end is worth something else at night, for ever."""
    text = """
    (role r) (init (at 0)) (init day) (legal r go) (legal r wait) (<= (next day) (not (true day)))
    (<= (next (at 1)) (does r go)) (<= (next (at ?x)) (does r wait) (true (at ?x)))
    (<= terminal (true (at 1))) (<= (goal r 100) (true (at 1)) (true day)) (<= (goal r 0) (not (true day)))
    (<= (goal r 0) (true day) (true (at 0)))
    """
    assert not puzzle(text).clock


def test_a_counter_that_nothing_reads_does_not_matter() -> None:
    text = LOCK + f"{COUNT} (<= (next (turned ?w)) (does r (turn ?w)))"
    found = puzzle(text)
    assert not found.clock
    assert {f"(turned {wheel})" for wheel in "abc"} <= set(found.idle)
    assert any(fact in found.idle for fact in steps(8))


def test_objects_that_the_rules_do_not_name_are_interchangeable() -> None:
    assert puzzle(TOKENS).alike == [("t1", "t3", "t4")]
    assert puzzle(Path("games/sliding_pieces.kif")).alike == [
        tuple(sorted(f"piece{number}" for number in (1, 3, 4, 5, 6, 7, 8, 9, 10)))
    ]
    assert puzzle(SWITCHES).alike == [tuple("abcdefghijkl")]


@pytest.mark.parametrize(
    ("why", "change"),
    [
        ("a rule names it", "(<= (goal r 50) (true (on p1 t3)))"),
        ("a static fact is about it", "(heavy t3) (<= (legal r (lift ?t)) (heavy ?t))"),
        ("it is not distinct from itself", "(<= terminal (true (on p1 ?t)) (distinct ?t t3))"),
    ],
)
def test_what_the_rules_name_is_not_interchangeable(why: str, change: str) -> None:
    classes = interchangeable(gdl.Reasoner(TOKENS + change).rulesheet)
    assert ("t1", "t4") in classes, why
    assert not any("t3" in names for names in classes), why


def test_rules_about_each_object_may_be_written_one_by_one() -> None:
    """A swap maps one rule to another, whatever its variables are called and how its conditions are ordered."""
    text = """
    (role r) (init (at x)) (legal r go)
    (<= (next (at a)) (does r go) (true (at ?p)) (way ?p a))
    (<= (next (at b)) (way ?q b) (true (at ?q)) (does r go))
    (<= (next (at c)) (does r go) (true (at ?p)) (way c ?p))
    (way x a) (way x b) (way x c)
    (<= terminal (true (at a))) (<= terminal (true (at b))) (<= terminal (true (at c)))
    """
    assert interchangeable(gdl.Reasoner(text).rulesheet) == [("a", "b")]


def test_goal_values_are_never_interchangeable() -> None:
    """A swap of 30 and 70 maps these rules onto themselves, but not what the goals are worth."""
    text = """
    (role r) (init (at 0)) (legal r 30) (legal r 70) (<= (next (at ?x)) (does r ?x))
    (<= terminal (true (at ?x)) (value ?x)) (<= (goal r ?x) (true (at ?x))) (value 30) (value 70)
    """
    sheet = gdl.Reasoner(text).rulesheet
    assert interchangeable(sheet) == [("30", "70")]
    assert puzzle(text).alike == []


def test_a_fact_of_two_objects_cannot_be_sorted() -> None:
    text = TOKENS + "(<= (next (over ?s ?t)) (does r (jump ?t)) (true (on ?p ?s))) (<= terminal (true (over ?s ?s)))"
    assert interchangeable(gdl.Reasoner(text).rulesheet) == [("t1", "t3", "t4")]
    assert puzzle(text).alike == []


def test_states_with_interchangeable_objects_swapped_have_one_key() -> None:
    game = gdl.compile(TOKENS)
    found = Puzzle(game)
    keys, random = found.keys(), Random(1)
    by_key: dict[bytes, set[frozenset[str]]] = {}
    for _ in range(300):
        state = game.initial_state()
        for _ in range(random.randrange(8)):
            if not game.is_terminal(state):
                state = game.next_state(state, [random.choice(game.legal_moves(state, "r"))])
        key = keys.of(np.frombuffer(state.bits, np.uint64).reshape(1, -1).copy()).tobytes()
        by_key.setdefault(key, set()).add(frozenset(fact.text for fact in state if "on " in fact.text))
    # Equal keys are of states that are equal but for the names of the three, and different keys of others.
    assert len(by_key) > 15
    assert any(len(states) > 1 for states in by_key.values())
    classes = [min(map(sorted, renamed(next(iter(states))))) for states in by_key.values()]
    assert len({tuple(one) for one in classes}) == len(by_key)
    for states in by_key.values():
        assert len({tuple(min(map(sorted, renamed(state)))) for state in states}) == 1


def renamed(state: frozenset[str]) -> list[list[str]]:
    """A state under all permutations of the three tokens."""
    found = []
    for order in permutations(("t1", "t3", "t4")):
        names = dict(zip(("t1", "t3", "t4"), order, strict=True))
        found.append(
            [" ".join(names.get(word.strip("()"), word.strip("()")) for word in fact.split()) for fact in state]
        )
    return found


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (WALK, True),
        (CLOSED, False),
        (WALK + "(<= (next (late)) (true (step 4))) (<= terminal (true (late)))", False),
        (WALK.replace("(<= (next (step ?b))", "(<= (next (step ?b)) (not (does r stay))"), False),
        (WALK + "(<= (legal r think) (known ?f)) (<= (known ?f) (true ?f))", False),
    ],
)
def test_clocks_by_the_rules_alone(text: str, runs: bool) -> None:
    game = gdl.Reasoner(text)
    fact = next(fact for fact in game.initial_state() if fact.text.startswith("(step"))
    assert runs_by_rules(game.rulesheet, [fact]) == runs
