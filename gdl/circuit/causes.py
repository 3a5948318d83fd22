"""Name the relations that make a game's circuit large, for errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from gdl.circuit.game import GameCircuit
from gdl.grounder.program import GroundProgram
from gdl.language.rules import signature_text
from gdl.terms import Term, shape_of

#: The maximum number of relations named, and the least size of each, as a share of the largest one's.
_NAMED: Final = 3
_SHARE: Final = 0.2


def causes_in_program(program: GroundProgram) -> list[tuple[str, int]]:
    """Return the relations of outputs that need most of a ground program, each with the number of literals it needs."""
    bodies: dict[int, list[tuple[int, ...]]] = {}
    for head, body in program.rules:
        bodies.setdefault(head, []).append(body)
    roots: dict[str, list[int]] = {}
    for (_, move), atom in program.legal.items():
        roots.setdefault(_name("legal", move), []).append(atom)
    for fact, atom in program.next.items():
        roots.setdefault(_name("next", fact), []).append(atom)
    for (_, percept), atom in program.sees.items():
        roots.setdefault(_name("sees", percept), []).append(atom)
    roots["goal/2"] = list(program.goal.values())
    roots["terminal/0"] = [] if program.terminal is None else [program.terminal]

    def needs(atom: int) -> tuple[Iterable[int], int]:
        own = bodies.get(atom, ())
        return {abs(literal) for body in own for literal in body}, sum(map(len, own)) + len(own)

    return _largest(roots, needs)


def causes_in_circuit(game: GameCircuit) -> list[tuple[str, int]]:
    """Return the relations of outputs that need most of a circuit, each with the number of inputs of gates it needs."""
    roots: dict[str, list[int]] = {}
    for (_, move), literal in zip(game.moves, game.legal, strict=True):
        roots.setdefault(_name("legal", move), []).append(literal >> 1)
    for fact, literal in zip(game.facts, game.next, strict=True):
        roots.setdefault(_name("next", fact), []).append(literal >> 1)
    for (_, percept), literal in game.sees.items():
        roots.setdefault(_name("sees", percept), []).append(literal >> 1)
    roots["goal/2"] = [literal >> 1 for literal in game.goals.values()]
    roots["terminal/0"] = [game.terminal >> 1]
    fanins = game.circuit.fanins
    updates = {
        node: [literal >> 1 for literal in loop.updates] for loop in game.circuit.loops for node in loop.variables
    }

    def needs(node: int) -> tuple[Iterable[int], int]:
        return [literal >> 1 for literal in fanins[node]] + updates.get(node, []), len(fanins[node])

    return _largest(roots, needs)


def _name(keyword: str, term: Term) -> str:
    """Return the name of an output's relation: the keyword with the function of its term, such as `next (cell/3)`."""
    return f"{keyword} ({signature_text(shape_of(term))})"


def _largest(
    roots: Mapping[str, Iterable[int]], needs: Callable[[int], tuple[Iterable[int], int]]
) -> list[tuple[str, int]]:
    """Return the relations with the largest parts; `needs` returns what a node needs directly, and its own size."""
    sizes: dict[str, int] = {}
    for relation, nodes in roots.items():
        stack, seen = list(nodes), set()
        total = 0
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                children, size = needs(node)
                total += size
                stack += children
        sizes[relation] = total
    ranked = sorted(sizes.items(), key=lambda item: -item[1])[:_NAMED]
    return [(relation, size) for relation, size in ranked if size >= max(1, _SHARE * ranked[0][1])]
