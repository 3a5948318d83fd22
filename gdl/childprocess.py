"""Child processes: `python -m MODULE` with pipes for messages; children end with their parent.

In the parent, `Child` starts a process and exchanges messages with it; `start_child` and `start_child_async` only
start one. In the child, `Parent` reads the messages and answers them. Both sides use the same `Framing`. A child
never outlives its parent, as it ends when its input does.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn, final

if TYPE_CHECKING:
    import asyncio.subprocess

#: The maximum length in bytes of a line read from a child of `start_child_async`.
LONGEST_LINE: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Framing:
    """The form of messages on a pipe: `dumps` returns a message as bytes, `load` reads one or raises EOFError."""

    dumps: Callable[[Any], bytes]
    load: Callable[[IO[bytes]], Any]


def _json_line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _from_json_line(stream: IO[bytes]) -> Any:
    line = stream.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    return json.loads(line)


#: One JSON value per line.
JSON_LINES: Final = Framing(_json_line, _from_json_line)

#: Pickled Python objects. Only for processes that trust each other, as a child and its parent do.
PICKLES: Final = Framing(pickle.dumps, pickle.load)


def start_child(module: str, *arguments: str, errors: int | None = None) -> subprocess.Popen[bytes]:
    """Start a process that runs a module; its standard input and output are pipes of bytes.

    `errors` is the destination of its standard error, as for `subprocess.Popen`; by default that of this process.
    """
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=_environment(),
        start_new_session=_OWN_SESSION,
    )


async def start_child_async(
    module: str, *arguments: str, errors: int | None = None, longest_line: int = LONGEST_LINE
) -> asyncio.subprocess.Process:
    """Start a process like `start_child`, from an event loop; lines of its output have at most `longest_line` bytes."""
    import asyncio

    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=_environment(),
        start_new_session=_OWN_SESSION,
        limit=longest_line,
    )


#: Ctrl-C in a terminal reaches only the parent, which then ends its children.
_OWN_SESSION: Final = True


def _environment() -> dict[str, str]:
    """Return the environment of a child: it has the module path of this process, and computes on one core."""
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    return {"OMP_NUM_THREADS": "1", **os.environ, "PYTHONPATH": paths}


def end_child(process: subprocess.Popen[bytes], seconds: float | None = None) -> None:
    """Kill a process, wait for it to end (at most `seconds`), and close its pipes."""
    process.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def limit_process(pid: int, *, memory: int | None = None, processor_seconds: int | None = None) -> None:
    """Limit a process's address space in bytes and its processor time in seconds; 0 stands for this process.

    The system refuses memory beyond the limit, and kills a process that computes for longer. A limit is never raised.
    Only Linux can limit other processes; elsewhere nothing happens.
    """
    try:
        import resource
    except ImportError:
        return
    if not hasattr(resource, "prlimit"):
        return
    for kind, limit in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, processor_seconds)):
        if limit is None:
            continue
        # The process may have ended already.
        with suppress(ProcessLookupError):
            _, hard = resource.prlimit(pid, kind)
            limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.prlimit(pid, kind, (limit, limit))


def memory_up_to(most: int) -> int:
    """Return a limit on memory in bytes: `most`, or three quarters of the machine's memory if that is less."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return most
    return min(most, machine * 3 // 4)


@final
class Child:
    """A child process, seen from its parent: messages are sent to it, and answers received."""

    def __init__(self, module: str, *arguments: str, framing: Framing) -> None:
        """Start a process that runs a module with some arguments."""
        self._framing = framing
        self._process = start_child(module, *arguments)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests: IO[bytes] = self._process.stdin
        self._answers: IO[bytes] = self._process.stdout

    @property
    def pid(self) -> int:
        """The process ID."""
        return self._process.pid

    def send(self, message: Any) -> None:
        """Send a message. If the child has ended, nothing is raised until `receive`."""
        data = self._framing.dumps(message)
        with suppress(OSError, ValueError):
            self._requests.write(data)
            self._requests.flush()

    def receive(self) -> Any:
        """Wait for a message, and return it. Raises EOFError if the child has ended, or writes something else."""
        try:
            return self._framing.load(self._answers)
        except (OSError, ValueError, pickle.UnpicklingError):
            raise EOFError from None

    def kill(self) -> None:
        """Kill the child, and return at once; other threads may be waiting for a message."""
        self._process.kill()

    def wait(self) -> int:
        """Wait for the child to end, and return its exit status."""
        return self._process.wait()

    def end(self, seconds: float | None = None) -> None:
        """Kill the child, wait for it to end (at most `seconds`), and close its pipes."""
        end_child(self._process, seconds)


@final
class Parent:
    """The process that started this one, seen from here. Create it once, before any other code runs.

    The streams of messages are hidden from all other code: whatever it prints appears on standard error, and its
    standard input is empty.
    """

    def __init__(self, framing: Framing) -> None:
        """Take over standard input and output, and ignore Ctrl-C."""
        self._framing = framing
        self._requests = os.fdopen(os.dup(0), "rb")
        self._answers = os.fdopen(os.dup(1), "wb")
        self._writing = threading.Lock()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        # Ctrl-C is handled by the parent, which then ends this process.
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def receive(self) -> Any:
        """Wait for a message, and return it; end the process if there are no more."""
        try:
            return self._framing.load(self._requests)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            end_process()

    def listen(self, hear: Callable[[Any], None] = lambda _: None, *, thread: str = "requests") -> None:
        """Read all further messages in a thread, so that the process ends with its input, whatever it is doing."""

        def read() -> None:
            while True:
                hear(self.receive())

        threading.Thread(target=read, name=thread, daemon=True).start()

    def send(self, message: Any) -> None:
        """Send a message, from any thread; end the process if the parent no longer reads."""
        data = self._framing.dumps(message)
        try:
            with self._writing:
                self._answers.write(data)
                self._answers.flush()
        except OSError:
            end_process(1)


def end_process(status: int = 0) -> NoReturn:
    """End this process at once, whatever its other threads are doing."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(status)
