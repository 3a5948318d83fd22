"""Netlists for single queries: the legal moves and goals of a state (`look`), and its successor (`move`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from gdl.circuit.game import GameCircuit
from gdl.codegen.interface import Interface, RowAddress, Target
from gdl.codegen.llvm.assembly import Emitter
from gdl.codegen.llvm.playout_loop import declarations
from gdl.codegen.netlist import ZEROS, Netlist
from gdl.codegen.specialization import specialized
from gdl.codegen.technology_mapping import Lowering


@final
@dataclass(frozen=True, slots=True)
class Evaluation:
    """A netlist from a state's facts (`look`), or from facts and moves (`move`), to rows of results.

    The results of `look` are terminal, then the legality of each move, then each goal; those of `move` are the next
    facts, then each percept.
    """

    netlist: Netlist
    outputs: list[int]
    facts: int
    moves: int
    #: The numbers of outputs in each group; packed in words, each group begins with a new word.
    parts: tuple[int, ...]

    def places(self) -> list[int]:
        """Return the position of each output in the packed words, in bits."""
        return packed(self.parts)

    def given(self, known: Mapping[int, bool]) -> Evaluation:
        """Return what is left to evaluate if some inputs are known: facts, and after them moves, by their numbers.

        The netlist must not have loops.
        """
        netlist, outputs = specialized(self.netlist, {2 + i: holds for i, holds in known.items()}, self.outputs)
        return replace(self, netlist=netlist, outputs=outputs)


def words(bits: int) -> int:
    """Return the number of 64-bit words needed for some bits."""
    return (bits + 63) // 64


def packed(parts: Sequence[int]) -> list[int]:
    """Return the positions of bits in groups of these sizes, each of which begins with a new word."""
    found: list[int] = []
    start = 0
    for part in parts:
        found += range(start, start + part)
        start += 64 * words(part)
    return found


def looked(game: GameCircuit) -> list[list[int]]:
    """Return the literals that `look` evaluates, in groups: terminal, the legal moves of each role, and the goals."""
    legal = [[game.legal[number] for number in game.moves_of(role)] for role in range(len(game.roles))]
    return [[game.terminal], *legal, list(game.goals.values())]


def moved(game: GameCircuit, *, percepts: bool) -> list[list[int]]:
    """Return the literals that `move` evaluates, in groups: the next facts, and the percepts if they are wanted."""
    return [list(game.next), list(game.sees.values()) if percepts else []]


def look(game: GameCircuit) -> Evaluation:
    """Return the netlist of `look`: terminal, legal moves and goals of a state."""
    return _evaluation(game, Netlist(len(game.facts)), 0, looked(game))


def move(game: GameCircuit, *, percepts: bool) -> Evaluation:
    """Return the netlist of `move`: the next state, with or without the roles' percepts."""
    netlist = Netlist(len(game.facts) + len(game.moves))
    return _evaluation(game, netlist, len(game.moves), moved(game, percepts=percepts))


def _evaluation(game: GameCircuit, netlist: Netlist, moves: int, parts: Sequence[Sequence[int]]) -> Evaluation:
    outputs = [literal for part in parts for literal in part]
    signals = {1 + i: 2 + i for i in range(len(game.facts) + moves)}
    lowering = Lowering(netlist, game.circuit, outputs, signals)
    found = [lowering.signal(literal) for literal in outputs]
    return Evaluation(netlist, found, len(game.facts), moves, tuple(map(len, parts)))


def told_apart(looking: Evaluation, moving: Evaluation, cases: tuple[int, int]) -> list[tuple[Evaluation, Evaluation]]:
    """Return what is left of both evaluations where the first of two facts holds, and where the second one does."""
    found = []
    for holding, other in (cases, cases[::-1]):
        known = {holding: True, other: False}
        look = looking.given(known)
        illegal = (number for number, legal in enumerate(look.outputs[1 : 1 + moving.moves]) if legal == ZEROS)
        found.append((look, moving.given({**known, **{moving.facts + number: False for number in illegal}})))
    return found


def state_program(
    looking: Evaluation,
    moving: Evaluation,
    roles: int,
    chunk: int | None = None,
    cases: tuple[int, int] | None = None,
) -> tuple[str, dict[str, int]]:
    """Return assembly for one state at a time, packed in 64-bit words, and the number of 8-byte scratch rows.

    If exactly one of two facts holds in every state, such as whose turn it is, `cases` may be their numbers: each case
    then has code of its own, which is shorter.

    `look(state, out, work)` writes the results for a state as packed bits. `move(state, moves, next, work)` reads the
    number of each role's move (int32; -1 for none) and writes the next state and the percepts. `legal(out, first,
    words, moves)` writes the positions of the ones in some words that `look` has written (int32), and returns their
    number. `work` must be zero at first.
    """
    target = Target(64, ternary=False)
    does = 0
    flags = does + moving.moves
    flag_rows = 8 * max(sum(map(words, part.parts)) for part in (looking, moving))
    frame = flags + flag_rows
    facts = {2 + i: RowAddress("bit", i) for i in range(looking.facts)}
    moves = {2 + looking.facts + i: RowAddress("base", does + i) for i in range(moving.moves)}
    lines: list[str] = []
    work = 0
    pairs = [(looking, moving)] if cases is None else told_apart(looking, moving, cases)
    seeing, doing = zip(*pairs, strict=True)
    for evaluation, parts, name, inputs in (
        (looking, seeing, "look", facts),
        (moving, doing, "move", facts | moves),
    ):
        places = [RowAddress("flag", place) for place in evaluation.places()]
        emitters = []
        for number, part in enumerate(parts):
            stores = list(zip(part.outputs, places, strict=True))
            emitter = Emitter(part.netlist, Interface(inputs, stores, frame=frame), target, f"{name}.{number}.", chunk)
            work = max(work, frame + emitter.frame_rows)
            lines += emitter.lines
            emitters.append(emitter)
        calls = _calls(emitters[0]) if cases is None else _either(cases[0], *map(_calls, emitters))
        lines.append(_one_state(calls, name, evaluation.parts, 8 * flags, roles))
    return "\n".join([*lines, LEGAL, *footer(target)]), {"work": work}


#: The function `legal` of `state_program`.
LEGAL: Final = """
declare i64 @llvm.cttz.i64(i64, i1)
define i64 @legal(ptr %seen, i64 %first, i64 %words, ptr %moves) #0 {
entry:
  br label %next
next:
  %w = phi i64 [ 0, %entry ], [ %w.next, %worded ]
  %before = phi i64 [ 0, %entry ], [ %count, %worded ]
  %again = icmp ult i64 %w, %words
  br i1 %again, label %word, label %done
word:
  %number = add i64 %first, %w
  %at = getelementptr i64, ptr %seen, i64 %number
  %all = load i64, ptr %at
  %start = shl i64 %w, 6
  br label %test
test:
  %bits = phi i64 [ %all, %word ], [ %rest, %one ]
  %count = phi i64 [ %before, %word ], [ %more, %one ]
  %none = icmp eq i64 %bits, 0
  br i1 %none, label %worded, label %one
one:
  %place = call i64 @llvm.cttz.i64(i64 %bits, i1 true)
  %index = add i64 %start, %place
  %index.short = trunc i64 %index to i32
  %to = getelementptr i32, ptr %moves, i64 %count
  store i32 %index.short, ptr %to
  %less = sub i64 %bits, 1
  %rest = and i64 %bits, %less
  %more = add i64 %count, 1
  br label %test
worded:
  %w.next = add i64 %w, 1
  br label %next
done:
  ret i64 %before
}"""


def _either(fact: int, calls: str, others: str) -> str:
    """Return calls if a fact holds in the state, and others if it does not."""
    bit = 1 << fact % 64
    return f"""  %case.at = getelementptr i64, ptr %in, i64 {fact // 64}
  %case.word = load i64, ptr %case.at
  %case.bit = and i64 %case.word, {bit - (1 << 64) if bit >> 63 else bit}
  %case = icmp ne i64 %case.bit, 0
  br i1 %case, label %holds, label %holds.not
holds:
{calls}
  br label %called
holds.not:
{others}
  br label %called
called:"""


def _one_state(calls: str, name: str, parts: Sequence[int], flags: int, roles: int) -> str:
    moved = name == "move"
    arguments = "ptr %in, ptr %moves, ptr %to, ptr %base" if moved else "ptr %in, ptr %to, ptr %base"
    lines = [f"define void @{name}({arguments}) #0 {{", f"  %out = getelementptr i8, ptr %base, i64 {flags}"]
    for role in range(roles if moved else 0):
        lines += [
            f"  %m{role}.at = getelementptr i32, ptr %moves, i64 {role}",
            f"  %m{role} = load i32, ptr %m{role}.at",
            f"  %m{role}.some = icmp sge i32 %m{role}, 0",
            f"  %m{role}.long = zext i32 %m{role} to i64",
            f"  %m{role}.row = getelementptr i64, ptr %base, i64 %m{role}.long",
            # The marker for no move is written to the flags, which are overwritten later.
            f"  %m{role}.to = select i1 %m{role}.some, ptr %m{role}.row, ptr %out",
            f"  store i64 1, ptr %m{role}.to",
        ]
    lines.append(calls)
    widths = [min(64, part - 64 * word) for part in parts for word in range(words(part))]
    for word, width in enumerate(widths):
        lines += [
            f"  %f{word}.at = getelementptr i8, ptr %out, i64 {64 * word}",
            f"  %f{word} = load <64 x i8>, ptr %f{word}.at, align 8",
            f"  %b{word} = trunc <64 x i8> %f{word} to <64 x i1>",
            f"  %a{word} = bitcast <64 x i1> %b{word} to i64",
            f"  %w{word} = and i64 %a{word}, {(1 << width) - 1}",
            f"  %w{word}.at = getelementptr i64, ptr %to, i64 {word}",
            f"  store i64 %w{word}, ptr %w{word}.at",
        ]
    lines += [f"  store i64 0, ptr %m{role}.to" for role in range(roles if moved else 0)]
    return "\n".join([*lines, "  ret void", "}"])


def _calls(emitter: Emitter) -> str:
    return "\n".join(f"  call void @{name}(ptr %in, ptr %out, ptr %base)" for name in emitter.functions)


def footer(target: Target) -> list[str]:
    """Return the end of a module: declarations and attributes."""
    width = f'"min-legal-vector-width"="{target.bits}" "prefer-vector-width"="{target.bits}"'
    return [declarations(target), f"attributes #0 = {{ nounwind {width} }}"]
