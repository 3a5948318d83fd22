"""Estimate how much of a circuit changes from one evaluation of a search to the next.

A search does the moves of a role from a state, mostly in their order, and looks at the states that follow. Moves with
neighbouring numbers are alike, such as those of one piece: in quad, they change a quarter of what two random moves do.
The same is tried here, from states of random playouts, for many states at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import Circuit, uses
from gdl.circuit.sampling import Lanes, Playouts
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
    changes = edges = pairs = 0
    for before, end in zip((0, *_PLIES), _PLIES, strict=False):
        for _ in range(end - before):
            playouts.step()
        lanes.set_facts([_repeated(fact, (1 << _MOVES) - 1) for fact in playouts.facts])
        moves, compared = _tried(playouts.lanes, random)
        lanes.set_moves(moves)
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


def _tried(playouts: Lanes, random: Random) -> tuple[list[int], int]:
    """Return moves to try from each state, and the lanes that are compared with the one after them.

    The role with the most legal moves does some of them, one after the other, while the others do the same move.
    """
    game = playouts.game
    roles = [moves for moves in playouts.moves_by_role if moves]
    tried = [0] * len(game.moves)
    compared = 0
    for place in range(playouts.count):
        own = [[move for move in moves if playouts.values[game.legal[move]] >> place & 1] for moves in roles]
        if playouts.values[game.terminal] >> place & 1 or not all(own):
            continue
        mover = max(own, key=len)
        start = random.randrange(max(1, len(mover) - _MOVES + 1))
        some = mover[start : start + _MOVES]
        for number, move in enumerate(some, _MOVES * place):
            tried[move] |= 1 << number
        for moves in own:
            if moves is not mover:
                tried[random.choice(moves)] |= (1 << len(some)) - 1 << _MOVES * place
        compared |= (1 << len(some) - 1) - 1 << _MOVES * place
    return tried, compared


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
