"""Machine code that transposes rows of lanes into words or bytes of states, and turns moves into rows."""

from __future__ import annotations

from typing import Final, final

from gdl.codegen.interface import Target

#: The number of rows transposed at once.
BLOCK = 64


def lane_functions(target: Target) -> str:
    """Return assembly of functions for rows of the target's vectors.

    `expand(rows, out, stride)` takes 64 rows of one vector of lanes: byte `i` of the 64 bytes at `out + lane * stride`
    is 1 if row `i` has the lane's bit.

    `choose(moves, roles, offsets, legal, does, lanes)` marks moves: for each lane of one vector and each role, it sets
    the lane's bit in the row of `does` for the role's move (int32, counted from the role's offset). It returns the
    first lane with a move that is not legal, or -1. Negative moves are skipped. `forget(moves, roles, offsets, does,
    lanes)` clears the bytes of these rows again.
    """
    return "\n".join([_expand(target), _choose(target), _forget(target)])


#: The functions of `word_functions`, and their declarations for modules that call them.
WORD_FUNCTIONS: Final = ("gather", "spread", "mark", "unmark")
WORD_DECLARATIONS: Final = """
declare void @gather(ptr, ptr, i64, i64)
declare void @spread(ptr, i64, ptr)
declare void @mark(ptr, i64, ptr, i64)
declare void @unmark(ptr, i64, ptr, i64)"""


def word_functions(target: Target) -> str:
    """Return assembly of functions that convert between 64 rows of one vector of lanes and one word per lane.

    `gather(rows, out, stride, mask)` writes 64 bits for each lane, at `out + lane * stride`: bit `i` is that of row
    `i`, if the mask has it. `spread(words, stride, rows)` is its inverse. `mark(moves, roles, does, lanes)` and
    `unmark` set and clear the lanes' bits in the rows of their moves (int32; negative for none).
    """
    return "\n".join([_gather(target), _spread(target), _mark(target, "mark"), _mark(target, "unmark")])


@final
class _Lines:
    """Assembly of a function without jumps, under construction."""

    def __init__(self, head: str, target: Target) -> None:
        self.text = [head]
        self.target = target
        self._count = 0

    def value(self, text: str) -> str:
        """Emit an instruction, and return the name of its value."""
        self._count += 1
        self.text.append(f"  %v{self._count} = {text}")
        return f"%v{self._count}"

    def transposed(self, names: list[str]) -> None:
        """Transpose 64 values in place: bit `j` of each word of value `i` becomes bit `i` of value `j`."""
        kind, splat = self.target.type, self.target.splat
        # Blocks of half the size change places, from 32 by 32 down to single bits (Hacker's Delight, section 7-3).
        step = BLOCK // 2
        mask = (1 << step) - 1
        while step:
            for low in range(BLOCK):
                if low & step:
                    continue
                high = low + step
                moved = self.value(f"lshr {kind} {names[low]}, {splat(step)}")
                mixed = self.value(f"xor {kind} {moved}, {names[high]}")
                swapped = self.value(f"and {kind} {mixed}, {splat(_signed(mask))}")
                names[high] = self.value(f"xor {kind} {names[high]}, {swapped}")
                back = self.value(f"shl {kind} {swapped}, {splat(step)}")
                names[low] = self.value(f"xor {kind} {names[low]}, {back}")
            step //= 2
            mask ^= mask << step

    def rows(self) -> list[str]:
        """Load the 64 rows at `%rows`."""
        kind, size = self.target.type, self.target.bits // 8
        places = [self.value(f"getelementptr i8, ptr %rows, i64 {i * size}") for i in range(BLOCK)]
        return [self.value(f"load {kind}, ptr {place}, align {size}") for place in places]

    def word(self, row: str, number: int) -> str:
        """Return one word of a row."""
        return row if self.target.words == 1 else self.value(f"extractelement {self.target.type} {row}, i64 {number}")

    def lane(self, base: str, number: int) -> str:
        """Return the address of a lane."""
        shift = self.value(f"mul i64 %stride, {number}")
        return self.value(f"getelementptr i8, ptr {base}, i64 {shift}")

    def ended(self) -> str:
        return "\n".join([*self.text, "  ret void", "}"])


def _expand(target: Target) -> str:
    lines = _Lines("define void @expand(ptr %rows, ptr %to, i64 %stride) #0 {", target)
    names = lines.rows()
    lines.transposed(names)
    for word in range(target.words):
        for i in range(BLOCK):
            flags = lines.value(f"bitcast i64 {lines.word(names[i], word)} to <64 x i1>")
            flagged = lines.value(f"zext <64 x i1> {flags} to <64 x i8>")
            lines.text.append(f"  store <64 x i8> {flagged}, ptr {lines.lane('%to', 64 * word + i)}, align 1")
    return lines.ended()


def _gather(target: Target) -> str:
    kind, words = target.type, target.words
    lines = _Lines("define void @gather(ptr %rows, ptr %to, i64 %stride, i64 %mask) #0 {", target)
    names = lines.rows()
    lines.transposed(names)
    mask = "%mask"
    for word in range(words if words > 1 else 0):
        mask = lines.value(f"insertelement {kind} {'poison' if word == 0 else mask}, i64 %mask, i64 {word}")
    names = [lines.value(f"and {kind} {name}, {mask}") for name in names]
    for word in range(words):
        for i in range(BLOCK):
            lines.text.append(
                f"  store i64 {lines.word(names[i], word)}, ptr {lines.lane('%to', 64 * word + i)}, align 8"
            )
    return lines.ended()


def _spread(target: Target) -> str:
    kind, words, size = target.type, target.words, target.bits // 8
    lines = _Lines("define void @spread(ptr %from, i64 %stride, ptr %rows) #0 {", target)
    names = []
    for i in range(BLOCK):
        row = "poison"
        for word in range(words):
            bits = lines.value(f"load i64, ptr {lines.lane('%from', 64 * word + i)}, align 8")
            row = bits if words == 1 else lines.value(f"insertelement {kind} {row}, i64 {bits}, i64 {word}")
        names.append(row)
    lines.transposed(names)
    for i in range(BLOCK):
        place = lines.value(f"getelementptr i8, ptr %rows, i64 {i * size}")
        lines.text.append(f"  store {kind} {names[i]}, ptr {place}, align {size}")
    return lines.ended()


def _signed(mask: int) -> int:
    return mask - (1 << 64) if mask >> 63 else mask


_LOOP = """
define {result} @{name}(ptr %moves, i64 %roles, {more}ptr %does, i64 %lanes) #0 {{
entry:
  br label %lane
lane:
  %l = phi i64 [ 0, %entry ], [ %l.next, %laned ]
  %byte = lshr i64 %l, 3
  %place = and i64 %l, 7
  %bit.long = shl i64 1, %place
  %bit = trunc i64 %bit.long to i8
  %first = mul i64 %l, %roles
  br label %role
role:
  %r = phi i64 [ 0, %lane ], [ %r.next, %next ]
  %n = add i64 %first, %r
  %move.at = getelementptr i32, ptr %moves, i64 %n
  %move = load i32, ptr %move.at
  %none = icmp slt i32 %move, 0
  br i1 %none, label %next, label %some
some:
  %move.long = sext i32 %move to i64
{row}
  %row.byte = mul i64 %row, {size}
  %at = add i64 %row.byte, %byte
  %does.at = getelementptr i8, ptr %does, i64 %at
{body}
next:
  %r.next = add i64 %r, 1
  %r.more = icmp ult i64 %r.next, %roles
  br i1 %r.more, label %role, label %laned
laned:
  %l.next = add i64 %l, 1
  %l.more = icmp ult i64 %l.next, %lanes
  br i1 %l.more, label %lane, label %done
{end}
}}"""


#: The row of a move: counted from the role's offset, or numbered over all roles.
_FROM_OFFSET = """  %offset.at = getelementptr i64, ptr %offsets, i64 %r
  %offset = load i64, ptr %offset.at
  %row = add i64 %offset, %move.long"""
_NUMBERED = "  %row = add i64 0, %move.long"


def _choose(target: Target) -> str:
    body = """  %legal.at = getelementptr i8, ptr %legal, i64 %at
  %legal.byte = load i8, ptr %legal.at
  %legal.bit = and i8 %legal.byte, %bit
  %fine = icmp ne i8 %legal.bit, 0
  br i1 %fine, label %mark, label %bad
mark:
  %before = load i8, ptr %does.at
  %after = or i8 %before, %bit
  store i8 %after, ptr %does.at
  br label %next"""
    end = "done:\n  ret i64 -1\nbad:\n  ret i64 %l"
    more = "ptr %offsets, ptr %legal, "
    return _LOOP.format(
        result="i64", name="choose", more=more, row=_FROM_OFFSET, size=target.bits // 8, body=body, end=end
    )


def _forget(target: Target) -> str:
    body = "  store i8 0, ptr %does.at\n  br label %next"
    size, end = target.bits // 8, "done:\n  ret void"
    return _LOOP.format(
        result="void", name="forget", more="ptr %offsets, ", row=_FROM_OFFSET, size=size, body=body, end=end
    )


def _mark(target: Target, name: str) -> str:
    change = "or i8 %before, %bit" if name == "mark" else "and i8 %before, 0"
    body = f"""  %before = load i8, ptr %does.at
  %after = {change}
  store i8 %after, ptr %does.at
  br label %next"""
    end = "done:\n  ret void"
    return _LOOP.format(result="void", name=name, more="", row=_NUMBERED, size=target.bits // 8, body=body, end=end)
