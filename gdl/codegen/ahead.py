"""Import modules whose functions are compiled by Numba, without holding up the other threads of this process.

Compiling such functions takes tens of seconds after an installation or an update, and Numba holds the interpreter's
lock most of the time. So a process of lower priority, `python -m gdl.codegen.ahead MODULE`, imports the module first,
which fills Numba's cache; this process then reads the functions from there.

    with compiled_ahead(["ggp.players.mcts.search"]):   # for processes that may be short-lived
        ...
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

from gdl.system.childprocess import JSON_LINES, Child, Parent, end_process
from gdl.system.files import locked

#: Seconds to wait for another process that compiles functions.
_PATIENCE: Final = 60.0

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
    # Another process that compiles functions would do the same work, and keep others waiting.
    with locked(Path(__file__), _PATIENCE):
        for name in sys.argv[1:]:
            import_module(name)
    parent.send(True)
    end_process()


if __name__ == "__main__":
    _compile()
