"""Code made for another processor than this one, or for the interpreter."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import pytest

from gdl.codegen.llvm.machine_code import Machine, host
from gdl.simulator import affordable_code, single_states


@contextmanager
def processor(machine: Machine) -> Iterator[None]:
    """Code is made for another processor."""
    with ExitStack() as stack:
        for name, module in list(sys.modules.items()):
            if name.startswith("gdl.") and getattr(module, "host", None) is host:
                stack.enter_context(patch.object(module, "host", lambda: machine))
        yield


def without(features: str, kept: str) -> str:
    """Features of a processor without those of wide vectors, but for the ones that are kept."""
    wide = ("avx512", "avx10", "evex512", *(() if kept else ("avx2",)))
    return ",".join(f for f in features.split(",") if not (f[0] == "+" and f[1:].startswith(wide)))


@contextmanager
def narrow(features: str) -> Iterator[None]:
    """Code is made for narrower vectors: those of the features that are kept. Skips the test if there are no wider."""
    machine = host()
    other = Machine(machine.triple, machine.cpu, without(machine.features, features))
    if features not in machine.features or machine.vector.bits == other.vector.bits:
        pytest.skip("this processor has no wider vectors than these")
    with processor(other):
        yield


@contextmanager
def interpreting() -> Iterator[None]:
    """Code for many states is interpreted, and code for single states follows changes, as for large circuits."""
    with (
        patch.object(affordable_code, "LARGEST", 1),
        patch.object(affordable_code, "LARGEST_WITH_REGISTERS", 1),
        patch.object(single_states, "LARGEST_SINGLE", 0),
    ):
        yield
