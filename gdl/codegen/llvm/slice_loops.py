"""Assembly for the pieces of netlists that are cut into slices (see `gdl.codegen.cutting`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from gdl.codegen.cutting import Loop, Piece, Straight
from gdl.codegen.interface import Target
from gdl.codegen.llvm.assembly import POINTERS, Emitter, call
from gdl.codegen.slices import Family

#: Further pointers of the functions for one slice.
_OWN = ("own", "next", "columns")


@final
class Pieces:
    """The assembly of a netlist's pieces: `functions` to call in order, each with the pointers in, out and base.

    What is known of each block of facts is one byte at the row `marks`, from `base`: 1 if it is zero in the state at
    `in`, 2 if it is zero in both states, or if there is only one state, 0 otherwise.
    """

    def __init__(self, pieces: Sequence[Piece], target: Target, prefix: str, marks: int, *, in_place: bool) -> None:
        """Compile pieces; with `in_place`, they replace the state at `in`."""
        self.lines: list[str] = []
        self.functions: list[str] = []
        self.frame_rows = 0
        for number, piece in enumerate(pieces):
            name = f"{prefix}{number}."
            if isinstance(piece, Straight):
                self.functions += self._emitted(Emitter(piece.netlist, piece.interface, target, name))
                continue
            functions = (
                self._emitted(Emitter(netlist, interface, target, name + kind, len(netlist), (*POINTERS, *_OWN)))
                for netlist, interface, kind in (
                    (piece.netlist, piece.interface, "slice"),
                    (piece.skipped, piece.skipped_interface, "skipped"),
                )
            )
            body, skipped = functions
            self.functions.append(f"{name}slices")
            self.lines.append(_loop(piece, (body, skipped), target, self.functions[-1], marks, in_place=in_place))

    def _emitted(self, emitter: Emitter) -> list[str]:
        self.lines += emitter.lines
        self.frame_rows = max(self.frame_rows, emitter.frame_rows)
        return emitter.functions


def _loop(
    loop: Loop, functions: tuple[Sequence[str], Sequence[str]], target: Target, name: str, marks: int, *, in_place: bool
) -> str:
    """Return a function that evaluates all slices, or skips them."""
    kind, size, count = target.type, target.bits // 8, len(loop.blocks)
    body, skipped = ("\n".join(call(name, (*POINTERS, *_OWN)) for name in names) for names in functions)
    guards = [
        f"""  %guard{i}.at = getelementptr i8, ptr %columns, i64 {column * size}
  %guard{i} = load {kind}, ptr %guard{i}.at, align {size}
  %wrong{i} = xor {kind} %guard{i}, {target.splat(-1 if value else 0)}
  %some{i + 1} = or {kind} %some{i}, %wrong{i}"""
        for i, (column, value) in enumerate(loop.guards or ())
    ]
    skipping = "true" if loop.guards is not None else "false"
    return f"""
@{name}.starts = private constant [{count} x i32] [{", ".join(f"i32 {start}" for start in loop.starts)}]
@{name}.blocks = private constant [{count} x i32] [{", ".join(f"i32 {block}" for block in loop.blocks)}]
define internal void @{name}(ptr %in, ptr %out, ptr %base) #0 {{
entry:
  br label %slice
slice:
  %i = phi i64 [ 0, %entry ], [ %i.next, %done ]
  %start.at = getelementptr i32, ptr @{name}.starts, i64 %i
  %start = load i32, ptr %start.at
  %start.long = zext i32 %start to i64
  %shift = mul i64 %start.long, {size}
  %own = getelementptr i8, ptr %in, i64 %shift
  %next = getelementptr i8, ptr {"%in" if in_place else "%out"}, i64 %shift
  %column = mul i64 %i, {loop.width * size}
  %column.at = add i64 %column, {loop.columns * size}
  %columns = getelementptr i8, ptr %base, i64 %column.at
  %block.at = getelementptr i32, ptr @{name}.blocks, i64 %i
  %block = load i32, ptr %block.at
  %block.long = zext i32 %block to i64
  %mark.shift = add i64 %block.long, {marks * size}
  %mark.at = getelementptr i8, ptr %base, i64 %mark.shift
  %mark = load i8, ptr %mark.at
  %zero = icmp ne i8 %mark, 0
  %skip = and i1 %zero, {skipping}
  br i1 %skip, label %guard, label %run
guard:
  %some0 = bitcast {kind} {target.splat(0)} to {kind}
{chr(10).join(guards)}
  %needed = call i1 @any({kind} %some{len(guards)})
  br i1 %needed, label %run, label %skipped
skipped:
{skipped}
  %dirty = icmp eq i8 %mark, {0 if in_place else 1}
  br i1 %dirty, label %clear, label %done
clear:
  call void @llvm.memset.p0.i64(ptr %next, i8 0, i64 {loop.length * size}, i1 false)
  store i8 2, ptr %mark.at
  br label %done
run:
{body}
  store i8 0, ptr %mark.at
  br label %done
done:
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, {count}
  br i1 %more, label %slice, label %out.of.slices
out.of.slices:
  ret void
}}"""


def scan(
    family: Family,
    blocks: Sequence[int],
    starts: Sequence[int],
    target: Target,
    marks: int,
    name: str,
    *,
    in_place: bool,
) -> str:
    """Return a function that marks some blocks that are zero in the state at `in`; `starts` has all first rows.

    With `in_place`, there is no other state. Blocks that are marked as zero in all states are not read: whatever
    changes a block clears its mark.
    """
    kind, size, count = target.type, target.bits // 8, len(blocks)
    lengths = [len(family.blocks[block]) for block in blocks]
    starts = [starts[block] for block in blocks]
    return f"""
@{name}.starts = private constant [{count} x i32] [{", ".join(f"i32 {start}" for start in starts)}]
@{name}.blocks = private constant [{count} x i32] [{", ".join(f"i32 {block}" for block in blocks)}]
@{name}.lengths = private constant [{count} x i32] [{", ".join(f"i32 {length}" for length in lengths)}]
define internal void @{name}(ptr %in, ptr %out, ptr %base) #0 {{
entry:
  br label %next.block
next.block:
  %i = phi i64 [ 0, %entry ], [ %i.next, %marked ]
  %start.at = getelementptr i32, ptr @{name}.starts, i64 %i
  %start = load i32, ptr %start.at
  %start.long = zext i32 %start to i64
  %length.at = getelementptr i32, ptr @{name}.lengths, i64 %i
  %length = load i32, ptr %length.at
  %length.long = zext i32 %length to i64
  %rows = getelementptr {kind}, ptr %in, i64 %start.long
  %block.at = getelementptr i32, ptr @{name}.blocks, i64 %i
  %block = load i32, ptr %block.at
  %block.long = zext i32 %block to i64
  %mark.shift = add i64 %block.long, {marks * size}
  %mark.at = getelementptr i8, ptr %base, i64 %mark.shift
  %old = load i8, ptr %mark.at
  %clean = icmp eq i8 %old, 2
  br i1 %clean, label %marked, label %row
row:
  %j = phi i64 [ 0, %next.block ], [ %j.next, %row ]
  %some = phi {kind} [ {target.splat(0)}, %next.block ], [ %either, %row ]
  %row.at = getelementptr {kind}, ptr %rows, i64 %j
  %own = load {kind}, ptr %row.at, align {size}
  %either = or {kind} %some, %own
  %j.next = add i64 %j, 1
  %more.rows = icmp ult i64 %j.next, %length.long
  br i1 %more.rows, label %row, label %mark
mark:
  %needed = call i1 @any({kind} %either)
  %new = select i1 %needed, i8 0, i8 {2 if in_place else 1}
  store i8 %new, ptr %mark.at
  br label %marked
marked:
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, {count}
  br i1 %more, label %next.block, label %done
done:
  ret void
}}"""
