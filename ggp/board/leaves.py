"""Facts and moves taken apart: the shape of a term, and the constants at its leaves.

`(cell (square 1 2) white)` has the shape `(cell (square _ _) _)` and the leaves `1`, `2`, `white`. Facts of one
shape are the rows of one table, however deeply a rule file nests its coordinates. Leaves are without case.
"""

from __future__ import annotations

from gdl.terms import Function, Term

#: The constants of a term from left to right, without their case.
Leaves = tuple[str, ...]


def flatten(term: Term) -> tuple[str, Leaves]:
    """The shape and the leaves of a term. A lone constant is a shape without leaves."""
    if not isinstance(term, Function):
        return term.text.lower(), ()
    leaves: list[str] = []
    return _walk(term, leaves), tuple(leaves)


def _walk(term: Function, leaves: list[str]) -> str:
    parts = [term.name.lower()]
    for arg in term.args:
        if isinstance(arg, Function):
            parts.append(_walk(arg, leaves))
        else:
            leaves.append(arg.text.lower())
            parts.append("_")
    return f"({' '.join(parts)})"
