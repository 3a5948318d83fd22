"""Functions that Numba compiles to machine code, kept from process to process; this module loads Numba.

`compiled` is for functions that Python calls: they are compiled for one signature when their module is imported, or
read from Numba's cache. `part` is for functions that only such functions call.

Numba's own cache is keyed by the file that a function stands in, and would return outdated code where another module
has changed that the function gets a helper or a constant from. Here it is keyed by the text of all modules that the
function's module imports, directly or not. An unusable cache (no folder can be written to, the disk is full, files are
damaged) is ignored: the function is then compiled in memory.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numba
from numba import types
from numba.core.caching import FunctionCache, IndexDataCacheFile

Function = Callable[..., Any]

#: Its stubs do not know all options.
_njit: Any = numba.njit

#: Modules that change only with a version: Numba's is part of its keys, and the others' hardly matter to machine code.
_FOREIGN: Final = frozenset({*sys.stdlib_module_names, "llvmlite", "numba", "numpy"})

#: An import at the beginning of a line: those for type checking and those in functions are indented.
_IMPORT: Final = re.compile(r"^(?:from +([\w.]+) +import +(\([^)]*\)|.*)|import +([\w.]+))", re.MULTILINE)

#: Types of arrays for signatures: contiguous, with so many dimensions. Where one is only read, it may be read-only.
I64_1, I64_2 = types.Array(types.int64, 1, "C"), types.Array(types.int64, 2, "C")
U64_1, U64_2 = types.Array(types.uint64, 1, "C"), types.Array(types.uint64, 2, "C")
I32_1, I32_2, I32_3 = (types.Array(types.int32, dimensions, "C") for dimensions in (1, 2, 3))
U64_2_READ = types.Array(types.uint64, 2, "C", readonly=True)
F32_1, F32_2 = types.Array(types.float32, 1, "C"), types.Array(types.float32, 2, "C")


def compiled(signature: Any, *, allocates: bool = False, **options: Any) -> Callable[[Function], Any]:
    """Compile a function for a signature (a Numba type or its text), or read it from the cache.

    It does not hold the GIL. Only if it `allocates` may it make arrays: without that no references are counted, which
    takes longer than all else where a named tuple of arrays is handed around. `options` are those of `numba.njit`.
    """

    def compile_it(function: Function) -> Any:
        dispatcher = _njit(nogil=True, _nrt=allocates, **options)(function)
        with suppress(Exception):  # no folder for the cache, or no source to tell versions apart by
            dispatcher._cache = _Cache(function)
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return compile_it


def part(function: Function) -> Any:
    """Mark a function that is compiled as a part of the compiled functions that call it; it makes no arrays."""
    return part_with()(function)


def part_with(**options: Any) -> Callable[[Function], Any]:
    """The same with options of `numba.njit`."""

    def mark(function: Function) -> Any:
        return _njit(**{"nogil": True, "_nrt": False, "forceinline": True, **options})(function)

    return mark


def named_tuple(kind: type, **fields: Any) -> Any:
    """The Numba type of a NamedTuple whose fields have these types, to be used in signatures."""
    if tuple(fields) != kind._fields:  # type: ignore[attr-defined]
        raise TypeError(f"{kind.__name__} has other fields than {', '.join(fields)}")
    return types.NamedTuple(tuple(fields.values()), kind)  # type: ignore[no-untyped-call]


class _Cache(FunctionCache):
    """Numba's cache of a function, in files that are named by the text of the modules it depends on."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        stamp = source_stamp(function.__module__)
        name = f"{function.__module__}.{function.__qualname__}.{sys.implementation.cache_tag}"
        #: How the names of this function's files begin, whatever its version, and those of this version.
        self._all_files = re.sub(r"[^\w.]", "_", name)
        self._files = f"{self._all_files}.{stamp}"
        self._cache_file = IndexDataCacheFile(self.cache_path, self._files, stamp)  # type: ignore[no-untyped-call]

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The function compiled for a signature; None if it is not there, or cannot be read."""
        try:
            return super().load_overload(signature, context)  # type: ignore[no-untyped-call]
        except Exception:
            # Damaged files are replaced by what is compiled now.
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Keep a compiled function, and drop what was compiled from earlier versions of it."""
        with suppress(Exception):
            super().save_overload(signature, data)  # type: ignore[no-untyped-call]
            for file in Path(self.cache_path).glob(f"{self._all_files}.*"):
                if not file.name.startswith(f"{self._files}."):
                    file.unlink(missing_ok=True)


@lru_cache
def source_stamp(module: str) -> str:
    """A number, as hexadecimal digits, for the text of a module and of all it depends on.

    Raises OSError where there is no source, and KeyError for a module that is not loaded.
    """
    stamp = sha256()
    seen = {module}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        text = Path(str(sys.modules[name].__file__)).read_text(encoding="utf-8")
        stamp.update(f"{name}\0{text}\0".encode())
        needed = sorted(set(_imports(text)) - seen)
        seen.update(needed)
        waiting += needed
    return stamp.hexdigest()[:16]


def _imports(text: str) -> Iterator[str]:
    """The names of the modules that a module imports when it is loaded, but for foreign ones."""
    for package, names, module in _IMPORT.findall(text):
        if (package or module).split(".")[0] in _FOREIGN:
            continue
        if module:
            yield module
            continue
        # `from package import module`, or `from module import name`.
        found = {f"{package}.{name}" for name in re.findall(r"\w+", names)} & sys.modules.keys()
        yield from found or {package}
