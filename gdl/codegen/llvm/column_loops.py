"""Loops over states packed in columns: steps of many matches at once.

A block has 512 lanes. Word `k` of its states is a column: the words of all lanes, next to each other. So vectors of
words are loaded and stored whole, and loops over lanes can be vectorized. The lane at position `i * words + w` of a
column, where `words` is that of a vector, is bit `i` of word `w` of a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from gdl.codegen.evaluation import Evaluation, footer, words
from gdl.codegen.interface import Interface, RowAddress, Target
from gdl.codegen.llvm.assembly import Emitter
from gdl.codegen.llvm.playout_loop import LANES
from gdl.codegen.llvm.shared_functions import COLUMN_DECLARATIONS

#: The bytes of a column.
_COLUMN: Final = 8 * LANES

#: Up to this many words of moves, rows of moves are made from words with one bit set. With more, marking moves lane by
#: lane is faster.
_ONE_HOT: Final = 12


@final
@dataclass(frozen=True, slots=True)
class Place:
    """The location of some bits in the words of a lane: `size` bits from bit `shift` of word `word` on.

    Bits that need several words begin with a new word, and share none with others.
    """

    word: int
    shift: int
    size: int


@final
@dataclass(frozen=True, slots=True)
class Packing:
    """The places of groups of rows, and, for each word, its first row and the number of rows."""

    places: tuple[Place, ...]
    words: tuple[tuple[int, int], ...]


def packing(parts: Sequence[int]) -> Packing:
    """Return the places of groups of rows, given their sizes: as many groups as possible share a word."""
    places: list[Place] = []
    found: list[tuple[int, int]] = []
    row, room = 0, 0
    for size in parts:
        if size <= room:
            start, used = found[-1]
            places.append(Place(len(found) - 1, used, size))
            found[-1] = start, used + size
            room -= size
        else:
            places.append(Place(len(found), 0, size))
            found += [(row + first, min(64, size - first)) for first in range(0, size, 64)]
            room = 64 - size if size <= 64 else 0
        row += size
    return Packing(tuple(places), tuple(found))


@final
class _Body:
    """Assembly of the body of a loop over the vectors of lanes."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.size = target.bits // 8
        self.lines: list[str] = []

    def at(self, base: str, shift: int | str) -> str:
        """Return the address at an offset in bytes."""
        name = f"%at{len(self.lines)}"
        self.lines.append(f"  {name} = getelementptr i8, ptr {base}, i64 {shift}")
        return name

    def call(self, function: str, *arguments: str) -> None:
        """Emit a call."""
        self.lines.append(f"  call void @{function}({', '.join(arguments)})")

    def spread(self, count: int, columns: str, rows: str) -> None:
        """Emit calls that make rows from columns."""
        for word in range(count):
            column, first = self.at(columns, word * _COLUMN), self.at(rows, 64 * word * self.size)
            self.call("column_spread", f"ptr {column}", f"ptr {first}")

    def gather(self, plan: Sequence[tuple[int, int]], rows: str, columns: str) -> None:
        """Emit calls that make columns from rows, in all lanes but those that stay as they are."""
        for word, (row, width) in enumerate(plan):
            column, first = self.at(columns, word * _COLUMN), self.at(rows, row * self.size)
            mask = (1 << width) - 1 if width < 64 else -1
            self.call("column_gather", f"ptr {first}", f"ptr {column}", "ptr %own.still", f"i64 {mask}")


def columns_program(looking: Evaluation, moving: Evaluation, roles: int, target: Target) -> tuple[str, int]:
    """Return assembly for states in columns, and its number of scratch rows.

    `look(states, moves, still, looked, parts, in, out, seen, base)` writes the results for each state, packed
    according to `packing(looking.parts)`. `move` is the same after it has replaced the states by those after the moves
    (columns for each role, int32, numbered over all roles; negative for none). Lanes whose byte of `still` is not 0
    keep their state and result. There are `parts` vectors of lanes, 512 lanes to a block.

    `in` has rows for a state (facts, then moves), `out` for facts, `seen` for the results of `look`; each has 64 rows
    to spare. The rows for moves must be zero. The assembly must be linked to `COLUMN_FUNCTIONS`.
    """
    lines, work = [], 0
    functions = {}
    for evaluation, name in ((looking, "look"), (moving, "move")):
        interface = Interface(
            inputs={2 + i: RowAddress("in", i) for i in range(evaluation.facts + evaluation.moves)},
            stores=[(signal, RowAddress("out", i)) for i, signal in enumerate(evaluation.outputs)],
        )
        emitter = Emitter(evaluation.netlist, interface, target, f"{name}.")
        lines += emitter.lines
        work = max(work, emitter.frame_rows)
        functions[name] = emitter.functions
    plan = packing(looking.parts).words
    state = words(looking.facts)
    look, move = _Body(target), _Body(target)
    look.spread(state, "%own.states", "%in")
    _circuit(look, functions["look"], "%in", "%seen")
    look.gather(plan, "%seen", "%own.looked")
    move.spread(state, "%own.states", "%in")
    marked = f"ptr %own.moves, i64 {roles}, ptr {move.at('%in', moving.facts * move.size)}"
    hot = words(moving.moves) <= _ONE_HOT
    if hot:
        move.call("column_moves", marked, f"i64 {words(moving.moves)}", "ptr %seen")
    else:
        move.call("column_mark", f"{marked}, i64 {target.bits}")
    _circuit(move, functions["move"], "%in", "%out")
    if not hot:
        move.call("column_unmark", f"{marked}, i64 {target.bits}")
    move.gather([(first, min(64, moving.facts - first)) for first in range(0, moving.facts, 64)], "%out", "%own.states")
    _circuit(move, functions["look"], "%out", "%seen")
    move.gather(plan, "%seen", "%own.looked")
    for name, body in (("look", look), ("move", move)):
        lines.append(_loop(name, body, state, len(plan), roles))
    return "\n".join([*lines, COLUMN_DECLARATIONS, *footer(target)]), work


def _circuit(body: _Body, functions: Sequence[str], source: str, to: str) -> None:
    for function in functions:
        body.call(function, f"ptr {source}", f"ptr {to}", "ptr %base")


def _loop(name: str, body: _Body, state: int, looked: int, roles: int) -> str:
    """Return a function that executes the body for each vector of lanes, with its own part of the arrays."""
    bits = body.target.bits
    return f"""
define void @{name}(ptr %states, ptr %moves, ptr %still, ptr %looked, i64 %parts, ptr %in, ptr %out, ptr %seen,
    ptr %base) #0 {{
entry:
  br label %part
part:
  %i = phi i64 [ 0, %entry ], [ %next, %part ]
  %block = udiv i64 %i, {LANES // bits}
  %vector = urem i64 %i, {LANES // bits}
  %lane = mul i64 %vector, {bits}
  %all.lane = mul i64 %i, {bits}
  %word = mul i64 %lane, 8
  %states.block = mul i64 %block, {_COLUMN * state}
  %states.at = add i64 %states.block, %word
  %own.states = getelementptr i8, ptr %states, i64 %states.at
  %looked.block = mul i64 %block, {_COLUMN * looked}
  %looked.at = add i64 %looked.block, %word
  %own.looked = getelementptr i8, ptr %looked, i64 %looked.at
  %moves.block = mul i64 %block, {4 * LANES * roles}
  %moves.lane = mul i64 %lane, 4
  %moves.at = add i64 %moves.block, %moves.lane
  %own.moves = getelementptr i8, ptr %moves, i64 %moves.at
  %own.still = getelementptr i8, ptr %still, i64 %all.lane
{chr(10).join(body.lines)}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %parts
  br i1 %more, label %part, label %done
done:
  ret void
}}"""
