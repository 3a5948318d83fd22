"""Rules that derive too much end with an error that names the rule, soon."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from support.toy_rules import NIM

import gdl
from gdl import DerivationBudget, DerivationLimitError, Reasoner
from gdl.engine import State
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner import ticker
from gdl.reasoner.budget import Meter
from gdl.reasoner.growth import growing_functions
from gdl.reasoner.lowering import lower

BITS = [f"?b{i}" for i in range(40)]
MANY = f"{' '.join(BITS)}) {' '.join(f'(bit {bit})' for bit in BITS)})"
NUMBERS = " ".join(f"(n {i})" for i in range(100))
JOIN = f"""{NUMBERS} (<= (goal r 1) (true (s ?s)) (n ?a) (n ?b) (n ?c) (n ?d) (not (q ?a ?b ?c ?d)))
(<= (q ?a ?b ?c ?d) (n ?a) (n ?b) (n ?c) (n ?d))"""
FRAME = "(role r) (<= terminal (true over)) (bit 0) (bit 1)\n"
GO = "(init (s a)) (legal r go) (goal r 0)\n"


def game(rules: str, **limits: float) -> Reasoner:
    """A game whose questions may take little."""
    budget = DerivationBudget(**{"seconds": 0.2, **limits})  # type: ignore[arg-type]
    return Reasoner(FRAME + rules, "game.kif", budget)


def refused(question: object) -> DerivationLimitError:
    """The error of a question, which must come soon."""
    assert callable(question)
    began = time.thread_time()
    with pytest.raises(DerivationLimitError) as caught:
        question()
    assert time.thread_time() - began < 3
    return caught.value


def test_terms_that_double_with_each_ply() -> None:
    rules = game(GO + "(<= (next (s (f ?x ?x))) (true (s ?x)))")
    state = rules.initial_state()
    for _ in range(12):
        state = rules.next_state(state, "go")
    error = refused(lambda: rules.next_state(state, "go"))
    assert str(error) == (
        "game.kif:3:1: derivation-limit: deriving next/1 builds a term of more than 10,000 names\n"
        "    (<= (next (s (f ?x ?x))) (true (s ?x)))\n"
        "    ^"
    )
    assert (error.limit, error.relation, error.line) == ("names", "next/1", 3)


def test_terms_that_double_within_a_state() -> None:
    chain = " ".join(f"(<= (c{i + 1} (f{i % 30} ?x ?x)) (c{i} ?x))" for i in range(60))
    rules = game(GO + f"(<= (c0 ?x) (true (s ?x))) {chain} (<= (goal r 1) (c60 ?x))")
    assert refused(lambda: rules.goals(rules.initial_state())).limit == "names"


def test_terms_that_grow_deep_with_each_ply() -> None:
    rules = game(GO + "(<= (next (s (f ?x))) (true (s ?x)))", depth=20)
    state = rules.initial_state()
    for _ in range(20):
        state = rules.next_state(state, "go")
    assert refused(lambda: rules.next_state(state, "go")).reason == (
        "deriving next/1 builds a term with more than 20 levels"
    )


def test_a_recursion_that_builds_terms() -> None:
    rules = game(GO + "(<= (nat ?x) (true (s ?x))) (<= (nat (s ?x)) (nat ?x)) (<= (next (s ?x)) (nat ?x))")
    assert refused(lambda: rules.next_state(rules.initial_state(), "go")).relation == "nat/1"


def test_a_recursion_that_pairs_terms() -> None:
    rules = game(GO + "(p z) (<= (p (f ?x ?y)) (p ?x) (p ?y)) (<= (goal r 1) (p ?x))")
    assert refused(lambda: rules.goals(rules.initial_state())).relation == "p/1"


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({}, "deriving legal/2 takes more than 0.2 seconds of processor time"),
        ({"rows": 1_000}, "deriving legal/2 takes more than 1,000 rows"),
        ({"seconds": 60, "memory": 4 << 20}, "deriving legal/2 takes more than 4 MiB of memory"),
    ],
)
def test_legal_moves_without_number(limits: dict[str, float], reason: str) -> None:
    rules = game(f"(init (s a)) (goal r 0) (<= (legal r (m {MANY.replace(')', '))', 1)}", **limits)
    assert refused(lambda: rules.legal_moves(rules.initial_state(), "r")).reason == reason


def test_a_join_without_results() -> None:
    """Its loops find nothing, so only they themselves can notice."""
    rules = game(GO + JOIN)
    assert refused(lambda: rules.goals(rules.initial_state())).limit == "seconds"


def test_initial_facts_without_number() -> None:
    error = refused(lambda: game(f"(legal r go) (<= (init (m {MANY.replace(')', '))', 1)}"))
    assert (error.relation, error.line) == ("init/1", 2)


def test_a_query_and_an_explanation() -> None:
    rules = game(GO + f"{NUMBERS} (<= (q ?a ?b ?c ?d) (true (s ?s)) (n ?a) (n ?b) (n ?c) (n ?d))")
    state = rules.initial_state()
    assert refused(lambda: rules.query("(q ?a ?b ?c ?d)", state)).relation == "q/4"
    assert refused(lambda: rules.explain("(q ?a ?b ?c ?d)", state)).relation == "q/4"
    assert rules.legal_moves(state, "r")


def test_the_clock_starts_again_with_each_question() -> None:
    rules = game(
        GO
        + f"{NUMBERS} (<= (m ?a ?b) (true (s ?s)) (n ?a) (n ?b) (distinct ?a ?b)) (<= (goal r 1) (m ?a ?a) (m ?b ?b))"
    )
    began = time.thread_time()
    while time.thread_time() - began < 0.6:
        assert rules.goals(rules.state(["(s a)"])) == {"r": 0}


@pytest.mark.parametrize(
    "ask",
    [
        lambda _, state: list(state),
        lambda game, state: game.legal_moves(state, "r"),
        lambda game, state: game.goals(state),
        lambda game, state: game.is_terminal(state),
        lambda game, state: list(game.next_state(state, "go")),
        lambda game, state: game.percepts(state, "go"),
        lambda game, state: game.query("(true ?x)", state),
        lambda game, state: game.explain("terminal", state),
    ],
)
def test_time_between_questions_does_not_count(ask: Callable[[Reasoner, State], object]) -> None:
    rules = game(GO + "(<= (sees r (i ?x)) (true ?x)) (<= (next (t ?x)) (true (s ?x)))")
    meter = rules._program.meter
    ask(rules, rules.state(["(s b)"]))
    # An earlier question of this thread was measured, long ago.
    meter.measured[threading.get_ident()] = (time.thread_time() - 60, 0)
    meter.set_due(True)
    ask(rules, rules.state(["(s c)"]))


def test_facts_that_are_given_are_measured() -> None:
    rules = game(GO, depth=10)
    with pytest.raises(DerivationLimitError, match="deriving an answer builds a term with"):
        rules.state(["(s " + "(f " * 10 + "a" + ")" * 11])


def test_keys_of_lazy_relations_that_grow() -> None:
    """The rows shrink, but the keys that the rules ask for grow: the relation is derived as a whole instead."""
    rules = Reasoner(
        FRAME + GO + f"{NUMBERS} (<= (big ?a ?b ?c) (true (s ?s)) (n ?a) (n ?b) (n ?c))"
        "(<= (p ?x 0) (true (s ?x))) (<= (p ?x ?a) (big ?a ?b 3) (p (f ?x ?x) ?b)) (<= (goal r 1) (p a 1))",
        budget=DerivationBudget(seconds=10),
    )
    rules._program.lazy.add(("p", 2))
    assert rules.query("(p a ?n)", rules.initial_state()) == [{"?n": gdl.Constant("0")}]


@pytest.mark.slow
def test_the_ticker_sleeps_when_nobody_asks() -> None:
    rules = game(GO + JOIN)
    refused(lambda: rules.goals(rules.initial_state()))
    until = time.monotonic() + 30
    while any(thread.name == ticker.THREAD for thread in threading.enumerate()):
        assert time.monotonic() < until
        time.sleep(0.05)
    refused(lambda: rules.goals(rules.initial_state()))


def growing(rules: str) -> set[str]:
    """The names of the functions whose terms may grow too large."""
    lowered, _ = lower(Rulesheet(FRAME + rules).stratified_rules)
    return {name for name, _ in lowered.growing}


def test_terms_of_most_games_cannot_grow() -> None:
    lowered, _ = lower(Rulesheet(NIM).stratified_rules)
    assert not lowered.growing
    assert growing_functions((), DerivationBudget()) == frozenset()


def test_functions_that_grow() -> None:
    assert growing(GO + "(<= (next (s (f ?x))) (true (s ?x)))") == {"f"}
    assert growing("(legal r (m a)) (goal r 0) (<= (next ?m) (does r ?m)) (<= (legal r (m ?x)) (true ?x))") == {"m"}
    assert growing(GO + "(<= (next (s (g ?x))) (h ?x)) (<= (h (f ?x)) (true (s (g ?x))))") == {"f", "g"}
    assert growing(GO + "(<= (next (s ?x)) (true (s (f ?x))))") == set()


def test_measures() -> None:
    meter = Meter(DerivationBudget(names=5, depth=2))
    assert meter.excess("a") is None
    assert meter.excess(("f", "a", ("g", "b", "c"))) is None
    assert meter.excess(("f", "a", "b", "c", "d", "e")) == ("names", 5)
    assert meter.excess(("f", ("g", ("h", "c")))) == ("depth", 2)
