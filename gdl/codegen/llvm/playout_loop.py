"""The program around the netlists of playouts: memory for their rows, and loops over their functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from gdl.codegen.cutting import Loop, Piece, Straight, cut
from gdl.codegen.interface import Interface, RowAddress, Target
from gdl.codegen.llvm.slice_loops import Pieces, scan
from gdl.codegen.netlist import ZEROS
from gdl.codegen.playout_parts import PlayoutNetlist
from gdl.codegen.slices import Family

#: The number of lanes in a logical batch, whatever the width of the processor's vectors.
LANES = 512


@final
@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of a playout program's rows, counted in rows from `base`; states are stored separately."""

    facts: tuple[int, ...]
    #: The first row of each block of facts.
    blocks: tuple[int, ...]
    age_bits: int
    sides: int
    flags: int
    generators: int
    limit: int
    active: int
    begin: int
    longest: int
    ended: int
    overflow: int
    marks: int
    counters: int
    #: For playouts that do not begin again: the rows for the goals at the end, followed by a row for those not over.
    finals: int
    rows: int
    #: The meaning of the counters: the plies of each number in a step, playouts that ended, those that ended in a
    #: terminal state or because a role had no legal move, goals, and restarts (of every lane).
    counted: tuple[str | tuple[int, str], ...]
    #: The row of each counter, from `counters` on. What is always equal has the same one.
    counter_rows: tuple[int, ...]
    #: The number of goals in `finals`.
    goals: int
    #: The number of plies that a step makes.
    plies: int
    #: The numbers of operations of a step and of a restart.
    operations: tuple[int, int]
    #: True if there is only one state, which steps replace in place, as restarts do.
    in_place: bool
    #: On the mover's side: for each row of facts, the number of the fact that is renamed to it, and the number of the
    #: fact that holds in states that have to be renamed before playouts begin.
    renamed: tuple[int, ...] = ()
    other: int = 0

    @property
    def state(self) -> int:
        """The number of rows of a state: its facts, the bits of its age, the side, and flags."""
        return len(self.facts) + self.age_bits + self.sides + self.flags

    def counter(self, name: str | tuple[int, str]) -> int:
        """Return the row of a counter."""
        return self.counters + self.counter_rows[self.counted.index(name)]

    @property
    def over(self) -> int | None:
        """The row of a state that has the lanes whose playouts are over; None if they begin again in the same step."""
        return len(self.facts) + self.age_bits + self.sides if self.flags else None


def stepper(playout: PlayoutNetlist, target: Target) -> tuple[str, Layout]:
    """Return the assembly of a playout program, with the layout of its memory.

    Its only function is `run(state, next, base, parts, rounds, interval, draining)`. Each round consists of up to
    `interval` steps, fewer if all playouts that count are over, and one restart. The two states change places after
    each step; they are the same one if the layout is in place. If `draining`, playouts that end are not followed by
    others that count, and no further round begins once none is left. `parts` vectors of lanes are computed, as many as
    512 lanes have, or a multiple of that. The function returns the number of steps made.
    """
    return assembled(playout_pieces(playout, target), target)


@final
@dataclass(frozen=True, slots=True)
class PlayoutPieces:
    """The netlists of playouts, each in pieces (see `gdl.codegen.cutting`), and the layout of their memory."""

    parts: list[list[Piece]]
    layout: Layout
    family: Family | None

    @property
    def operations(self) -> int:
        """The number of operations to compile."""
        return sum(len(piece.netlist) for part in self.parts for piece in part)


def playout_pieces(playout: PlayoutNetlist, target: Target) -> PlayoutPieces:
    """Return the pieces of playouts for a target."""
    # Where `gdl.codegen.straight_line` allocates registers, a piece in place is one function, unless it has loops.
    reads_first = bool(target.registers) and not any(part.netlist.loops for part in playout.parts)
    interfaces, layout = playout_interfaces(playout, in_place=reads_first and playout.family is not None)
    parts: list[list[Piece]] = []
    rows = layout.rows
    for part, interface in zip(playout.parts, interfaces, strict=True):
        pieces: list[Piece] = [Straight(part.netlist, interface)]
        taken = 0
        if playout.family is not None:
            pieces, taken = cut(part.netlist, interface, playout.family, reads_first=reads_first)
        parts.append(pieces)
        rows = max(rows, layout.rows + taken)
    return PlayoutPieces(parts, replace(layout, rows=rows), playout.family)


def assembled(playout: PlayoutPieces, target: Target) -> tuple[str, Layout]:
    """Return the assembly of a playout program, as `stepper` does, from its pieces."""
    lines: list[str] = []
    functions: list[list[str]] = []
    layout, frame = playout.layout, 0
    for number, (pieces, name) in enumerate(zip(playout.parts, ("step", "restart"), strict=False)):
        made = Pieces(pieces, target, name, layout.marks, in_place=layout.in_place or number > 0)
        lines += made.lines
        functions.append(made.functions)
        frame = max(frame, made.frame_rows)
    # Only loops keep marks up to date, so blocks that others write during a step are never marked.
    marked = sorted(block for piece in playout.parts[0] if isinstance(piece, Loop) for block in piece.blocks)
    if playout.family is not None and marked:
        starts, at, in_place = layout.blocks, layout.marks, layout.in_place
        lines.append(scan(playout.family, marked, starts, target, at, "scan", in_place=in_place))
    layout = replace(layout, rows=layout.rows + frame)
    return "\n".join([*lines, _run(functions, layout, target, scanning=bool(marked))]), layout


def playout_interfaces(playout: PlayoutNetlist, *, in_place: bool = False) -> tuple[list[Interface], Layout]:
    """Return the locations of the rows of each part, and the layout without rows passed between functions.

    With `in_place`, steps replace the state in place. Restarts always do.
    """
    facts, bits = len(playout.facts), playout.age_bits
    begins = facts * playout.given
    counted = list(dict.fromkeys(key for part in playout.parts for key in part.counters))
    signals = [tuple(part.counters.get(key, ZEROS) for part in playout.parts) for key in counted]
    counters_of = list(dict.fromkeys(signals))
    finals = playout.parts[-1].finals
    family = playout.family
    places = list(range(facts)) if family is None else family.order(facts)
    blocks = () if family is None else tuple(min(places[fact] for fact in own.values()) for own in family.blocks)
    # The inputs from `limit` on are in memory in the order of their numbers. A row has room for at least eight marks.
    sizes = (4, bits, 1, begins, bits, 1, 1, -(-len(blocks) // 8), len(counters_of), len(finals))
    generators, limit, active, begin, longest, ended, overflow, marks, counters, final, frame = _running(*sizes)
    places += range(facts, playout.state)
    state, others = playout.state, bits + 1 + begins + bits
    interfaces = []
    for number, part in enumerate(playout.parts):
        inputs = {2 + i: RowAddress("in", places[i]) for i in range(state)}
        inputs |= {2 + state + i: RowAddress("base", limit + i) for i in range(others)}
        for i in range(begins):
            inputs[2 + state + bits + 1 + i] = RowAddress("base", begin + places[i])
        out = "out" if part is playout.step and not in_place else "in"
        stores = [(signal, RowAddress(out, places[i])) for i, signal in enumerate(part.next)]
        stores += [(signal, RowAddress("base", longest + i)) for i, signal in enumerate(part.longest)]
        stores += [(signal, RowAddress("base", final + i)) for i, signal in enumerate(part.finals)]
        if part is playout.parts[-1]:
            stores.append((part.ended, RowAddress("base", ended)))
        interfaces.append(
            Interface(
                inputs=inputs,
                stores=stores,
                counts=[
                    (own[number], RowAddress("base", counters + i))
                    for i, own in enumerate(counters_of)
                    if own[number] != ZEROS
                ],
                collects=[(part.overflow, RowAddress("base", overflow))] if bits and part is playout.step else [],
                randoms=frozenset(range(part.netlist.inputs - part.randoms, part.netlist.inputs)),
                generators=RowAddress("base", generators),
                frame=frame,
            )
        )
    kept = tuple(fact for _, fact in sorted(zip(places, playout.facts, strict=False)))
    side = playout.side
    layout = Layout(
        facts=kept,
        blocks=blocks,
        age_bits=bits,
        sides=playout.sides,
        flags=playout.flags,
        generators=generators,
        limit=limit,
        active=active,
        begin=begin,
        longest=longest,
        ended=ended,
        overflow=overflow,
        marks=marks,
        counters=counters,
        finals=final,
        rows=frame,
        counter_rows=tuple(map(counters_of.index, signals)),
        counted=tuple(key if isinstance(key, str) else (key[0], key[1].text) for key in counted),
        goals=max(0, len(finals) - 1),
        plies=playout.plies,
        operations=(len(playout.step.netlist), 0 if playout.restart is None else len(playout.restart.netlist)),
        in_place=in_place,
        renamed=() if side is None else tuple(side.source[fact] for fact in kept),
        other=0 if side is None else side.other,
    )
    return interfaces, layout


def _running(*sizes: int) -> list[int]:
    places = [0]
    for size in sizes:
        places.append(places[-1] + size)
    return places


def _calls(functions: Sequence[str], name: str, before: str, after: str, layout: Layout, target: Target) -> str:
    """Return the block `name`, which calls functions for each part; `before` and `after` are other blocks.

    A function is called for all parts of 512 lanes before the next one, as its code is in the caches, and without a
    loop: a processor that does not foresee its end loses hundreds of cycles.
    """
    size, parts = target.bits // 8, LANES // target.bits
    places = "".join(
        f"""
  %{name}.in.{part} = getelementptr i8, ptr %from, i64 %{name}.shift.{part}
  %{name}.out.{part} = getelementptr i8, ptr %to, i64 %{name}.shift.{part}
  %{name}.base.{part} = getelementptr i8, ptr %memory, i64 %{name}.move.{part}"""
        for part in range(parts)
    )
    numbers = "".join(
        f"""
  %{name}.i.{part} = add i64 %{name}.i, {part}
  %{name}.shift.{part} = mul i64 %{name}.i.{part}, {layout.state * size}
  %{name}.move.{part} = mul i64 %{name}.i.{part}, {layout.rows * size}"""
        for part in range(parts)
    )
    calls = "\n".join(
        f"  call void @{function}(ptr %{name}.in.{part}, ptr %{name}.out.{part}, ptr %{name}.base.{part})"
        for function in functions
        for part in range(parts)
    )
    return f"""
{name}:
  %{name}.i = phi i64 [ 0, %{before} ], [ %{name}.more, %{name} ]{numbers}{places}
{calls}
  %{name}.more = add i64 %{name}.i, {parts}
  %{name}.last = icmp eq i64 %{name}.more, %parts
  br i1 %{name}.last, label %{after}, label %{name}"""


def _run(functions: Sequence[Sequence[str]], layout: Layout, target: Target, *, scanning: bool) -> str:
    kind, size, words = target.type, target.bits // 8, target.words
    any_bits = (
        f"  %bits = icmp ne {kind} %row, zeroinitializer\n  %packed = bitcast <{words} x i1> %bits to i{words}\n"
        f"  %some = icmp ne i{words} %packed, 0\n"
        if words > 1
        else "  %some = icmp ne i64 %row, 0\n"
    )
    parts = LANES // target.bits
    lefts = "".join(
        f"""
  %i.{part} = add i64 %i, {part}
  %left.{part} = call {kind} @without(ptr %memory, ptr %over, i64 %stride, i64 %i.{part}, i1 %store)
  %some.{part + 1} = or {kind} %some.{part}, %left.{part}"""
        for part in range(parts)
    )
    steps = functions[0]
    # Code for a restart never uses `out`: here it is the state that the last step began with.
    restarts = functions[1] if len(functions) > 1 else []
    over = layout.over
    before = "scans" if scanning else "round"
    scans = (
        _calls(["scan"], "scans", "round", "step", layout, target).replace("%from", "%here").replace("%to", "%there")
    )
    return f"""
define internal i1 @any({kind} %row) #0 {{
{any_bits}  ret i1 %some
}}
define internal {kind} @without(ptr %memory, ptr %over, i64 %stride, i64 %i, i1 %store) #0 {{
  %move = mul i64 %i, {layout.rows * size}
  %base = getelementptr i8, ptr %memory, i64 %move
  %active.at = getelementptr i8, ptr %base, i64 {layout.active * size}
  %shift = mul i64 %i, %stride
  %over.at = getelementptr i8, ptr %over, i64 %shift
  %active = load {kind}, ptr %active.at, align {size}
  %row = load {kind}, ptr %over.at, align {size}
  %on = xor {kind} %row, {target.splat(-1)}
  %left = and {kind} %active, %on
  br i1 %store, label %storing, label %done
storing:
  store {kind} %left, ptr %active.at, align {size}
  br label %done
done:
  ret {kind} %left
}}
define internal i1 @unfinished(ptr %memory, ptr %over, i64 %stride, i64 %parts, i1 %store) #0 {{
entry:
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %more, %again ]
  %some.0 = phi {kind} [ {target.splat(0)}, %entry ], [ %some.{parts}, %again ]{lefts}
  %more = add i64 %i, {parts}
  %last = icmp eq i64 %more, %parts
  br i1 %last, label %done, label %again
done:
  %any = call i1 @any({kind} %some.{parts})
  ret i1 %any
}}
define i64 @run(
  ptr %state0, ptr %state1, ptr %memory, i64 %parts, i64 %rounds, i64 %interval, i1 %draining
) #0 {{
entry:
  %ended = getelementptr i8, ptr %memory, i64 {layout.ended * size}
  br label %round
round:
  %n = phi i64 [ 0, %entry ], [ %n.next, %rounded ]
  %made = phi i64 [ 0, %entry ], [ %made.next, %rounded ]
  %here = phi ptr [ %state0, %entry ], [ %to, %rounded ]
  %there = phi ptr [ %state1, %entry ], [ %from, %rounded ]
  br label %{"scans" if scanning else "step"}
{scans * scanning}
step:
  %m = phi i64 [ 0, %{before} ], [ %m.next, %stepped ]
  %from = phi ptr [ %here, %{before} ], [ %to, %stepped ]
  %to = phi ptr [ %there, %{before} ], [ %from, %stepped ]
  br label %steps
{_calls(steps, "steps", "step", "stepped", layout, target)}
stepped:
  %m.next = add i64 %m, 1
  %over = getelementptr i8, ptr %to, i64 {(over or 0) * size}
  %going = {
        "or i1 false, false"
        if over is None
        else f"call i1 @unfinished(ptr %memory, ptr %over, i64 {layout.state * size}, i64 %parts, i1 false)"
    }
  %more.steps = icmp ult i64 %m.next, %interval
  %on = and i1 %going, %more.steps
  br i1 %on, label %step, label %restarts
{_calls(restarts, "restarts", "stepped", "restarted", layout, target).replace("%from", "%to")}
restarted:
  %made.next = add i64 %made, %m.next
  br i1 %draining, label %drain, label %rounded
drain:
  %left = call i1 @unfinished(ptr %memory, ptr %ended, i64 {layout.rows * size}, i64 %parts, i1 true)
  br label %rounded
rounded:
  %alive = phi i1 [ true, %restarted ], [ %left, %drain ]
  %n.next = add i64 %n, 1
  %more.rounds = icmp ult i64 %n.next, %rounds
  %again = and i1 %alive, %more.rounds
  br i1 %again, label %round, label %done
done:
  ret i64 %made.next
}}
{declarations(target)}
attributes #0 = {{ nounwind "min-legal-vector-width"="{target.bits}" "prefer-vector-width"="{target.bits}" }}
"""


def declarations(target: Target) -> str:
    """Return the declarations of the LLVM functions that netlists call."""
    kind = target.type
    suffix = f"v{target.words}i64" if target.words > 1 else "i64"
    lines = [
        f"declare {kind} @llvm.ctpop.{suffix}({kind})",
        f"declare {kind} @llvm.fshl.{suffix}({kind}, {kind}, {kind})",
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
    ]
    if target.ternary:
        lines.append(f"declare {kind} @llvm.x86.avx512.pternlog.q.512({kind}, {kind}, {kind}, i32)")
    return "\n".join(lines)
