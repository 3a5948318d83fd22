"""Search for an answer set with clingo, with a deadline; the search can be interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from gdl.compile_budget import waiting

if TYPE_CHECKING:
    from clingo import Control, Model

T = TypeVar("T")

#: Seconds within which an interrupt is noticed.
_PATIENCE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """The result of a search: the value read from an answer set, or None.

    If there is no answer set, `core` has assumptions that exclude each other. `known` is False if the search was given
    up.
    """

    found: T | None
    core: tuple[int, ...] = ()
    known: bool = True


def search(control: Control, assumptions: Iterable[int], read: Callable[[Model], T], until: float = inf) -> Outcome[T]:
    """Search for an answer set in which all assumptions (literals) hold, until a time of `time.monotonic()`."""
    with waiting(), control.solve(list(assumptions), yield_=True, async_=True) as handle:
        handle.resume()
        try:
            while not handle.wait(max(0.0, min(_PATIENCE, until - monotonic()))):
                if monotonic() >= until:
                    handle.cancel()
                    return Outcome(None, known=False)
        except BaseException:
            handle.cancel()
            raise
        model = handle.model()
        if model is not None:
            return Outcome(read(model))
        if handle.get().unknown:
            return Outcome(None, known=False)
        return Outcome(None, tuple(handle.core()))
