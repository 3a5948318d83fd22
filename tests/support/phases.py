"""The phases of a game beside the Reasoner: random matches, state by state."""

from __future__ import annotations

from itertools import product

import gdl
from gdl.circuit.game import GameCircuit
from gdl.circuit.phases import Phases
from gdl.circuit.sampling import Lanes
from support.walks import walks


def check_phases(
    reasoner: gdl.Reasoner,
    game: GameCircuit,
    phases: Phases,
    matches: int,
    plies: int,
    seconds: float = 60.0,
) -> int:
    """Compare the game of each phase with the Reasoner in the states of some matches; return their number.

    Whether they are terminal, goals, legal moves, and all states that one more ply leads to are compared.
    """
    lanes, states = [Lanes(now, 1) for now in phases.games], 0
    for ply, state, following in walks(reasoner, matches, plies, seconds):
        states += 1
        held = set(state)
        (number,) = (number for number, fact in enumerate(phases.facts) if game.facts[fact] in held)
        if phases.distance == 1:
            assert number == ply % len(phases.facts)
        now, lane = phases.games[number], lanes[number]
        lane.set_facts([int(fact in held) for fact in game.facts])
        over = reasoner.is_terminal(state)
        assert bool(*lane.read([now.terminal])) == over
        if over:
            goals = {key for key, literal in now.goals.items() if lane.values[literal]}
            found = {(game.roles[role].text, int(value.text)) for role, value in goals}
            assert found == {(role, reasoner.goal(state, role)) for role in reasoner.roles}
            continue
        reached = []
        legal = [
            [move for move in now.moves_of(role) if lane.values[now.legal[move]]] for role in range(len(game.roles))
        ]
        for joint in product(*legal):
            lane.set_moves([int(move in joint) for move in range(len(now.moves))])
            reached.append(tuple(lane.read(now.next)))
        expected = [tuple(int(fact in held) for fact in game.facts) for held in map(set, following)]
        assert sorted(reached) == sorted(expected)
    return states
