"""Child processes: `python -m MODULE` with pipes for messages; children end with their parent.

In the parent, `Child` starts a process and exchanges messages with it, and `AsyncChild` does so in an event loop;
`start_child` only starts one. In the child, `Parent` reads the messages and answers them. Both sides use the same
`Framing`.

A child never outlives its parent. It leads a session and a process group of its own, which is killed as a whole; if the
parent ends without doing so, the kernel does it (`lifeline`). Where it cannot, a child ends when its input does.

Code of others may start processes in sessions of their own. On Linux, a `Child` and an `AsyncChild` have a mark in
their environment, which such processes inherit, and by which they are found and killed with the child. They survive
only if this process is killed itself, or if they have cleared their environment.
"""

from __future__ import annotations

import json
import os
import pickle
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn, final

from gdl.system.lifeline import lifeline, tie

if TYPE_CHECKING:
    import asyncio.subprocess

#: The maximum length in bytes of a line read from an `AsyncChild`.
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


#: Added to the niceness of a child that works in the background. On Linux, it then gets a third as much time as a
#: player that thinks on the same core. Players need its result; with 10, it would get a tenth.
BACKGROUND: Final = 5


def start_child(
    module: str, *arguments: str, errors: int | None = None, background: bool = False, mark: str = ""
) -> subprocess.Popen[bytes]:
    """Start a process that runs a module; its standard input and output are pipes of bytes.

    `errors` is the destination of its standard error, as for `subprocess.Popen`; by default that of this process.
    With `background`, the child and its own children have a lower priority than this process. `mark` is added to the
    marks in its environment. Use `end_child` to end it.
    """
    with lifeline() as end:
        process = subprocess.Popen(
            _command(module, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_environment(mark),
            start_new_session=_OWN_SESSION,
            pass_fds=end,
        )
        tie(end, process.pid)
    _set_priority(process.pid, BACKGROUND if background else 0)
    return process


def _set_priority(session: int, increment: int) -> None:
    """Raise the niceness of a new process that leads a session; do nothing where the system has no such thing.

    Linux may divide the processor between sessions first, and look at niceness only within each (`autogroup` in
    sched(7)). A new session begins with niceness 0, whatever that of its leader, so it is set here, too.
    """
    if not hasattr(os, "setpriority"):
        return
    with suppress(OSError):  # the process has ended already
        niceness = min(19, os.getpriority(os.PRIO_PROCESS, session) + increment)
        if niceness <= 0:
            return
        os.setpriority(os.PRIO_PROCESS, session, niceness)
        if sys.platform == "linux":
            Path(f"/proc/{session}/autogroup").write_text(str(niceness))


#: Ctrl-C in a terminal reaches only the parent, which then ends its children.
_OWN_SESSION: Final = True


def _command(module: str, *arguments: str) -> list[str]:
    """Return the command line of a child. With `-P`, it imports nothing from the current folder on its own."""
    return [sys.executable, "-P", "-m", module, *arguments]


#: The variable with the marks of a process and of those that it descends from.
_MARKS: Final = "GDL_PROCESS_MARKS"


def _environment(mark: str) -> dict[str, str]:
    """Return the environment of a child: it has the module path of this process, and computes on one core.

    Its output is buffered, also where `PYTHONUNBUFFERED` is set, as in many containers: clingo would write each token
    on its own. Messages are flushed (`Parent`).
    """
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    marks = f"{os.environ.get(_MARKS, '')} {mark}".strip()
    return {"OMP_NUM_THREADS": "1", **os.environ, "PYTHONPATH": paths, "PYTHONUNBUFFERED": "", _MARKS: marks}


def _new_mark() -> str:
    return secrets.token_hex(8)


def _kill_marked(mark: str) -> None:
    """Kill all processes that have a mark; they may go on starting others meanwhile."""
    if sys.platform != "linux":
        return
    killed: set[int] = set()
    while found := set(_marked(mark.encode())) - killed:
        for process in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        killed |= found


def _marked(mark: bytes) -> Iterator[int]:
    with suppress(OSError):  # /proc is not mounted
        for process in os.listdir("/proc"):  # noqa: PTH208  # much faster
            if process.isdecimal():
                with suppress(OSError), open(f"/proc/{process}/environ", "rb") as file:  # noqa: PTH123
                    if mark in file.read():
                        yield int(process)


def end_child(process: subprocess.Popen[bytes], seconds: float | None = None) -> None:
    """Kill a process and its group, wait for it to end (at most `seconds`), and close its pipes."""
    if process.returncode is None:  # otherwise, another process may have its number by now
        _kill_group(process.pid)
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(leader, signal.SIGKILL)
        else:  # Windows has no groups
            os.kill(leader, signal.SIGTERM)


def describe_status(status: int) -> str:
    """Return the exit status of a child in words: `exit status 3` or, if a signal ended it, `signal SIGSEGV`."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


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


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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

    def __init__(
        self, module: str, *arguments: str, framing: Framing, errors: int | None = None, background: bool = False
    ) -> None:
        """Start a process that runs a module with some arguments; `errors` and `background` as for `start_child`."""
        self._framing = framing
        self._mark = _new_mark()
        self._process = start_child(module, *arguments, errors=errors, background=background, mark=self._mark)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests: IO[bytes] = self._process.stdin
        self._answers: IO[bytes] = self._process.stdout

    @property
    def pid(self) -> int:
        """The process ID."""
        return self._process.pid

    @property
    def output(self) -> IO[bytes]:
        """Everything that the child prints: its standard error, if it was started with `subprocess.PIPE` for it."""
        assert self._process.stderr is not None
        return self._process.stderr

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
        if self._process.returncode is None:
            _kill_group(self._process.pid)
            _kill_marked(self._mark)

    def wait(self, seconds: float | None = None) -> int:
        """Wait for the child to end, and return its exit status. Raises subprocess.TimeoutExpired after `seconds`."""
        running = self._process.returncode is None
        status = self._process.wait(seconds)
        if running:  # what it has left behind
            _kill_group(self._process.pid)
            _kill_marked(self._mark)
        return status

    def end(self, seconds: float | None = None) -> None:
        """Kill the child, wait for it to end (at most `seconds`), and close its pipes."""
        self.kill()
        end_child(self._process, seconds)


@final
class AsyncChild:
    """A child process of an event loop, which it cannot block. Messages are JSON values, one per line."""

    def __init__(self, process: asyncio.subprocess.Process, mark: str) -> None:
        """Take over a process that has a mark, and whose input and output are pipes."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._mark = mark
        self._requests: asyncio.StreamWriter = process.stdin
        self._answers: asyncio.StreamReader = process.stdout

    @classmethod
    async def start(cls, module: str, *arguments: str, errors: int | None = None) -> AsyncChild:
        """Start a process that runs a module. `errors` is the destination of its standard error."""
        import asyncio

        mark = _new_mark()
        with lifeline() as end:
            process = await asyncio.create_subprocess_exec(
                *_command(module, *arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=_environment(mark),
                start_new_session=_OWN_SESSION,
                pass_fds=end,
                limit=LONGEST_LINE,
            )
            tie(end, process.pid)
        _set_priority(process.pid, 0)
        return cls(process, mark)

    @property
    def running(self) -> bool:
        """False once the child has ended."""
        return self._process.returncode is None

    def send(self, message: Any) -> None:
        """Send a message, without waiting until it is read. If the child has ended, nothing is raised."""
        if not self._requests.is_closing():
            self._requests.write(JSON_LINES.dumps(message))

    async def receive(self) -> Any:
        """Wait for a message, and return it. Raises EOFError if the child has ended, or writes something else."""
        try:
            line = await self._answers.readline()
            if line:
                return json.loads(line)
        except (OSError, ValueError):  # a line that is too long, or not JSON
            pass
        raise EOFError

    def kill(self) -> None:
        """Kill the child and its group, and return at once."""
        if self._process.returncode is None:
            _kill_group(self._process.pid)
            _kill_marked(self._mark)

    async def wait(self) -> int:
        """Wait for the child to end, close its input, and return its exit status."""
        running = self._process.returncode is None
        status = await self._process.wait()
        if running:  # what it has left behind
            _kill_group(self._process.pid)
            _kill_marked(self._mark)
        self._requests.close()
        return status


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
