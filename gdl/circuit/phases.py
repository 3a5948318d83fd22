"""The phases of a game: facts of which exactly one holds, and which follow each other strictly, whatever is played.

Most often they say whose turn it is: `(control white)`, then `(control black)`, then `(control white)` again. In each
phase, much of what the rules say does not matter, such as the moves of the other roles. So playouts are faster if they
have a circuit for each phase.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, final

from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Group

#: The most phases for which there are circuits.
_MOST: Final = 8


@final
@dataclass(frozen=True, slots=True)
class Phase:
    """The number of the fact that holds in a phase, and a game that is right in states of it."""

    fact: int
    game: GameCircuit


def phases_of(game: GameCircuit, smaller: float = inf) -> tuple[Phase, ...]:
    """Return the phases of a game in the order in which they follow each other, the first one first.

    If there are several such cycles of facts, it is the longest. The result is empty if there is none, or unless the
    games in these phases have less than a share `smaller` of the game's size, on average.
    """
    known = {frozenset(group.nodes) for group in game.circuit.laws.groups if group.exact}
    found = [cycle for cycle in _cycles(game) if frozenset(1 + fact for fact in cycle) in known]
    facts = max(found, key=len, default=())
    phases = tuple(Phase(fact, _in_phase(game, facts, number)) for number, fact in enumerate(facts))
    return phases if sum(size(phase.game) for phase in phases) < smaller * len(phases) * size(game) else ()


def _cycles(game: GameCircuit) -> Iterator[tuple[int, ...]]:
    """Yield the facts that follow each other, from one that holds at first, as no other one of them does."""
    before = {fact: (literal >> 1) - 1 for fact, literal in enumerate(game.next) if not literal & 1}
    for first in (fact for fact, holds in enumerate(game.init) if holds):
        cycle = [first]
        while len(cycle) <= _MOST and (fact := before.get(cycle[-1], -1)) != first and 0 <= fact < len(game.facts):
            cycle.append(fact)
        if 1 < len(cycle) <= _MOST and before.get(cycle[-1]) == first and sum(game.init[fact] for fact in cycle) == 1:
            yield first, *reversed(cycle[1:])


def _in_phase(game: GameCircuit, facts: Sequence[int], number: int) -> GameCircuit:
    """Return a game for one of the phases, in which the other facts, and what it excludes, do not hold."""
    own, cycle = 1 + facts[number], {1 + fact for fact in facts}
    constants = dict.fromkeys(cycle, FALSE)
    groups = []
    for group in game.circuit.laws.groups:
        if own in group.nodes:
            constants |= dict.fromkeys(group.nodes, FALSE)
        elif len(nodes := tuple(node for node in group.nodes if node not in cycle)) > 1:
            groups.append(Group(nodes, group.exact))
    return rebuild(game, groups, {**constants, own: TRUE})


def size(game: GameCircuit) -> int:
    """Return the number of inputs of all gates of a game."""
    return sum(map(len, game.circuit.fanins))
