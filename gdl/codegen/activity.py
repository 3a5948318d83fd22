"""Estimate how much of a circuit changes from one evaluation of a search to the next.

A search does several moves from a state, and looks at the states that follow. The same is tried here, from states of
random playouts, for many states at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import Circuit, uses
from gdl.circuit.sampling import Lanes, Playouts, random_moves
from gdl.codegen.evaluation import looked, moved
from gdl.compile_budget import check_budget

#: The number of playouts, of moves from each of their states, and the plies after which states are taken.
_PLAYOUTS: Final = 16
_MOVES: Final = 16
_PLIES: Final = (3, 10, 25)


@final
@dataclass(frozen=True, slots=True)
class Activity:
    """The changes from one state to the next, on the average: of inputs and gates, and of inputs of gates."""

    changes: float
    edges: float


def activity(game: GameCircuit) -> Activity | None:
    """Estimate the changes that `look` and `move` have to follow together. The result is always the same.

    Return None if there are no states with a choice.
    """
    random = Random(0)
    playouts, lanes = Playouts(game, _PLAYOUTS, random), Lanes(game, _PLAYOUTS * _MOVES)
    looking, moving = _readers(game.circuit, looked(game)), _readers(game.circuit, moved(game, percepts=True))
    # All lanes but the last of each state: each is compared with the next one, if that does another move.
    first = _repeated((1 << _PLAYOUTS) - 1, (1 << _MOVES - 1) - 1)
    changes = edges = pairs = 0
    for before, end in zip((0, *_PLIES), _PLIES, strict=False):
        for _ in range(end - before):
            playouts.step()
        lanes.set_facts([_repeated(fact, (1 << _MOVES) - 1) for fact in playouts.facts])
        moves, going = random_moves(lanes, random, lanes.full ^ lanes.values[game.terminal])
        lanes.set_moves(moves)
        other = 0
        for move in moves:
            other |= move ^ move >> 1
        compared = first & going & going >> 1 & other
        pairs += compared.bit_count()
        for readers in (moving, looking):
            for node, count in readers.items():
                check_budget()
                value = lanes.values[2 * node]
                differ = ((value ^ value >> 1) & compared).bit_count()
                changes += differ
                edges += differ * count
            if readers is moving:
                lanes.set_facts(lanes.read(game.next))
    return Activity(changes / pairs, edges / pairs) if pairs else None


def _readers(circuit: Circuit, parts: Sequence[Sequence[int]]) -> Counter[int]:
    """Count the gates and outputs that read each node."""
    outputs = [literal for part in parts for literal in part]
    return Counter(literal >> 1 for literal in (*outputs, *_fanins(circuit, outputs)))


def _fanins(circuit: Circuit, outputs: Iterable[int]) -> list[int]:
    return [literal for node in uses(circuit, outputs) for literal in circuit.fanins[node]]


def _repeated(value: int, pattern: int) -> int:
    """Return a pattern for each bit of a value that is one, `_MOVES` bits for each."""
    found = 0
    for place in range(_PLAYOUTS):
        if value >> place & 1:
            found |= pattern << place * _MOVES
    return found
