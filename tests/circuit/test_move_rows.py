"""Moves that share a row are never legal at once, and no legal move is left out."""

from __future__ import annotations

from random import Random

import pytest
from support.toy_rules import COIN, NIM

from gdl.circuit.move_rows import choosings
from gdl.circuit.pipeline import make_circuit
from gdl.circuit.sampling import Playouts
from gdl.compile_budget import CompileBudget, Watch
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

#: One role chooses, then the other one, then both.
TOGETHER = """
(role a) (role b) (init (turn a)) (init (round 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(number 1) (number 2) (number 3)
(<= (legal ?r (take ?n)) (true (turn ?r)) (number ?n))
(<= (legal ?r wait) (role ?r) (role ?o) (true (turn ?o)) (distinct ?r ?o))
(<= (legal a (show ?n)) (true (turn all)) (number ?n)) (<= (legal b (show 1)) (true (turn all)))
(<= (legal b (show 2)) (true (turn all)))
(<= (next (turn b)) (true (turn a))) (<= (next (turn all)) (true (turn b))) (<= (next (turn a)) (true (turn all)))
(<= (next (round ?m)) (true (round ?n)) (true (turn all)) (succ ?n ?m))
(<= (next (round ?n)) (true (round ?n)) (not (true (turn all))))
(<= (next (has ?r ?n)) (does ?r (take ?n))) (<= (next (has ?r ?n)) (does ?r (show ?n)))
(<= terminal (true (round 3))) (<= (goal ?r 100) (true (has ?r 1))) (<= (goal ?r 0) (role ?r) (not (true (has ?r 1))))
"""

#: A move is legal for either of two reasons, another one if one of them is not given.
EITHER = """
(role r) (init p) (init (ply 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (legal r m) (true p)) (<= (legal r m) (true q)) (<= (legal r n) (not (true p))) (legal r add)
(<= (next p) (does r n)) (<= (next p) (true p) (does r add)) (<= (next q) (does r add)) (<= (next q) (true q))
(<= (next (ply ?m)) (true (ply ?n)) (succ ?n ?m))
(<= terminal (true (ply 6))) (<= (goal r 100) (true p)) (<= (goal r 0) (not (true p)))
"""


@pytest.mark.parametrize("rules", [NIM, COIN, TOGETHER, EITHER], ids=["nim", "coin", "together", "either"])
def test_each_legal_move_is_in_a_row_of_its_own(rules: str) -> None:
    game = make_circuit(Rulesheet(rules), Watch(CompileBudget()))
    plans, playouts = choosings(game), Playouts(game, 64, Random(0))
    assert any(plan.rows for plan in plans)
    values = playouts.lanes.values
    for _ in range(20):
        going = playouts.lanes.full & ~values[game.terminal]
        left = [values[literal] & going for literal in game.legal]
        for plan in plans:
            for row in plan.rows:
                taken = 0
                for candidate in row:
                    held = values[game.legal[candidate.move]] & going
                    for key in candidate.keys:
                        held &= values[key]
                    assert not held & taken
                    taken |= held
                    left[candidate.move] &= ~held
            for case in plan.cases:
                if case.forced is not None:
                    left[case.forced] &= ~values[case.key]
        assert not any(left)
        playouts.step()
