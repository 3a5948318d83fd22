"""The program around a playout netlist: memory for its rows, and a loop over its functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from gdl.codegen.interface import Interface, RowAddress, Target
from gdl.codegen.llvm.assembly import Emitter
from gdl.codegen.playout_netlist import PlayoutNetlist

#: The number of lanes in a logical batch, whatever the width of the processor's vectors.
LANES = 512


@final
@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of a playout program's rows, counted in rows from `base`; states are stored separately."""

    facts: tuple[int, ...]
    age_bits: int
    generators: int
    limit: int
    active: int
    cutting: int
    begin: int
    ended: int
    longer: int
    longest: int
    counters: int
    rows: int
    #: The meaning of the counters: plies, playouts that ended, those that ended in a terminal state or because a role
    #: had no legal move, and goals.
    counted: tuple[str | tuple[int, str], ...]
    #: For playouts that do not begin again: the rows for the goals that they ended with, followed by a row for those
    #: cut off; then the rows for the goals of the current state.
    finals: int
    standing: int

    @property
    def state(self) -> int:
        """The number of rows of a state: its facts, and the bits of its age."""
        return len(self.facts) + self.age_bits


def stepper(playout: PlayoutNetlist, target: Target, chunk: int | None = None) -> tuple[str, Layout]:
    """Return the assembly of a playout program, with the layout of its memory.

    Its only function is `run(state, next, base, steps, draining)`. It makes up to `steps` steps, and stops early if a
    lane gets older than the limit. If `draining`, ended lanes no longer count, and it also stops once no lane counts.
    It returns the number of steps made; the two states change places after each.
    """
    interface, layout = playout_interface(playout)
    emitter = Emitter(playout.netlist, interface, target, "step", chunk)
    layout = replace(layout, rows=layout.rows + emitter.frame_rows)
    return "\n".join([*emitter.lines, _run(emitter, layout, target)]), layout


def playout_interface(playout: PlayoutNetlist) -> tuple[Interface, Layout]:
    """Return the locations of a playout netlist's rows, and the layout without rows passed between functions."""
    facts, bits = len(playout.facts), playout.age_bits
    begins, counters = facts * playout.given, len(playout.counters)
    goals = len(playout.finals)
    sizes = (4, bits, 1, 1, begins, 1, 1, 1, counters, goals + playout.once, goals)
    places = _running(*sizes)
    generators, limit, active, cutting, begin, ended, longer, longest, counter, finals, standing, frame = places
    netlist, state = playout.netlist, playout.state
    inputs = {2 + i: RowAddress("in", i) for i in range(state)}
    # The other inputs are in memory in the order of their numbers.
    inputs |= {2 + state + i: RowAddress("base", limit + i) for i in range(bits + 2 + begins)}
    stores = [(signal, RowAddress("out", i)) for i, signal in enumerate(playout.next)]
    stores += [(playout.ended, RowAddress("base", ended)), (playout.longer, RowAddress("base", longer))]
    stores += [(signal, RowAddress("base", standing + i)) for i, signal in enumerate(playout.standing)]
    collects = [(playout.longest, RowAddress("base", longest))]
    collects += [(signal, RowAddress("base", finals + i)) for i, signal in enumerate(playout.finals)]
    interface = Interface(
        inputs=inputs,
        stores=stores,
        counts=[(signal, RowAddress("base", counter + i)) for i, signal in enumerate(playout.counters.values())],
        collects=collects,
        randoms=frozenset(range(netlist.inputs - playout.randoms, netlist.inputs)),
        generators=RowAddress("base", generators),
        frame=frame,
    )
    layout = Layout(
        facts=tuple(playout.facts),
        age_bits=bits,
        generators=generators,
        limit=limit,
        active=active,
        cutting=cutting,
        begin=begin,
        ended=ended,
        longer=longer,
        longest=longest,
        counters=counter,
        rows=frame,
        counted=tuple(key if isinstance(key, str) else (key[0], key[1].text) for key in playout.counters),
        finals=finals,
        standing=standing,
    )
    return interface, layout


def _running(*sizes: int) -> list[int]:
    places = [0]
    for size in sizes:
        places.append(places[-1] + size)
    return places


def _run(emitter: Emitter, layout: Layout, target: Target) -> str:
    kind, size, words = target.type, target.bits // 8, target.words
    calls = "\n".join(f"  call void @{name}(ptr %in, ptr %out, ptr %base)" for name in emitter.functions)
    any_bits = (
        f"  %bits = icmp ne {kind} %seen, zeroinitializer\n  %packed = bitcast <{words} x i1> %bits to i{words}\n"
        f"  %some = icmp ne i{words} %packed, 0\n"
        if words > 1
        else "  %some = icmp ne i64 %seen, 0\n"
    )
    return f"""
define internal i1 @any(ptr %row) #0 {{
  %seen = load {kind}, ptr %row, align {size}
{any_bits}  ret i1 %some
}}
define internal i1 @drain(ptr %base) #0 {{
  %active.at = getelementptr i8, ptr %base, i64 {layout.active * size}
  %ended.at = getelementptr i8, ptr %base, i64 {layout.ended * size}
  %active = load {kind}, ptr %active.at, align {size}
  %ended = load {kind}, ptr %ended.at, align {size}
  %on = xor {kind} %ended, {target.splat(-1)}
  %left = and {kind} %active, %on
  store {kind} %left, ptr %active.at, align {size}
  %some = call i1 @any(ptr %active.at)
  ret i1 %some
}}
define i64 @run(ptr %state0, ptr %state1, ptr %memory, i64 %steps, i1 %draining) #0 {{
entry:
  br label %step
step:
  %n = phi i64 [ 0, %entry ], [ %n.next, %stepped ]
  %from = phi ptr [ %state0, %entry ], [ %to, %stepped ]
  %to = phi ptr [ %state1, %entry ], [ %from, %stepped ]
  br label %part
part:
  %i = phi i64 [ 0, %step ], [ %i.next, %parted ]
  %stop = phi i1 [ false, %step ], [ %stop.next, %parted ]
  %alive = phi i1 [ false, %step ], [ %alive.next, %parted ]
  %shift = mul i64 %i, {layout.state * size}
  %in = getelementptr i8, ptr %from, i64 %shift
  %out = getelementptr i8, ptr %to, i64 %shift
  %move = mul i64 %i, {layout.rows * size}
  %base = getelementptr i8, ptr %memory, i64 %move
{calls}
  %longer.at = getelementptr i8, ptr %base, i64 {layout.longer * size}
  %longer = call i1 @any(ptr %longer.at)
  %stop.next = or i1 %stop, %longer
  br i1 %draining, label %drain, label %parted
drain:
  %left = call i1 @drain(ptr %base)
  br label %parted
parted:
  %kept = phi i1 [ true, %part ], [ %left, %drain ]
  %alive.next = or i1 %alive, %kept
  %i.next = add i64 %i, 1
  %last = icmp eq i64 %i.next, {LANES // target.bits}
  br i1 %last, label %stepped, label %part
stepped:
  %n.next = add i64 %n, 1
  %enough = icmp eq i64 %n.next, %steps
  %dead = xor i1 %alive.next, true
  %halt = or i1 %stop.next, %dead
  %over = or i1 %enough, %halt
  br i1 %over, label %done, label %step
done:
  ret i64 %n.next
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
    ]
    if target.ternary:
        lines.append(f"declare {kind} @llvm.x86.avx512.pternlog.q.512({kind}, {kind}, {kind}, i32)")
    return "\n".join(lines)
