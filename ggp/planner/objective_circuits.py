"""What of a puzzle's state matters, and what is only a clock: read off the game's circuit, so proved from the rules.

The circuit has exact functions of the facts of a state for each legal move, each next fact, terminal and goals. A
function depends on no more facts than its gates can be reached from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, final

from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Circuit
from gdl.simulator.simulator import Simulator

#: Bits of a mask, one for each input: facts first, then moves.
Mask = int

#: A clock that has not come round or to an end after so many steps is none.
_LONGEST: Final = 20_000


@final
@dataclass(frozen=True, slots=True)
class Dependence:
    """For each output of a circuit the facts that it may depend on, as masks: bit `i` is fact `i`.

    `legal` is of all legal moves together, `next` by fact, in states that are not terminal; `ends` is of terminal and
    goals, in any state. `moved` are the facts whose next value may depend on the move.
    """

    legal: Mask
    next: tuple[Mask, ...]
    moved: Mask
    ends: Mask


def circuit_of(simulator: Simulator) -> GameCircuit:
    """The circuit of a compiled game."""
    return simulator._game


def played(game: GameCircuit) -> GameCircuit:
    """The same circuit where states that are terminal do not matter: what is legal, and next, while the game is on."""
    known: dict[int, int] = {}
    stack = [game.terminal]
    while stack:
        literal = stack.pop()
        node = literal >> 1
        if node and node not in known:
            known[node] = TRUE if literal & 1 else FALSE
            if literal & 1:  # the AND holds, so all its inputs do
                stack += [fanin ^ 1 for fanin in game.circuit.fanins[node]]
    return rebuild(game, replaced=known)


def dependence(game: GameCircuit) -> Dependence:
    """What the outputs of a circuit may depend on."""
    step = played(game)
    facts = len(game.facts)
    own = (1 << facts) - 1
    masks = masks_of(step.circuit)
    following = [masks[literal >> 1] for literal in step.next]
    moved = sum(1 << fact for fact, mask in enumerate(following) if mask & ~own)
    whole = masks_of(game.circuit)
    return Dependence(
        legal=_union(masks[literal >> 1] for literal in step.legal) & own,
        next=tuple(mask & own for mask in following),
        moved=moved,
        ends=_union(whole[literal >> 1] for literal in (game.terminal, *game.goals.values())) & own,
    )


def _union(masks: Iterable[Mask]) -> Mask:
    found = 0
    for mask in masks:
        found |= mask
    return found


def masks_of(circuit: Circuit) -> list[Mask]:
    """For each node the inputs below it: bit `i` is input node `1 + i`."""
    masks = [0] * len(circuit.fanins)
    for node in range(1, 1 + circuit.inputs):
        masks[node] = 1 << (node - 1)
    while True:
        for node in range(1 + circuit.inputs, len(masks)):
            for literal in circuit.fanins[node]:
                masks[node] |= masks[literal >> 1]
        changed = False
        for loop in circuit.loops:  # what one variable of a loop depends on, all others may
            found = _union(masks[literal >> 1] for literal in loop.updates)
            for node in loop.variables:
                if masks[node] != found | masks[node]:
                    masks[node] |= found
                    changed = True
        if not changed:
            return masks


def bits(mask: Mask) -> list[int]:
    """The places of the ones."""
    places = []
    while mask:
        low = mask & -mask
        places.append(low.bit_length() - 1)
        mask ^= low
    return places


def relevant(found: Dependence) -> Mask:
    """The facts that legal moves, terminal or goals depend on, now or later."""
    marked, pending = 0, found.legal | found.ends
    while pending:
        marked |= pending
        pending = _union(found.next[fact] for fact in bits(pending)) & ~marked
    return marked


def autonomous(found: Dependence) -> Mask:
    """The facts that run by themselves: a clock, in the widest sense.

    Their next values depend on nothing but each other, not on moves; no legal move depends on them, and no next value
    of another fact that matters. So after `n` plies they are the same, whatever was played, and only tell which moment
    it is. It is the greatest set of that kind: what is none is taken away until nothing changes.
    """
    matter = relevant(found)
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


@final
@dataclass(frozen=True, slots=True)
class Times:
    """When a game ends, and what for, as functions of the state without its clock, by the ply from a given state on.

    From ply `settled` on they do not change, until at ply `limit` (None: never) every state is terminal. `late` is the
    highest goal that may be had at the limit in a state which is not terminal before, -1 if there is none; `highest`
    is the highest goal at all.
    """

    settled: int
    limit: int | None
    late: int
    highest: int
    #: The clock at the limit, or one that comes round.
    last: Mask = 0


class Unsettled(Exception):
    """The functions of a state's end cannot be told by time: the clock comes round, or stands in a loop of gates."""


def times(game: GameCircuit, clock: Mask, state: Mask, values: dict[int, int]) -> Times:
    """The times of a state's clock. `values` has the goal's literal for each value. Raises Unsettled."""
    ends = _Ends(game, clock)
    seen: dict[int, int] = {}
    phases: list[tuple[int, tuple[tuple[int, int], ...]]] = []
    now, limit = state & clock, None
    while now not in seen and len(phases) < _LONGEST:
        seen[now] = len(phases)
        terminal, goals = ends.at(now, values)
        phases.append((terminal, goals))
        if terminal == TRUE:
            limit = len(phases) - 1
            break
        now = ends.after(now)
    highest = max((value for _, goals in phases for value, literal in goals if literal != FALSE), default=-1)
    if limit is None:
        begin = seen.get(now)
        if begin is None or any(phase != phases[begin] for phase in phases[begin:]):
            raise Unsettled
        return Times(_settled(phases), None, -1, highest, now)
    if limit == 0:
        return Times(0, 0, highest, highest, now)
    terminal, _ = phases[limit - 1]
    last = phases[limit][1]
    late = max((value for value, literal in last if ends.together(literal, terminal ^ 1)), default=-1)
    return Times(_settled(phases[:limit]), limit, late, highest, now)


def _settled(phases: list[tuple[int, tuple[tuple[int, int], ...]]]) -> int:
    """From where on all phases are the same."""
    settled = len(phases) - 1
    while settled and phases[settled - 1] == phases[-1]:
        settled -= 1
    return settled


class _Ends:
    """Terminal, goals and the clock's next values, with the clock's facts put in."""

    def __init__(self, game: GameCircuit, clock: Mask) -> None:
        self.game = game
        self.clock = bits(clock)
        step = played(game)
        # The clock's own steps need no other inputs.
        self.step, self.following = step.circuit, [step.next[fact] for fact in self.clock]
        self.order = cone(game.circuit, [game.terminal, *game.goals.values()])
        self.step_order = cone(step.circuit, self.following)
        masks = masks_of(game.circuit)
        if any(masks[node] & clock for loop in game.circuit.loops for node in loop.variables):
            raise Unsettled
        self.circuit = Circuit(len(game.circuit.fanins), game.circuit.laws)
        self.varying = {node for node in self.order if masks[node] & clock}
        self.table = {0: FALSE}
        loops = {node for loop in game.circuit.loops for node in loop.variables}
        for node in self.order:  # what does not depend on the clock is an input here, but for its own AND of inputs
            if node not in self.varying:
                fanin = game.circuit.fanins[node]
                self.table[node] = 2 * node if node in loops or not fanin else self._gate(fanin)

    def _gate(self, fanin: Iterable[int]) -> int:
        return self.circuit.and_([self.table[literal >> 1] ^ (literal & 1) for literal in fanin])

    def together(self, one: int, other: int) -> bool:
        """Whether two literals may hold together, as far as their gates show."""
        return self.circuit.and_([*self._factors(one), *self._factors(other)]) != FALSE

    def _factors(self, literal: int) -> list[int]:
        """The literals that hold where one does."""
        found, pending = [], [literal]
        while pending:
            literal = pending.pop()
            found.append(literal)
            if not literal & 1 and literal >> 1 < len(self.circuit.fanins):
                pending += self.circuit.fanins[literal >> 1]
        return found

    def at(self, now: Mask, values: dict[int, int]) -> tuple[int, tuple[tuple[int, int], ...]]:
        """Terminal and goals by value, where the clock is so."""
        for node in self.order:
            if node in self.varying:
                fanin = self.game.circuit.fanins[node]
                self.table[node] = self._gate(fanin) if fanin else (now >> (node - 1) & 1)
        new = self.table
        goals = tuple((value, new[literal >> 1] ^ (literal & 1)) for value, literal in values.items())
        terminal = self.game.terminal
        return new[terminal >> 1] ^ (terminal & 1), goals

    def after(self, now: Mask) -> Mask:
        """The clock one ply later."""
        table = {0: 0}
        for node in self.step_order:
            fanin = self.step.fanins[node]
            if fanin:
                table[node] = int(all(table[literal >> 1] ^ (literal & 1) for literal in fanin))
            else:
                table[node] = now >> (node - 1) & 1
        return sum(
            1 << fact
            for fact, literal in zip(self.clock, self.following, strict=True)
            if table[literal >> 1] ^ (literal & 1)
        )


def cone(circuit: Circuit, outputs: Iterable[int]) -> list[int]:
    """The nodes below some outputs, inputs first; but for node 0. Variables of loops count as inputs."""
    found: set[int] = set()
    stack = [literal >> 1 for literal in outputs]
    while stack:
        node = stack.pop()
        if node and node not in found:
            found.add(node)
            stack += [literal >> 1 for literal in circuit.fanins[node]]
    return sorted(found)
