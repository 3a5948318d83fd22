"""Import modules whose functions are compiled by Numba, without holding up the other threads of this process.

Compiling such functions takes tens of seconds after an installation or an update, and Numba holds the interpreter's
lock most of the time. So a process of lower priority, `python -m gdl.codegen.ahead MODULE`, imports the module first,
which fills Numba's cache; this process then reads the functions from there.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Final

from gdl.childprocess import JSON_LINES, Child, Parent, end_process

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


def _fill_cache(name: str) -> None:
    child = Child(__name__, name, framing=JSON_LINES, background=True)
    try:
        with suppress(EOFError):
            child.receive()
    finally:
        child.end()


def _compile() -> None:
    """Import the module that is named on the command line: the work of such a process."""
    parent = Parent(JSON_LINES)
    parent.listen()
    import_module(sys.argv[1])
    parent.send(True)
    end_process()


if __name__ == "__main__":
    _compile()
