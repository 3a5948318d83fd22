"""Statistics of random playouts of a circuit: choices of the players, ends of playouts and goals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Final

from gdl.circuit.game import GameCircuit
from gdl.circuit.sampling import Playouts

#: The number of parallel playouts. Once an end has been seen, they stop after this many steps, or once this many
#: inputs of gates have been evaluated; they always stop after `_LONGEST` steps.
_LANES: Final = 256
_STEPS: Final = 400
_LONGEST: Final = 2_000
_WORK: Final = 3_000_000


@dataclass(slots=True)
class Seen:
    """The numbers of states, of those in which several players have a choice, and of ends; and the goals at ends."""

    states: int = 0
    together: int = 0
    ends: int = 0
    goals: set[tuple[int, ...]] = field(default_factory=set)

    def note(self, goals: tuple[int, ...]) -> None:
        """Add the goals of an end, unless a player has none (-1)."""
        if min(goals, default=-1) >= 0:
            self.goals.add(goals)


def observed(game: GameCircuit, players: Sequence[int], seed: int, seconds: float) -> Seen:
    """Return statistics of random playouts of about `seconds`, or less if enough has been seen."""
    playouts = Playouts(game, _LANES, Random(seed))
    values, seen = playouts.lanes.values, Seen()
    until, latest = monotonic() + seconds / 2, monotonic() + 2 * seconds
    cost = max(1, game.circuit.size)
    for step in range(_LONGEST):
        # At least one end must be seen, however long the game is.
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


#: The goal values of a player, with the literals that hold if they are reached.
Goals = list[tuple[int, int]]


def goals_of(game: GameCircuit, players: Sequence[int]) -> list[Goals]:
    """Return the goals of each player; terms that are no goal values are -1."""
    table = list(zip(game.goal_table, game.goals.values(), strict=True))
    found: list[Goals] = []
    for number in players:
        own = [(value, literal) for (role, value), literal in table if role == number]
        found.append([(-1 if value is None else value, literal) for value, literal in own])
    return found


def _goals_in(values: Sequence[int], goals: Sequence[Goals], lanes: int) -> Iterator[tuple[int, ...]]:
    """Yield each combination of the players' goals that occurs in some lanes."""
    if not goals:
        yield ()
        return
    for value, literal in goals[0]:
        if held := lanes & values[literal]:
            for others in _goals_in(values, goals[1:], held):
                yield (value, *others)
