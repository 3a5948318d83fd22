"""The phases of a game: facts of which exactly one holds in each state, and which usually follow each other in turn.

Most often they say whose turn it is: `(control white)`, then `(control black)`, then `(control white)` again. In each
phase, much of what the rules say does not matter, such as the moves of the other roles. So playouts are faster if they
have a circuit for each phase.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from random import Random
from typing import Final, final

from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Group
from gdl.circuit.sampling import Playouts

#: The most phases for which there are circuits.
_MOST: Final = 8

#: Facts usually follow each other if the mean distance between two of them is less than this share of that by chance.
_USUAL: Final = 0.9

#: The random playouts that show how phases follow each other: their number, and their steps, fewer in large circuits.
#: There are none in circuits whose gates have more inputs than this: that would take a second, as in fox_game.
_LARGEST: Final = 50_000
_LANES: Final = 256
_STEPS: Final = 64
_WORK: Final = 1_000_000


@final
@dataclass(frozen=True, slots=True)
class Phases:
    """The phases of a game in the order in which they usually follow each other, the initial one first."""

    #: The number of the fact that holds in each phase.
    facts: tuple[int, ...]
    #: For each phase, a game that is right in states of it, and one that is right in states after a ply in it.
    games: tuple[GameCircuit, ...]
    after: tuple[GameCircuit, ...]
    #: The mean number of phases from a ply to the next one, in random playouts: 1 if they follow each other strictly.
    distance: float


def phases_of(game: GameCircuit, smaller: float = inf) -> Phases | None:
    """Return the phases of a game; None if there are none.

    Neither are there any unless the games in the phases between a ply and the next one have less than a share `smaller`
    of the game's size.
    """
    order = _order(game)
    if order is None:
        return None
    facts, distance = order
    games = tuple(_in_phase(game, facts, number) for number in range(len(facts)))
    if sum(own.circuit.size for own in games) / len(games) * distance >= smaller * game.circuit.size:
        return None
    strict = all(game.next[later] == game.fact(now) for now, later in zip(facts, (*facts[1:], facts[0]), strict=True))
    after = (*games[1:], games[0]) if strict else (game,) * len(games)
    return Phases(facts, games, after, distance)


def _order(game: GameCircuit) -> tuple[tuple[int, ...], float] | None:
    """Return the facts of the phases in their order, and the mean number of phases from a ply to the next one.

    If facts follow each other strictly, these are taken, and of several such cycles the longest.
    """
    known = [tuple(node - 1 for node in group.nodes) for group in game.circuit.laws.groups if group.exact]
    known = [facts for facts in known if 1 < len(facts) <= _MOST and max(facts) < len(game.facts)]
    sets = set(map(frozenset, known))
    strict = [cycle for cycle in _cycles(game) if frozenset(cycle) in sets]
    if strict:
        return max(strict, key=len), 1.0
    # By chance, the distance would be the mean of the numbers from one to that of the phases.
    usual = [(cycle, distance) for cycle, distance in _usual(game, known) if distance < _USUAL * (1 + len(cycle)) / 2]
    return min(usual, key=lambda one: one[1], default=None)


def _cycles(game: GameCircuit) -> Iterator[tuple[int, ...]]:
    """Yield facts that follow each other strictly, from the only one of them that holds at first."""
    before = {fact: (literal >> 1) - 1 for fact, literal in enumerate(game.next) if not literal & 1}
    for first in (fact for fact, holds in enumerate(game.init) if holds):
        cycle = [first]
        while len(cycle) <= _MOST and (fact := before.get(cycle[-1], -1)) != first and 0 <= fact < len(game.facts):
            cycle.append(fact)
        if 1 < len(cycle) <= _MOST and before.get(cycle[-1]) == first and sum(game.init[fact] for fact in cycle) == 1:
            yield first, *reversed(cycle[1:])


def _usual(game: GameCircuit, groups: Sequence[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield facts that usually follow each other in random playouts, with the mean distance from one to the next."""
    if not groups or game.circuit.size > _LARGEST:
        return
    playouts = Playouts(game, _LANES, Random(0))
    counts = [[[0] * len(facts) for _ in facts] for facts in groups]
    for _ in range(max(1, min(_STEPS, _WORK // max(1, game.circuit.size)))):
        before, going = playouts.facts, playouts.lanes.full ^ playouts.lanes.values[game.terminal]
        playouts.step()
        for facts, table in zip(groups, counts, strict=True):
            for row, fact in zip(table, facts, strict=True):
                if here := before[fact] & going:
                    for number, other in enumerate(facts):
                        row[number] += (here & playouts.facts[other]).bit_count()
    for facts, table in zip(groups, counts, strict=True):
        place = next(number for number, fact in enumerate(facts) if game.init[fact])
        order: list[int] = []
        while place not in order and any(table[place]):
            order.append(place)
            place = table[place].index(max(table[place]))
        if len(order) == len(facts) and place == order[0]:
            distances = sum(
                count * ((order.index(later) - now - 1) % len(order) + 1)
                for now, place in enumerate(order)
                for later, count in enumerate(table[place])
            )
            yield tuple(facts[place] for place in order), distances / max(1, sum(map(sum, table)))


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
