"""Express three-input functions by the two-input operations that every processor has."""

from __future__ import annotations

from functools import lru_cache

from gdl.codegen.netlist import NOT, A, B, C

#: An operation (`and`, `or`, `xor`) with its arguments, or the truth table of a constant or argument.
Formula = tuple[str, "Formula", "Formula"] | int

_OPERATIONS = {"and": int.__and__, "or": int.__or__, "xor": int.__xor__}


@lru_cache(maxsize=1)
def formulas() -> dict[int, Formula]:
    """Return a formula with the fewest operations for each table; a negation is an `xor` with 255."""
    found: dict[int, Formula] = {0: 0, NOT: NOT, A: A, B: B, C: C}
    by_cost: list[list[int]] = [list(found)]
    while len(found) < 256:
        new: dict[int, Formula] = {}
        for cost, left in enumerate(by_cost):
            for a in left:
                for b in by_cost[len(by_cost) - 1 - cost]:
                    for name, operation in _OPERATIONS.items():
                        table = operation(a, b)
                        if table not in found and table not in new:
                            new[table] = (name, found[a], found[b])
        found.update(new)
        by_cost.append(list(new))
    return found
