"""clingo's grounder in a process of its own, which never outlives the question."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from threading import Event, Thread, Timer
from typing import IO

from gdl.childprocess import end_child, start_child
from gdl.grounder.budget import GroundingBudget

#: So many bytes are read at once, at most.
_BLOCK = 1 << 20


class BudgetExceeded(Exception):
    """A budget is used up: `budget` is the name of its field."""

    def __init__(self, budget: str) -> None:
        super().__init__(budget)
        self.budget = budget


class ClingoFailed(Exception):
    """clingo cannot be run, or ended with an error of its own, which is the message."""


def run(program: str, output: str, budget: GroundingBudget) -> Generator[list[bytes], None, None]:
    """What clingo prints when it grounds a program: lists of lines as they come.

    `output` is the option for the format. The process ends with the iteration, whatever the reason. Raises
    BudgetExceeded where time or memory ends, and ClingoFailed. The caller counts the rules.
    """
    try:
        process = start_child("clingo", "--mode=gringo", output, "--warn=none", "-", errors=subprocess.PIPE)
    except OSError as error:
        raise ClingoFailed(f"cannot start {sys.executable}: {error}") from error
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    late = Event()

    def stop() -> None:
        late.set()
        process.kill()

    errors: list[bytes] = []
    timer = Timer(budget.seconds, stop)
    writer = Thread(target=_write, args=(process.stdin, program.encode()), daemon=True)
    reader = Thread(target=_drain, args=(process.stderr, errors), daemon=True)
    started = []
    try:
        _limit(process.pid, budget)
        for thread in (timer, writer, reader):
            thread.start()
            started.append(thread)
        yield from _blocks(process.stdout)
        process.wait()
        reader.join()
        if late.is_set():
            raise BudgetExceeded("seconds")
        _check(process.returncode, b"".join(errors).decode(errors="replace"))
    finally:
        timer.cancel()
        process.kill()
        for thread in started:
            thread.join()
        end_child(process)


def _limit(pid: int, budget: GroundingBudget) -> None:
    """Limits a process's memory, and its time for the case that nobody is left to stop it."""
    try:
        import resource
    except ImportError:
        return
    if not hasattr(resource, "prlimit"):
        return
    limits = ((resource.RLIMIT_AS, budget.memory), (resource.RLIMIT_CPU, math.ceil(budget.seconds) + 1))
    for kind, limit in limits:
        # It may have ended already; and a limit that was set from outside may be lower.
        with suppress(ProcessLookupError):
            _, hard = resource.prlimit(pid, kind)
            limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.prlimit(pid, kind, (limit, limit))


def _write(stream: IO[bytes], data: bytes) -> None:
    # A process that ends early is found out by its exit status.
    with suppress(OSError):
        stream.write(data)
    with suppress(OSError):
        stream.close()


def _drain(stream: IO[bytes], found: list[bytes]) -> None:
    while block := stream.read(_BLOCK):
        found[:] = [*found, block][-2:]


def _blocks(stream: IO[bytes]) -> Iterator[list[bytes]]:
    """The lines of a stream, those of each block that comes together; a last one without its end is left out."""
    rest = b""
    while block := stream.read1(_BLOCK):  # type: ignore[attr-defined]
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        if lines:
            yield lines


def _check(status: int, errors: str) -> None:
    """Raises what went wrong. Python's clingo ends with status 0 even then, and says it on its error stream only."""
    if status == 0 and "*** ERROR" not in errors:
        return
    if re.search("bad_alloc|MemoryError|cannot allocate|map segment", errors):
        raise BudgetExceeded("memory")
    lines = [line.strip() for line in errors.splitlines() if re.search("rror", line)]
    # The first of clingo's messages says more than the last, the last of Python's more than the first.
    named = [line for line in lines if "error:" in line] or lines[-1:] or [f"it ended with status {status}"]
    raise ClingoFailed(named[0])
