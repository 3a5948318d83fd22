"""The mover's side of a game beside the Reasoner: random matches, state by state."""

from __future__ import annotations

from itertools import product

import gdl
from gdl.circuit.game import GameCircuit
from gdl.circuit.sampling import Lanes
from support.walks import walks


def seen(game: GameCircuit, state: gdl.State, plies: int) -> tuple[int, ...]:
    """The facts of a state after some plies, each of which has renamed all facts."""
    assert game.side is not None
    held = set(state)
    bits = [int(fact in held) for fact in game.facts]
    for _ in range(plies):
        bits = [bits[source] for source in game.side.source]
    return tuple(bits)


def check_side(reasoner: gdl.Reasoner, game: GameCircuit, matches: int, plies: int, seconds: float = 60.0) -> int:
    """Compare the mover's side with the Reasoner in the states of some matches; return their number.

    All states that one more step leads to are compared, and in those after a step whether they are terminal, and goals.
    """
    assert game.side is not None
    side, states = game.side.game, 0
    lanes = Lanes(side, 1)
    for ply, state, following in walks(reasoner, matches, plies, seconds):
        states += 1
        lanes.set_facts(seen(game, state, ply))
        over = reasoner.is_terminal(state)
        if ply:
            assert bool(*lanes.read([side.terminal])) == over
        if over:
            roles = game.roles[::-1] if ply % 2 else game.roles
            goals = {key for key, literal in side.goals.items() if lanes.values[literal]}
            found = {(roles[role].text, int(value.text)) for role, value in goals}
            assert found == {(role, reasoner.goal(state, role)) for role in reasoner.roles}
            continue
        legal = [[number for number in side.moves_of(role) if lanes.values[side.legal[number]]] for role in range(2)]
        reached = []
        for pair in product(*legal):
            lanes.set_moves([int(number in pair) for number in range(len(side.moves))])
            reached.append(tuple(lanes.read(side.next)))
        assert sorted(reached) == sorted(seen(game, other, ply + 1) for other in following)
    return states
