"""Take facts and moves apart into the shape of a term and the constants at its leaves.

`(cell (square 1 2) white)` has the shape `(cell (square _ _) _)` and the leaves `1`, `2`, `white`. Facts of one
shape are the rows of one table, however deeply a rule file nests its coordinates. Leaves are in lower case.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdl.terms import Constant, Function, Term, Variable, fold, leaves, name_key

#: The constants of a term from left to right, in lower case.
Leaves = tuple[str, ...]


def flatten(term: Term) -> tuple[str, Leaves]:
    """Return the shape and the leaves of a term. The shape of a lone constant is its text; it has no leaves."""
    if not isinstance(term, Function):
        return term.key, ()
    return fold(term, _leaf_shape, _function_shape), tuple(leaf.key for leaf in leaves(term))


def pick(leaves: Leaves, which: Iterable[int]) -> Leaves:
    """Return the chosen leaves of a fact."""
    return tuple(leaves[leaf] for leaf in which)


def _leaf_shape(leaf: Constant | Variable) -> str:  # noqa: ARG001
    return "_"


def _function_shape(function: Function, parts: list[str]) -> str:
    return f"({name_key(function.name)} {' '.join(parts)})"
