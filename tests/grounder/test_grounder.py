"""Ground programs against the Reasoner, with and without split bodies; budgets, and what is left when they end."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import naive
from support.engines import assert_same
from support.ground import Evaluator
from support.strategies import RandomProgram, examples, games, programs

import gdl
from gdl.grounder import ALWAYS, GroundingBudget, GroundProgram, aspif, child, explosion, ground
from gdl.grounder.demand import demanded
from gdl.grounder.encoding import Encoding
from gdl.grounder.projection import needed, project
from gdl.language.rules import Atom, Literal
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Constant, Function, Term

pytest.importorskip("clingo")

from support.toy_files import ROOT

SHIPPED = sorted((ROOT / "games").rglob("*.kif"))
PUBLIC = sorted((ROOT.parent / "shared" / "rulesheets").glob("*.kif"))
SMALL = """
(role robot) (init (light off)) (legal robot press)
(<= (next (light on)) (does robot press)) (<= terminal (true (light on))) (goal robot 100)
"""
#: A counter that nothing stops.
ENDLESS = SMALL + "(init (step z)) (<= (next (step (s ?n))) (true (step ?n)))"
#: 64 million ground rules, whether bodies are split or not.
WIDE = (
    SMALL
    + "".join(f"(n {i})" for i in range(400))
    + "(<= (next (at ?x ?y ?z)) (n ?x) (n ?y) (n ?z) (true (light off)))"
)
#: 8 million ground rules of an auxiliary relation.
WIDE_PART = (
    SMALL
    + "".join(f"(n {i}) (m {i} {i})" for i in range(200))
    + """(<= (next (at ?x)) (n ?x) (w ?a ?b ?c) (not (true (at ?a))) (true (light off)))
    (<= (w ?a ?b ?c) (n ?a) (n ?b) (n ?c))"""
)


FEW = GroundingBudget(rules=1_000)


# What a ground program says


def answers(evaluator: Evaluator, state: frozenset[Term], moves: dict[Term, Term]) -> dict[str, object]:
    """All that a ground program says of a state and a joint move."""
    program = evaluator.program
    before = evaluator.atoms(state)
    after = evaluator.atoms(state, moves)
    return {
        "terminal": program.terminal in before,
        "legal": {row for row, atom in program.legal.items() if atom in before},
        "goals": {row for row, atom in program.goal.items() if atom in before},
        "next": {fact.text for fact, atom in program.next.items() if atom in after},
        "sees": {(role, seen.text) for (role, seen), atom in program.sees.items() if atom in after},
    }


def check_playouts(rulesheet: Rulesheet, program: GroundProgram, count: int, plies: int, seed: int = 0) -> None:
    """That the Reasoner and a ground program agree along random playouts."""
    game = gdl.Reasoner(rulesheet)
    assert tuple(role.text for role in program.roles) == game.roles
    assert program.init == set(game.initial_state())
    evaluator = Evaluator(program)
    random = Random(seed)
    has_goals = any(rule.head.signature == ("goal", 2) for rule in rulesheet.rules)
    for _ in range(count):
        state = game.initial_state()
        for _ in range(plies):
            over = game.is_terminal(state)
            legal = {role: game.legal_moves(state, role.text) for role in program.roles} if not over else {}
            moves = {role: random.choice(some) for role, some in legal.items()}
            found = answers(evaluator, frozenset(state), moves)
            assert found["terminal"] == over
            goals = game.query("(goal ?r ?v)", state) if has_goals else []
            assert found["goals"] == {(a["?r"], a["?v"]) for a in goals if a["?r"] in program.roles}
            if over:
                break
            assert found["legal"] == {(role, move) for role, some in legal.items() for move in some}
            named = {role.text: move for role, move in moves.items()}
            percepts = game.percepts(state, named)
            assert found["sees"] == {(role, seen.text) for role in program.roles for seen in percepts[role.text]}
            state = game.next_state(state, named)
            assert found["next"] == {fact.text for fact in state}


def check_shape(program: GroundProgram) -> None:
    """What holds of every ground program."""
    heads = {head for head, _ in program.rules}
    opened = {*program.true.values(), *program.does.values()}
    derived = [program.legal, program.next, program.goal, program.sees]
    assert len(set(program.rules)) == len(program.rules)
    assert all(body for _, body in program.rules)
    assert {abs(literal) for _, body in program.rules for literal in body} <= heads | opened
    assert {atom for table in derived for atom in table.values()} <= heads | {ALWAYS}  # type: ignore[attr-defined]
    assert not heads & opened
    assert ALWAYS not in heads | opened
    assert max({0} | heads | opened) < program.size
    assert program.init <= set(program.true)
    assert set(program.next) <= set(program.true)
    # Moves may be left over that turn out never to be legal.
    assert set(program.legal) <= set(program.does)


@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_games_go_as_the_reasoner_says(path: Path, split: bool) -> None:
    rulesheet = Rulesheet.load(path)
    program = ground(rulesheet, split=split)
    check_shape(program)
    check_playouts(rulesheet, program, 2, 30)


#: Every other public file belongs to the long tests, the others to the exhaustive ones.
HALVES = [
    pytest.param(path, marks=pytest.mark.exhaustive if number % 2 else pytest.mark.slow)
    for number, path in enumerate(PUBLIC or [None])
]


@pytest.mark.parametrize("path", HALVES, ids=lambda path: path.stem if path else "none")
def test_public_files_go_as_the_reasoner_says(path: Path | None) -> None:
    if path is None:
        pytest.skip("there are no public rule files beside the checkout")
    rulesheet = Rulesheet.load(path)
    try:
        program = ground(rulesheet)
    except gdl.GroundingError as error:
        pytest.skip(str(error))
    if len(program.rules) > 300_000:
        pytest.skip("the evaluator is too slow for this many rules")
    check_shape(program)
    check_playouts(rulesheet, program, 1, 8)


def within(rulesheet: Rulesheet, split: bool) -> GroundProgram | None:
    """The ground program of a game, unless its terms grow from state to state."""
    try:
        with patch.object(explosion, "_SECONDS", 0.3):
            return ground(rulesheet, FEW, split=split)
    except gdl.GroundingError as error:
        return None if error.budget == "rules" else pytest.fail(str(error))


def check_game(text: str, seed: int, split: bool) -> None:
    rulesheet = Rulesheet(text)
    program = within(rulesheet, split)
    assume(program is not None)
    assert program is not None
    check_shape(program)
    check_playouts(rulesheet, program, 1, 4, seed)


@pytest.mark.parametrize("split", [True, False])
@examples(25)
@given(games(), st.integers(0, 9))
def test_random_games_go_as_the_reasoner_says(split: bool, text: str, seed: int) -> None:
    check_game(text, seed, split)


@pytest.mark.slow
@examples(150)
@given(games(), st.integers(0, 9))
def test_random_games_go_as_the_reasoner_says_often(text: str, seed: int) -> None:
    check_game(text, seed, True)


# Splitting


def check_split(program: RandomProgram) -> None:
    """That split rules derive the same for every relation of the text, when domains are taken as they are."""
    projected = project(program.rules)
    found = naive.derive([*projected.rules, *projected.domains])
    assert_same({s: rows for s, rows in found.items() if " " not in s[0]}, naive.derive(program.rules))


@examples(100)
@given(programs())
def test_split_rules_derive_the_same(program: RandomProgram) -> None:
    check_split(program)


@pytest.mark.slow
@examples(500)
@given(programs())
def test_split_rules_derive_the_same_often(program: RandomProgram) -> None:
    check_split(program)


def split_texts(*statements: str) -> list[str]:
    rules = project([rule for rule in Rulesheet(SMALL + " ".join(statements)).rules if rule.location.line == 4])
    return [str(rule) for rule in (*rules.rules, *(replace(r, body=(*r.body, OPEN)) for r in rules.domains))]


#: Marks the rules of domains.
OPEN = Literal(Atom("open"))


def test_variables_that_the_head_does_not_have_are_eliminated() -> None:
    assert split_texts("(<= (next (p ?x)) (true (q ?x ?y)) (true (r ?y ?z)) (true (s ?z)))") == [
        "(<= (next (p ?x)) (true (q ?x ?y)) (next needs 1 ?y))",
        "(<= (next needs 1 ?v0) (true (r ?v0 ?v1)) (true (s ?v1)))",
    ]


def test_a_part_that_knows_all_variables_takes_more_conditions() -> None:
    assert split_texts("(<= (next (p ?x ?u)) (true (q ?x ?u)) (true (r ?x ?y ?z)) (true (s ?y)))") == [
        "(<= (next (p ?x ?u)) (true (q ?x ?u)) (next needs 1 ?x))",
        "(<= (next needs 1 ?v0) (true (r ?v0 ?v1 ?v2)) (true (s ?v1)))",
    ]


def test_a_part_asks_a_domain_for_what_it_does_not_bind() -> None:
    frame = "(<= (next (cell ?x ?p)) (true (cell ?x ?p)) (does robot (drop ?c)) (distinct ?x ?c))"
    assert split_texts(frame) == [
        "(<= (next (cell ?x ?p)) (true (cell ?x ?p)) (next needs 2 ?x))",
        "(<= (next needs 2 ?v0) (does robot (drop ?v1)) (distinct ?v0 ?v1) (next domain 1 ?v0))",
        "(<= (next domain 1 ?v0) (true (cell ?v0 ?v1)) open)",
    ]


def test_a_part_is_held_to_what_relates_its_variables_elsewhere() -> None:
    both = "(<= (next (p ?x ?y ?z)) (true (q ?x ?v)) (true (q ?y ?v)) (true (near ?x ?y ?z)))"
    assert split_texts(both) == [
        "(<= (next (p ?x ?y ?z)) (true (near ?x ?y ?z)) (next needs 2 ?x ?y))",
        "(<= (next needs 2 ?v0 ?v1) (true (q ?v0 ?v2)) (true (q ?v1 ?v2)) (next domain 1 ?v0 ?v1))",
        "(<= (next domain 1 ?v0 ?v1) (true (near ?v0 ?v1 ?v2)) open)",
    ]


def test_parts_that_mean_the_same_are_made_once() -> None:
    first = "(<= (next (p ?x)) (true (p ?x)) (true (q ?y ?z)) (true (r ?z)))"
    second = "(<= (next (o ?a)) (true (o ?a)) (true (q ?b ?c)) (true (r ?c)))"
    assert split_texts(first, second) == [
        "(<= (next (p ?x)) (true (p ?x)) next needs 1)",
        "(<= (next (o ?a)) (true (o ?a)) next needs 1)",
        "(<= next needs 1 (true (q ?v0 ?v1)) (true (r ?v1)))",
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "(<= (next (p ?x ?y)) (true (q ?x ?y)) (true (r ?y)))",
        "(<= (next (p ?x)) (true (q ?x ?y)) (not (true (r ?y))))",
        "(<= (next (p ?x)) (true (p ?x)) (true (light on)))",
    ],
)
def test_what_gains_nothing_is_left_as_it_is(statement: str) -> None:
    assert split_texts(statement) == [statement]


def test_split_bodies_have_far_fewer_instances() -> None:
    some = [f"(init (on {i} {j}))" for i in range(6) for j in range(6)]
    rules = (
        "(<= terminal (true (on ?a ?b)) (true (on ?b ?c)) (true (on ?c ?d))) (<= (next (on ?x ?y)) (true (on ?y ?x)))"
    )
    rulesheet = Rulesheet(SMALL + "".join(some) + rules)
    short, long = ground(rulesheet), ground(rulesheet, split=False)
    assert len(long.rules) > 1000 > 200 > len(short.rules)


def test_what_no_answer_depends_on_is_not_grounded() -> None:
    rules = needed(Rulesheet(WIDE.replace("next (at", "unused (at")).rules)
    assert {rule.head.name for rule in rules} == {"role", "init", "legal", "next", "terminal", "goal"}


# Demand


def check_demand(program: RandomProgram) -> None:
    """That rules held to what is asked derive the same, but for those that were held."""
    found = naive.derive(demanded(program.rules))
    expected = naive.derive(program.rules)
    assert_same(*({s: rows for s, rows in each.items() if s[1] < 3 and " " not in s[0]} for each in (found, expected)))
    assert found.get(("t", 3), set()) <= expected.get(("t", 3), set())


@examples(100)
@given(programs())
def test_rules_held_to_what_is_asked_derive_the_same(program: RandomProgram) -> None:
    check_demand(program)


@pytest.mark.slow
@examples(500)
@given(programs())
def test_rules_held_to_what_is_asked_derive_the_same_often(program: RandomProgram) -> None:
    check_demand(program)


def limits(*statements: str) -> list[str]:
    """The conditions and rules that demand adds to those of a text."""
    rules = Rulesheet(SMALL + " ".join(statements)).rules
    before = {str(condition) for rule in rules for condition in (rule.head, *rule.body)}
    new = [str(condition) for rule in demanded(rules) for condition in (rule.head, *rule.body)]
    return [condition for condition in new if condition not in before]


THREE = "(<= (count ?x ?y ?z) (true (at ?x)) (true (at ?y)) (true (at ?z)))"


def test_a_relation_is_held_to_the_constants_that_it_is_asked_for() -> None:
    assert limits(THREE, "(<= terminal (count a b ?x))", "(<= terminal (count b a ?x))") == [
        *("(count wants 3 1 ?x)", "(count wants 3 2 ?y)"),
        *("(count wants 3 1 a)", "(count wants 3 1 b)", "(count wants 3 2 b)", "(count wants 3 2 a)"),
    ]


def test_a_relation_is_held_to_what_static_conditions_leave() -> None:
    assert limits(THREE, "(n a)", "(<= terminal (n ?x) (count ?x ?y ?z) (true (at ?y)))") == [
        *("(count wants 3 1 ?x)", "(count wants 3 1 ?x)"),
    ]


def test_what_is_asked_is_handed_on() -> None:
    between = "(<= (most ?x ?y ?z) (count ?x ?y ?z))"
    assert limits(THREE, between, "(<= terminal (most a ?y ?z))") == [
        *("(count wants 3 1 ?x)", "(most wants 3 1 ?x)", "(most wants 3 1 a)"),
        *("(count wants 3 1 ?x)", "(most wants 3 1 ?x)"),
    ]


@pytest.mark.parametrize(
    "statements",
    [
        (THREE, "(<= terminal (count ?x ?y ?z))"),
        (THREE, "(<= terminal (count a ?y ?z))", "(<= terminal (count ?x ?y ?y) (true (at ?x)))"),
        (THREE.replace("count ?x ?y ?z", "next (at ?x ?y ?z)"),),
        ("(n a) (<= (p ?x ?y ?z) (n ?x) (n ?y) (p ?y ?z ?x))", "(<= terminal (p a ?y ?z))"),
        ("(n a a a) (<= (p ?x ?y ?z) (n ?x ?y ?z)) (<= (q ?x ?y ?z) (n ?x ?y ?z))", "(<= terminal (p ?x ?y ?z))"),
    ],
    ids=["asked for anything", "once asked for anything", "a target", "recursive", "static"],
)
def test_other_relations_are_left_as_they_are(statements: tuple[str, ...]) -> None:
    assert limits(*statements) == []


def test_two_relations_do_not_wait_for_each_other() -> None:
    text = "(n a b c) (<= (p ?x ?y ?z) (n ?x ?y ?z)) (<= (q ?x ?y ?z) (n ?x ?y ?z))"
    text += "(<= terminal (p ?x ?y ?z) (q ?x ?y ?z) (true (light ?l)))"
    assert ground(Rulesheet(SMALL + text)).rules


# Roles, facts, names


def test_roles_are_in_the_order_of_the_file_then_sorted() -> None:
    text = SMALL.replace("(role robot)", "(role robot) (role ant) (<= (role ?x) (more ?x)) (more zed) (more Bee)")
    text += "(<= (legal ?r wait) (role ?r)) (<= (legal rock wait)) (goal rock 1) (sees rock all)"
    rulesheet = Rulesheet(text)
    program = ground(rulesheet)
    assert [role.text for role in program.roles] == ["robot", "ant", "Bee", "zed"] == list(gdl.Reasoner(text).roles)
    assert "rock" not in {role.text for table in (program.legal, program.does, program.goal) for role, _ in table}
    assert program.sees == {}
    check_shape(program)


def test_what_always_holds_is_always_true_and_has_no_rules() -> None:
    program = ground(
        Rulesheet(SMALL + "(<= (legal robot wait) (not (true (light blue)))) (<= p (not q)) (<= q (true r))")
    )
    assert set(program.legal.values()) == {ALWAYS}
    assert program.goal == {(Constant("robot"), Constant("100")): ALWAYS}
    assert program.rules == [
        (program.next[Function("light", (Constant("on"),))], (program.does[Constant("robot"), Constant("press")],)),
        (program.terminal, (program.true[Function("light", (Constant("on"),))],)),
    ]


def test_what_never_holds_is_in_no_table() -> None:
    program = ground(Rulesheet(SMALL + "(<= (goal robot 0) (not (legal robot press))) (<= terminal (true dark))"))
    assert set(program.goal) == {(Constant("robot"), Constant("100"))}
    assert len(program.rules) == 2


def test_terms_are_spelled_as_in_the_file() -> None:
    program = ground(Rulesheet(SMALL.replace("(init (light off))", "(init (Light Off))").replace("press", "Press", 1)))
    assert {fact.text for fact in program.true} == {"(Light Off)", "(Light on)"}
    assert {move.text for _, move in program.does} == {"Press"}


def test_odd_names_and_functions() -> None:
    text = """(role |x'"%#) (init (f (f not_ (f a)) 007)) (init -1) (init 7) (<= terminal (true a)) (goal |x'"%# 1)
    (<= (legal |x'"%# (take ?f)) (true ?f)) (<= (next ?f) (does ?r (take (f ?f ?n)))) (<= (next ?f) (true ?f))"""
    rulesheet = Rulesheet(text)
    program = ground(rulesheet)
    check_shape(program)
    check_playouts(rulesheet, program, 5, 5)
    assert {fact.text for fact in program.true} == {"(f (f not_ (f a)) 007)", "(f not_ (f a))", "not_", "-1", "7"}


def test_a_file_whose_roles_are_never_derived_is_refused() -> None:
    with pytest.raises(gdl.RulesheetError, match="no role is derived"):
        ground(Rulesheet(SMALL.replace("(role robot)", "(<= (role ?x) (player ?x))")))


# Reading


def simplified(lines: str, opened: set[int]) -> tuple[list[tuple[int, tuple[int, ...]]], set[int], set[int]]:
    reader = aspif.Reader()
    reader.read(lines.encode().splitlines())
    return aspif.simplified(reader, opened)


def test_what_is_known_of_atoms_is_put_into_rules_until_nothing_changes() -> None:
    # 1 is open and decided by a state, 2 open and a domain; 9 has no rules.
    lines = """asp 1 0 0
1 1 1 1 0 0
1 1 1 2 0 1 1
1 0 1 3 0 2 2 -9
1 0 1 4 0 2 3 1
1 0 1 4 0 2 1 3
1 0 1 5 0 2 -3 1
1 0 1 6 0 1 5
1 0 1 7 0 2 -6 1
1 0 1 8 0 0
0"""
    rules, true, false = simplified(lines, {1})
    assert sorted(rules) == [(4, (1,)), (7, (1,))]
    assert true == {2, 3, 8}
    assert false == {9, 5, 6}


def test_rules_are_counted_and_duplicates_dropped() -> None:
    reader = aspif.Reader()
    reader.read([b"1 0 1 5 0 2 1 -2", b"1 0 1 5 0 2 1 -2", b"1 0 1 6 0 0", b"1 1 1 1 0 0", b"4 1 x 0", b"0"])
    assert list(reader.rules) == [(5, (1, -2))]
    assert reader.facts == {6}
    assert reader.names == {"x": ALWAYS}
    assert reader.count == 3


@given(programs())
@examples(50)
def test_names_of_atoms_read_back(program: RandomProgram) -> None:
    encoding = Encoding()
    for rule in program.rules:
        if not rule.body:
            text = encoding.text([rule]).splitlines()[0].rstrip(".")
            assert encoding.symbol(text) == (rule.head.signature, rule.head.args)


# Budgets


def children() -> set[str]:
    """The processes that this one started and that are still there, zombies too."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    return {line for line in listed.stdout.splitlines() if not line.split()[1].startswith("ps")}


@pytest.fixture
def no_child_left() -> Iterator[None]:
    before, threads = children(), threading.active_count()
    yield
    assert children() == before
    assert threading.active_count() == threads


def refused(text: str, budget: GroundingBudget) -> gdl.GroundingError:
    with pytest.raises(gdl.GroundingError) as caught:
        ground(Rulesheet(text, "wide.kif"), budget)
    error = caught.value
    assert (error.code, error.file) == ("not-grounded", "wide.kif")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    return error


@pytest.mark.usefixtures("no_child_left")
def test_too_many_rules() -> None:
    error = refused(WIDE, GroundingBudget(rules=20_000))
    assert error.budget == "rules"
    assert error.relations[0][0] == "next/1"
    assert error.relations[0][1] > 5_000
    assert str(error).startswith(
        "wide.kif: not-grounded: grounding needs more ground rules than allowed; most ground rules are for"
    )


@pytest.mark.usefixtures("no_child_left")
def test_the_relation_that_a_part_came_from_is_named() -> None:
    error = refused(WIDE_PART, GroundingBudget(rules=50_000))
    assert {relation for relation, _ in error.relations} <= {"next/1", "w/3"}
    assert "needs" not in str(error).partition("grounding needs")[2]


@pytest.mark.usefixtures("no_child_left")
def test_too_many_seconds() -> None:
    error = refused(WIDE, GroundingBudget(seconds=0.7))
    assert error.budget == "seconds"
    assert "more seconds than allowed" in str(error)


@pytest.mark.usefixtures("no_child_left")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux only")
def test_too_much_memory() -> None:
    error = refused(WIDE, GroundingBudget(memory=150 << 20))
    assert error.budget == "memory"
    assert error.relations[0][0] == "next/1"


@pytest.mark.usefixtures("no_child_left")
def test_a_file_that_grows_for_ever() -> None:
    error = refused(ENDLESS, GroundingBudget(rules=1_000))
    assert {relation for relation, _ in error.relations} <= {"next/1", "true/1"}


@pytest.mark.usefixtures("no_child_left")
def test_progress_is_told_the_number_of_rules() -> None:
    told: list[int] = []
    ground(Rulesheet.load(SHIPPED[0]), progress=told.append)
    assert told == sorted(told)
    assert told[-1] > 100


@pytest.mark.usefixtures("no_child_left")
def test_an_exception_in_progress_ends_the_child() -> None:
    def progress(_count: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ground(Rulesheet(WIDE), progress=progress)


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_ends_the_child() -> None:
    # In a process of its own: an interrupt at an unlucky moment could hit what runs the tests instead.
    script = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests")!r}, {str(Path(__file__).parent)!r}]
from test_grounder import ENDLESS, GroundingBudget, Rulesheet, children, ground
try:
    ground(Rulesheet(ENDLESS), GroundingBudget(rules=10**9), lambda count: print(count, flush=True))
except KeyboardInterrupt:
    print("interrupted, left:", children())
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    # The interrupt may fall between a count and its end of line.
    assert process.communicate()[0].endswith("interrupted, left: set()\n")
    assert process.returncode == 0


# clingo


@pytest.mark.usefixtures("no_child_left")
def test_clingo_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "clingo.py").write_text("raise ImportError('No module named clingo')")
    monkeypatch.syspath_prepend(tmp_path)
    error = refused(SMALL, GroundingBudget())
    assert error.budget is None
    assert "clingo cannot ground the rules" in str(error)
    assert "No module named clingo" in str(error)


@pytest.mark.usefixtures("no_child_left")
def test_there_is_no_such_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert "/nowhere/python" in str(refused(SMALL, GroundingBudget()))


@pytest.mark.usefixtures("no_child_left")
def test_clingo_prints_an_error() -> None:
    with pytest.raises(child.ClingoFailed, match="error"):
        list(child.run("a :- .b", "--text", GroundingBudget()))


@pytest.mark.usefixtures("no_child_left")
def test_a_long_program_does_not_block() -> None:
    """More than a pipe holds, in both directions."""
    text = "".join(f"a({i}).\n" for i in range(200_000))
    lines = sum(len(block) for block in child.run(text, "--text", GroundingBudget()))
    assert lines == 200_000
