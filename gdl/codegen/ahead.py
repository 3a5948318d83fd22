"""Import modules whose functions are compiled by Numba, without holding up the other threads of this process.

Compiling such functions takes tens of seconds after an installation or an update, and Numba holds the interpreter's
lock most of the time. So a process of lower priority, `python -m gdl.codegen.ahead MODULE`, imports the module first,
which fills Numba's cache; this process then reads the functions from there.

    with compiled_ahead(["ggp.players.mcts.search"]):   # for processes that may be short-lived
        ...
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from types import ModuleType
from typing import Final

from gdl.childprocess import JSON_LINES, Child, Parent, end_process

#: Seconds to wait for another process that compiles functions, and between two looks at it.
_PATIENCE: Final = 60.0
_GLANCE: Final = 0.1

#: Only one process is started at a time, as modules share functions.
_lock: Final = threading.Lock()


def import_ahead(name: str) -> ModuleType:
    """Import a module and return it; if functions are missing in Numba's cache, another process compiles them first."""
    with _lock:
        if name not in sys.modules:
            from gdl.codegen.compiled_functions import NotCachedError, only_cached

            try:
                with only_cached():
                    return import_module(name)
            except NotCachedError:
                _fill_cache(name)
        # Compiles here whatever the process could not.
        return import_module(name)


@contextmanager
def compiled_ahead(names: Sequence[str]) -> Iterator[None]:
    """Compile the functions of some modules in another process, as long as the context is not left.

    It is for a process whose children need them: a child that ends after a short match may never complete a function.
    """
    with _compiling(names) if names else nullcontext():
        yield


@contextmanager
def _compiling(names: Sequence[str]) -> Iterator[Child]:
    child = Child(__name__, *names, framing=JSON_LINES, background=True)
    try:
        yield child
    finally:
        child.end()


def _fill_cache(name: str) -> None:
    with _compiling([name]) as child, suppress(EOFError):
        child.receive()


def _compile() -> None:
    """Import the modules that are named on the command line: the work of such a process."""
    parent = Parent(JSON_LINES)
    parent.listen()
    _wait_for_others()
    for name in sys.argv[1:]:
        import_module(name)
    parent.send(True)
    end_process()


def _wait_for_others() -> None:
    """Wait until no other process compiles functions, as it would do the same work, and keep others waiting.

    Return at once where files cannot be locked, and after a minute in any case.
    """
    with suppress(ImportError, OSError):
        import fcntl

        file = os.open(__file__, os.O_RDONLY)  # closed, and unlocked, with the process
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            time.sleep(_GLANCE)


if __name__ == "__main__":
    _compile()
