"""The stages from rules to a circuit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.proofs.invariants import find_invariants, simplified
from gdl.grounder import ground
from gdl.language.rulesheet import Rulesheet

#: Seconds to spend on proving invariants.
PROVING: Final = 10.0

#: Called with the name of each stage.
Progress = Callable[[str], None]


def make_circuit(rulesheet: Rulesheet, progress: Progress) -> GameCircuit:
    """Make the circuit of some rules. Raises GroundingError."""
    progress("grounding")
    program = ground(rulesheet)
    progress("building the circuit")
    game = rebuild(build(program))
    progress("proving what always holds")
    return simplified(game, find_invariants(game, seconds=PROVING))
