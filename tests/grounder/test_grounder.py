"""Ground programs: the same answers as the Reasoner's, and what is in their tables."""

from __future__ import annotations

from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.ground import Evaluator
from support.profiles import examples
from support.strategies import RandomProgram, games, programs

import gdl
from gdl.compile_budget import CompileBudget
from gdl.grounder import ALWAYS, GroundProgram, aspif, explosion, ground
from gdl.grounder.encoding import Encoding
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Constant, Function, Term

pytest.importorskip("clingo")

from support.grounded import SHIPPED, SMALL

FEW = CompileBudget(rules=1_000)


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
    """Check that the Reasoner and a ground program agree along random playouts."""
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
    """Check the properties that every ground program has."""
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


#: Games that are grounded in both ways in every run.
QUICK = ("tic_tac_toe", "connect_four", "kuhn_poker", "monty_hall")

#: Games that take seconds.
LONG = ("fox_game", "fox_game_two_foxes", "othello", "battle", "mastermind", "sliding_pieces_classic")


def is_long(path: Path) -> bool:
    """True for the games that take seconds, and for a gallery of many games."""
    return path.parent.name == "gallery" or path.stem in LONG


def marks_of(path: Path, split: bool) -> list[pytest.MarkDecorator]:
    """With two foxes, or with the rules as they stand, the fox game is hardly another program, and takes as long.

    Of the other games, only quick ones are grounded in both ways in every run.
    """
    if path.stem == "fox_game_two_foxes" or (path.stem == "fox_game" and not split):
        return [pytest.mark.exhaustive]
    return [pytest.mark.slow] * (is_long(path) or (not split and path.stem not in QUICK))


@pytest.mark.parametrize(
    ("path", "split"),
    [
        pytest.param(path, split, marks=marks_of(path, split), id=f"{path.stem}-{split}")
        for path in SHIPPED
        for split in (True, False)
    ],
)
def test_shipped_games_go_as_the_reasoner_says(path: Path, split: bool) -> None:
    rulesheet = Rulesheet.load(path)
    program = ground(rulesheet, split=split)
    check_shape(program)
    check_playouts(rulesheet, program, 2, 30)


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
@examples(25, thorough=75)
@given(games(), st.integers(0, 9))
def test_random_games_go_as_the_reasoner_says(split: bool, text: str, seed: int) -> None:
    check_game(text, seed, split)


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
