"""The facts that matter in a game, and those that run by themselves, read off its circuit, so proved from the rules.

The circuit has exact functions of the facts of a state for each legal move, each next fact, terminal and goals. A
function depends on no more facts than its gates can be reached from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

from gdl.circuit.analysis.cones import Mask, bits, masks_of, union_of
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Circuit


def running(game: GameCircuit) -> GameCircuit:
    """The same circuit for states that are not terminal: simplified by that, and wrong about all others."""
    return rebuild(game, replaced=_false(game.circuit, game.terminal))


def _false(circuit: Circuit, literal: int) -> dict[int, int]:
    """Constants for nodes, given that a literal is false."""
    known: dict[int, int] = {}
    stack = [literal]
    while stack:
        literal = stack.pop()
        node = literal >> 1
        if node == 0 or node in known:
            continue
        known[node] = TRUE if literal & 1 else FALSE
        if literal & 1:  # the AND holds, so all its inputs do
            stack += [fanin ^ 1 for fanin in circuit.fanins[node]]
    return known


def relevant_facts(game: GameCircuit, step: GameCircuit) -> list[int]:
    """The facts that legal moves, terminal or goals depend on, now or later; `step` is `running(game)`."""
    count = len(game.facts)
    found: set[int] = set()
    pending = [*_facts_of(step.circuit, step.legal, count, set())]
    pending += _facts_of(game.circuit, [game.terminal, *game.goals.values()], count, set())
    seen: set[int] = set()
    while pending:
        fact = pending.pop()
        if fact not in found:
            found.add(fact)
            pending += _facts_of(step.circuit, [step.next[fact]], count, seen)
    return sorted(found)


def _facts_of(circuit: Circuit, outputs: Iterable[int], facts: int, seen: set[int]) -> Iterator[int]:
    """The facts among the inputs that some outputs depend on, but for what has been seen."""
    loop_of = {node: loop for loop in circuit.loops for node in loop.variables}
    stack = [literal >> 1 for literal in outputs]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if 1 <= node <= facts:
            yield node - 1
        stack += [literal >> 1 for literal in circuit.fanins[node]]
        if node in loop_of:
            stack += [literal >> 1 for literal in loop_of[node].updates]


@final
@dataclass(frozen=True, slots=True)
class Dependence:
    """For each output of a circuit, in states that are not terminal, the facts that it may depend on.

    They are masks: bit `i` is fact `i`. `legal` is of all legal moves together, `next` by fact. `moved` are the facts
    whose next value may depend on the move.
    """

    legal: Mask
    next: tuple[Mask, ...]
    moved: Mask


def dependence(step: GameCircuit) -> Dependence:
    """The facts that the outputs of a circuit may depend on, where the game is `running`."""
    own = (1 << len(step.facts)) - 1
    masks = masks_of(step.circuit)
    following = [masks[literal >> 1] for literal in step.next]
    return Dependence(
        legal=union_of(masks[literal >> 1] for literal in step.legal) & own,
        next=tuple(mask & own for mask in following),
        moved=sum(1 << fact for fact, mask in enumerate(following) if mask & ~own),
    )


def autonomous(found: Dependence, matter: Mask) -> Mask:
    """The facts, of those that matter, that run by themselves: a clock, in the widest sense.

    Their next values depend on nothing but each other, not on moves; no legal move depends on them, and no next value
    of another fact that matters. So after `n` plies they are the same, whatever was played, and only tell which moment
    it is. It is the greatest set of that kind: what is none is taken away until nothing changes.
    """
    clock = matter & ~found.moved & ~found.legal
    while True:
        taken = 0
        for fact in bits(matter):
            if not clock >> fact & 1:
                taken |= clock & found.next[fact]
            elif found.next[fact] & ~clock:
                taken |= 1 << fact
        if not taken:
            return clock
        clock &= ~taken
