"""The separate process of `gdl.simulator.compiler_process`: `python -m gdl.simulator.compiler_child SECONDS`.

It ends if it has had nothing to do for that long.
"""

from __future__ import annotations

import queue
import sys

from gdl.circuit.serialization import dumped, loaded
from gdl.compile_errors import CompileError
from gdl.simulator.compiler import Compiler
from gdl.simulator.compiler_process import CodeRequest, Made
from gdl.system.childprocess import PICKLES, Parent, end_process


def _serve() -> None:
    """Read the rules and, if it is known, their circuit; then answer requests until there are none for a while."""
    parent = Parent(PICKLES)
    idle = float(sys.argv[1])
    source, budget, folder, circuit = parent.receive()
    requests: queue.SimpleQueue[CodeRequest | None] = queue.SimpleQueue()
    parent.listen(requests.put)
    made: dict[str, Made] = {}
    stage = "reading"

    def progress(name: str) -> None:
        nonlocal stage
        stage = name
        parent.send(name)

    compiler = Compiler(source, folder, progress, budget=budget, made=made)
    if circuit is not None:
        compiler.game = loaded(circuit)
    while True:
        try:
            request = requests.get(timeout=idle)
        except queue.Empty:
            end_process()
        try:
            parent.send(_made(compiler, made, request))
        except MemoryError:
            parent.send(CompileError(source.name, stage, "memory"))
        except Exception as error:  # raised again in the parent
            parent.send(error)


def _made(compiler: Compiler, made: dict[str, Made], request: CodeRequest | None) -> bytes | Made:
    """Return the circuit, serialized, or the code that is requested."""
    if request is None:
        return dumped(compiler.game)
    getattr(compiler, request.method)(*request.arguments)
    return made[request.name]  # kept, since two threads may ask for the same code


if __name__ == "__main__":
    _serve()
