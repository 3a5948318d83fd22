"""Circuits made from rules: in this process, or in one of its own, which is `python -m gdl.circuit.pipeline`.

To make a circuit takes a great many short calls of clingo, each of which gives the interpreter's lock away. Beside a
thread that computes they have to wait for it again and again: a circuit can take forty times as long then.
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
from gdl.errors import GdlError, Source
from gdl.grounder import ground
from gdl.language.rulesheet import Rulesheet

#: So many seconds are spent on proving what holds in every state.
PROVING: Final = 10.0

#: Told what is being done, stage by stage.
Progress = Callable[[str], None]


class MakingError(GdlError):
    """The process that made a circuit has ended without one."""

    code = "process-died"

    def __init__(self, file: str, status: int) -> None:
        self.file = file
        self.status = status
        super().__init__(file, status)

    def __str__(self) -> str:
        return f"{self.file}: {self.code}: the process that compiles the rules has ended with status {self.status}"


def make_circuit(rulesheet: Rulesheet, progress: Progress) -> GameCircuit:
    """The circuit of some rules. Raises GroundingError."""
    progress("grounding")
    program = ground(rulesheet)
    progress("building the circuit")
    game = rebuild(build(program))
    progress("proving what always holds")
    return simplified(game, find_invariants(game, seconds=PROVING))


def make_circuit_apart(rulesheet: Rulesheet, progress: Progress) -> bytes:
    """The same in a process of its own, stored as bytes. Raises GroundingError and MakingError."""
    child = Child(__name__, framing=PICKLES)
    try:
        child.send(rulesheet.source)
        while True:
            try:
                answer = child.receive()
            except EOFError:
                raise MakingError(rulesheet.source.name, child.wait()) from None
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
        parent.send(dumped(make_circuit(Rulesheet(source.text, source.name), parent.send)))
    except Exception as error:  # raised where the circuit is asked for
        parent.send(error)
    end_process()


if __name__ == "__main__":
    _answer()
