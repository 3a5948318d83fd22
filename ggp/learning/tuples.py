"""Tuples of cells whose contents together say more about a position than each alone, found from the circuit of a game.

A cell is a group of facts of which at most one holds, as proved for the circuit: a square of a board, for example. Any
other fact is a cell of its own. Two cells have to do with each other if a gate depends on both and on few others, as
those of a line to be completed, or the two squares of a move. Tuples grow from each cell along such pairs at random
(as for Othello and Connect Four: Lucas 2008; Thill, Koch and Konen 2012, who took neighbours on the board).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import TYPE_CHECKING, Final, final

import numpy as np

from gdl.circuit.analysis.cones import Mask, bits, masks_of
from ggp.players.learned_values.tuples import Tuples

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator

#: The most facts of a cell in a tuple, and the most cells of a gate that says something about its cells.
_WIDEST: Final = 8
_FEW: Final = 8

#: A cell is in no tuple if it depends on more than this share of all others, and on more than this number: such a cell
#: says whose turn it is, for example.
_COMMON: Final = 0.4
_MANY: Final = 16

#: The most cells of a tuple, its most patterns, the tuples that grow from each cell, and the most patterns of all.
_LONGEST: Final = 6
_PATTERNS: Final = 1024
_EACH: Final = 4
_ALL_PATTERNS: Final = 150_000


@final
class _Cell:
    """Facts of which at most one holds, with a digit for each; digit 0 means none, or the last if one always holds."""

    def __init__(self, facts: tuple[int, ...], exact: bool) -> None:
        self.facts = facts[:-1] if exact else facts
        self.digits = len(self.facts) + 1


def find_tuples(simulator: Simulator, seed: int) -> Tuples:
    """Return tuples of cells of a game; none if no two cells have to do with each other."""
    random = np.random.default_rng(seed)
    cells, owner = _cells(simulator)
    near = _near(simulator, owner, len(cells))
    found: dict[frozenset[int], None] = {}
    patterns = 0
    for _ in range(_EACH):
        for cell in random.permutation(len(cells)):
            grown = _grown(int(cell), cells, near, random)
            size = _size(grown, cells)
            if len(grown) > 1 and grown not in found and patterns + size <= _ALL_PATTERNS:
                found[grown] = None
                patterns += size
    return Tuples.of(list(_links([sorted(one) for one in found], cells)), [_size(one, cells) for one in found])


def _cells(simulator: Simulator) -> tuple[list[_Cell], dict[int, int]]:
    """Return the cells of a game, and the number of the cell of each fact."""
    facts = len(simulator.all_facts)
    groups = [group for group in simulator.circuit.circuit.laws.groups if group.nodes[0] <= facts]
    cells: list[_Cell] = []
    owner: dict[int, int] = {}
    for group in sorted(groups, key=lambda group: len(group.nodes)):
        numbers = tuple(node - 1 for node in group.nodes)
        if len(numbers) <= _WIDEST and owner.keys().isdisjoint(numbers):
            owner |= dict.fromkeys(numbers, len(cells))
            cells.append(_Cell(numbers, group.exact))
    for fact in range(facts):
        if fact not in owner and fact not in simulator.circuit.constants:
            owner[fact] = len(cells)
            cells.append(_Cell((fact,), exact=False))
    return cells, owner


def _near(simulator: Simulator, owner: Mapping[int, int], cells: int) -> list[dict[int, float]]:
    """Return, for each cell, how much it has to do with others: those that small gates depend on, too."""
    circuit = simulator.circuit.circuit
    facts: Mask = (1 << len(simulator.all_facts)) - 1
    supports: dict[frozenset[int], int] = {}
    for node, mask in enumerate(masks_of(circuit)):
        if node > circuit.inputs and (mask & facts).bit_count() <= _FEW * _WIDEST:
            support = frozenset(owner[fact] for fact in bits(mask & facts) if fact in owner)
            supports[support] = supports.get(support, 0) + 1
    others: list[set[int]] = [set() for _ in range(cells)]
    for support in supports:
        if len(support) <= _FEW:
            for cell in support:
                others[cell] |= support
    common = {cell for cell in range(cells) if len(others[cell]) > max(_MANY, _COMMON * cells)}
    near: list[dict[int, float]] = [{} for _ in range(cells)]
    for support in supports:
        kept = support - common
        if 2 <= len(kept) <= _FEW:
            for cell in kept:
                for other in kept - {cell}:
                    near[cell][other] = near[cell].get(other, 0.0) + 1 / (len(kept) - 1)
    return near


def _grown(start: int, cells: list[_Cell], near: list[dict[int, float]], random: np.random.Generator) -> frozenset[int]:
    """Return a tuple that has grown from a cell, each time by one that has to do with those that it has."""
    grown, size = [start], cells[start].digits
    pull: dict[int, float] = {}
    while len(grown) < _LONGEST:
        for other, weight in near[grown[-1]].items():
            pull[other] = pull.get(other, 0.0) + weight
        fitting = sorted(one for one in pull if one not in grown and size * cells[one].digits <= _PATTERNS)
        if not fitting:
            break
        weights = np.array([pull[one] for one in fitting])
        chosen = int(random.choice(fitting, p=weights / weights.sum()))
        grown.append(chosen)
        size *= cells[chosen].digits
    return frozenset(grown)


def _size(one: Iterable[int], cells: list[_Cell]) -> int:
    """Return the number of patterns of a tuple."""
    return prod(cells[cell].digits for cell in one)


def _links(tuples: list[list[int]], cells: list[_Cell]) -> Iterator[tuple[int, int, int]]:
    """Yield the fact, the tuple, and what the fact adds to the number of the tuple's pattern."""
    for number, one in enumerate(tuples):
        place = 1
        for cell in one:
            for digit, fact in enumerate(cells[cell].facts, 1):
                yield fact, number, digit * place
            place *= cells[cell].digits
