"""Forward chaining: what rules derive from given rows, and that nothing is derived unasked or twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.engines import answer, derivations, flat_rules, limits, semi_naive_each, shown
from support.naive import constants

import gdl
import gdl.reasoner.components
from gdl.language.rules import Signature
from gdl.reasoner.forward import Program


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # facts, and rules without a body
        ("(p a) (p b) (p a)", ["a", "b"]),
        ("(<= (p a))", ["a"]),
        ("(p (f a)) (p f)", ["(f a)", "f"]),
        # joins
        ("(q a) (q b) (r b) (r c) (<= (p ?x) (q ?x) (r ?x))", ["b"]),
        ("(e 1 2) (e 2 3) (e 3 1) (<= (p ?x ?z) (e ?x ?y) (e ?y ?z))", ["1 3", "2 1", "3 2"]),
        ("(q a) (q b) (<= (p ?x ?y) (q ?x) (q ?y))", ["a a", "a b", "b a", "b b"]),
        ("(q a) (p z) (<= (p ?x) (q ?x))", ["a", "z"]),
        ("(q a) (r b) (<= (p ?x) (q ?x)) (<= (p ?x) (r ?x)) (<= (p ?x) (q ?x) (r b))", ["a", "b"]),
        ("(q a 1) (q a 2) (<= (p ?x) (q ?x ?y))", ["a"]),
        ("(q a) (<= (p ?x) (q ?x) (r ?y))", []),
        # constants and repeated variables
        ("(q a b) (q b b) (q b c) (<= (p ?x) (q ?x b))", ["a", "b"]),
        ("(q a b) (q b b) (q b c) (<= (p ?x) (q ?x ?x))", ["b"]),
        ("(q a b a) (q b b c) (<= (p ?y) (q ?x ?y ?x))", ["b"]),
        ("(q a) (<= (p b ?x b) (q ?x))", ["b a b"]),
        ("(q a) (q b) (<= (p ?x) (q ?x) (q a) (q b))", ["a", "b"]),
        ("(q a) (q b) (<= (p ?x) (q ?x) (q c))", []),
        # functions
        ("(q (f a)) (q (f b c)) (q (g b)) (q f) (<= (p ?x) (q (f ?x)))", ["a"]),
        ("(q (f a a)) (q (f a b)) (<= (p ?x) (q (f ?x ?x)))", ["a"]),
        ("(q (f (g a) a)) (q (f (g a) b)) (q (f a a)) (<= (p ?x) (q (f (g ?x) ?x)))", ["a"]),
        ("(q (f a) a) (q (f a) b) (<= (p ?x) (q (f ?x) ?x))", ["a"]),
        ("(q a (f a)) (q b (f a)) (<= (p ?x) (q ?x (f ?x)))", ["a"]),
        ("(r a) (q (f a)) (q (f b)) (<= (p ?x) (r ?x) (q (f ?x)))", ["a"]),
        ("(r a) (q (f a) 1) (q (f b) 2) (<= (p ?y) (r ?x) (q (f ?x) ?y))", ["1"]),
        ("(q a) (<= (p (f ?x (g ?x))) (q ?x))", ["(f a (g a))"]),
        ("(q (f a)) (<= (p ?x) (q ?x) (q (f a)))", ["(f a)"]),
        # negation and inequality
        ("(q a) (q b) (r b) (<= (p ?x) (q ?x) (not (r ?x)))", ["a"]),
        ("(q a) (<= (p ?x) (q ?x) (not (r ?x ?x)))", ["a"]),
        ("(q a) (r (f a)) (<= (p ?x) (q ?x) (not (r (f ?x))))", []),
        ("(q a) (q b) (<= (p ?x ?y) (q ?x) (q ?y) (distinct ?x ?y))", ["a b", "b a"]),
        ("(q (f a)) (q a) (<= (p ?x) (q ?x) (distinct ?x (f a)))", ["a"]),
        ("(q a) (<= (p ?x) (q ?x) (distinct b b))", []),
        # relations without arguments
        ("yes (<= p yes)", [""]),
        ("(<= p yes)", []),
        ("(<= p (not yes))", [""]),
        ("(q a) yes (<= (p ?x) (q ?x) yes)", ["a"]),
        ("(q a) yes (<= (p ?x) (q ?x) (not yes))", []),
        ("(q a) (q b) (<= p (q ?x) (q ?y) (distinct ?x ?y))", [""]),
        ("(q a) (<= p (q b)) (<= p (q a))", [""]),
        # recursion
        ("(e 1 2) (e 2 3) (<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?z) (p ?x ?y) (e ?y ?z))", ["1 2", "1 3", "2 3"]),
        ("(e 1 2) (e 2 1) (<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?z) (e ?x ?y) (p ?y ?z))", ["1 1", "1 2", "2 1", "2 2"]),
        ("(e 1 2) (<= (p ?x) (p ?x)) (<= (p ?x) (e ?x ?y))", ["1"]),
        ("(<= (p ?x) (q ?x)) (<= (q ?x) (p ?x))", []),
        (
            "(s 0 1) (s 1 2) (s 2 3) (p 0) (<= (odd ?y) (s ?x ?y) (p ?x)) (<= (p ?y) (s ?x ?y) (odd ?x))",
            ["0", "2"],
        ),
        ("(<= p q) (<= q p) (<= q r) r", [""]),
        ("(d a) (<= p (q ?x)) (<= (q ?x) (d ?x) p)", []),
        ("(d a) (d b) (q b) (<= p (q ?x)) (<= (q ?x) (d ?x) p) (<= p (q a) (q b))", [""]),
        ("(d a) (d b) (go) (<= (p ?x) (d ?x) on) (<= on go) (<= on (p a))", ["a", "b"]),
        # what is new may be in any of several recursive conditions
        (
            "(d 1) (d 2) (<= (p ?x) (early ?x) (late ?x)) (<= (early ?x) (d ?x)) (<= (early ?x) (p ?x))"
            "(<= (late ?x) (b ?x)) (<= (b ?x) (c ?x)) (<= (c ?x) (d ?x) (distinct ?x 2)) (<= (c ?x) (p ?x))",
            ["1"],
        ),
        (
            "(d 1) (d 2) (<= (p ?x) (late ?x) (early ?x)) (<= (early ?x) (d ?x)) (<= (early ?x) (p ?x))"
            "(<= (late ?x) (b ?x)) (<= (b ?x) (c ?x)) (<= (c ?x) (d ?x) (distinct ?x 2)) (<= (c ?x) (p ?x))",
            ["1"],
        ),
        # successor arithmetic: terms that are not known beforehand
        ("(p z) (lt z) (lt (s z)) (<= (p (s ?x)) (p ?x) (lt ?x))", ["(s (s z))", "(s z)", "z"]),
        (
            "(n z) (<= (n (s ?x)) (n ?x) (small ?x)) (small z) (small (s z))"
            "(<= (p z ?y ?y) (n ?y)) (<= (p (s ?x) ?y (s ?z)) (p ?x ?y ?z) (n (s ?x)) (n (s ?z)))",
            [
                *("(s (s z)) z (s (s z))", "(s z) (s z) (s (s z))", "(s z) z (s z)"),
                *("z (s (s z)) (s (s z))", "z (s z) (s z)", "z z z"),
            ],
        ),
    ],
)
def test_what_rules_derive(text: str, expected: list[str]) -> None:
    assert answer(text, "p") == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "(e 1 2) (e 2 3) (e 3 4) (<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?z) (p ?x ?y) (p ?y ?z))",
        "(e 1 2) (e 2 3) (e 3 4) (<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?z) (q ?x ?y) (p ?y ?z)) (<= (q ?x ?y) (p ?x ?y))",
    ],
)
def test_a_rule_may_use_its_own_relation_twice(text: str) -> None:
    assert answer(text, "p") == ["1 2", "1 3", "1 4", "2 3", "2 4", "3 4"]


def test_a_search_for_one_row_goes_on_until_it_is_found() -> None:
    """For each x there are ten ways to begin, and only one of them can be followed to its end."""
    numbers = range(10)
    ways = "".join(f"(e {x} {x}-{y}) (f {x}-{y} {x}-{y}-1) (f {x}-{y} {x}-{y}-2) " for x in numbers for y in numbers)
    ends = "".join(f"(q {x}) (end {x}-{x}-2 yes) " for x in numbers)
    rule = "(<= (p ?x) (q ?x) (e ?x ?y) (f ?y ?z) (end ?z ?w))"
    expected = [str(x) for x in numbers]
    assert answer(ways + ends + rule, "p") == expected
    assert answer(f"{ways}{ends}{rule} (<= (p none) (p 0) (p 9))", "p") == [*expected, "none"]
    assert answer(ways + ends + rule.replace("(q ?x)", "(at ?x)"), "p", at="3 4 none") == ["3", "4"]


def test_given_rows_take_part() -> None:
    rules = "(e 1 2) (e 2 3) (<= (p ?x) (at ?x)) (<= (p ?y) (p ?x) (e ?x ?y)) (<= (q ?x) (at ?x) (not (off ?x)))"
    assert answer(rules, "p", at="1") == ["1", "2", "3"]
    assert answer(rules, "p", at="2 9") == ["2", "3", "9"]
    assert answer(rules, "p", at="") == []
    assert answer(rules, "q", at="1 (f 2)", off="1") == ["(f 2)"]
    assert answer("(<= (p ?x) (at ?x ?x ?y))", "p", at="(1 1 2) (1 2 3)") == ["1"]


def test_contexts_know_nothing_of_each_other() -> None:
    rules = flat_rules("(e 1 2) (<= (p ?y) (at ?x) (e ?x ?y)) (<= (p ?y) (on) (e ?y 2))")
    at, on = ("at", 1), ("on", 0)
    first = {at: [constants("1")], on: []}
    models = semi_naive_each(rules, [first, {at: [], on: [()]}, {at: [], on: []}, first])
    assert [shown(model["p", 1]) for model in models] == [["2"], ["1"], [], ["2"]]


@pytest.mark.parametrize(
    "names",
    [
        "for while if not_ None False import lambda yield async match",
        "add bool c check derive due facts found holds index_builder key len",
        "measure out overflow rest rules set small_key tuple self",
        "new table table_1 part part_1 variable key_0 new_p found_p x x_2 x-2 x+2 X'",
        "_ __ 1 1.5 ++ < é ü ß 日本 ' \" \\ # {x} %s \\n",
    ],
)
def test_any_name_will_do(names: str) -> None:
    """Names of variables, relations and constants end up in generated code."""
    for name in names.split():
        assert answer(f"({name} {name}) (<= (p ?{name} ?y) ({name} ?{name}) ({name} ?y))", "p") == [f"{name} {name}"]
    words = names.split()
    facts = " ".join(f"(q {word} {i})" for i, word in enumerate(words))
    body = " ".join(f"(q ?{word} {i})" for i, word in enumerate(words))
    head = " ".join(f"?{word}" for word in words)
    assert answer(f"{facts} (<= (p {head}) {body})", "p") == [" ".join(words)]
    assert answer(f"{facts} (<= (p (f {head})) {body})", "p") == [f"(f {' '.join(words)})"]


@pytest.mark.parametrize("count", [10, 17, 25, 50])
def test_a_rule_may_have_many_loops(count: int) -> None:
    """Python nests twenty loops at most."""
    path = " ".join(f"(e ?x{i} ?x{i + 1})" for i in range(count))
    edges = " ".join(f"(e {i} {(i + 1) % 7})" for i in range(7))
    expected = sorted(f"{i} {(i + count) % 7}" for i in range(7))
    assert answer(f"{edges} (<= (p ?x0 ?x{count}) {path})", "p") == expected
    assert answer(f"{edges} (<= p {path})", "p") == [""]
    assert answer(f"{edges} (<= (p ?x0) {path} (distinct ?x0 ?x{count}))", "p") == (
        [] if count % 7 == 0 else sorted("0123456")
    )
    recursive = f"(<= (p ?x0 ?x{count}) {path}) (<= (p ?x ?y) (p ?y ?x) {path})"
    assert set(expected) < set(answer(f"{edges} {recursive}", "p"))


def test_a_relation_may_have_many_columns() -> None:
    columns = " ".join(f"?x{i}" for i in range(60))
    values = " ".join(map(str, range(60)))
    assert answer(f"(q {values}) (<= (p {columns}) (q {columns}))", "p") == [values]


@pytest.mark.parametrize(
    "text",
    [
        # a hundred conditions, each with a table of its own
        "".join(f"(<= (q{i}) (at)) " for i in range(120)) + f"(<= p {' '.join(f'(q{i})' for i in range(120))})",
        f"(<= p (at) {' '.join(f'(not (q{i} a))' for i in range(120))})"
        + "".join(f"(<= (q{i} b) (at))" for i in range(120)),
        # a pattern nested a hundred times
        f"(<= p (at) (q {'(f ' * 120}?x{')' * 120})) (q {'(f ' * 120}a{')' * 120})",
    ],
    ids=["conditions", "negations", "nested function"],
)
def test_a_rule_may_have_many_conditions(text: str) -> None:
    rules, at = flat_rules(text), ("at", 0)
    (model,) = semi_naive_each(rules, [{at: [()]}])
    assert model["p", 0] == {()}


@pytest.mark.parametrize("start", ["(p0 1)", "(<= (p0 ?x) (at ?x))"], ids=["static", "dynamic"])
def test_a_long_chain_of_relations(start: str) -> None:
    chain = " ".join(f"(<= (p{i + 1} ?x) (p{i} ?x))" for i in range(1500))
    program = Program(flat_rules(f"{start} {chain}"), [("at", 1)])
    assert program.context({"at/1": {"1"}}).rows(("p1500", 1)) == {"1"}


# Nothing unasked, nothing twice

RULES = """
(e 1 2) (e 2 3) (e 3 4)
(<= (path ?x ?y) (e ?x ?y))
(<= (path ?x ?z) (path ?x ?y) (e ?y ?z))
(<= (reached ?y) (at ?x) (path ?x ?y))
(<= done (reached 4))
(<= (other ?x) (at ?x) (not (reached ?x)))
"""
AT: Signature = ("at", 1)


def test_only_what_is_needed_is_derived_and_only_once() -> None:
    with derivations() as derived:
        program = Program(flat_rules(RULES), [AT])
        assert not derived
        context = program.context({"at/1": {"1"}})
        assert context.rows(("reached", 1)) == {"2", "3", "4"}
        assert {"path/2", "reached/1"} <= set(derived)
        assert not {"done/0", "other/1"} & set(derived)
        assert len(derived) == len(set(derived))

        before = len(derived)
        assert context.rows(("reached", 1)) == {"2", "3", "4"}
        assert len(derived) == before
        assert context.rows(("done", 0)) is True
        assert derived[before:] == ["done/0"]


def test_what_no_input_reaches_is_derived_once_for_all_contexts() -> None:
    program = Program(flat_rules(RULES), [AT])
    assert program.context({"at/1": {"1"}}).rows(("reached", 1)) == {"2", "3", "4"}
    with derivations() as derived:
        assert program.context({"at/1": {"3"}}).rows(("reached", 1)) == {"4"}
    assert derived == ["reached/1"]
    assert program.dynamic == {AT, ("reached", 1), ("done", 0), ("other", 1)}


def test_an_extended_context_keeps_what_is_known() -> None:
    rules = "(<= (p ?x) (at ?x)) (<= (q ?x) (p ?x) (go ?x))"
    program = Program(flat_rules(rules), [AT, ("go", 1)])
    context = program.context({"at/1": {"1", "2"}})
    assert context.rows(("p", 1)) == {"1", "2"}
    with derivations() as derived:
        extended = context.extended("go/1", {"2"})
        assert extended.rows(("q", 1)) == {"2"}
    assert "p/1" not in derived
    assert "go/1" not in context
    assert context.extended("go/1", {"1"}).rows(("q", 1)) == {"1"}


def test_rows_that_are_not_given_are_no_empty_relation() -> None:
    program = Program(flat_rules("(<= (p ?x) (at ?x))"), [AT])
    with pytest.raises(KeyError, match="at/1 is not given"):
        program.context({}).rows(("p", 1))


def test_a_relation_that_nothing_defines_is_empty() -> None:
    program = Program(flat_rules("(<= (p ?x) (q ?x))"))
    assert program.context({}).rows(("p", 1)) == set()
    assert program.context({}).rows(("unheard", 3)) == set()


def test_join_orders_may_change_but_answers_do_not() -> None:
    program = Program(flat_rules(RULES), [AT])
    contexts = [program.context({"at/1": {str(x)}}) for x in range(1, 4)]
    answers = [context.rows(("reached", 1)) for context in contexts]
    program.learn(contexts)
    again = [program.context({"at/1": {str(x)}}).rows(("reached", 1)) for x in range(1, 4)]
    assert again == answers == [{"2", "3", "4"}, {"3", "4"}, {"4"}]


# Derivations without end

ENDLESS = {
    "one by one": "(n z) (<= (n (s ?x)) (n ?x))",
    "in turn": "(a z) (<= (b (s ?x)) (a ?x)) (<= (a ?x) (b ?x))",
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS.keys())
def test_endless_derivations_are_given_up(text: str) -> None:
    program = Program(flat_rules(text))
    relation = next(iter(program.rules))
    with pytest.raises(gdl.DerivationLimitError, match="more than 2,000 levels"):
        program.context({}).rows(relation)


EXPLOSIVE = {
    "doubling": "(n z) (<= (n (f ?x ?x)) (n ?x))",
    "pairing": "(n z) (<= (n (f ?x ?y)) (n ?x) (n ?y))",
    "deep": f"(n z) (<= (n {'(s ' * 100}?x{')' * 100}) (n ?x))",
    "wide": f"(n z) (<= (n (f{' ?x' * 30})) (n ?x))",
    "four at a time": "(n z) (<= (n (f ?x ?y ?u ?v)) (n ?x) (n ?y) (n ?u) (n ?v))",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", EXPLOSIVE.values(), ids=EXPLOSIVE.keys())
def test_explosive_derivations_are_given_up(text: str) -> None:
    """In a process of its own, which is stopped if it does not come to an end."""
    code = (
        "import resource, gdl\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        "try:\n"
        f"    rules = '(role r) terminal (at 1) (init (a 1)) {text} (<= (init ?x) (n ?x))'\n"
        "    gdl.Reasoner(rules, budget=gdl.DerivationBudget(rows=1_000_000))\n"
        "except gdl.DerivationLimitError as error:\n"
        "    print(error.code)\n"
    )
    root = Path(gdl.__file__).parent.parent
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.stdout, run.stderr) == ("derivation-limit\n", "")


def test_many_rounds_are_not_endless() -> None:
    count = 2_500
    rules = " ".join(f"(e {i} {i + 1})" for i in range(count)) + "(p 0) (<= (p ?y) (p ?x) (e ?x ?y))"
    assert len(answer(rules, "p")) == count + 1


def test_limits_for_large_relations_change_nothing() -> None:
    whole = [answer(RULES, name, at="1 3") for name in ("reached", "done", "other", "path")]
    with limits(1):
        assert [answer(RULES, name, at="1 3") for name in ("reached", "done", "other", "path")] == whole
