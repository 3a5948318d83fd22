"""The operations of the netlist interpreter: gates, up to the order of their arguments, and pairs of gates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Final, final

from gdl.codegen.netlist import cofactor, gathered

#: The number of equal operations that are executed together.
TOGETHER: Final = 4


@final
@dataclass(frozen=True, slots=True)
class Operation:
    """Gates that are executed as one operation.

    `reads` is the number of rows read. A gate is a table with its arguments: numbers of rows, followed by numbers of
    earlier gates. The gates in `stored` are written to rows; the others are needed only within the operation.
    """

    reads: int
    gates: tuple[tuple[int, tuple[int, ...]], ...]
    stored: tuple[int, ...]


@cache
def canonical(table: int) -> tuple[int, tuple[int, ...]]:
    """Return the least table over all orders of the arguments that matter, and the order that gives it."""
    support = [place for place in range(3) if cofactor(table, place, 0) != cofactor(table, place, 1)]
    return min((gathered(table, order), order) for order in permutations(support))


def arity(table: int) -> int:
    """Return the number of arguments that matter."""
    return len(canonical(table)[1])


@cache
def alike(table: int, place: int) -> int:
    """Return the first argument that can be exchanged with the argument at `place`."""
    for other in range(place):
        order = list(range(arity(table)))
        order[other], order[place] = place, other
        if gathered(table, tuple(order)) == table:
            return other
    return place


#: The canonical tables of all functions of up to three arguments.
TABLES: Final = sorted({canonical(table)[0] for table in range(256)})

#: Sums with their carries or borrows, and the conjunction of two rows with a difference: pairs of tables over the same
#: rows; the order of arguments does not matter for the first table.
TWINS: Final = ((0x96, 0xE8), (0x96, 0x8E), (0x3C, 0xC0), (0x3C, 0x0C), (0xC0, 0x0C))

#: Gates that only one other gate needs: (table, table of the other gate, argument there). These are the most frequent
#: ones in the netlists of games; more would take longer to compile.
CHAINS: Final[tuple[tuple[int, int, int], ...]] = (
    *((0x02, 0x02, 2), (0x80, 0x80, 0), (0x8A, 0x8A, 2), (0x2A, 0x2A, 2), (0x82, 0xC0, 0)),
    *((0x3F, 0x2A, 2), (0x0C, 0xAC, 2), (0x02, 0x8A, 0), (0x01, 0x02, 2), (0x02, 0x0C, 1)),
    *((0x08, 0x03, 0), (0x02, 0x0B, 1), (0xA8, 0xA8, 2), (0x80, 0x2A, 0), (0x02, 0x02, 0)),
    *((0x80, 0x0C, 0), (0xCF, 0x2A, 2), (0x3F, 0x8A, 2), (0x02, 0x03, 0), (0x01, 0x03, 0)),
    *((0x2A, 0x02, 0), (0xFC, 0xA8, 2), (0x8E, 0x8E, 1), (0xA8, 0x0C, 1), (0x07, 0x02, 0)),
    *((0x08, 0x0C, 1), (0xAC, 0xAC, 1), (0x0B, 0x02, 2), (0x80, 0x0C, 1), (0x01, 0x01, 0)),
    *((0x8A, 0x0C, 0), (0x01, 0xA8, 0), (0xCF, 0x8A, 2), (0x08, 0xC0, 0), (0x80, 0x08, 1)),
    *((0x02, 0xA8, 0), (0x08, 0x80, 0), (0x80, 0xC0, 0), (0x0B, 0x8A, 2), (0x2A, 0x02, 2)),
)


def _twin(first: int, second: int) -> Operation:
    rows = tuple(range(arity(second)))
    return Operation(len(rows), ((first, rows), (second, rows)), (0, 1))


def _chain(first: int, second: int, place: int) -> Operation:
    inner = arity(first)
    reads = inner + arity(second) - 1
    rest = iter(range(inner, reads))
    arguments = tuple(reads if i == place else next(rest) for i in range(arity(second)))
    return Operation(reads, ((first, tuple(range(inner))), (second, arguments)), (1,))


#: The numbers of operations: single gates by canonical table, then twins, then chains.
SINGLE: Final = {table: number for number, table in enumerate(TABLES)}
TWIN: Final = {kind: number for number, kind in enumerate(TWINS, len(SINGLE))}
CHAIN: Final = {kind: number for number, kind in enumerate(CHAINS, len(SINGLE) + len(TWIN))}

OPERATIONS: Final = (
    *(Operation(arity(table), ((table, tuple(range(arity(table)))),), (0,)) for table in TABLES),
    *(_twin(*kind) for kind in TWINS),
    *(_chain(*kind) for kind in CHAINS),
)

#: Adds the number of ones in each word of a row to another row.
COUNT: Final = len(OPERATIONS)
#: Makes a row of random bits from the two rows of a generator.
RANDOM: Final = COUNT + 1
#: Ends a segment of code.
STOP: Final = COUNT + 2
#: Repeats a loop until its variables no longer change; it ends a segment, and does not occur in code.
REPEAT: Final = COUNT + 3
