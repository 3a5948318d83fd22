"""Machine code that turns the moves of lanes into rows: in the row of a move, the bits of its lanes are set."""

from __future__ import annotations

from typing import Final

from gdl.codegen.interface import Target
from gdl.codegen.llvm.playout_loop import LANES
from gdl.codegen.llvm.transpose import BLOCK

_LOOP = """
define void @{name}(ptr %moves, i64 %roles, ptr %does, i64 %lanes) #0 {{
entry:
  br label %lane
lane:
  %l = phi i64 [ 0, %entry ], [ %l.next, %laned ]
{lane}
  %byte = lshr i64 %row.lane, 3
  %place = and i64 %row.lane, 7
  %bit.long = shl i64 1, %place
  %bit = trunc i64 %bit.long to i8
  br label %role
role:
  %r = phi i64 [ 0, %lane ], [ %r.next, %next ]
{number}
  %move.at = getelementptr i32, ptr %moves, i64 %n
  %move = load i32, ptr %move.at
  %none = icmp slt i32 %move, 0
  br i1 %none, label %next, label %some
some:
  %move.long = sext i32 %move to i64
  %row.byte = mul i64 %move.long, {size}
  %at = add i64 %row.byte, %byte
  %does.at = getelementptr i8, ptr %does, i64 %at
  %before = load i8, ptr %does.at
  %after = {change}
  store i8 %after, ptr %does.at
  br label %next
next:
  %r.next = add i64 %r, 1
  %r.more = icmp ult i64 %r.next, %roles
  br i1 %r.more, label %role, label %laned
laned:
  %l.next = add i64 %l, 1
  %l.more = icmp ult i64 %l.next, %lanes
  br i1 %l.more, label %lane, label %done
done:
  ret void
}}"""


#: The number of a lane in rows, and of a role's move in it, if moves have one row for each lane.
BY_LANE: Final = (
    "  %row.lane = add i64 0, %l\n  %first = mul i64 %l, %roles",
    "  %n = add i64 %first, %r",
)


def in_column(target: Target) -> tuple[str, str]:
    """Return the same for moves that are columns: see `gdl.codegen.llvm.column_loops`."""
    lane = f"""  %bit.number = udiv i64 %l, {target.words}
  %word.number = urem i64 %l, {target.words}
  %word.first = mul i64 %word.number, 64
  %row.lane = add i64 %word.first, %bit.number"""
    return lane, f"  %role.first = mul i64 %r, {LANES}\n  %n = add i64 %role.first, %l"


def mark(target: Target, name: str, lanes: tuple[str, str] = BY_LANE) -> str:
    """Return the assembly of `mark` or, if its name ends like this, `unmark`."""
    change = "and i8 %before, 0" if name.endswith("unmark") else "or i8 %before, %bit"
    lane, number = lanes
    return _LOOP.format(name=name, lane=lane, number=number, size=target.bits // 8, change=change)


def column_moves(target: Target) -> str:
    """Return the assembly of `column_moves`."""
    kind, words, size, splat = target.type, target.words, target.bits // 8, target.splat
    return f"""
define void @column_moves(ptr %moves, i64 %roles, ptr %rows, i64 %words, ptr %column) #0 {{
entry:
  br label %word
word:
  %k = phi i64 [ 0, %entry ], [ %k.next, %worded ]
  %first = mul i64 %k, 64
  %first.0 = insertelement {kind} poison, i64 %first, i64 0
  %firsts = shufflevector {kind} %first.0, {kind} poison, <{words} x i32> zeroinitializer
  br label %lane
lane:
  %i = phi i64 [ 0, %word ], [ %i.next, %laned ]
  br label %role
role:
  %r = phi i64 [ 0, %lane ], [ %r.next, %role ]
  %before = phi {kind} [ zeroinitializer, %lane ], [ %after, %role ]
  %role.first = mul i64 %r, {LANES}
  %lane.first = mul i64 %i, {words}
  %n = add i64 %role.first, %lane.first
  %at = getelementptr i32, ptr %moves, i64 %n
  %short = load <{words} x i32>, ptr %at, align 4
  %long = sext <{words} x i32> %short to {kind}
  %place = sub {kind} %long, %firsts
  %here = icmp ult {kind} %place, {splat(64)}
  %bit = shl {kind} {splat(1)}, %place
  %one = select <{words} x i1> %here, {kind} %bit, {kind} zeroinitializer
  %after = or {kind} %before, %one
  %r.next = add i64 %r, 1
  %r.more = icmp ult i64 %r.next, %roles
  br i1 %r.more, label %role, label %laned
laned:
  %to.byte = mul i64 %i, {size}
  %to = getelementptr i8, ptr %column, i64 %to.byte
  store {kind} %after, ptr %to, align {size}
  %i.next = add i64 %i, 1
  %i.more = icmp ult i64 %i.next, {BLOCK}
  br i1 %i.more, label %lane, label %worded
worded:
  %row.byte = mul i64 %first, {size}
  %row = getelementptr i8, ptr %rows, i64 %row.byte
  call void @column_spread(ptr %column, ptr %row)
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, %words
  br i1 %k.more, label %word, label %done
done:
  ret void
}}"""
