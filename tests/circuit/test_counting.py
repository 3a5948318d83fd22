"""Circuits that count in binary say the same as rules that count one fact after the other."""

from __future__ import annotations

from itertools import product
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evaluation import all_cases, values
from support.profiles import examples

import gdl
from gdl.circuit.build import counting
from gdl.circuit.build.counting import Counting, relations_of
from gdl.circuit.build.ground_program import build
from gdl.circuit.gates import Circuit
from gdl.grounder import GroundProgram, ground
from gdl.terms import Constant, Term
from ggp.rules.shipped_games import find_game

GOALS = 4


def counted(rules: list[tuple[int, tuple[int, ...]]], facts: list[int], size: int) -> tuple[list[int], int]:
    """Add rules that count facts; return the atoms for the numbers, and the size of the program."""
    before: list[int] = []
    for done, fact in enumerate(facts):
        atoms = list(range(size, size + done + 2))
        size += len(atoms)
        if not before:  # none, or one
            rules += [(atoms[0], (-fact,)), (atoms[1], (fact,))]
        else:
            for number, atom in enumerate(before):
                rules += [(atoms[number], (atom, -fact)), (atoms[number + 1], (atom, fact))]
        before = atoms
    return before, size


@st.composite
def programs(draw: st.DrawFn) -> tuple[GroundProgram, list[list[int]]]:
    """Two sets of facts, and goals that depend on their numbers; the second set is sometimes a part of the first."""
    facts = list(range(1, draw(st.integers(2, 8)) + 1))
    cut = draw(st.integers(1, len(facts)))
    sets = [facts[:cut], facts if draw(st.booleans()) else facts[cut:] or facts]
    rules: list[tuple[int, tuple[int, ...]]] = []
    size = len(facts) + 1
    numbers: list[list[int]] = []
    for own in sets:
        atoms, size = counted(rules, own, size)
        numbers.append(atoms)
    literals = st.sampled_from([sign * atom for atoms in numbers for atom in atoms for sign in (1, 1, -1)])
    goals: list[int] = []
    for _ in range(GOALS):
        pairs = draw(st.lists(st.lists(literals, min_size=1, max_size=2), min_size=1, max_size=8))
        rules += [(size, tuple(body)) for body in pairs]
        goals.append(size)
        literals |= st.just(size)
        size += 1
    terms: dict[Term, int] = {Constant(f"f{fact}"): fact for fact in facts}
    named = {(Constant("a"), Constant(str(number))): atom for number, atom in enumerate(goals)}
    return GroundProgram((Constant("a"),), frozenset(), terms, {}, {}, {}, named, {}, None, rules, size), sets


def truths(program: GroundProgram, columns: list[int], full: int) -> dict[int, int]:
    """The values of all atoms in all cases; rules come after those of their conditions."""
    found = dict(enumerate(columns, 1))
    for head, body in program.rules:
        case = full
        for literal in body:
            case &= found[abs(literal)] ^ (full if literal < 0 else 0)
        found[head] = found.get(head, 0) | case
    return found


@examples(300)
@given(programs(), st.booleans())
def test_numbers_of_facts(made: tuple[GroundProgram, list[list[int]]], always: bool) -> None:
    program, sets = made
    with patch.object(counting, "_FEWEST", 2), patch.object(counting, "_STEP", 100.0 if always else 1.5):
        game = build(program)
        columns, full = all_cases(len(game.facts))
        # The circuit has its facts in the order of their names.
        names = sorted(program.true, key=str)
        assert tuple(names) == game.facts
        inputs = {1 + number: columns[program.true[name] - 1] for number, name in enumerate(names)}
        known = truths(program, columns, full)
        goals = {value.text: literal for (_, value), literal in game.goals.items()}
        expected = {value.text: known[atom] for (_, value), atom in program.goal.items()}
        assert dict(zip(goals, values(game.circuit, inputs, full, goals.values()), strict=True)) == expected
        if always and all(len(own) > 1 for own in sets):
            assert set(program.goal.values()) <= set(relations_of(program))


def compared(count: int) -> str:
    """Rules of a game that ends with a comparison of numbers."""
    numbers = " ".join(f"(succ {n} {n + 1})" for n in range(count))
    return f"""
    (role a) {numbers} (<= (init (red ?n)) (succ ?m ?n)) (<= (legal a (paint ?n)) (succ ?m ?n)) (legal a wait)
    (<= (base (red ?n)) (succ ?m ?n)) (<= (base (blue ?n)) (succ ?m ?n))
    (<= (next (red ?n)) (true (red ?n)) (not (does a (paint ?n))))
    (<= (next (blue ?n)) (does a (paint ?n))) (<= (next (blue ?n)) (true (blue ?n)))
    (count red 0 0) (count blue 0 0)
    (<= (count red ?n ?k) (succ ?m ?n) (count red ?m ?k) (not (true (red ?n))))
    (<= (count red ?n ?l) (succ ?m ?n) (count red ?m ?k) (true (red ?n)) (succ ?k ?l))
    (<= (count blue ?n ?k) (succ ?m ?n) (count blue ?m ?k) (not (true (blue ?n))))
    (<= (count blue ?n ?l) (succ ?m ?n) (count blue ?m ?k) (true (blue ?n)) (succ ?k ?l))
    (<= (less ?m ?n) (succ ?m ?n)) (<= (less ?l ?n) (succ ?m ?n) (less ?l ?m))
    (<= fewer (count red {count} ?k) (count blue {count} ?l) (less ?k ?l))
    (<= terminal fewer) (<= (goal a 100) fewer) (<= (goal a 0) (not fewer))
    """


def test_a_comparison_takes_few_gates() -> None:
    program = ground(gdl.Reasoner(compared(40)).rulesheet)
    gates = len(build(program).circuit.fanins)
    with patch.object(counting, "_FEWEST", 1_000):
        steps = len(build(program).circuit.fanins)
    # Two numbers of 40 facts: an adder has nine gates for each.
    assert gates < 1_300
    assert steps > 4_000


def test_small_numbers_are_counted_as_the_rules_say() -> None:
    program = ground(gdl.Reasoner(compared(6)).rulesheet)
    assert relations_of(program) == {}
    counter = Counting(program, Circuit(1), {})
    assert not counter.pays(program.terminal or 0, {}, {})


@pytest.mark.slow
def test_discs_of_othello() -> None:
    """Goals are those of the Reasoner on boards of all kinds, full ones and such that have only discs of one colour."""
    path, random = find_game("othello"), Random(1)
    reasoner, simulator = gdl.Reasoner.load(path), gdl.compile(path)
    found = set()
    for share in (0.0, 0.5, 1.0, *(random.random() for _ in range(12))):
        empty = random.random()
        facts = ["(control black)"]
        for x, y in product(range(1, 9), repeat=2):
            # In every state that can be reached, there are discs in the middle.
            if {x, y} <= {4, 5} or random.random() > empty:
                facts.append(f"(cell {x} {y} {'black' if random.random() < share else 'white'})")
        goals = [
            [game.goal(state, role) for role in reasoner.roles]
            for game, state in ((reasoner, reasoner.state(facts)), (simulator, simulator.state(facts)))
        ]
        assert goals[0] == goals[1]
        found.add(tuple(goals[0]))
    assert len(found) >= 2
