"""The bond between child processes and this one: if this process ends in any way, the kernel kills its children.

This process holds the only writing end of a pipe, and each child a reading end. When this process ends, its end is
closed, and the kernel signals the process groups of all children. Children need no code for it: it also works for
programs in other languages, and for code that never gives up the interpreter's lock. In contrast to `PR_SET_PDEATHSIG`,
it does not depend on the thread that started a child.

Only Linux can do this; elsewhere nothing happens, and children have to notice the end of their input.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Final

#: Linux's number of the command that chooses the signal; Python's `fcntl` names it only since 3.13.
_F_SETSIG: Final = 10


@cache
def _pipe_of(process: int) -> int:  # noqa: ARG001  # a process made by a fork needs a pipe of its own
    """Return the reading end of this process's pipe. Its writing end stays open until the process ends."""
    reading, _ = os.pipe()
    return reading


@contextmanager
def lifeline() -> Iterator[tuple[int, ...]]:
    """Open a reading end for one child and return it as `pass_fds` of `subprocess.Popen`; empty if it is unsupported.

    It is closed here when the context ends; the child keeps its copy.
    """
    if sys.platform != "linux":
        yield ()
        return
    try:
        # Opened by its path, the pipe gets a description with an owner of its own.
        end = os.open(f"/proc/self/fd/{_pipe_of(os.getpid())}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # /proc is not mounted
        yield ()
        return
    try:
        yield (end,)
    finally:
        os.close(end)


def tie(end: tuple[int, ...], group: int) -> None:
    """Let the kernel kill a process group when this process ends. `end` is the lifeline that its leader was given."""
    if sys.platform != "linux":
        return
    import fcntl

    for descriptor in end:
        with suppress(OSError):  # the child has ended already
            fcntl.fcntl(descriptor, fcntl.F_SETOWN, -group)
            fcntl.fcntl(descriptor, _F_SETSIG, signal.SIGKILL)
            fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_ASYNC)
