"""Functions that Numba compiles, kept in its cache; this module loads Numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Compiles a function for types that are known, so that it is made once and then read from the cache.

    What it calls must stand in its own module: Numba only looks whether that file has changed.
    """

    def compile_it(function: Callable[..., Any]) -> Any:
        try:
            return njit(signature, nogil=True, cache=True)(function)
        except (OSError, RuntimeError):
            # Numba's cache may be read-only, full or damaged; what is wrong with the function is raised again.
            return njit(signature, nogil=True)(function)

    return compile_it
