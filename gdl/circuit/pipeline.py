"""Circuits made from rules: in this process, or in one of its own, which is `python -m gdl.circuit.pipeline`.

To make a circuit takes a great many short calls of clingo, each of which gives the interpreter's lock away. Beside a
thread that computes they have to wait for it again and again: a circuit can take forty times as long then.
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
from gdl.errors import MakingError, Source
from gdl.grounder import ground
from gdl.language.rulesheet import Rulesheet

#: So many seconds are spent on proving what holds in every state.
PROVING: Final = 10.0

#: Told what is being done, stage by stage.
Progress = Callable[[str], None]


def make_circuit(rulesheet: Rulesheet, progress: Progress) -> GameCircuit:
    """The circuit of some rules. Raises GroundingError."""
    progress("grounding")
    program = ground(rulesheet)
    progress("building the circuit")
    game = rebuild(build(program))
    progress("proving what always holds")
    return simplified(game, find_invariants(game, seconds=PROVING))


def make_circuit_apart(source: Source, progress: Progress) -> bytes:
    """The same in a process of its own, which parses the rules, stored as bytes.

    Raises RulesheetError, GroundingError and MakingError.
    """
    process = start_child(__name__)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with suppress(OSError):  # whoever has died says nothing either
            pickle.dump(source, process.stdin)
            process.stdin.flush()
        while True:
            try:
                answer = pickle.load(process.stdout)
            except (EOFError, pickle.UnpicklingError):
                raise MakingError(source.name, process.wait()) from None
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
    """What such a process does: it reads a source, and writes stages, then the circuit or an error, all pickled."""
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
        tell(dumped(make_circuit(Rulesheet.of_source(source), tell)))
    except Exception as error:  # raised where the circuit is asked for
        tell(error)
    os._exit(0)


if __name__ == "__main__":
    _answer()
