"""Compile functions with Numba, and cache the machine code; this module loads Numba.

`compiled` is for functions that Python calls: they are compiled for one signature when their module is imported, or
read from Numba's cache. `part` is for functions that are called only by such functions.

Numba's own cache is keyed by the file that contains the function, and would return outdated code if a helper or a
constant has changed in another module. Here it is keyed by the text of all modules that the function's module imports,
directly or indirectly. An unusable cache (an unwritable folder, a full disk, damaged files) is ignored: the function is
then compiled in memory. Folders that others can write to are not used, and files are sealed (see `gdl.trust`), as
they contain pickles: reading one from somebody else would run their code.
"""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, final

import numba
from numba import types
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

from gdl.files import clear_folder, read_input, write_whole
from gdl.trust import has_key, is_private, sealed, tell_once, unsealed

Function = Callable[..., Any]

#: The maximum size of a file with the code of a function, in bytes.
_LARGEST: Final = 256 << 20

#: Untyped, as Numba's stubs lack some options.
_njit: Any = numba.njit

#: Python never calls a part, so it needs none of the wrappers for such calls, which take a third of the compile time.
_PART_OPTIONS: Final = {
    "nogil": True,
    "_nrt": False,
    "forceinline": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}

#: Modules that change only with their version. Numba's version is in its keys; the others hardly affect machine code.
_FOREIGN: Final = frozenset({*sys.stdlib_module_names, "llvmlite", "numba", "numpy"})

#: An import at the beginning of a line. Imports for type checking and in functions are indented, and not matched.
_IMPORT: Final = re.compile(r"^(?:from +([\w.]+) +import +(\([^)]*\)|.*)|import +([\w.]+))", re.MULTILINE)

#: Array types for signatures: contiguous, with the number of dimensions at the end. `_READ` accepts read-only arrays.
I64_1, I64_2 = types.Array(types.int64, 1, "C"), types.Array(types.int64, 2, "C")
U64_1, U64_2 = types.Array(types.uint64, 1, "C"), types.Array(types.uint64, 2, "C")
I16_1 = types.Array(types.int16, 1, "C")
I32_1, I32_2, I32_3 = (types.Array(types.int32, dimensions, "C") for dimensions in (1, 2, 3))
U64_2_READ = types.Array(types.uint64, 2, "C", readonly=True)
F32_1, F32_2 = types.Array(types.float32, 1, "C"), types.Array(types.float32, 2, "C")

#: True while functions that are not cached are refused.
_only_cached: Final = ContextVar("_only_cached", default=False)


class NotCachedError(Exception):
    """A function is not cached, and must not be compiled here; see `only_cached`."""


@contextmanager
def only_cached() -> Iterator[None]:
    """Refuse to compile functions in this thread: raise NotCachedError for one that could be in the cache and is not.

    A module whose import fails in this way can be imported again later.
    """
    token = _only_cached.set(True)
    try:
        yield
    finally:
        _only_cached.reset(token)


def compiled(signature: Any, *, allocates: bool = False, **options: Any) -> Callable[[Function], Any]:
    """Compile a function for a signature (a Numba type or its text), or read it from the cache.

    It releases the GIL. It may create arrays only if `allocates` is set: otherwise references are not counted, which
    would dominate the time of functions that pass named tuples of arrays around. `options` are those of `numba.njit`.
    """

    def compile_it(function: Function) -> Any:
        dispatcher = _njit(nogil=True, _nrt=allocates, **options)(function)
        with suppress(Exception):  # no folder for the cache, or no source to derive its key from
            dispatcher._cache = _Cache(function)
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return compile_it


def part(function: Function) -> Any:
    """Mark a function to be compiled into the compiled functions that call it; it must not create arrays."""
    return part_with()(function)


def part_with(**options: Any) -> Callable[[Function], Any]:
    """Return a decorator like `part`, with options of `numba.njit`."""

    def mark(function: Function) -> Any:
        return _njit(**{**_PART_OPTIONS, **options})(function)

    return mark


def named_tuple(kind: type, **fields: Any) -> Any:
    """Return the Numba type of a NamedTuple with the given types of fields, for signatures."""
    if tuple(fields) != kind._fields:  # type: ignore[attr-defined]
        raise TypeError(f"the fields of {kind.__name__} are not {', '.join(fields)}")
    return types.NamedTuple(tuple(fields.values()), kind)  # type: ignore[no-untyped-call]


class _Cache(FunctionCache):
    """Numba's cache of a function, in files named by a hash of the modules that the function depends on."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        stamp = source_stamp(function.__module__)
        name = f"{function.__module__}.{function.__qualname__}.{sys.implementation.cache_tag}"
        #: How the names of this function's files begin, whatever its version, and those of this version.
        self._all_files = re.sub(r"[^\w.]", "_", name)
        self._files = f"{self._all_files}.{stamp}"
        if not _usable(Path(self.cache_path)):
            raise PermissionError(self.cache_path)
        files: Any = _SealedFiles(Path(self.cache_path), self._files)  # has the methods that are called
        self._cache_file = files

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the function compiled for a signature; None if it is missing or cannot be read.

        Raises NotCachedError instead of returning None within `only_cached`.
        """
        found = None
        try:
            found = super().load_overload(signature, context)  # type: ignore[no-untyped-call]
        except Exception:
            # Damaged files are dropped, and replaced once the function has been compiled.
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
        if found is None and _only_cached.get():
            raise NotCachedError(self._all_files)
        return found

    def save_overload(self, signature: Any, data: Any) -> None:
        """Store a compiled function, and delete those compiled from earlier versions."""
        with suppress(Exception):
            super().save_overload(signature, data)  # type: ignore[no-untyped-call]
            for file in Path(self.cache_path).glob(f"{self._all_files}.*"):
                if not file.name.startswith(f"{self._files}."):
                    file.unlink(missing_ok=True)


@final
class _SealedFiles:
    """Files with the code of one function, one for each signature and processor; in place of Numba's unsealed ones."""

    def __init__(self, folder: Path, name: str) -> None:
        """Use the files in a folder whose names begin like this."""
        self._folder = folder
        self._name = name

    def load(self, key: Any) -> Any:
        """Return the object saved for a key; None if there is none that this user has sealed. Raises OSError."""
        path = self._path(key)
        try:
            content = unsealed(path.name, read_input(path, _LARGEST))
        except FileNotFoundError:
            return None
        if content is None:
            text = "that are damaged or not from this user; they are made again"
            tell_once(f"gdl: ignored files of Numba in {self._folder} {text}")
            return None
        return pickle.loads(content)  # noqa: S301 - sealed by this user

    def save(self, key: Any, found: Any) -> None:
        """Write an object, as a whole or not at all. Raises OSError."""
        path = self._path(key)
        clear_folder(path)
        # Others need not read it, as a seal is of one user.
        write_whole(path, sealed(path.name, dumps(found)), mode=0o600)  # type: ignore[no-untyped-call]

    def flush(self) -> None:
        """Delete the files."""
        for file in self._folder.glob(f"{self._name}.*"):
            file.unlink(missing_ok=True)

    def _path(self, key: Any) -> Path:
        return self._folder / f"{self._name}.{sha256(repr(key).encode()).hexdigest()[:16]}.nbc"


@lru_cache
def _usable(folder: Path) -> bool:
    """Return True if files in a folder may be read and written. Raises OSError if there is no such folder."""
    return is_private(folder) and has_key()


@lru_cache
def source_stamp(module: str) -> str:
    """Return a hash, as hexadecimal digits, of the text of a module and of all modules it depends on.

    Raises OSError if a module has no source file, and KeyError if one is not loaded.
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
    """Yield the names of the modules that a module imports when it is loaded, except foreign ones."""
    for package, names, module in _IMPORT.findall(text):
        if (package or module).split(".")[0] in _FOREIGN:
            continue
        if module:
            yield module
            continue
        # `from package import module`, or `from module import name`.
        found = {f"{package}.{name}" for name in re.findall(r"\w+", names)} & sys.modules.keys()
        yield from found or {package}
