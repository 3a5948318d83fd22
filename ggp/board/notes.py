"""The facts that belong to no board, grouped by relation, for any screen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gdl.terms import Function, Term


@dataclass(frozen=True, slots=True)
class Note:
    """A relation and its facts in a state: one text per fact; no rows for a fact without arguments."""

    name: str
    rows: tuple[str, ...]

    @property
    def text(self) -> str:
        """The relation and its facts on one line."""
        return " ".join((self.name, ", ".join(self.rows))) if self.rows else self.name


def grouped(facts: Iterable[Term]) -> tuple[Note, ...]:
    """Group facts by relation, in order of appearance."""
    groups: dict[str, list[str]] = {}
    for fact in facts:
        if isinstance(fact, Function):
            groups.setdefault(fact.name, []).append(" ".join(arg.text for arg in fact.args))
        else:
            groups.setdefault(fact.text, [])
    return tuple(Note(name, tuple(rows)) for name, rows in groups.items())
