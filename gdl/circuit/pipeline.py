"""Make circuits from rules, in this process or in a separate one, which is `python -m gdl.circuit.pipeline`.

Making a circuit takes a great many short calls of clingo, each of which releases the interpreter's lock. If another
thread is computing, they have to wait for the lock again and again, and making the circuit can take forty times as
long.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from gdl.childprocess import own_streams, start_child
from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.proofs.invariants import find_invariants, simplified
from gdl.circuit.serialization import dumped
from gdl.errors import GdlError, Source
from gdl.grounder import ground
from gdl.language.rulesheet import Rulesheet

#: Seconds to spend on proving invariants.
PROVING: Final = 10.0

#: Called with the name of each stage.
Progress = Callable[[str], None]


class MakingError(GdlError):
    """The process that was to make a circuit has ended without one."""

    code = "process-died"

    def __init__(self, file: str, status: int) -> None:
        """Keep the name of the file and the exit status of the process."""
        self.file = file
        self.status = status
        super().__init__(file, status)

    def __str__(self) -> str:
        """Return the file, the code and the exit status on one line."""
        return f"{self.file}: {self.code}: the process that compiles the rules has ended with status {self.status}"


def make_circuit(rulesheet: Rulesheet, progress: Progress) -> GameCircuit:
    """Make the circuit of some rules. Raises GroundingError."""
    progress("grounding")
    program = ground(rulesheet)
    progress("building the circuit")
    game = rebuild(build(program))
    progress("proving what always holds")
    return simplified(game, find_invariants(game, seconds=PROVING))


def make_circuit_apart(rulesheet: Rulesheet, progress: Progress) -> bytes:
    """Make the circuit in a separate process, and return it serialized. Raises GroundingError and MakingError."""
    process = start_child(__name__)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with suppress(OSError):  # if the child has died, reading its answer fails below
            pickle.dump(rulesheet.source, process.stdin)
            process.stdin.flush()
        while True:
            try:
                answer = pickle.load(process.stdout)
            except (EOFError, pickle.UnpicklingError):
                raise MakingError(rulesheet.source.name, process.wait()) from None
            if isinstance(answer, bytes):
                return answer
            if isinstance(answer, Exception):
                raise answer
            progress(answer)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                stream.close()


def _answer() -> None:
    """Run the separate process: read a source, and write stages, then the circuit or an error, all pickled."""
    asked, answered = own_streams()
    requests, answers = os.fdopen(asked, "rb"), os.fdopen(answered, "wb")

    def tell(answer: str | bytes | Exception) -> None:
        pickle.dump(answer, answers)
        answers.flush()

    def end_with_parent() -> None:
        while requests.read(1):
            pass
        os._exit(1)

    source: Source = pickle.load(requests)
    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        tell(dumped(make_circuit(Rulesheet(source.text, source.name), tell)))
    except Exception as error:  # raised again in the parent
        tell(error)
    os._exit(0)


if __name__ == "__main__":
    _answer()
