"""Assembly that evaluates one state at a time by following the changes since the last one: see `gdl.codegen.changes`.

The code is the same for every game but for its tables, so it is compiled in no time.
"""

from __future__ import annotations

from array import array
from dataclasses import astuple, fields
from typing import Final

from gdl.codegen.changes import Changes, Segment
from gdl.codegen.evaluation import LEGAL, footer
from gdl.codegen.interface import Target
from gdl.compile_budget import check_budget


def changes_program(looking: Changes, moving: Changes, roles: int) -> tuple[str, dict[str, int]]:
    """Return assembly with the functions of `gdl.codegen.evaluation.state_program`, and its number of scratch rows.

    `work` holds the state that was evaluated last, with all counts and values: first those of `look`, then of `move`.
    """
    lines, work = [], 0
    for name, tables, moved in (("look", looking, 0), ("move", moving, roles)):
        check_budget()
        more, size = _evaluator(name, tables, moved, work)
        lines.append(more)
        work += size
    return "\n".join([*lines, _COPY, LEGAL, *footer(Target(64, ternary=False))]), {"work": work}


def _evaluator(name: str, tables: Changes, roles: int, work: int) -> tuple[str, int]:
    """Return the assembly of a function, and the number of words that it uses of `work`, from a word on."""
    last = work + 1
    done = last + tables.state
    bits = done + roles
    counts = bits + len(tables.bits)
    values = {
        "name": name,
        # `look` reads no move.
        "arguments": "ptr %state, ptr %moves, ptr %out, ptr %work" if roles else "ptr %state, ptr %out, ptr %work",
        "moves": "%moves" if roles else "null",
        "ready": work,
        "last": last,
        "last.moves": done,
        "bits": bits,
        "bits.size": tables.bits.nbytes,
        "counts": counts,
        "counts.size": tables.counts.nbytes,
        "state": tables.state,
        "roles": roles,
        # Moves are numbered from 1, as 0 stands for none.
        "before.moves": 64 * tables.state - 1,
        "segments": len(tables.segments),
        "fields": len(fields(Segment)),
        "first": 64 * (tables.state + tables.moves),
        "outputs": bits + tables.outputs_at,
        "outputs.size": 8 * tables.outputs,
    }
    text = _EVALUATOR
    for key, value in values.items():
        text = text.replace(f"<{key}>", str(value))
    segments = array("q", (number for segment in tables.segments for number in astuple(segment)))
    data = [
        _constant(f"{name}.edges", tables.edges.tobytes()),
        _constant(f"{name}.starts", tables.starts.tobytes()),
        _constant(f"{name}.counts", tables.counts.tobytes()),
        _constant(f"{name}.bits", tables.bits.tobytes()),
        _constant(f"{name}.segments", segments.tobytes()),
    ]
    return "\n".join([*data, text]), counts + len(tables.counts) // 2 - work


def _constant(name: str, data: bytes) -> str:
    """Return the definition of a constant."""
    escaped = "\\" + data.hex("\\") if data else ""
    return f'@{name} = private constant [{len(data)} x i8] c"{escaped}", align 8'


_COPY: Final = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"

#: The functions for a set of tables:
#:
#: - `flip(counts, bits, source, value)`: a source has got a value, so adapt the counts, and note which sinks change.
#: - `flips(counts, bits, source, mask, value)`: the same for the sources of a mask, counted from one.
#: - `settle(counts, bits, word, end)`: follow the changes of gates, from a word of them to another.
#: - `loop(counts, bits, segment)`: find the fixpoint of a loop anew if something that it reads has changed.
#: - `look` or `move`.
_EVALUATOR: Final = """
define internal void @<name>.flip(ptr %counts, ptr %bits, i64 %source, i32 %value) #0 {
entry:
  %start.at = getelementptr i32, ptr @<name>.starts, i64 %source
  %start.short = load i32, ptr %start.at
  %end.at = getelementptr i32, ptr %start.at, i64 1
  %end.short = load i32, ptr %end.at
  %start = zext i32 %start.short to i64
  %end = zext i32 %end.short to i64
  %some = icmp ult i64 %start, %end
  br i1 %some, label %edge, label %done
edge:
  %i = phi i64 [ %start, %entry ], [ %i.next, %next ]
  %edge.at = getelementptr i32, ptr @<name>.edges, i64 %i
  %edge.both = load i32, ptr %edge.at
  %sink.short = lshr i32 %edge.both, 1
  %sink = zext i32 %sink.short to i64
  %literal.all = xor i32 %edge.both, %value
  %literal = and i32 %literal.all, 1
  %count.at = getelementptr i32, ptr %counts, i64 %sink
  %count = load i32, ptr %count.at
  %twice = shl i32 %literal, 1
  %less = sub i32 %count, %twice
  %count.new = add i32 %less, 1
  store i32 %count.new, ptr %count.at
  %changes = icmp eq i32 %count, %literal
  br i1 %changes, label %change, label %next
change:
  %word = lshr i64 %sink, 6
  %place = and i64 %sink, 63
  %bit = shl i64 1, %place
  %word.at = getelementptr i64, ptr %bits, i64 %word
  %before = load i64, ptr %word.at
  %after = xor i64 %before, %bit
  store i64 %after, ptr %word.at
  br label %next
next:
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %end
  br i1 %more, label %edge, label %done
done:
  ret void
}
define internal void @<name>.flips(ptr %counts, ptr %bits, i64 %source, i64 %mask, i32 %value) #0 {
entry:
  br label %test
test:
  %left = phi i64 [ %mask, %entry ], [ %rest, %one ]
  %none = icmp eq i64 %left, 0
  br i1 %none, label %done, label %one
one:
  %place = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %number = add i64 %source, %place
  call void @<name>.flip(ptr %counts, ptr %bits, i64 %number, i32 %value)
  %less = sub i64 %left, 1
  %rest = and i64 %left, %less
  br label %test
done:
  ret void
}
define internal void @<name>.settle(ptr %counts, ptr %bits, i64 %from, i64 %end) #0 {
entry:
  br label %word
word:
  %w = phi i64 [ %from, %entry ], [ %w.next, %worded ]
  %again = icmp ult i64 %w, %end
  br i1 %again, label %load, label %done
load:
  %at = getelementptr i64, ptr %bits, i64 %w
  %first = shl i64 %w, 6
  br label %test
test:
  %left = load i64, ptr %at
  %none = icmp eq i64 %left, 0
  br i1 %none, label %worded, label %one
one:
  %place = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %less = sub i64 %left, 1
  %rest = and i64 %left, %less
  store i64 %rest, ptr %at
  %sink = add i64 %first, %place
  %count.at = getelementptr i32, ptr %counts, i64 %sink
  %count = load i32, ptr %count.at
  %holds = icmp eq i32 %count, 0
  %value = zext i1 %holds to i32
  %source = add i64 %sink, <first>
  call void @<name>.flip(ptr %counts, ptr %bits, i64 %source, i32 %value)
  br label %test
worded:
  %w.next = add i64 %w, 1
  br label %word
done:
  ret void
}
define internal void @<name>.loop(ptr %counts, ptr %bits, ptr %segment) #0 {
entry:
  %gates = load i64, ptr %segment
  %end.at = getelementptr i64, ptr %segment, i64 1
  %end = load i64, ptr %end.at
  %inputs.at = getelementptr i64, ptr %segment, i64 2
  %inputs = load i64, ptr %inputs.at
  %inputs.words.at = getelementptr i64, ptr %segment, i64 3
  %inputs.words = load i64, ptr %inputs.words.at
  %variables.at = getelementptr i64, ptr %segment, i64 4
  %variables = load i64, ptr %variables.at
  %words.at = getelementptr i64, ptr %segment, i64 5
  %words = load i64, ptr %words.at
  br label %compare
compare:
  %c = phi i64 [ 0, %entry ], [ %c.next, %compare ]
  %different = phi i64 [ 0, %entry ], [ %different.next, %compare ]
  %now.word = add i64 %inputs, %c
  %last.word = add i64 %now.word, %inputs.words
  %now.at = getelementptr i64, ptr %bits, i64 %now.word
  %last.at = getelementptr i64, ptr %bits, i64 %last.word
  %now = load i64, ptr %now.at
  %last = load i64, ptr %last.at
  store i64 %now, ptr %last.at
  %differs = xor i64 %now, %last
  %different.next = or i64 %different, %differs
  %c.next = add i64 %c, 1
  %c.more = icmp ult i64 %c.next, %inputs.words
  br i1 %c.more, label %compare, label %compared
compared:
  %same = icmp eq i64 %different.next, 0
  br i1 %same, label %done, label %reset
reset:
  %r = phi i64 [ 0, %compared ], [ %r.next, %reset ]
  %r.word = add i64 %variables, %r
  %r.at = getelementptr i64, ptr %bits, i64 %r.word
  %true = load i64, ptr %r.at
  store i64 0, ptr %r.at
  %r.bit = shl i64 %r.word, 6
  %r.source = add i64 %r.bit, <first>
  call void @<name>.flips(ptr %counts, ptr %bits, i64 %r.source, i64 %true, i32 0)
  %r.next = add i64 %r, 1
  %r.more = icmp ult i64 %r.next, %words
  br i1 %r.more, label %reset, label %round
round:
  call void @<name>.settle(ptr %counts, ptr %bits, i64 %gates, i64 %end)
  br label %update
update:
  %u = phi i64 [ 0, %round ], [ %u.next, %update ]
  %grown = phi i64 [ 0, %round ], [ %grown.next, %update ]
  %u.word = add i64 %variables, %u
  %update.word = add i64 %u.word, %words
  %u.at = getelementptr i64, ptr %bits, i64 %u.word
  %update.at = getelementptr i64, ptr %bits, i64 %update.word
  %old = load i64, ptr %u.at
  %new = load i64, ptr %update.at
  %all = or i64 %old, %new
  store i64 %all, ptr %u.at
  %more = xor i64 %all, %old
  %u.bit = shl i64 %u.word, 6
  %u.source = add i64 %u.bit, <first>
  call void @<name>.flips(ptr %counts, ptr %bits, i64 %u.source, i64 %more, i32 1)
  %grown.next = or i64 %grown, %more
  %u.next = add i64 %u, 1
  %u.more = icmp ult i64 %u.next, %words
  br i1 %u.more, label %update, label %updated
updated:
  %fixed = icmp eq i64 %grown.next, 0
  br i1 %fixed, label %done, label %round
done:
  ret void
}
define void @<name>(<arguments>) #0 {
entry:
  %ready.at = getelementptr i64, ptr %work, i64 <ready>
  %last.state = getelementptr i64, ptr %work, i64 <last>
  %last.moves = getelementptr i64, ptr %work, i64 <last.moves>
  %bits = getelementptr i64, ptr %work, i64 <bits>
  %counts = getelementptr i64, ptr %work, i64 <counts>
  %ready = load i64, ptr %ready.at
  %first.time = icmp eq i64 %ready, 0
  br i1 %first.time, label %begin, label %facts
begin:
  call void @llvm.memcpy.p0.p0.i64(ptr %bits, ptr @<name>.bits, i64 <bits.size>, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %counts, ptr @<name>.counts, i64 <counts.size>, i1 false)
  store i64 1, ptr %ready.at
  br label %facts
facts:
  %w = phi i64 [ 0, %entry ], [ 0, %begin ], [ %w.next, %fact ]
  %w.more = icmp ult i64 %w, <state>
  br i1 %w.more, label %fact, label %moves.all
fact:
  %now.at = getelementptr i64, ptr %state, i64 %w
  %last.at = getelementptr i64, ptr %last.state, i64 %w
  %now = load i64, ptr %now.at
  %last = load i64, ptr %last.at
  store i64 %now, ptr %last.at
  %differs = xor i64 %now, %last
  %on = and i64 %differs, %now
  %off = and i64 %differs, %last
  %source = shl i64 %w, 6
  call void @<name>.flips(ptr %counts, ptr %bits, i64 %source, i64 %off, i32 0)
  call void @<name>.flips(ptr %counts, ptr %bits, i64 %source, i64 %on, i32 1)
  %w.next = add i64 %w, 1
  br label %facts
moves.all:
  %r = phi i64 [ 0, %facts ], [ %r.next, %moved ]
  %r.more = icmp ult i64 %r, <roles>
  br i1 %r.more, label %role, label %segments
role:
  %move.at = getelementptr i32, ptr <moves>, i64 %r
  %last.move.at = getelementptr i64, ptr %last.moves, i64 %r
  %move.short = load i32, ptr %move.at
  %move = sext i32 %move.short to i64
  %new = add i64 %move, 1
  %old = load i64, ptr %last.move.at
  %other = icmp ne i64 %new, %old
  br i1 %other, label %undo, label %moved
undo:
  store i64 %new, ptr %last.move.at
  %was = icmp ne i64 %old, 0
  br i1 %was, label %undo.one, label %do
undo.one:
  %old.source = add i64 %old, <before.moves>
  call void @<name>.flip(ptr %counts, ptr %bits, i64 %old.source, i32 0)
  br label %do
do:
  %some = icmp ne i64 %new, 0
  br i1 %some, label %do.one, label %moved
do.one:
  %new.source = add i64 %new, <before.moves>
  call void @<name>.flip(ptr %counts, ptr %bits, i64 %new.source, i32 1)
  br label %moved
moved:
  %r.next = add i64 %r, 1
  br label %moves.all
segments:
  %s = phi i64 [ 0, %moves.all ], [ %s.next, %segmented ]
  %s.more = icmp ult i64 %s, <segments>
  br i1 %s.more, label %segment, label %outputs
segment:
  %s.word = mul i64 %s, <fields>
  %segment.at = getelementptr i64, ptr @<name>.segments, i64 %s.word
  %words.at = getelementptr i64, ptr %segment.at, i64 5
  %words = load i64, ptr %words.at
  %plain = icmp eq i64 %words, 0
  br i1 %plain, label %gates, label %loop
gates:
  %gates.first = load i64, ptr %segment.at
  %gates.end.at = getelementptr i64, ptr %segment.at, i64 1
  %gates.end = load i64, ptr %gates.end.at
  call void @<name>.settle(ptr %counts, ptr %bits, i64 %gates.first, i64 %gates.end)
  br label %segmented
loop:
  call void @<name>.loop(ptr %counts, ptr %bits, ptr %segment.at)
  br label %segmented
segmented:
  %s.next = add i64 %s, 1
  br label %segments
outputs:
  %outputs.at = getelementptr i64, ptr %work, i64 <outputs>
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %outputs.at, i64 <outputs.size>, i1 false)
  ret void
}"""
