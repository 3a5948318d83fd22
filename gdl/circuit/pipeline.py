"""Make circuits from rules, in this process or in a separate one, which is `python -m gdl.circuit.pipeline`.

Making a circuit takes a great many short calls of clingo, each of which releases the interpreter's lock. If another
thread is computing, they have to wait for the lock again and again, and making the circuit can take forty times as
long. The separate process, and with it clingo, has a lower priority than this one, so that no player is late because
somebody else's rules are being compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from gdl.childprocess import PICKLES, Child, Parent, end_process
from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.proofs.invariants import find_invariants, simplified
from gdl.circuit.serialization import dumped
from gdl.errors import MakingError, Source
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


def make_circuit_in_separate_process(source: Source, progress: Progress) -> bytes:
    """Make the circuit in a separate process, which parses the rules, and return it serialized.

    Raises RulesheetError, GroundingError and MakingError.
    """
    child = Child(__name__, framing=PICKLES, background=True)
    try:
        child.send(source)
        while True:
            try:
                answer = child.receive()
            except EOFError:
                raise MakingError(source.name, child.wait()) from None
            if isinstance(answer, bytes):
                return answer
            if isinstance(answer, Exception):
                raise answer
            progress(answer)
    finally:
        child.end()


def _answer() -> None:
    """Read a source, and write stages, then the circuit or an error: the work of such a process."""
    parent = Parent(PICKLES)
    source: Source = parent.receive()
    parent.listen()
    try:
        parent.send(dumped(make_circuit(Rulesheet.of_source(source), parent.send)))
    except Exception as error:  # raised again in the parent
        parent.send(error)
    end_process()


if __name__ == "__main__":
    _answer()
