"""What an interpreter of netlists can do: gates, up to the order of their arguments, and a few things more."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Final

from gdl.codegen.netlist import cofactor, gathered

#: Bytes of a row.
ROW: Final = 64


@cache
def canonical(table: int) -> tuple[int, tuple[int, ...]]:
    """The table that stands for all that differ by the order of arguments, and the order; idle arguments left out."""
    support = [place for place in range(3) if cofactor(table, place, 0) != cofactor(table, place, 1)]
    return min((gathered(table, order), order) for order in permutations(support))


def arity(table: int) -> int:
    """How many arguments matter."""
    return len(canonical(table)[1])


#: Operations of programs: first the gates, each for a canonical table.
TABLES: Final = sorted({canonical(table)[0] for table in range(256)})
#: Add the number of ones in each word of a row to another row.
COUNT: Final = len(TABLES)
#: Make a row of random bits, from the two rows of a generator.
RANDOM: Final = COUNT + 1
#: Go back to the beginning of a loop unless its variables stay as they are.
REPEAT: Final = COUNT + 2
#: The numbers of gates, by their canonical tables.
OPERATIONS: Final = {table: number for number, table in enumerate(TABLES)}
