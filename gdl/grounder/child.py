"""Runs clingo's grounder in a child process that never outlives the call."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from threading import Event, Thread
from time import clock_gettime, monotonic
from typing import IO, Final

from gdl.compile_budget import BudgetExceeded, CompileBudget
from gdl.system.childprocess import end_child, limit_process, start_child

#: The maximum number of bytes to read at once: as many as a pipe holds. More would only be allocated in vain.
_BLOCK = 1 << 16

#: The name of this stage of compiling.
STAGE: Final = "grounding"


class ClingoFailed(Exception):
    """Raised if clingo cannot be run or fails. The message is clingo's own, if it printed one."""


def run(program: str, output: str, budget: CompileBudget) -> Generator[list[bytes], None, None]:
    """Ground a program with clingo, and yield its output as lists of lines, as they arrive.

    `output` is the option that selects the output format. The process is killed when the iteration ends, for whatever
    reason. Raises BudgetExceeded if time or memory runs out, and ClingoFailed. Counting the rules is up to the caller.
    """
    try:
        process = start_child("clingo", "--mode=gringo", output, "--warn=none", "-", errors=subprocess.PIPE)
    except OSError as error:
        raise ClingoFailed(f"cannot start {sys.executable}: {error}") from error
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    late, ended, begun = Event(), Event(), monotonic()

    def watch() -> None:
        """Stop the process when it has used up its seconds. It cannot use more of them than pass meanwhile."""
        left = budget.seconds
        while not ended.wait(left):
            left = budget.seconds - _processor_time(process.pid, monotonic() - begun)
            if left <= 0:
                late.set()
                process.kill()
                return

    errors: list[bytes] = []
    watcher = Thread(target=watch, daemon=True)
    writer = Thread(target=_write, args=(process.stdin, program.encode()), daemon=True)
    reader = Thread(target=_drain, args=(process.stderr, errors), daemon=True)
    started = []
    try:
        limit_process(process.pid, memory=budget.memory, processor_seconds=math.ceil(budget.seconds) + 1)
        for thread in (watcher, writer, reader):
            thread.start()
            started.append(thread)
        yield from _blocks(process.stdout)
        process.wait()
        reader.join()
        if late.is_set():
            raise BudgetExceeded("seconds", STAGE)
        _check(process.returncode, b"".join(errors).decode(errors="replace"))
    finally:
        ended.set()
        process.kill()
        for thread in started:
            thread.join()
        end_child(process)


def _processor_time(pid: int, elapsed: float) -> float:
    """Return the processor time of a process in seconds; the elapsed time where the system does not tell."""
    if sys.platform != "linux":
        return elapsed
    try:
        # The clock of another process: see clock_getcpuclockid(3).
        return clock_gettime(~pid << 3 | 2)
    except OSError:  # it has ended
        return 0.0


def _write(stream: IO[bytes], data: bytes) -> None:
    # If the process ends early, its exit status tells.
    with suppress(OSError):
        stream.write(data)
    with suppress(OSError):
        stream.close()


def _drain(stream: IO[bytes], found: list[bytes]) -> None:
    while block := stream.read(_BLOCK):
        found[:] = [*found, block][-2:]


def _blocks(stream: IO[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines of a stream, one list for each block read. An incomplete last line is dropped."""
    rest = b""
    while block := stream.read1(_BLOCK):  # type: ignore[attr-defined]
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        if lines:
            yield lines


def _check(status: int, errors: str) -> None:
    """Raise an exception if clingo failed.

    Python's clingo exits with status 0 even after errors, and only reports them on its error stream.
    """
    if status == 0 and "*** ERROR" not in errors:
        return
    if re.search("bad_alloc|MemoryError|cannot allocate|map segment", errors):
        raise BudgetExceeded("memory", STAGE)
    lines = [line.strip() for line in errors.splitlines() if re.search("rror", line)]
    # The first of clingo's messages is the most informative; of a Python traceback, it is the last line.
    named = [line for line in lines if "error:" in line] or lines[-1:] or [f"it ended with status {status}"]
    raise ClingoFailed(named[0])
