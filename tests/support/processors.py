"""Code made for another processor than this one, or for the interpreter."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import pytest

from gdl.codegen.llvm.machine_code import Machine, host, narrowed
from gdl.errors import GdlError
from gdl.simulator import affordable_code, single_states


@contextmanager
def processor(machine: Machine) -> Iterator[None]:
    """Code is made for another processor."""
    with ExitStack() as stack:
        for name, module in list(sys.modules.items()):
            if name.startswith("gdl.") and getattr(module, "host", None) is host:
                stack.enter_context(patch.object(module, "host", lambda: machine))
        yield


@contextmanager
def narrow(vectors: str) -> Iterator[None]:
    """Code is made for narrower vectors, as if `GDL_TARGET` named them. Skips the test if there are no wider ones."""
    machine = host()
    try:
        other = narrowed(machine, vectors)
    except GdlError:
        pytest.skip("this processor does not have these vectors")
    if machine.vector == other.vector:
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
