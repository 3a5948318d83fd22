"""The plies at which a game with a clock may end, and the goals there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, final

from gdl.circuit.analysis.cones import Mask, bits, cone, masks_of
from gdl.circuit.analysis.dependence import running
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Circuit

#: A clock must repeat, or reach an end of the game, within this many steps.
_LONGEST: Final = 20_000


@final
@dataclass(frozen=True, slots=True)
class Times:
    """Terminal and goals as functions of the other facts of a state, ply by ply from a given state on.

    From ply `settled` on, the functions do not change until every state is terminal at ply `limit` (None: never).
    `late` is the highest goal that may be reached at the limit if the state before is not terminal, -1 if there is
    none; `highest` is the highest goal at any ply.
    """

    settled: int
    limit: int | None
    late: int
    highest: int
    #: The clock at the limit; without a limit, a value of the clock that recurs.
    last: Mask = 0


class Unsettled(Exception):
    """The functions do not settle, as the clock repeats itself, or are part of a loop of gates."""


def times(game: GameCircuit, clock: Mask, state: Mask, values: dict[int, int]) -> Times:
    """Return the times of a state's clock. `values` has the literal of each goal value. Raises Unsettled."""
    ends = _Ends(game, clock, values)
    seen: dict[int, int] = {}
    phases: list[tuple[int, tuple[tuple[int, int], ...]]] = []
    now, limit = state & clock, None
    while now not in seen and len(phases) < _LONGEST:
        seen[now] = len(phases)
        terminal, goals = ends.at(now)
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
    """Return the first phase from which on all phases are the same."""
    settled = len(phases) - 1
    while settled and phases[settled - 1] == phases[-1]:
        settled -= 1
    return settled


class _Ends:
    """Terminal, goals and the next values of the clock, for given values of the clock's facts."""

    def __init__(self, game: GameCircuit, clock: Mask, values: dict[int, int]) -> None:
        self.game, self.values = game, values
        self.clock = bits(clock)
        step = running(game)
        # The clock's own steps need no other inputs.
        self.step, self.following = step.circuit, [step.next[fact] for fact in self.clock]
        self.order = cone(game.circuit, [game.terminal, *values.values()])
        self.step_order = cone(step.circuit, self.following)
        masks = masks_of(game.circuit)
        if any(masks[node] & clock for loop in game.circuit.loops for node in loop.variables):
            raise Unsettled
        self.circuit = Circuit(len(game.circuit.fanins), game.circuit.laws)
        self.varying = {node for node in self.order if masks[node] & clock}
        self.table = {0: FALSE}
        loops = {node for loop in game.circuit.loops for node in loop.variables}
        # Nodes that do not depend on the clock become inputs, or ANDs of such inputs.
        for node in self.order:
            if node not in self.varying:
                fanin = game.circuit.fanins[node]
                self.table[node] = 2 * node if node in loops or not fanin else self._gate(fanin)

    def _gate(self, fanin: Iterable[int]) -> int:
        return self.circuit.and_([self.table[literal >> 1] ^ (literal & 1) for literal in fanin])

    def together(self, one: int, other: int) -> bool:
        """Return True if two literals may hold together, as far as their gates show."""
        return self.circuit.and_([*self._factors(one), *self._factors(other)]) != FALSE

    def _factors(self, literal: int) -> list[int]:
        """Return literals that hold whenever a literal does."""
        found, pending = [], [literal]
        while pending:
            literal = pending.pop()
            found.append(literal)
            if not literal & 1 and literal >> 1 < len(self.circuit.fanins):
                pending += self.circuit.fanins[literal >> 1]
        return found

    def at(self, now: Mask) -> tuple[int, tuple[tuple[int, int], ...]]:
        """Return terminal, and each goal value with its literal, for a value of the clock."""
        for node in self.order:
            if node in self.varying:
                fanin = self.game.circuit.fanins[node]
                self.table[node] = self._gate(fanin) if fanin else (now >> (node - 1) & 1)
        new = self.table
        goals = tuple((value, new[literal >> 1] ^ (literal & 1)) for value, literal in self.values.items())
        terminal = self.game.terminal
        return new[terminal >> 1] ^ (terminal & 1), goals

    def after(self, now: Mask) -> Mask:
        """Return the clock one ply later."""
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
