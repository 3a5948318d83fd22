"""The explanation of an atom: for display, as its outline, and for programs, as a tree."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import final

from gdl.explanation.outline import outline_text
from gdl.explanation.tree import Derivation, Refutation, counted
from gdl.language.rules import Atom


@final
@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The explanation of an atom.

    A ground atom that holds has `derivations`, the shortest first; `ways` is the number of rule instances that derive
    it directly. An atom with variables that holds has `instances`, sorted. An atom that does not hold has a
    `refutation`. `complete` is False if a limit was reached: the first derivation may then not be the shortest, and
    there may be more ways.
    """

    atom: Atom
    holds: bool
    derivations: tuple[Derivation, ...] = ()
    ways: int = 0
    instances: tuple[Atom, ...] = ()
    refutation: Refutation | None = None
    complete: bool = True

    def __str__(self) -> str:
        """Return the outline: the tree as lines of text, with the origin of each part in a column."""
        return outline_text(self)

    def _repr_html_(self) -> str:
        """Return the outline as preformatted text, for notebooks."""
        return f"<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        """Return the atom and the verdict in one line."""
        if not self.holds:
            answer = "does not hold"
        elif self.instances:
            answer = f"holds for {counted(len(self.instances), 'instance')}"
        else:
            answer = f"holds in {counted(self.ways, 'way')}"
        return f"<Explanation: {self.atom} {answer}>"
