"""Statistics of random playouts of a circuit: choices of the players, ends and goals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Final

from gdl.circuit.game import GameCircuit
from gdl.circuit.sampling import Playouts

#: Playouts of a circuit side by side, the steps that they take at most, and how many inputs of gates in all.
_LANES: Final = 256
_STEPS: Final = 400
_LONGEST: Final = 2_000
_WORK: Final = 3_000_000


@dataclass(slots=True)
class Seen:
    """Statistics of playouts: states, those in which several players chose; ends, and the players' goals there."""

    states: int = 0
    together: int = 0
    ends: int = 0
    goals: set[tuple[int, ...]] = field(default_factory=set)

    def note(self, goals: tuple[int, ...]) -> None:
        """The goals of an end; -1 where there is none."""
        if min(goals, default=-1) >= 0:
            self.goals.add(goals)


def observed(game: GameCircuit, players: Sequence[int], seed: int, seconds: float) -> Seen:
    """The statistics of random playouts, many at a time: for about so many seconds, or until enough is seen."""
    playouts = Playouts(game, _LANES, Random(seed))
    values, seen = playouts.lanes.values, Seen()
    until, latest = monotonic() + seconds / 2, monotonic() + 2 * seconds
    cost = max(1, sum(map(len, game.circuit.fanins)))
    for step in range(_LONGEST):
        # Some ends must be seen, however long a game is.
        if seen.ends and (step > min(_STEPS, _WORK // cost) or monotonic() > until):
            break
        if monotonic() > latest:
            break
        over = values[game.terminal]
        choosing = together = 0
        for number in players:
            one = two = 0
            for move in game.moves_of(number):
                legal = values[game.legal[move]] & ~over
                two |= one & legal
                one |= legal
            together |= choosing & two
            choosing |= two
        seen.states += _LANES - over.bit_count()
        seen.together += together.bit_count()
        if over:
            seen.ends += over.bit_count()
            for goals in _goals_in(values, goals_of(game, players), over):
                seen.note(goals)
        playouts.step()
    return seen


#: For a player, goal values with the literals that say that they hold.
Goals = list[tuple[int, int]]


def goals_of(game: GameCircuit, players: Sequence[int]) -> list[Goals]:
    """The goals of each player; what is no whole number, or negative, is -1."""
    table = list(zip(game.goal_table, game.goals.values(), strict=True))
    found: list[Goals] = []
    for number in players:
        own = [(value, literal) for (role, value), literal in table if role == number]
        found.append([(-1 if value is None or value < 0 else value, literal) for value, literal in own])
    return found


def _goals_in(values: Sequence[int], goals: Sequence[Goals], lanes: int) -> Iterator[tuple[int, ...]]:
    """The players' goals in some lanes: each combination that there is."""
    if not goals:
        yield ()
        return
    for value, literal in goals[0]:
        if held := lanes & values[literal]:
            for others in _goals_in(values, goals[1:], held):
                yield (value, *others)
