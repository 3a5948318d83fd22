"""Queries: patterns, substitutions, and questions that cannot be asked."""

from __future__ import annotations

import pytest
from support.race import one, values

import gdl
from gdl import Constant, Reasoner, parse_term

# Queries


def test_a_query_without_variables_holds_or_does_not(race: Reasoner) -> None:
    state = race.initial_state()
    assert race.query("(succ 0 1)", state) == [{}]
    assert race.query("(succ 0 2)", state) == []
    assert race.query("terminal", state) == []
    assert race.query("(terminal)", race.state(["(at white 3)"])) == [{}]
    assert race.query("(true (at white 0))", state) == [{}]
    assert race.query("(true (at white 9))", state) == []


def test_a_query_gives_substitutions_in_order(race: Reasoner) -> None:
    state = race.initial_state()
    assert race.query("(succ ?from ?To)", state) == [
        {"?from": Constant(str(i)), "?To": Constant(str(i + 1))} for i in range(3)
    ]
    assert race.query(parse_term("(legal white (step ?n))"), state) == [{"?n": Constant("1")}, {"?n": Constant("2")}]
    assert values(race, "(LEGAL ?r noop)") == ["black"]
    assert values(race, "(ahead ?x 2 3)") == ["1"]
    assert values(race, "(role ?r)") == ["White", "black"]
    assert values(race, "(init ?f)") == ["(at White 0)", "(at black 0)", "(control White)"]
    assert values(race, "(goal black ?v)") == ["0"]
    assert race.query("(base ?f)", state) == []


def test_a_query_for_facts(race: Reasoner) -> None:
    state = race.state(["(at white 1)", "(at black 1)", "raining", "(wind (from north))"])
    assert values(race, "(true ?f)", state) == ["(at White 1)", "(at black 1)", "(wind (from north))", "raining"]
    assert values(race, "(true (at ?who 1))", state) == ["White", "black"]
    assert values(race, "(true (wind ?w))", state) == ["(from north)"]
    assert race.query("(true (at ?x ?x))", race.state(["(at a a)", "(at a b)"])) == [{"?x": Constant("a")}]


def test_a_query_for_what_is_next(race: Reasoner) -> None:
    state = race.initial_state()
    moves = {"white": "(step 2)", "black": "noop"}
    assert values(race, "(next ?f)", state, moves) == ["(at White 2)", "(at black 0)", "(control black)"]
    assert values(race, "(next (at white ?x))", state, moves) == ["2"]
    assert values(race, "(does white ?m)", state, moves) == ["(step 2)"]
    assert values(race, "(does ?r noop)", state, "(step 1) noop") == ["black"]
    assert race.query("(does white (step ?n))", state, "(step 1) noop") == [{"?n": Constant("1")}]


@pytest.mark.parametrize("pattern", ["(next ?f)", "(does ?r ?m)", "(does white noop)"])
def test_a_query_that_depends_on_the_moves_needs_them(race: Reasoner, pattern: str) -> None:
    with pytest.raises(gdl.JointMoveError, match="depends on the moves: give the joint move, too"):
        race.query(pattern, race.initial_state())
    with pytest.raises(gdl.IllegalMoveError):
        race.query(pattern, race.initial_state(), "noop noop")


def test_a_query_for_a_relation_that_depends_on_the_moves() -> None:
    game = one("(<= (done ?m) (does r ?m)) (<= (next (did ?m)) (done ?m)) (<= p (done go))")
    assert values(game, "(done ?x)", moves="go") == ["go"]
    assert game.query("p", game.initial_state(), ["go"]) == [{}]
    with pytest.raises(gdl.JointMoveError, match="done/1 depends"):
        game.query("(done ?x)", game.initial_state())


def test_a_query_for_an_unknown_relation(race: Reasoner) -> None:
    state = race.initial_state()
    with pytest.raises(gdl.UnknownRelationError) as caught:
        race.query("(suc ?x ?y)", state)
    assert str(caught.value) == ("unknown-relation: the rules have no relation suc/2; did you mean succ/2?")
    for pattern in ("(succ ?x)", "(at white ?x)", "noop", "(true)", "(legal ?x)", "(true part 1)"):
        with pytest.raises(gdl.UnknownRelationError):
            race.query(pattern, state)
    for pattern in ("(distinct a b)", "(not (true (control white)))", "(or terminal terminal)"):
        with pytest.raises(gdl.TermError, match="a query is one atom"):
            race.query(pattern, state)
    with pytest.raises(TypeError, match="expected a term or a KIF string as the move of White, not 5"):
        race.next_state(state, {"white": 5, "black": "noop"})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="expected a state of this game"):
        race.legal_moves("x", "white")  # type: ignore[arg-type]
    assert race.state("(control white) (at white 1)") == race.state(["(at white 1)", "(control white)"])


def test_a_relation_that_is_only_asked_for_in_rules_is_known_and_empty() -> None:
    game = one("(<= (p ?x) (q ?x) (undefined ?x)) (q a)")
    assert values(game, "(undefined ?x)") == []
    assert values(game, "(p ?x)") == []


@pytest.mark.parametrize("pattern", ["?x", "", "a b", "(", "(?p a)"])
def test_a_query_that_is_no_atom(race: Reasoner, pattern: str) -> None:
    with pytest.raises(gdl.TermError):
        race.query(pattern, race.initial_state())


def test_query_patterns_may_repeat_variables_and_look_into_functions() -> None:
    game = one("(p a a) (p a b) (p (f a) a) (p (f b) a) (p (f b c) a) (p (g c) a)")
    assert values(game, "(p ?x ?x)") == ["a"]
    assert values(game, "(p (f ?x) ?x)") == ["a"]
    assert values(game, "(p (f ?x) a)") == ["a", "b"]
    assert values(game, "(p (F ?x) A)") == ["a", "b"]
    assert game.query("(p (f ?x ?y) ?z)", game.initial_state()) == [
        {"?x": Constant("b"), "?y": Constant("c"), "?z": Constant("a")}
    ]


def test_variables_of_a_query_are_the_same_whatever_their_case() -> None:
    game = one("(p a a) (p a b)")
    assert len(game.query("(p ?x ?X)", game.initial_state())) == 1


def test_a_relation_whose_rules_can_never_fire_is_known() -> None:
    game = gdl.Reasoner("(role r) (<= terminal (none a)) (<= (never ?x) (role ?x) (not (distinct ?x (f ?x))))")
    assert game.query("(never ?x)", game.initial_state()) == []
    assert game.query("(none ?x)", game.initial_state()) == []
