"""Loops over lanes for states packed in 64-bit words: words to rows, the netlist's functions, rows to words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from gdl.codegen.evaluation import Evaluation, footer, words
from gdl.codegen.interface import Interface, RowAddress, Target
from gdl.codegen.llvm.assembly import Emitter
from gdl.codegen.llvm.playout_loop import LANES, Layout, PlayoutPieces, assembled
from gdl.codegen.llvm.shared_functions import WORD_DECLARATIONS


def blocks(parts: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return, for each word that rows are packed in, its first row, its number and its mask.

    `parts` are the sizes of groups of rows; each group begins with a new word.
    """
    found: list[tuple[int, int, int]] = []
    row = 0
    for part in parts:
        for start in range(0, part, 64):
            width = min(64, part - start)
            mask = (1 << width) - 1
            found.append((row + start, len(found), mask - (1 << 64) if width == 64 else mask))
        row += part
    return found


@final
class _Rows:
    """Assembly that calls `spread` and `gather` on memory with a fixed number of words per lane."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.size = target.bits // 8
        self.lines: list[str] = []
        self._count = 0

    def at(self, base: str, shift: int | str) -> str:
        """Return the address at an offset in bytes."""
        self._count += 1
        self.lines.append(f"  %at{self._count} = getelementptr i8, ptr {base}, i64 {shift}")
        return f"%at{self._count}"

    def spread(self, words: int, lanes: str, rows: str) -> None:
        """Emit calls that make rows from the words of the lanes."""
        for word in range(words):
            source, target = self.at(lanes, 8 * word), self.at(rows, 64 * word * self.size)
            self.lines.append(f"  call void @spread(ptr {source}, i64 {8 * words}, ptr {target})")

    def gather(self, parts: Sequence[int], rows: str, lanes: str) -> None:
        """Emit calls that make the words of the lanes from rows."""
        plan = blocks(parts)
        for row, word, mask in plan:
            source, target = self.at(rows, row * self.size), self.at(lanes, 8 * word)
            self.lines.append(f"  call void @gather(ptr {source}, ptr {target}, i64 {8 * len(plan)}, i64 {mask})")


def states_program(looking: Evaluation, moving: Evaluation, roles: int, target: Target) -> tuple[str, int]:
    """Return assembly for packed states, and its number of scratch rows.

    `look(states, out, parts, rows, rows, work)` writes the results for each state, `move(states, moves, out, parts,
    rows, rows, work)` the states after moves (int32, one per role, numbered over all roles; negative for none). Both
    take `parts` times as many states as a vector has lanes. The first `rows` are for a state (facts, then moves), the
    second for the results, each with 64 rows to spare; the rows for moves must be zero. The assembly calls the
    functions of `WORD_FUNCTIONS`, to which it must be linked.
    """
    lines, work = [], 0
    for evaluation, name in ((looking, "look"), (moving, "move")):
        interface = Interface(
            inputs={2 + i: RowAddress("in", i) for i in range(evaluation.facts + evaluation.moves)},
            stores=[(signal, RowAddress("out", i)) for i, signal in enumerate(evaluation.outputs)],
        )
        emitter = Emitter(evaluation.netlist, interface, target, f"{name}.")
        lines += emitter.lines
        work = max(work, emitter.frame_rows)
        lines.append(_loop(emitter, evaluation, name, roles, target))
    return "\n".join([*lines, WORD_DECLARATIONS, *footer(target)]), work


def _loop(emitter: Emitter, evaluation: Evaluation, name: str, roles: int, target: Target) -> str:
    moved = name == "move"
    rows = _Rows(target)
    state, result = words(evaluation.facts), len(blocks(evaluation.parts))
    rows.spread(state, "%lanes", "%in")
    calls = [f"  call void @{function}(ptr %in, ptr %out, ptr %base)" for function in emitter.functions]
    if moved:
        does = rows.at("%in", evaluation.facts * rows.size)
        mark = f"(ptr %own, i64 {roles}, ptr {does}, i64 {target.bits})"
        calls = [f"  call void @mark{mark}", *calls, f"  call void @unmark{mark}"]
    rows.lines += calls
    rows.gather(evaluation.parts, "%out", "%results")
    own = (
        f"  %own.shift = mul i64 %i, {4 * roles * target.bits}\n  %own = getelementptr i8, ptr %moves, i64 %own.shift\n"
    )
    return f"""
define void @{name}(ptr %states, {"ptr %moves, " * moved}ptr %to, i64 %parts, ptr %in, ptr %out, ptr %base) #0 {{
entry:
  br label %part
part:
  %i = phi i64 [ 0, %entry ], [ %next, %part ]
  %lanes.shift = mul i64 %i, {8 * state * target.bits}
  %lanes = getelementptr i8, ptr %states, i64 %lanes.shift
  %results.shift = mul i64 %i, {8 * result * target.bits}
  %results = getelementptr i8, ptr %to, i64 %results.shift
{own * moved}{chr(10).join(rows.lines)}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %parts
  br i1 %more, label %part, label %done
done:
  ret void
}}"""


def once_program(playout: PlayoutPieces, facts: int, target: Target) -> tuple[str, Layout]:
    """Return assembly for one playout from each of some packed states, with the layout of its memory.

    `once(states, out, groups, state0, state1, base, rows, steps)` takes 512 states per group. For each, it writes the
    goals at the end, packed in words, and one more bit, which is set if the playout was not over after `steps` steps.
    `rows` has room for the facts of a state, and 64 rows more. The assembly must be linked to `WORD_FUNCTIONS`.
    """
    assembly, layout = assembled(playout, target)
    # The stepper's module ends with its attributes, which preceding functions may use.
    return "\n".join([WORD_DECLARATIONS, _once(layout, facts, target), assembly]), layout


def _table(name: str, numbers: Sequence[int]) -> str:
    return f"@{name} = private constant [{len(numbers)} x i32] [{', '.join(f'i32 {number}' for number in numbers)}]"


def _renaming(renamed: Sequence[int], target: Target) -> str:
    """Return a function that takes rows of other facts in the lanes of a row `other`, and copies that row to `side`."""
    kind, size = target.type, target.bits // 8
    return f"""{_table("renamed", renamed)}
define internal void @rename(ptr %from, ptr %other, ptr %to, ptr %side) #0 {{
entry:
  %lanes = load {kind}, ptr %other, align {size}
  %own = xor {kind} %lanes, {target.splat(-1)}
  store {kind} %lanes, ptr %side, align {size}
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %next, %row ]
  %fact.at = getelementptr i32, ptr @renamed, i64 %i
  %fact = load i32, ptr %fact.at
  %fact.long = zext i32 %fact to i64
  %source = getelementptr {kind}, ptr %from, i64 %fact.long
  %target = getelementptr {kind}, ptr %to, i64 %i
  %new = load {kind}, ptr %source, align {size}
  %old = load {kind}, ptr %target, align {size}
  %renamed = and {kind} %new, %lanes
  %kept = and {kind} %old, %own
  %bits = or {kind} %renamed, %kept
  store {kind} %bits, ptr %target, align {size}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, {len(renamed)}
  br i1 %more, label %row, label %done
done:
  ret void
}}"""


def _once(layout: Layout, facts: int, target: Target) -> str:
    kind, size, parts = target.type, target.bits // 8, LANES // target.bits
    state, result = words(facts), words(layout.goals + 1)
    before, after = _Rows(target), _Rows(target)
    for part in range(parts):
        lanes = before.at("%lanes", 8 * state * target.bits * part)
        before.spread(state, lanes, "%rows")
        to = before.at("%state0", part * layout.state * size)
        before.lines.append(f"  call void @select(ptr %rows, ptr {to})")
        if layout.renamed:
            other = before.at("%rows", layout.other * size)
            row = before.at(to, len(layout.facts) * size)
            before.lines.append(f"  call void @rename(ptr %rows, ptr {other}, ptr {to}, ptr {row})")
        for flag in range(layout.state - layout.flags, layout.state):
            row = before.at(to, flag * size)
            before.lines.append(f"  store {kind} {target.splat(0)}, ptr {row}, align {size}")
        base = before.at("%base", part * layout.rows * size)
        if layout.blocks:  # what was known of the states before does not hold for these
            marks = before.at(base, layout.marks * size)
            count = len(layout.blocks)
            before.lines.append(f"  call void @llvm.memset.p0.i64(ptr {marks}, i8 0, i64 {count}, i1 false)")
        active = before.at(base, layout.active * size)
        before.lines.append(f"  store {kind} {target.splat(-1)}, ptr {active}, align {size}")
    after._count = before._count
    for part in range(parts):
        base = after.at("%base", part * layout.rows * size)
        finals = after.at(base, layout.finals * size)
        after.gather([layout.goals + 1], finals, after.at("%results", 8 * result * target.bits * part))
    # Without relevant facts, the first row is copied; it always exists.
    chosen = layout.facts or (0,)
    return f"""
{_table("facts", chosen)}
{_renaming(layout.renamed, target) if layout.renamed else ""}
define internal void @select(ptr %from, ptr %to) #0 {{
entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %next, %row ]
  %fact.at = getelementptr i32, ptr @facts, i64 %i
  %fact = load i32, ptr %fact.at
  %fact.long = zext i32 %fact to i64
  %source = getelementptr {kind}, ptr %from, i64 %fact.long
  %target = getelementptr {kind}, ptr %to, i64 %i
  %bits = load {kind}, ptr %source, align {size}
  store {kind} %bits, ptr %target, align {size}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, {len(chosen)}
  br i1 %more, label %row, label %done
done:
  ret void
}}
define void @once(ptr %states, ptr %to, i64 %groups, ptr %state0, ptr %state1, ptr %base, ptr %rows, i64 %steps) #0 {{
entry:
  br label %group
group:
  %g = phi i64 [ 0, %entry ], [ %next, %group ]
  %lanes.shift = mul i64 %g, {8 * state * LANES}
  %lanes = getelementptr i8, ptr %states, i64 %lanes.shift
  %results.shift = mul i64 %g, {8 * result * LANES}
  %results = getelementptr i8, ptr %to, i64 %results.shift
{chr(10).join(before.lines)}
  %ran = call i64 @run(ptr %state0, ptr %state1, ptr %base, i64 {parts}, i64 1, i64 %steps, i1 false)
{chr(10).join(after.lines)}
  %next = add i64 %g, 1
  %more = icmp ult i64 %next, %groups
  br i1 %more, label %group, label %done
done:
  ret void
}}
"""
