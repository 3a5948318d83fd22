"""Between rows and arrays: machine code that turns rows of lanes into bytes of states, and moves into rows."""

from __future__ import annotations

from gdl.codegen.llvm import Target

#: Rows that are turned at once.
BLOCK = 64


def lane_functions(target: Target) -> str:
    """Assembly of three functions, for rows of the target's vectors.

    `expand(rows, out, stride)` takes 64 rows of one vector of lanes: byte `i` of the 64 bytes at `out + lane * stride`
    is 1 where row `i` has the lane's bit.

    `choose(moves, roles, offsets, legal, does, lanes)` sets, for each lane of one vector and each role, the lane's bit
    in the row of `does` that the role's move (int32, from the role's offset) has; it returns the first lane with a
    move that is not legal, or -1. A negative move is none. `forget(moves, roles, offsets, does, lanes)` clears the
    bytes of these rows again.
    """
    return "\n".join([_expand(target), _choose(target), _forget(target)])


def _expand(target: Target) -> str:
    kind, words, size = target.type, target.words, target.bits // 8
    lines = ["define void @expand(ptr %rows, ptr %to, i64 %stride) #0 {"]
    names = []
    for i in range(BLOCK):
        lines.append(f"  %p{i} = getelementptr i8, ptr %rows, i64 {i * size}")
        lines.append(f"  %r{i} = load {kind}, ptr %p{i}, align {size}")
        names.append(f"%r{i}")
    fresh = 0

    def emit(text: str) -> str:
        nonlocal fresh
        fresh += 1
        lines.append(f"  %v{fresh} = {text}")
        return f"%v{fresh}"

    # Blocks of half the size change places, from 32 by 32 down to single bits (Hacker's Delight, section 7-3).
    step = BLOCK // 2
    mask = (1 << step) - 1
    while step:
        for low in range(BLOCK):
            if low & step:
                continue
            high = low + step
            moved = emit(f"lshr {kind} {names[low]}, {target.splat(step)}")
            mixed = emit(f"xor {kind} {moved}, {names[high]}")
            swapped = emit(f"and {kind} {mixed}, {target.splat(_signed(mask))}")
            names[high] = emit(f"xor {kind} {names[high]}, {swapped}")
            back = emit(f"shl {kind} {swapped}, {target.splat(step)}")
            names[low] = emit(f"xor {kind} {names[low]}, {back}")
        step //= 2
        mask ^= mask << step
    for word in range(words):
        for i in range(BLOCK):
            bits = names[i] if words == 1 else emit(f"extractelement {kind} {names[i]}, i64 {word}")
            flags = emit(f"bitcast i64 {bits} to <64 x i1>")
            flagged = emit(f"zext <64 x i1> {flags} to <64 x i8>")
            shift = emit(f"mul i64 %stride, {64 * word + i}")
            place = emit(f"getelementptr i8, ptr %to, i64 {shift}")
            lines.append(f"  store <64 x i8> {flagged}, ptr {place}, align 1")
    return "\n".join([*lines, "  ret void", "}"])


def _signed(mask: int) -> int:
    return mask - (1 << 64) if mask >> 63 else mask


_LOOP = """
define {result} @{name}(ptr %moves, i64 %roles, ptr %offsets, {legal}ptr %does, i64 %lanes) #0 {{
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
  %offset.at = getelementptr i64, ptr %offsets, i64 %r
  %offset = load i64, ptr %offset.at
  %row = add i64 %offset, %move.long
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
    return _LOOP.format(result="i64", name="choose", legal="ptr %legal, ", size=target.bits // 8, body=body, end=end)


def _forget(target: Target) -> str:
    body = "  store i8 0, ptr %does.at\n  br label %next"
    return _LOOP.format(
        result="void", name="forget", legal="", size=target.bits // 8, body=body, end="done:\n  ret void"
    )
