"""States: sets of facts that can be compared, hashed and pickled."""

from __future__ import annotations

import copy
import pickle

import pytest
from support.race import RACE, SOLO, facts, one, texts, values

import gdl
from gdl import Constant, Reasoner, State, parse_term

# States


def test_a_state_iterates_over_its_facts_in_the_order_of_their_text(race: Reasoner) -> None:
    state = race.initial_state()
    assert facts(state) == ["(at White 0)", "(at black 0)", "(control White)"]
    assert len(state) == 3
    assert str(state) == "(at White 0) (at black 0) (control White)"
    assert repr(state) == f"<State of 3 facts: {state}>"


def test_a_state_holds_facts_as_terms_and_as_text(race: Reasoner) -> None:
    state = race.initial_state()
    assert "(at white 0)" in state
    assert "(AT WHITE 0)" in state
    assert parse_term("(control white)") in state
    assert "(at white 1)" not in state
    assert "(at white)" not in state
    assert "control" not in state
    assert Constant("nonsense") not in state
    assert 3 not in state
    with pytest.raises(gdl.TermError, match="has variables"):
        assert "(at ?r 0)" in state
    with pytest.raises(gdl.TermError, match="never closed"):
        assert "(at" in state


def test_equal_states_are_equal_and_hash_alike(race: Reasoner) -> None:
    state = race.initial_state()
    built = race.state(["(control white)", parse_term("(at black 0)"), "(AT White 0)", "(at white 0)"])
    assert built == state
    assert hash(built) == hash(state)
    assert {state: 1}[built] == 1
    assert race.state(["(control white)"]) != state
    assert race.state(state) == state
    assert race.state([]) == race.state([])
    assert state != "(at White 0)"
    assert not list(race.state([]))


def test_states_that_different_ways_lead_to_are_equal(race: Reasoner) -> None:
    def played(*joint_moves: str) -> State:
        state = race.initial_state()
        for moves in joint_moves:
            state = race.next_state(state, moves)
        return state

    one = played("(step 1) noop", "noop (step 1)", "(step 1) noop", "noop (step 2)")
    other = played("(step 1) noop", "noop (step 2)", "(step 1) noop", "noop (step 1)")
    assert one == other
    assert hash(one) == hash(other)
    assert facts(one) == ["(at White 2)", "(at black 3)", "(control White)"]


def test_facts_that_the_rules_do_not_mention_can_be_part_of_a_state(race: Reasoner) -> None:
    state = race.state(["(at white 1)", "raining", "(colour (f a) b)", "at", "(at 1 2 3)"])
    assert facts(state) == ["(at 1 2 3)", "(at White 1)", "(colour (f a) b)", "at", "raining"]
    assert "raining" in state
    assert "(colour (f a) b)" in state
    assert "(at 1 2 3)" in state
    assert state != race.state(["(at white 1)", "raining"])


def test_symbols_that_the_rules_do_not_have_are_the_same_whatever_their_case(race: Reasoner) -> None:
    assert "(colour RED)" in race.state(["(colour red)"])
    assert race.state(["(colour RED)"]) == race.state(["(colour red)"])


@pytest.mark.parametrize(
    ("fact", "message"),
    [("(at ?r 0)", "has variables"), ("?x", "has variables"), ("(at", "never closed"), ("", "one term")],
)
def test_a_state_is_made_of_ground_terms(race: Reasoner, fact: str, message: str) -> None:
    with pytest.raises(gdl.TermError, match=message):
        race.state([fact])


def test_states_of_the_same_rules_compare(race: Reasoner) -> None:
    twin = Reasoner(RACE).initial_state()
    assert twin == race.initial_state()
    assert hash(twin) == hash(race.initial_state())


def test_states_of_different_rules_are_different(race: Reasoner) -> None:
    other = Reasoner(RACE + "(unused 1)").initial_state()
    assert facts(other) == facts(race.initial_state())
    assert other != race.initial_state()


def test_a_state_of_another_game_is_taken_for_its_facts(race: Reasoner) -> None:
    other = Reasoner(SOLO + "(at WHITE control) (step TWO)").state(["(at WHITE 2)", "(control white)"])
    assert texts(race.legal_moves(other, "white")) == ["(step 1)"]
    assert facts(race.next_state(other, "(step 1) noop")) == ["(at White 3)", "(control black)"]
    assert race.goal(race.next_state(other, "(step 1) noop"), "white") == 100
    twin = pickle.loads(pickle.dumps(race.initial_state()))
    assert race.next_state(twin, "(step 1) noop") == race.next_state(race.initial_state(), "(step 1) noop")


def test_a_query_for_the_facts_of_a_state_of_another_game(race: Reasoner) -> None:
    other = Reasoner(SOLO).state(["(control white)", "(at WHITE 2)", "(worth 3)"])
    assert values(race, "(true ?f)", other) == ["(at White 2)", "(control White)", "(worth 3)"]


def test_states_never_change(race: Reasoner) -> None:
    state = race.initial_state()
    before = facts(state)
    race.next_state(state, "(step 1) noop")
    race.legal_moves(state, "white")
    assert facts(state) == before
    assert copy.copy(state) == state
    with pytest.raises(AttributeError):
        state.extra = 1  # type: ignore[attr-defined]


def test_states_with_deep_terms_compare() -> None:
    game = one("(init (count z)) (<= (next (count (s ?n))) (true (count ?n)))")

    def played() -> State:
        state = game.initial_state()
        for _ in range(600):
            state = game.next_state(state, "go")
        return state

    assert played() == played()
