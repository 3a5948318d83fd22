"""Machine code that all games share: conversions between rows of lanes and what is outside of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, final

from gdl.codegen.interface import Target
from gdl.codegen.llvm.marking import column_moves, in_column, mark
from gdl.codegen.llvm.transpose import column_gather, column_spread, gather, spread


@final
@dataclass(frozen=True, slots=True)
class SharedFunctions:
    """Functions for the vectors of a target: what they are called together, their names, and their assembly."""

    name: str
    names: tuple[str, ...]
    assembly: Callable[[Target], str]


def _word_functions(target: Target) -> str:
    """Return assembly of functions that convert between 64 rows of one vector of lanes and one word per lane.

    `gather(rows, out, stride, mask)` writes 64 bits for each lane, at `out + lane * stride`: bit `i` is that of row
    `i`, if the mask has it. `spread(words, stride, rows)` is its inverse. `mark(moves, roles, does, lanes)` and
    `unmark` set and clear the lanes' bits in the rows of their moves (int32; negative for none).
    """
    return "\n".join([gather(target), spread(target), mark(target, "mark"), mark(target, "unmark")])


def _column_functions(target: Target) -> str:
    """Return assembly of functions that convert between 64 rows of one vector of lanes and a column of words.

    `column_spread(column, rows)` makes rows of a column, which has the words of the lanes next to each other.
    `column_gather(rows, column, still, mask)` is its inverse: bit `i` of a word is that of row `i`, if the mask has it;
    words of lanes whose byte of `still` is not 0 are kept. `column_moves(moves, roles, rows, words, column)` makes 64
    rows for each of some words of moves: a lane's bit is set in the rows of its moves. Moves are columns of int32,
    512 lanes for each role; negative for none. A column's memory is needed. `column_mark(moves, roles, does, lanes)`
    and `column_unmark` set and clear these bits in rows of zeros, lane by lane.
    """
    marks = [mark(target, name, in_column(target)) for name in ("column_mark", "column_unmark")]
    return "\n".join([column_spread(target), column_gather(target), column_moves(target), *marks])


#: For words of lanes, and the declarations for modules that call them.
WORD_FUNCTIONS: Final = SharedFunctions("word_functions", ("gather", "spread", "mark", "unmark"), _word_functions)
WORD_DECLARATIONS: Final = """
declare void @gather(ptr, ptr, i64, i64)
declare void @spread(ptr, i64, ptr)
declare void @mark(ptr, i64, ptr, i64)
declare void @unmark(ptr, i64, ptr, i64)"""

#: For columns of lanes, and the declarations for modules that call them.
COLUMN_FUNCTIONS: Final = SharedFunctions(
    "column_functions",
    ("column_spread", "column_gather", "column_moves", "column_mark", "column_unmark"),
    _column_functions,
)
COLUMN_DECLARATIONS: Final = """
declare void @column_spread(ptr, ptr)
declare void @column_gather(ptr, ptr, ptr, i64)
declare void @column_moves(ptr, i64, ptr, i64, ptr)
declare void @column_mark(ptr, i64, ptr, i64)
declare void @column_unmark(ptr, i64, ptr, i64)"""
