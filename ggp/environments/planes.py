"""States as images: channels x height x width, from the boards that `ggp.board` finds in the rules.

For each board, there is a channel for each piece and mark: 1 in the cells that it stands on. Every other fact that can
change is a channel of its own, the same in all cells, except those of counters, facts that differ only in a whole
number: they become *thermometers*, channels that are 1 if the number is at least so large.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.simulator.expansion import Expansion
from gdl.terms import Term
from ggp.board import CellPlace, Layout, find_boards
from ggp.board.leaves import flatten, pick
from ggp.environments.position import Position

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ggp.environments.game import EnvironmentGame

#: A counter has at least this many values, and at most this many channels; of more values, some are left out.
_LEAST_VALUES: Final = 4
_MOST_CHANNELS: Final = 16

#: The facts of a counter: their shape, with a place for the number.
_Counter = tuple[str, tuple[str, ...], int]


#: What an element of an observation means: it is 1 if one of these facts holds. Elements with the same facts, and those
#: without any, are told apart by a number.
Meaning = tuple[frozenset[int], int]


class NoBoardError(ValueError):
    """No board was found in the rules, so there are no planes."""


@final
class PlanesObserver:
    """Planes (channels, height, width). The legend names each channel.

    Boards of different sizes share the upper left corner, and cells that a board lacks are 0.
    """

    def __init__(self, game: EnvironmentGame) -> None:
        """Find the boards. Raises NoBoardError if there are none."""
        simulator = game.simulator
        layout = find_boards(simulator.reasoner)
        boards = [board for board in layout.boards if not board.holds]
        if not boards:
            raise NoBoardError(f"no board was found in the rules of {game.name}, so there are no planes; use facts")
        height = max(len(board.rows) for board in boards)
        width = max(len(board.columns) for board in boards)
        changing = [i for i in range(len(simulator.all_facts)) if i not in simulator.circuit.constants]
        cells, rest = _placed(layout, simulator.all_facts, changing)
        thermometers, others = _counters(simulator.all_facts, rest)
        self.legend: tuple[str, ...] = (*cells, *thermometers, *(simulator.all_facts[i].text for i in others))
        self.shape: tuple[int, ...] = (len(self.legend), height, width)
        self._on_cells = len(cells)
        self._bits = bits = _cell_bits(cells.values(), height, width)
        self._channels = [*map(frozenset, thermometers.values()), *(frozenset({i}) for i in others)]
        words = simulator.layout.state_words
        self._sides = {
            agent: _Side(
                Expansion([game.facts_seen(agent, [bit])[0] if bit >= 0 else bit for bit in bits]),
                Expansion(game.facts_seen(agent, others)),
                np.array(
                    [_mask(game.facts_seen(agent, facts), words) for facts in thermometers.values()], np.uint64
                ).reshape(-1, words),
            )
            for agent in game.agents
        }

    def meanings(self) -> list[Meaning]:
        """Return the facts of each cell of each channel, as the first agent sees them."""
        cells = [(frozenset({bit} - {-1}), 0 if bit >= 0 else ~place) for place, bit in enumerate(self._bits)]
        size = self.shape[1] * self.shape[2]
        return cells + [(facts, 1 + place) for facts in self._channels for place in range(size)]

    def observe(self, position: Position, agent: int, /) -> NDArray[np.int8]:
        """Return the planes of a match as an agent sees them: (channels, height, width), int8."""
        out = np.empty(self.shape, np.int8)
        self.observe_states(np.frombuffer(position.state.bits, np.uint64)[None], agent, out[None])
        return out

    def observe_states(self, states: NDArray[np.uint64], agent: int, out: NDArray[Any]) -> None:
        """Write the planes of states (n, state_words) to `out` (n, channels, height, width)."""
        side = self._sides[agent]
        count, size = len(states), self.shape[1] * self.shape[2]
        cells = np.empty((count, self._on_cells * size), out.dtype)
        side.cells.write(states, cells)
        out[:, : self._on_cells] = cells.reshape(count, self._on_cells, *self.shape[1:])
        channel = self._on_cells
        for mask in side.thermometers:
            held = np.asarray(np.bitwise_and(states, mask).any(axis=1))
            out[:, channel] = held[:, None, None]
            channel += 1
        singles = np.empty((count, side.singles.count), out.dtype)
        side.singles.write(states, singles)
        out[:, channel:] = singles[:, :, None, None]


@final
@dataclass(frozen=True, slots=True)
class _Side:
    """The bits of states that an agent sees: those of cells and of single facts, and masks of thermometers.

    The masks (channels, words) have the bits of the facts of each channel.
    """

    cells: Expansion
    singles: Expansion
    thermometers: NDArray[np.uint64]


def _placed(
    layout: Layout, facts: Sequence[Term], numbers: Sequence[int]
) -> tuple[dict[str, dict[CellPlace, int]], list[int]]:
    """Return the fact of each cell for each channel, by its name, and the facts that belong to no board."""
    channels: defaultdict[str, dict[CellPlace, int]] = defaultdict(dict)
    rest = []
    for number in numbers:
        shape, leaves = flatten(facts[number])
        layer = layout.layers.get(shape)
        place = None if layer is None or layout.holds(layer) else layer.places.get(pick(leaves, layer.key))
        piece = None if layer is None or layer.mark else layer.pieces.get(pick(leaves, layer.content))
        if layer is None or place is None or (piece is None and not layer.mark):
            rest.append(number)
            continue
        name = layer.mark if piece is None else piece.name
        several = sum(not board.holds for board in layout.boards) > 1
        board = f" on {layout.boards[place.board].title}" if several else ""
        cells = channels[f"{layer.name} {name}{board}"]
        # Facts that share a cell and a name differ in something that the board does not show.
        (cells if place not in cells else channels[facts[number].text])[place] = number
    return dict(sorted(channels.items())), rest


def _cell_bits(channels: Any, height: int, width: int) -> list[int]:
    bits = []
    for cells in channels:
        plane = np.full((height, width), -1)
        for place, number in cells.items():
            plane[place.row, place.column] = number
        bits += [int(bit) for bit in plane.ravel()]
    return bits


def _counters(facts: Sequence[Term], numbers: Sequence[int]) -> tuple[dict[str, list[int]], list[int]]:
    """Return the facts of each channel of a thermometer, by its meaning, and the facts that are no counters."""
    families: defaultdict[_Counter, dict[int, int]] = defaultdict(dict)
    for number in numbers:
        shape, leaves = flatten(facts[number])
        for place, leaf in enumerate(leaves):
            if leaf.isdecimal():
                families[shape, (*leaves[:place], "?", *leaves[place + 1 :]), place][int(leaf)] = number
    channels: dict[str, list[int]] = {}
    used: set[int] = set()
    for (shape, pattern, _), values in sorted(families.items()):
        if len(values) < _LEAST_VALUES or used & set(values.values()):
            continue
        used |= set(values.values())
        name = _written(shape, pattern)
        for least in _thresholds(sorted(values)):
            channels[f"{name} >= {least}"] = [number for value, number in values.items() if value >= least]
    return channels, [number for number in numbers if number not in used]


def _thresholds(values: Sequence[int]) -> list[int]:
    """Return the values that get a channel: all, or as many as there may be, evenly spaced."""
    chosen = np.linspace(0, len(values) - 1, min(len(values), _MOST_CHANNELS)).round().astype(int)
    return [values[place] for place, _ in groupby(chosen)]


def _written(shape: str, leaves: Sequence[str]) -> str:
    """Return the text of a fact with a shape and leaves."""
    text = shape
    for leaf in leaves:
        text = text.replace("_", leaf.replace("_", "\0"), 1)
    return text.replace("\0", "_")


def _mask(facts: Sequence[int], words: int) -> list[int]:
    bits = sum(1 << fact for fact in facts if fact >= 0)
    return [bits >> (64 * word) & (2**64 - 1) for word in range(words)]
