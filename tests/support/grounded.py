"""Small games to be grounded, and the child processes of this one."""

from __future__ import annotations

import os
import subprocess
from random import Random

from gdl.grounder import GroundProgram, ground
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term
from support.ground import Evaluator
from support.toy_files import ROOT

SHIPPED = sorted((ROOT / "games").rglob("*.kif"))
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


# Rewriting


def check_rewritten(text: str, playouts: int = 3, plies: int = 6) -> GroundProgram:
    """Check that rewritten rules mean what the rules of the text do, along random playouts; return their program."""
    rewritten, plain = (Evaluator(ground(Rulesheet(text), split=split)) for split in (True, False))
    for seed in range(playouts):
        random, state = Random(seed), frozenset(plain.program.init)
        for _ in range(plies):
            legal = plain.atoms(state)
            moves = {}
            for role in plain.program.roles:
                own = [move for (who, move), atom in plain.program.legal.items() if who == role and atom in legal]
                moves[role] = random.choice(sorted(own, key=str))
            found = _answers(rewritten, state, moves)
            assert found == _answers(plain, state, moves)
            state = found[0]
    return rewritten.program


def _answers(
    evaluator: Evaluator, state: frozenset[Term], moves: dict[Term, Term]
) -> tuple[frozenset[Term], set[object]]:
    """The next state, and all else that holds."""
    program = evaluator.program
    before, after = evaluator.atoms(state), evaluator.atoms(state, moves)
    held: set[object] = {
        row for table in (program.legal, program.goal) for row, atom in table.items() if atom in before
    }
    held |= {row for row, atom in program.sees.items() if atom in after} | {program.terminal in before}
    return frozenset(fact for fact, atom in program.next.items() if atom in after), held


# Budgets


def children() -> set[str]:
    """The processes that this one started and that are still there, zombies too."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    return {line for line in listed.stdout.splitlines() if not line.split()[1].startswith("ps")}
