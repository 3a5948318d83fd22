"""The facts that matter in a game, and those that change independently of all moves, read off its circuit.

The circuit computes each legal move, each next fact, terminal and goals from the facts of a state. Each of these can
only depend on the facts that its gates are connected to, so the results are proved.
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
    """Return the circuit simplified for states that are not terminal; it is wrong about all others."""
    return rebuild(game, replaced=_false(game.circuit, game.terminal))


def _false(circuit: Circuit, literal: int) -> dict[int, int]:
    """Return the nodes that are constant if a literal is false, with their literals."""
    known: dict[int, int] = {}
    stack = [literal]
    while stack:
        literal = stack.pop()
        node = literal >> 1
        if node == 0 or node in known:
            continue
        known[node] = TRUE if literal & 1 else FALSE
        if literal & 1:  # the AND holds, so all its inputs hold
            stack += [fanin ^ 1 for fanin in circuit.fanins[node]]
    return known


def relevant_facts(game: GameCircuit, step: GameCircuit, asked: Iterable[int] = ()) -> list[int]:
    """Return the facts that legal moves, terminal or goals depend on, now or later; `step` is `running(game)`.

    Facts that are `asked` for themselves matter, too.
    """
    count = len(game.facts)
    found: set[int] = set()
    pending = [*asked, *_facts_of(step.circuit, step.legal, count, set())]
    pending += _facts_of(game.circuit, [game.terminal, *game.goals.values()], count, set())
    seen: set[int] = set()
    while pending:
        fact = pending.pop()
        if fact not in found:
            found.add(fact)
            pending += _facts_of(step.circuit, [step.next[fact]], count, seen)
    return sorted(found)


def _facts_of(circuit: Circuit, outputs: Iterable[int], facts: int, seen: set[int]) -> Iterator[int]:
    """Yield the facts that some outputs depend on, except through nodes that have been `seen` before."""
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
    """The facts that the outputs of a circuit may depend on, in states that are not terminal.

    All are masks: bit `i` is fact `i`. `legal` is for all legal moves together, `next` for each next fact. `moved` has
    the facts whose next values may depend on the joint move.
    """

    legal: Mask
    next: tuple[Mask, ...]
    moved: Mask


def dependence(step: GameCircuit) -> Dependence:
    """Return the facts that the outputs of a circuit may depend on; `step` is `running(game)`."""
    own = (1 << len(step.facts)) - 1
    masks = masks_of(step.circuit)
    following = [masks[literal >> 1] for literal in step.next]
    return Dependence(
        legal=union_of(masks[literal >> 1] for literal in step.legal) & own,
        next=tuple(mask & own for mask in following),
        moved=sum(1 << fact for fact, mask in enumerate(following) if mask & ~own),
    )


def autonomous(found: Dependence, matter: Mask) -> Mask:
    """Return the facts, of those that `matter`, that form a clock in the widest sense.

    Their next values depend only on each other, not on moves. No legal move depends on them, nor does the next value of
    any other fact that matters. So after `n` plies they have the same values whatever was played, and only show the
    time. The result is the largest such set: facts that violate a condition are removed until none does.
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
