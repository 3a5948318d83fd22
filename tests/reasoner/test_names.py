"""Names are the same however they are spelled, and answers have the first spelling in the text."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.explained import Checker
from support.profiles import examples
from support.spelling import folded, recased
from support.strategies import games

import gdl
from gdl.checker import check
from gdl.compile_errors import CompileError
from gdl.errors import GdlError

CAPITALS = """
(role r) (init Red) (colour Red)
(<= (legal r (take ?c)) (true ?c) (colour ?c)) (<= (legal r wait) (true Red))
(<= (next done) (does r (take Red))) (<= (next Red) (does r wait))
(<= terminal (true done)) (goal r 100)
"""


def test_variables_for_whole_facts_meet_facts_with_capitals() -> None:
    game = gdl.Reasoner(CAPITALS)
    start = game.initial_state()
    assert game.legal_moves(start, "r") == (gdl.parse_term("(take Red)"), gdl.parse_term("wait"))
    assert game.query("(true ?fact)", start) == [{"?fact": gdl.parse_term("Red")}]
    assert str(game.explain("(legal R (TAKE red))", start)) == str(game.explain("(legal r (take Red))", start))


def test_not_and_distinct_meet_facts_with_capitals() -> None:
    game = gdl.Reasoner("""
        (role r) (init (At Home)) (place (At Home)) (home Home) (legal r m)
        (<= (next (At Home)) (true (At Home)))
        (<= same (true ?f) (place ?f))
        (<= away (true ?f) (not (place ?f)))
        (<= other (true ?f) (place ?g) (distinct ?f ?g))
        (<= (inside ?x) (true ?f) (home ?x) (is ?f (at ?x)))
        (<= (is ?f ?f) (true ?f))
        (<= terminal (true (at nowhere))) (goal r 1)
    """)
    start = game.initial_state()
    holding = [atom for atom in ("same", "away", "other", "(inside home)") if game.query(atom, start)]
    assert holding == ["same", "(inside home)"]


def test_answers_have_the_first_spelling() -> None:
    game = gdl.Reasoner(CAPITALS)
    state = game.state("RED (Box ReD unknown)")
    assert str(state) == "(box Red unknown) Red"
    assert "rED" in state
    assert game.next_state(state, "WAIT") == game.initial_state()


def walk(game: gdl.Reasoner, random: Random) -> list[object]:
    """All answers along a path of random moves; chosen among the moves regardless of their case."""
    found: list[object] = [folded(game.roles)]
    state = game.initial_state()
    for _ in range(3):
        found.append(folded(state))
        found.append(game.is_terminal(state))
        found += [folded(map(str, game.query(f"({name} ?x ?y)", state))) for name in ("goal", "legal")]
        found.append(folded(map(str, game.query("(true ?x)", state))))
        try:
            legal = [folded(game.legal_moves(state, role)) for role in game.roles]
            moves = [random.choice(own) for own in legal]
            found += [legal, folded(map(str, game.query("(next ?x)", state, moves)))]
            found.append({role.lower(): folded(seen) for role, seen in game.percepts(state, moves).items()})
            state = game.next_state(state, moves)
        except GdlError as error:
            found.append(type(error))
            break
    return found


def explained(game: gdl.Reasoner) -> None:
    """Check the explanations of all that holds in the initial state, and of what does not."""
    state = game.initial_state()
    checker = Checker(game, state)
    for pattern in ("(true ?x)", "(legal ?x ?y)", "(goal ?x ?y)", "terminal"):
        checker.explanation(game.explain(pattern, state))


@examples(20, thorough=20)
@given(games(), st.randoms(use_true_random=False))
def test_the_case_of_names_changes_neither_answers_nor_diagnostics_but_that_of_case(text: str, random: Random) -> None:
    other = recased(text, random)
    plain, odd = gdl.Reasoner(text), gdl.Reasoner(other)
    seed = random.random()
    assert walk(odd, Random(seed)) == walk(plain, Random(seed))
    explained(odd)

    def found(rules: str) -> list[str]:
        # Lists within messages are sorted by their text.
        kept = [one for one in check(rules) if one.code != "case-differs"]
        return sorted(" ".join(folded(f"{one.code} {one.message}".replace(",", "").split())) for one in kept)

    assert found(other) == found(text)


@pytest.mark.slow
@examples(4, thorough=4)
@given(games(), st.randoms(use_true_random=False))
def test_the_case_of_names_changes_no_answer_of_the_simulator(text: str, random: Random) -> None:
    pytest.importorskip("clingo")
    assert _simulated(recased(text, random)) == _simulated(text)


def _simulated(text: str) -> list[object]:
    try:
        game = gdl.compile(text, cache=False, budget=gdl.CompileBudget(seconds=5)).whole()
    except CompileError as error:
        # Some random games are too large for the time there is.
        assume(error.budget != "seconds")
        return [type(error)]
    except GdlError as error:
        return [type(error)]
    state = game.initial_state()
    return [folded(game.roles), folded(state), *(folded(game.legal_moves(state, role)) for role in game.roles)]
