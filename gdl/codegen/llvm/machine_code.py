"""Compile assembly to machine code with LLVM, and load machine code as callable functions."""

from __future__ import annotations

import ctypes
import os
import platform
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, final

from gdl.codegen.interface import Target
from gdl.errors import GdlError

#: The name of a library within its linker, which has no other library.
_NAME: Final = "game"


@final
@dataclass(frozen=True, slots=True)
class Machine:
    """The processor for which code is generated."""

    triple: str
    cpu: str
    features: str

    @property
    def vector(self) -> Target:
        """The widest vectors of the processor."""
        features = set(self.features.split(","))
        bits = 512 if "+avx512f" in features else 256 if "+avx2" in features else 128
        registers = ""
        if "linux" in self.triple:  # functions in assembly follow its conventions
            if self.triple.startswith("aarch64-"):
                registers = "neon"
            elif bits == 512:
                registers = "avx512" if "+avx512vpopcntdq" in features else ""  # which counts the ones of words
            elif "+avx" in features:
                registers = "avx2" if bits == 256 else "avx"
        return Target(bits, ternary=bits == 512, registers=registers)


#: The environment variable that names the vectors to use, if not the widest ones, and what a processor needs for each.
VARIABLE: Final = "GDL_TARGET"
_NEEDED: Final = {"avx512": "avx512f", "avx2": "avx2", "avx": "avx", "sse2": "sse2"}


def narrowed(machine: Machine, vectors: str) -> Machine:
    """Return a processor without wider vectors than those named. Raises GdlError if it does not have these."""
    features = machine.features.split(",")
    if f"+{_NEEDED.get(vectors)}" not in features:
        raise GdlError(f"{VARIABLE} is {vectors}, but this processor has {', '.join(_known(features)) or 'no such'}")
    wider = list(_NEEDED.values())[: list(_NEEDED).index(vectors)]
    # LLVM takes this also for all features that need these.
    left = [feature for feature in features if feature[1:] not in wider] + [f"-{feature}" for feature in wider]
    return replace(machine, features=",".join(left))


def _known(features: Sequence[str]) -> list[str]:
    return [vectors for vectors, feature in _NEEDED.items() if f"+{feature}" in features]


@lru_cache(maxsize=1)
def host() -> Machine:
    """Return the processor of this machine, with the vectors that `GDL_TARGET` names. Raises GdlError."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    known = llvm.get_host_cpu_features().flatten() if platform.machine() in ("x86_64", "AMD64") else ""
    machine = Machine(llvm.get_process_triple(), llvm.get_host_cpu_name(), known)
    vectors = os.environ.get(VARIABLE)
    return narrowed(machine, vectors) if vectors else machine


def compiled(assembly: str, machine: Machine, level: int = 1) -> bytes:
    """Compile a module's assembly to an object file."""
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(f'target triple = "{machine.triple}"\n' + assembly)
    target = llvm.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=level, reloc="pic", codemodel="default"
    )
    return bytes(target.emit_object(module))


def use(vectors: str) -> None:
    """Use narrower vectors than the processor has, in this process and those that it starts.

    To be called before anything is compiled. Raises GdlError if the processor does not have these.
    """
    os.environ[VARIABLE] = vectors
    host.cache_clear()
    host()


@final
class Library:
    """Machine code in memory, kept for the lifetime of this object."""

    def __init__(self, code: bytes, other: Library | None = None, names: Sequence[str] = ()) -> None:
        """Link an object file; it may call functions of another library by these names."""
        import llvmlite.binding as llvm

        host()  # initializes LLVM for this processor
        # JITLink puts all sections into one piece of memory. LLVM's older linker allocates sections one by one, and
        # aborts if they are more than 2 GB apart.
        self._linker = llvm.create_lljit_compiler(use_jit_link=True)
        builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
        self._other = other  # kept as long as the code that calls it
        if other is not None:
            for name in names:
                builder.import_symbol(name, other.address(name))
        self._loaded = builder.link(self._linker, _NAME)
        #: The results of look-ups. LLVM frees all the code with the first of them that is dropped, so all are kept, and
        #: a lock keeps two threads from looking up the same name.
        self._found: dict[str, Any] = {}
        self._lock = threading.Lock()

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """Return a function, given the ctypes types of its result and arguments. Calls release the GIL."""
        call = ctypes.CFUNCTYPE(result, *arguments)(self.address(name))
        call.library = self  # type: ignore[attr-defined]  # the code lives as long as the function
        return call

    def address(self, name: str) -> int:
        """Return the address of a function."""
        with self._lock:
            if name not in self._found:
                self._found[name] = self._linker.lookup(_NAME, name)
            return int(self._found[name][name])
