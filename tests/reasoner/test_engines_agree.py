"""Random programs and games, on which the naive interpreter, the Reasoner, clingo and the Simulator agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import naive
from support.agreement import budget, check_playouts
from support.engines import Given, assert_same, clingo, limits, semi_naive, semi_naive_each
from support.naive import NaiveGame
from support.profiles import examples
from support.strategies import RandomProgram, games, programs

import gdl
import gdl.circuit.build.ground_program
import gdl.reasoner.reasoner
from gdl.language.rules import Rule, Signature
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term

#: With more rows than this a relation counts as large: none does; some do; most do.
LIMITS = [1_000_000, 4, 1]
PLIES = 4


# Programs


def check_program(program: RandomProgram) -> None:
    expected = naive.derive(program.rules)
    assert_same(clingo(program.rules), expected)
    assert_same(semi_naive(program.rules), expected)


@examples(60, thorough=200)
@given(programs())
def test_the_engines_derive_the_same(program: RandomProgram) -> None:
    pytest.importorskip("clingo")
    check_program(program)


@examples(60)
@given(programs())
def test_a_rulesheet_derives_what_its_text_says(program: RandomProgram) -> None:
    """The text, with `or`, through parser and normalisation, against rules that were never text."""
    rulesheet = Rulesheet("(role robot) terminal\n" + program.text)
    game: Given = {("role", 1): [naive.constants("robot")], ("terminal", 0): [()]}
    assert_same(semi_naive(list(rulesheet.rules)), naive.derive(program.rules, game))


def split(program: RandomProgram, random: Random) -> tuple[list[Rule], list[Given]]:
    """Some relations as inputs: the rules without their facts, and two sets of rows for these relations."""
    inputs = [s for s in program.sources if random.random() < 0.6]
    facts = [r for r in program.rules if not r.body and r.head.signature in inputs]
    rules = [r for r in program.rules if r not in facts]

    def rows(share: float) -> Given:
        return {s: {f.head.args for f in facts if f.head.signature == s and random.random() < share} for s in inputs}

    return rules, [rows(1), rows(0.5)]


def check_given_rows(program: RandomProgram, random: Random, questions: list[Signature], limit: int) -> None:
    rules, givens = split(program, random)
    expected = [naive.derive(rules, each) for each in givens]
    with limits(limit):
        found = semi_naive_each(rules, givens, questions)
    for one, other in zip(found, expected, strict=True):
        assert_same(one, other)


SEEDS = st.integers(0, 9)
#: Relations in the order in which they are asked for, as what was derived before may matter.
QUESTIONS = st.permutations([("u", 2), ("v", 1), ("t", 3), ("r", 2), ("s", 1), ("no", 0), ("yes", 0), ("p", 2)])


@pytest.mark.parametrize("limit", LIMITS)
@examples(60, thorough=400)
@given(programs(), SEEDS, QUESTIONS)
def test_what_follows_from_given_rows(
    limit: int, program: RandomProgram, seed: int, questions: list[Signature]
) -> None:
    check_given_rows(program, Random(seed), questions, limit)


# Games


def answers(game: gdl.Reasoner, state: gdl.State, moves: Mapping[str, Term]) -> dict[str, object]:
    """All that a game says of a state and a joint move."""
    return {
        "facts": set(state),
        "terminal": game.is_terminal(state),
        "legal": {role: set(game.legal_moves(state, role)) for role in game.roles},
        "goals": {(answer["?r"], answer["?v"]) for answer in game.query("(goal ?r ?v)", state)},
        "facts asked for": {answer["?f"] for answer in game.query("(true ?f)", state)},
        "facts asked for next": {answer["?f"] for answer in game.query("(next ?f)", state, moves)},
        "next": set(game.next_state(state, moves)),
        "percepts": {role: set(seen) for role, seen in game.percepts(state, moves).items()},
    }


def expected_answers(game: NaiveGame, state: frozenset[Term], moves: Mapping[Term, Term]) -> dict[str, object]:
    before, after = game.model(state), game.model(state, moves)
    coming = {row[0] for row in after.get(("next", 1), set())}
    seen = after.get(("sees", 2), set())
    return {
        "facts": set(state),
        "terminal": bool(before.get(("terminal", 0))),
        "legal": {role.text: moves for role, moves in game.legal(before).items()},
        "goals": before.get(("goal", 2), set()),
        "facts asked for": set(state),
        "facts asked for next": coming,
        "next": coming,
        "percepts": {role.text: {row[1] for row in seen if row[0] == role} for role in game.roles},
    }


def check_playout(text: str, random: Random, limit: int, learn_after: int) -> None:
    rulesheet = Rulesheet(text)
    reference = NaiveGame(rulesheet)
    facts = reference.initial
    with limits(limit), patch.object(gdl.reasoner.reasoner, "_LEARN_AFTER", learn_after):
        game = gdl.Reasoner(rulesheet)
        assert list(game.roles) == [role.text for role in sorted(reference.roles)]
        for _ in range(learn_after):
            game.is_terminal(game.initial_state())
        state = game.initial_state()
        for _ in range(PLIES):
            moves = reference.random_moves(reference.model(facts), random)
            assert moves is not None
            named = {role.text: move for role, move in moves.items()}
            expected = expected_answers(reference, facts, moves)
            assert answers(game, state, named) == expected
            state = game.next_state(state, named)
            assert state == game.state(state)
            facts = frozenset(expected["next"])  # type: ignore[call-overload]


#: Large relations as above; after how many states join orders are chosen anew.
PLAYING = [(1_000_000, 64), (4, 8), pytest.param(1, 8, marks=pytest.mark.slow)]


@pytest.mark.parametrize(("limit", "learn_after"), PLAYING)
@examples(30, thorough=200)
@given(games(), SEEDS)
def test_a_game_goes_as_its_rules_say(limit: int, learn_after: int, text: str, seed: int) -> None:
    check_playout(text, Random(seed), limit, learn_after)


# Compiled games

#: Recursion among ground atoms is unfolded as long as that is small; or it always becomes a loop.
UNFOLDING = [4_000, 0]


def check_compiled(text: str, unfolded: int) -> None:
    """Agreement along some playouts; and random playouts give nothing that the Reasoner's do not."""
    with budget(rules=2_000, seconds=5.0), patch.object(gdl.circuit.build.ground_program, "_UNFOLDED", unfolded):
        try:
            simulator = gdl.compile(text, cache=False).whole()
        except gdl.NotWholeError:
            assume(False)
    reasoner = gdl.Reasoner(simulator.rulesheet)
    check_playouts(reasoner, simulator, 3, PLIES)
    if not reasoner.is_terminal(reasoner.initial_state()):
        check_one_ply(reasoner, simulator)


def check_one_ply(reasoner: gdl.Reasoner, simulator: gdl.Simulator) -> None:
    """One ply of random playouts comes to every end that one ply may come to, and to no other."""
    start = reasoner.initial_state()
    joint: list[list[Term]] = [[]]
    for role in reasoner.roles:
        joint = [[*moves, move] for moves in joint for move in reasoner.legal_moves(start, role)]
    assume(len(joint) <= 30)
    ends = [state for state in (reasoner.next_state(start, moves) for moves in joint) if reasoner.is_terminal(state)]
    found = simulator.playouts(3_000, max_plies=1)
    assert found.max_length == 1
    assert (found.cut == 0) == (len(ends) == len(joint))
    # Five times the standard deviation.
    assert abs(found.cut / 3_000 - (1 - len(ends) / len(joint))) < 0.05
    for role in reasoner.roles:
        values = Counter(value for state in ends if (value := goal(reasoner, state, role)) is not None)
        assert set(found.counts[role]) >= set(values)
        assert {value for value, count in found.counts[role].items() if count} == set(values)
        assert sum(found.counts[role].values()) + found.undefined[role] + found.cut == 3_000


def goal(reasoner: gdl.Reasoner, state: gdl.State, role: str) -> int | None:
    try:
        return reasoner.goal(state, role)
    except gdl.GoalError:
        return None


@pytest.mark.parametrize("unfolded", UNFOLDING)
@examples(12, thorough=50)
@given(games())
def test_a_compiled_game_goes_as_the_reasoner_says(unfolded: int, text: str) -> None:
    pytest.importorskip("llvmlite")
    check_compiled(text, unfolded)
