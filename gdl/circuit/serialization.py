"""Write circuits of games as JSON, and read them."""

from __future__ import annotations

import json
from typing import Any

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import Circuit, Group, Laws, Loop
from gdl.terms import Constant, Function, Term, fold


def dumped(game: GameCircuit) -> bytes:
    """Return a game as JSON, without the literals that moves imply, which matter only while a circuit is built."""
    circuit = game.circuit
    document = {
        "roles": [_nested(role) for role in game.roles],
        "facts": [_nested(fact) for fact in game.facts],
        "moves": [[role, _nested(move)] for role, move in game.moves],
        "init": [number for number, holds in enumerate(game.init) if holds],
        "legal": game.legal,
        "next": game.next,
        "terminal": game.terminal,
        "goals": [[role, _nested(value), literal] for (role, value), literal in game.goals.items()],
        "sees": [[role, _nested(percept), literal] for (role, percept), literal in game.sees.items()],
        "inputs": circuit.inputs,
        "fanins": circuit.fanins[1 + circuit.inputs :],
        "loops": [[loop.variables, loop.updates] for loop in circuit.loops],
        "constants": list(game.constants.items()),
        "one_goal": sorted(game.one_goal),
        "always_moves": sorted(game.always_moves),
        "groups": [[group.nodes, group.exact] for group in circuit.laws.groups],
    }
    return json.dumps(document, separators=(",", ":")).encode()


def loaded(data: bytes) -> GameCircuit:
    """Return the game that `dumped` has written."""
    document = json.loads(data)
    groups = (Group(tuple(nodes), exact) for nodes, exact in document["groups"])
    circuit = Circuit(document["inputs"], Laws(tuple(groups)))
    circuit.fanins += map(tuple, document["fanins"])
    circuit.loops = [Loop(tuple(variables), tuple(updates)) for variables, updates in document["loops"]]
    init = set(document["init"])
    return GameCircuit(
        circuit=circuit,
        roles=tuple(map(_term, document["roles"])),
        facts=tuple(map(_term, document["facts"])),
        moves=tuple((role, _term(move)) for role, move in document["moves"]),
        init=tuple(number in init for number in range(len(document["facts"]))),
        legal=tuple(document["legal"]),
        next=tuple(document["next"]),
        terminal=document["terminal"],
        goals={(role, _term(value)): literal for role, value, literal in document["goals"]},
        sees={(role, _term(percept)): literal for role, percept, literal in document["sees"]},
        constants=dict(document["constants"]),
        one_goal=frozenset(document["one_goal"]),
        always_moves=frozenset(document["always_moves"]),
    )


def _nested(term: Term) -> Any:
    return fold(term, lambda leaf: leaf.name, lambda function, args: [function.name, *args])


def _term(nested: Any) -> Term:
    if isinstance(nested, str):
        return Constant(nested)
    return Function(nested[0], tuple(map(_term, nested[1:])))
