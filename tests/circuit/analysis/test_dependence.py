"""The facts that matter, and those that run by themselves."""

from __future__ import annotations

import pytest

from gdl.circuit.analysis.cones import bits, cone, masks_of, union_of
from gdl.circuit.analysis.dependence import autonomous, dependence, relevant_facts, running
from gdl.circuit.analysis.times import times
from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.grounder import ground
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

#: A lamp with a clock of three plies, and a counter of its moves that nothing reads.
LAMP = """
(role r) (init off) (init (step 0)) (init even)
(legal r press) (legal r wait)
(<= (next on) (does r press) (true off)) (<= (next off) (does r press) (true on))
(<= (next on) (does r wait) (true on)) (<= (next off) (does r wait) (true off))
(<= (next (step ?m)) (true (step ?n)) (after ?n ?m)) (after 0 1) (after 1 2) (after 2 3)
(<= (next even) (does r press) (not (true even))) (<= (next even) (does r wait) (true even))
(<= terminal (true (step 3)))
(<= (goal r 100) (true on)) (<= (goal r 0) (true off))
"""


@pytest.fixture(scope="module")
def lamp() -> GameCircuit:
    return rebuild(build(ground(Rulesheet(LAMP))))


def names(game: GameCircuit, numbers: list[int]) -> set[str]:
    return {game.facts[number].text for number in numbers}


CLOCK = {f"(step {n})" for n in range(4)}


def test_facts_that_nothing_reads_do_not_matter(lamp: GameCircuit) -> None:
    assert names(lamp, relevant_facts(lamp, running(lamp))) == {"on", "off"} | CLOCK


def test_a_clock_runs_by_itself(lamp: GameCircuit) -> None:
    step = running(lamp)
    matter = sum(1 << fact for fact in relevant_facts(lamp, step))
    found = dependence(step)
    assert names(lamp, bits(found.moved)) == {"on", "off", "even"}
    assert names(lamp, bits(autonomous(found, matter))) == CLOCK


def test_the_times_of_a_clock(lamp: GameCircuit) -> None:
    clock = sum(1 << number for number, fact in enumerate(lamp.facts) if fact.text in CLOCK)
    state = sum(1 << number for number, holds in enumerate(lamp.init) if holds)
    values = {value: literal for (_, value), literal in zip(lamp.goal_table, lamp.goals.values(), strict=True) if value}
    found = times(lamp, clock, state, values)
    assert (found.limit, found.late, found.highest) == (3, 100, 100)
    assert names(lamp, bits(found.last)) == {"(step 3)"}


def test_masks_agree_with_cones(lamp: GameCircuit) -> None:
    circuit = lamp.circuit
    masks = masks_of(circuit)
    for literal in (*lamp.legal, *lamp.next, lamp.terminal):
        inputs = [node - 1 for node in cone(circuit, [literal]) if node <= circuit.inputs]
        assert bits(masks[literal >> 1]) == inputs
    assert union_of([0b01, 0b100]) == 0b101
