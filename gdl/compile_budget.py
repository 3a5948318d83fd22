"""The limits on compiling a game, and the watch that keeps them in every stage.

    with Watch(CompileBudget(seconds=60)).running():
        begin_stage("building the circuit")
        ...
        check_budget()  # in every loop that may take long

Code that compiles calls `check_budget`, without being given the watch: it belongs to the thread, as the context of the
module `decimal` does. Where no watch is running, nothing is limited.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf
from time import monotonic, process_time, thread_time
from typing import Final, final

from gdl.reasoner.budget import resident_memory
from gdl.system.garbage import collection_paused

#: Called with the name of each stage.
Progress = Callable[[str], None]

#: The shortest intervals, in seconds of elapsed time, between two measurements of time and of memory. Asking the system
#: takes longer than most of the work between two checks, and a thread cannot compute for longer than time has elapsed.
_PAUSE: Final = 0.01
_MEMORY_PAUSE: Final = 0.2


@final
@dataclass(frozen=True, slots=True)
class CompileBudget:
    """The limits on compiling a game. If one of them is exceeded, CompileError is raised.

    What only makes code faster is left out to keep them. How much is left out depends on `seconds` and the rules alone:
    it is measured by counting the work, so that every machine makes the same circuit.
    """

    #: Seconds of processor time for the circuit, and again for each kind of code that is made from it, so that a busy
    #: machine does not count against the rules. A circuit that needs more is refused, code never.
    seconds: float = 60.0
    #: The number of ground rules that clingo prints, including duplicates.
    rules: int = 3_000_000
    #: Bytes: the memory of each process that compiles (limited only on Linux, where one process can limit another), and
    #: the growth of the resident memory of this process meanwhile (not limited on Windows).
    memory: int = 6 << 30

    def __post_init__(self) -> None:
        """Refuse limits that are not positive numbers."""
        for name in ("seconds", "rules", "memory"):
            value = getattr(self, name)
            if not value > 0:
                raise ValueError(f"the budget's {name} must be positive, not {value!r}")


class BudgetExceeded(Exception):
    """Raised when a budget is used up: `budget` is the name of a field of `CompileBudget`, `stage` that of a stage."""

    def __init__(self, budget: str, stage: str) -> None:
        """Name the field and the stage."""
        super().__init__(budget, stage)
        self.budget = budget
        self.stage = stage


@final
class Watch:
    """The time and memory that compiling one game has taken so far, in all stages. Time passes only while it runs."""

    def __init__(
        self, budget: CompileBudget | None = None, progress: Progress | None = None, *, refuses: bool = True
    ) -> None:
        """Begin without time spent; `progress` is called with the name of each stage.

        Unless it `refuses`, the seconds only decide what is `left`; it is no error to need more.
        """
        self.budget = budget or CompileBudget()
        self.progress: Progress = progress or (lambda _: None)
        self.stage = "reading"
        self._spent = 0.0
        self._limit = self.budget.seconds if refuses else inf
        self._began: float | None = None
        self._memory = 0
        #: When time and memory are to be measured again.
        self._due = self._memory_due = 0.0

    @contextmanager
    def running(self) -> Iterator[Watch]:
        """Let time pass, and `check_budget` look at this watch, in the current thread.

        No garbage is collected meanwhile: circuits are very many tuples without cycles.
        """
        if _current.get() is self:
            yield self
            return
        token = _current.set(self)
        self._began, self._memory = thread_time(), resident_memory()
        try:
            with collection_paused:
                yield self
        finally:
            self._spent, self._began = self.spent, None
            _current.reset(token)

    @property
    def spent(self) -> float:
        """The seconds of processor time spent so far."""
        return self._spent + (thread_time() - self._began if self._began is not None else 0.0)

    @property
    def left(self) -> float:
        """The seconds left, at least 0."""
        return max(0.0, self.budget.seconds - self.spent)

    @contextmanager
    def limited(self, share: float) -> Iterator[None]:
        """Allow only a share of the seconds left, while the context lasts."""
        before = self._limit
        self._limit = self.spent + share * self.left
        self._due = 0.0
        try:
            yield
        finally:
            self._limit = before

    def charge(self, seconds: float) -> None:
        """Add seconds of processor time that this thread has waited for."""
        self._spent += seconds
        self._due = 0.0

    def check(self) -> None:
        """Raise BudgetExceeded if time or memory is used up; that it is may be noticed `_PAUSE` seconds later."""
        now = monotonic()
        if now < self._due:
            return
        if self.spent > self._limit:
            raise BudgetExceeded("seconds", self.stage)
        if now >= self._memory_due:
            if resident_memory() - self._memory > self.budget.memory:
                raise BudgetExceeded("memory", self.stage)
            self._memory_due = now + _MEMORY_PAUSE
        self._due = now + _PAUSE


_current: Final[ContextVar[Watch | None]] = ContextVar("watch", default=None)


def check_budget() -> None:
    """Raise BudgetExceeded if what runs in this thread has used up its budget. Takes a tenth of a microsecond."""
    watch = _current.get()
    if watch is not None:
        watch.check()


def begin_stage(name: str) -> None:
    """Begin a stage of the compilation that runs in this thread, and tell its progress."""
    watch = _current.get()
    if watch is not None:
        watch.stage = name
        watch.progress(name)
        watch.check()


@contextmanager
def waiting() -> Iterator[None]:
    """Charge what other threads compute meanwhile for this one, such as clingo's, and child processes that end."""
    start, mine, others = monotonic(), thread_time(), _elsewhere()
    try:
        yield
    finally:
        watch = _current.get()
        if watch is not None:
            waited = monotonic() - start - (thread_time() - mine)
            # Threads that do something else may have computed, too, but this one cannot have waited for longer.
            watch.charge(max(0.0, min(waited, _elsewhere() - others)))


def _elsewhere() -> float:
    """Return the processor time of other threads, and of the children of this process that have ended."""
    times = os.times()
    return process_time() - thread_time() + times.children_user + times.children_system
