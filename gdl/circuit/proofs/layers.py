"""Sort a game's relations into layers by the dependencies of next facts: each needs only itself and lower layers."""

from __future__ import annotations

from gdl.circuit.game import GameCircuit
from gdl.language.strata import strongly_connected
from gdl.terms import Function, Term


def layers(game: GameCircuit) -> list[int]:
    """Return the layer of each fact; next facts depend only on facts of the same layer and lower ones."""
    relations: dict[object, int] = {}
    relation_of = [relations.setdefault(_relation(fact), len(relations)) for fact in game.facts]
    needs = _needs(game, relation_of)
    edges: dict[int, list[int]] = {}
    for relation in range(len(relations)):
        found = 0
        for number, own in enumerate(relation_of):
            if own == relation:
                found |= needs[game.next[number] >> 1]
        edges[relation] = [other for other in range(len(relations)) if found >> other & 1]
    components = strongly_connected(edges)
    layer_of = {relation: layer for layer, component in enumerate(components) for relation in component}
    return [layer_of[relation] for relation in relation_of]


def _relation(fact: Term) -> object:
    return (fact.name, len(fact.args)) if isinstance(fact, Function) else fact


def _needs(game: GameCircuit, relation_of: list[int]) -> list[int]:
    """Return the relations that each node depends on, as bits. A move depends on whatever makes it legal."""
    circuit = game.circuit
    found = [0] * len(circuit.fanins)
    for number, relation in enumerate(relation_of):
        found[1 + number] = 1 << relation
    while True:
        before = sum(map(int.bit_count, found))
        for node, fanin in enumerate(circuit.fanins):
            for literal in fanin:
                found[node] |= found[literal >> 1]
        for loop in circuit.loops:
            every = 0
            for literal in loop.updates:
                every |= found[literal >> 1]
            for node in loop.variables:
                found[node] |= every
        for number, literal in enumerate(game.legal):
            found[game.move(number) >> 1] |= found[literal >> 1]
        # Moves come before gates, so their dependencies arrive a round late, as do those of the variables of loops.
        if sum(map(int.bit_count, found)) == before:
            return found
