"""A separate process that compiles one game: it makes the circuit and the code, and returns them as bytes.

Making a circuit takes a great many short calls of clingo, each of which releases the interpreter's lock. If another
thread is computing, they have to wait for the lock again and again, and making the circuit can take forty times as
long. Making code holds the lock for seconds, and would hold up all players. The process, and with it clingo, has a
lower priority than this one, so that no player is late because somebody else's rules are being compiled.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from gdl.compile_budget import CompileBudget, Progress
from gdl.compile_errors import MakingError
from gdl.errors import Source
from gdl.system.childprocess import PICKLES, Child, limit_process

#: The process ends if it has had nothing to do for this many seconds; another one is started when it is needed again.
IDLE: Final = 20.0

#: Memory that the process may have mapped without using it, in bytes: libraries and thread stacks.
_MAPPED: Final = 1 << 30

#: Code as bytes, and the data about it as JSON, as both are cached.
Made = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class CodeRequest:
    """A request for code: its name in the cache, and the method of `Compiler` that makes it, with its arguments."""

    name: str
    method: str
    arguments: tuple[Any, ...] = ()


@final
class CompilerProcess:
    """The process that compiles one game, started when it is needed. It ends with this object, or when it is idle."""

    def __init__(
        self,
        source: Source,
        budget: CompileBudget,
        folder: Path | None = None,
        progress: Progress | None = None,
        idle: float = IDLE,
    ) -> None:
        """Prepare to compile some rules with a cache in a folder; `progress` is called with the name of each stage."""
        self._source = source
        self._budget = budget
        self._folder = folder
        self._idle = idle
        self._progress = progress
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._closed = False
        self._ending: Callable[[], object] = lambda: None

    def circuit(self) -> bytes:
        """Parse the rules and return their circuit, serialized. Raises RulesheetError, CompileError and MakingError."""
        made = self._answer(lambda: None, None)
        assert isinstance(made, bytes)
        return made

    def code(self, request: CodeRequest, circuit: Callable[[], bytes]) -> Made:
        """Return code; `circuit` is called if the process has no circuit. Raises CompileError and MakingError."""
        made = self._answer(circuit, request)
        assert isinstance(made, tuple)
        return made

    def end(self) -> None:
        """End the process, from any thread, and return at once; whoever waits for its answer gets a MakingError."""
        self._closed = True
        if self._child is not None:
            self._child.kill()

    def _answer(self, circuit: Callable[[], bytes | None], request: CodeRequest | None) -> bytes | Made:
        with self._lock:
            answer = self._asked(circuit, request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _asked(self, circuit: Callable[[], bytes | None], request: CodeRequest | None) -> bytes | Made | Exception:
        while True:
            fresh = self._child is None
            child = self._child or self._start()
            try:
                if fresh:
                    child.send((self._source, self._budget, self._folder, circuit()))
                child.send(request)
                return self._received(child)
            except EOFError:
                status = child.wait()
                self._end()
                if fresh or status:
                    raise MakingError(self._source.name, status) from None
                # It was idle and has just ended; ask another.
            except BaseException:  # such as an interrupt: the answer must not be taken for that to the next request
                self._end()
                raise

    def _received(self, child: Child) -> bytes | Made | Exception:
        while True:
            answer = child.receive()
            if not isinstance(answer, str):
                made: bytes | Made | Exception = answer
                return made
            if self._progress is not None:
                self._progress(answer)

    def _start(self) -> Child:
        self._child = child = Child("gdl.simulator.compiler_child", str(self._idle), framing=PICKLES, background=True)
        self._ending = weakref.finalize(self, child.end)
        if self._closed:  # meanwhile
            child.kill()
        limit_process(child.pid, memory=self._budget.memory + _MAPPED)
        return child

    def _end(self) -> None:
        self._ending()
        self._child = None
