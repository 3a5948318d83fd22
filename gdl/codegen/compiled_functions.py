"""Compile functions with Numba, and cache the machine code; this module loads Numba.

`compiled` is for functions that Python calls: they are compiled for the types of their annotations when their module is
imported, or read from Numba's cache. `part` is for functions that are called only by such functions.

Numba's own cache is keyed by the file that contains the function, and would return outdated code if a helper or a
constant has changed in another module. Here it is keyed by the text of all modules that the function's module imports,
directly or indirectly. An unusable cache (an unwritable folder, a full disk, damaged files) is ignored: the function is
then compiled in memory. Folders that others can write to are not used, and files are sealed (see `gdl.system.trust`),
as they contain pickles: reading one from somebody else would run their code.
"""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, final, get_args, get_origin, get_type_hints, overload

import numba
import numpy as np
from numba import types
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

from gdl.system.files import clear_folder, read_input, write_whole
from gdl.system.trust import has_key, is_private, sealed, tell_once, unsealed

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

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

#: The Numba types of annotations that are not NumPy's.
_SCALARS: Final = {int: types.int64, float: types.float64, bool: types.boolean, type(None): types.void}

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


@overload
def compiled(function: F, /) -> F: ...
@overload
def compiled(*, allocates: bool = ..., **options: Any) -> Callable[[F], F]: ...
def compiled(function: Function | None = None, /, *, allocates: bool = False, **options: Any) -> Any:
    """Compile a function for the types of its annotations, or read it from the cache; may be called with options.

    It releases the GIL. It may create arrays only if `allocates` is set: otherwise references are not counted, which
    would dominate the time of functions that pass named tuples of arrays around. `options` are those of `numba.njit`.
    Annotations are `int`, `float`, `bool`, NumPy's scalar types, those of `array_types`, and tuples of these.
    """

    def compile_it(function: Function) -> Any:
        dispatcher = _njit(nogil=True, _nrt=allocates, **options)(function)
        with suppress(Exception):  # no folder for the cache, or no source to derive its key from
            dispatcher._cache = _Cache(function)
        dispatcher.compile(_signature(function))
        dispatcher.disable_compile()
        return dispatcher

    return compile_it if function is None else compile_it(function)


def part(function: F) -> F:
    """Mark a function to be compiled into the compiled functions that call it; it must not create arrays."""
    return part_with()(function)


def part_with(**options: Any) -> Callable[[F], F]:
    """Return a decorator like `part`, with options of `numba.njit`."""

    def mark(function: F) -> F:
        compiler: Callable[[F], F] = _njit(**{**_PART_OPTIONS, **options})
        return compiler(function)

    return mark


def _signature(function: Function) -> Any:
    """Return the Numba signature of a function."""
    hints = {name: _numba_type(hint) for name, hint in get_type_hints(function, include_extras=True).items()}
    result = hints.pop("return")
    return result(*hints.values())


@cache
def _numba_type(hint: Any) -> Any:
    """Return the Numba type for an annotation. Raises TypeError if there is none."""
    if isinstance(hint, type) and hint in _SCALARS:
        return _SCALARS[hint]
    if isinstance(hint, type) and issubclass(hint, np.generic):
        return numba.from_dtype(np.dtype(hint))
    if isinstance(hint, type) and issubclass(hint, tuple):  # a NamedTuple
        fields = get_type_hints(hint, include_extras=True).values()
        return types.NamedTuple(tuple(map(_numba_type, fields)), hint)  # type: ignore[no-untyped-call]
    if get_origin(hint) is tuple:
        return types.Tuple(list(map(_numba_type, get_args(hint))))  # type: ignore[no-untyped-call]
    if get_origin(hint) is Annotated:
        array, form = get_args(hint)
        record = form.record or np.dtype(get_args(get_args(array)[1])[0])
        return types.Array(numba.from_dtype(record), form.dimensions, "C", readonly=form.readonly)
    raise TypeError(f"no compiled function takes or returns {hint}")


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
