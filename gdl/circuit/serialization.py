"""Write circuits of games as JSON, and read them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import Circuit, Group, Laws, Loop
from gdl.circuit.movers_side import MoversSide
from gdl.terms import Constant, Function, Term, fold


def dumped(game: GameCircuit) -> bytes:
    """Return a game as JSON, without the literals that moves imply, which matter only while a circuit is built."""
    document = {
        "roles": [_nested(role) for role in game.roles],
        "facts": [_nested(fact) for fact in game.facts],
        "moves": [[role, _nested(move)] for role, move in game.moves],
        "init": [number for number, holds in enumerate(game.init) if holds],
        "goals": [[role, _nested(value)] for role, value in game.goals],
        "sees": [[role, _nested(percept)] for role, percept in game.sees],
        **_numbers(game),
    }
    if game.side is not None:
        document["side"] = {"source": game.side.source, "other": game.side.other, **_numbers(game.side.game)}
    return json.dumps(document, separators=(",", ":")).encode()


def _numbers(game: GameCircuit) -> dict[str, Any]:
    """Return what is not a term: literals, gates, and what was proved."""
    circuit = game.circuit
    return {
        "legal": game.legal,
        "next": game.next,
        "terminal": game.terminal,
        "goal_literals": list(game.goals.values()),
        "sees_literals": list(game.sees.values()),
        "inputs": circuit.inputs,
        "fanins": circuit.fanins[1 + circuit.inputs :],
        "loops": [[loop.variables, loop.updates] for loop in circuit.loops],
        "constants": list(game.constants.items()),
        "one_goal": sorted(game.one_goal),
        "always_moves": sorted(game.always_moves),
        "groups": [[group.nodes, group.exact] for group in circuit.laws.groups],
    }


def loaded(data: bytes) -> GameCircuit:
    """Return the game that `dumped` has written."""
    document = json.loads(data)
    names = _Names(
        tuple(map(_term, document["roles"])),
        tuple(map(_term, document["facts"])),
        tuple((role, _term(move)) for role, move in document["moves"]),
        frozenset(document["init"]),
        [(role, _term(value)) for role, value in document["goals"]],
        [(role, _term(percept)) for role, percept in document["sees"]],
    )
    game = names.game(document)
    if (side := document.get("side")) is None:
        return game
    return replace(game, side=MoversSide(names.game(side), tuple(side["source"]), side["other"]))


@dataclass(frozen=True, slots=True)
class _Names:
    """The terms of a game, which its circuits have in common, and the numbers of the initial facts."""

    roles: tuple[Term, ...]
    facts: tuple[Term, ...]
    moves: tuple[tuple[int, Term], ...]
    init: frozenset[int]
    goals: list[tuple[int, Term]]
    sees: list[tuple[int, Term]]

    def game(self, numbers: dict[str, Any]) -> GameCircuit:
        """Return the game of a circuit, given what `_numbers` has returned for it."""
        groups = (Group(tuple(nodes), exact) for nodes, exact in numbers["groups"])
        circuit = Circuit(numbers["inputs"], Laws(tuple(groups)))
        circuit.fanins += map(tuple, numbers["fanins"])
        circuit.loops = [Loop(tuple(variables), tuple(updates)) for variables, updates in numbers["loops"]]
        return GameCircuit(
            circuit=circuit,
            roles=self.roles,
            facts=self.facts,
            moves=self.moves,
            init=tuple(number in self.init for number in range(len(self.facts))),
            legal=tuple(numbers["legal"]),
            next=tuple(numbers["next"]),
            terminal=numbers["terminal"],
            goals=dict(zip(self.goals, numbers["goal_literals"], strict=True)),
            sees=dict(zip(self.sees, numbers["sees_literals"], strict=True)),
            constants=dict(numbers["constants"]),
            one_goal=frozenset(numbers["one_goal"]),
            always_moves=frozenset(numbers["always_moves"]),
        )


def _nested(term: Term) -> Any:
    return fold(term, lambda leaf: leaf.name, lambda function, args: [function.name, *args])


def _term(nested: Any) -> Term:
    if isinstance(nested, str):
        return Constant(nested)
    return Function(nested[0], tuple(map(_term, nested[1:])))
