"""The limits on the derivations of one question, and the meter that enforces them.

Generated code tests the global variable `due`, which is False most of the time, in each loop that contains another
loop. A ticker makes it True about twenty times a second, and the code then calls `Meter.check`. So the limits cost next
to nothing, and questions that take less than a twentieth of a second are never refused.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import get_ident
from time import thread_time
from typing import Any, Final, final

from gdl.errors import DerivationLimitError
from gdl.language.rules import Rule, Signature, signature_text
from gdl.reasoner.ticker import Ticker

#: The default limit on the rule instances looked at for one explanation, which takes about a second.
EXPLAINED: Final = 20_000


@final
@dataclass(frozen=True, slots=True)
class DerivationBudget:
    """The limits on one question to a Reasoner. If one of them is exceeded, DerivationLimitError is raised.

    The first three are measured about twenty times a second, so a question may exceed them by what it does in that
    time.
    """

    #: Seconds of processor time, so that a busy machine does not count against the rules.
    seconds: float = 60.0
    #: The number of rows of all relations that are derived for one state, or for one state and one joint move.
    rows: int = 10_000_000
    #: The growth of the process's resident memory during the question, in bytes. Not limited on Windows.
    memory: int = 4 << 30
    #: The number of names in one term.
    names: int = 10_000
    #: The levels of nesting in one term.
    depth: int = 2_000


@final
class Meter:
    """A meter of the questions to one Reasoner: raises DerivationLimitError when one exceeds the budget."""

    __slots__ = ("__weakref__", "_namespaces", "budget", "due", "measured")

    def __init__(self, budget: DerivationBudget) -> None:
        """Start with a check that is due, which wakes the ticker."""
        self.budget = budget
        self.due = True
        # The global variables of the functions that are to be checked.
        self._namespaces: list[dict[str, Any]] = []
        #: For each thread, the time and the memory at the first check of its question; empty most of the time.
        self.measured: dict[int, tuple[float, int]] = {}

    def begin(self) -> None:
        """Begin the next question of this thread."""
        self.measured.pop(get_ident(), None)

    def enter(self, namespace: dict[str, Any]) -> None:
        """Keep `due` in the global variables of a function up to date."""
        self._namespaces.append(namespace)
        namespace["due"] = self.due

    def forget(self) -> None:
        """Forget all functions. None of them may be running."""
        self._namespaces = []

    def set_due(self, due: bool) -> None:
        """Make a check due, or note that it has been carried out."""
        # In this order, the ticker and a check that runs meanwhile cannot leave a function waiting for a check.
        if due:
            self.due = True
        for namespace in list(self._namespaces):
            namespace["due"] = due
        if not due:
            self.due = False

    def check(
        self, context: Mapping[str, Any], found: Collection[Any], rule: Rule | None, *, share: float = 1.0
    ) -> None:
        """Compare the question with the budget, of whose seconds it may use a share.

        `context` has the tables derived so far, `found` are the rows of the table in progress, and `rule` is the rule
        being applied; None for the terms of an answer. Raises DerivationLimitError.
        """
        self.set_due(False)
        ticker().serve(self)
        budget = self.budget
        rows = _rows(context) + len(found)
        if rows > budget.rows:
            raise limit_error("rows", budget.rows, rule)
        now, memory = thread_time(), resident_memory()
        start, before = self.measured.setdefault(get_ident(), (now, memory))
        if now - start > share * budget.seconds:
            raise limit_error("seconds", share * budget.seconds, rule)
        if memory - before > budget.memory:
            raise limit_error("memory", budget.memory, rule)

    def excess(self, value: Any) -> tuple[str, int] | None:
        """Return the limit that a term exceeds, `"names"` or `"depth"`, and its value; None if it exceeds none."""
        names, depth = self.budget.names, self.budget.depth
        count, levels = 0, 0
        level = [value]
        while level:
            levels += 1
            parts: list[Any] = []
            for part in level:
                count += 1
                if part.__class__ is tuple:
                    parts += part[1:]
                if count > names:
                    return "names", names
            # Constants are no level of their own.
            if parts and levels > depth:
                return "depth", depth
            level = parts
        return None

    def measure(self, value: Any, rule: Rule | None) -> None:
        """Raise DerivationLimitError if a term that a rule builds is too large."""
        excess = self.excess(value)
        if excess is not None:
            raise limit_error(*excess, rule)


def limit_error(limit: str, amount: float, rule: Rule | None) -> DerivationLimitError:
    """Return the error for a question that has exceeded a limit while a rule was applied."""
    if rule is None:
        return DerivationLimitError(limit, amount)
    return DerivationLimitError(limit, amount, relation_text(rule.head.signature), rule.location)


def relation_text(relation: Signature) -> str:
    """Return a relation of a program as text, by its name in the rules: `next/1` for `next cell/3`."""
    name, blank, _ = relation[0].partition(" ")
    return f"{name}/1" if blank else signature_text(relation)


def _rows(context: Mapping[str, Any]) -> int:
    """Return the number of rows in a context; indexes, which hold the rows of other tables, do not count."""
    tables = list(context.items())
    return sum(len(table) for text, table in tables if not isinstance(table, bool) and " by " not in text)


def resident_memory() -> int:
    """Return the resident memory of this process in bytes, or its peak where only that is known; else 0."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT


#: Only macOS gets here, and gives the peak in bytes.
_PEAK_UNIT: Final = 1


@cache
def ticker() -> Ticker:
    """Return the ticker of this process."""
    return Ticker()
