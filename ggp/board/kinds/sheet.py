"""Lay out coordinates in columns and rows, so that every cell gets its place on a board."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ggp.board.finding.facts import Knowledge
from ggp.board.finding.order import Axis
from ggp.board.finding.orient import Orientation
from ggp.board.kinds.board import Board
from ggp.board.leaves import Leaves
from ggp.board.model import CellPlace, Layer

#: The largest number of boards drawn for one table.
_MAX_BOARDS: Final = 36

#: Makes a board from its title, the names of its columns and rows, its cells, and whether row names grow upwards.
MakeBoard = Callable[[str, tuple[str, ...], tuple[str, ...], frozenset[tuple[int, int]], bool], Board]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The boards of one table; each entry of `bands` has the numbers of boards that stand side by side.

    `layers` are those of tables that only boards of this kind know of.
    """

    boards: tuple[Board, ...]
    bands: tuple[tuple[int, ...], ...]
    places: Mapping[Leaves, CellPlace]
    layers: Mapping[str, Layer] = field(default_factory=dict)


def lay_out(
    known: Knowledge,
    cells: Mapping[Leaves, Leaves],
    axes: Sequence[Axis],
    orientation: Orientation,
    title: str,
    first: int,
    *,
    make: MakeBoard = Board,
    corners: Mapping[str, tuple[int, int]] | None = None,
) -> Sheet:
    """Return boards for the cells (coordinates by key), numbered from `first`; none if there would be too many.

    Boards that have `corners` are parts of a whole one, and are arranged like these.
    """
    by_board: dict[Leaves, dict[Leaves, Leaves]] = {}
    for key, cell in cells.items():
        by_board.setdefault(tuple(cell[i] for i in orientation.boards), {})[key] = cell
    if len(by_board) > _MAX_BOARDS:
        return Sheet((), (), {})
    bands = _parts(corners, orientation) if corners else _bands(list(by_board), axes, orientation)
    boards: list[Board] = []
    places: dict[Leaves, CellPlace] = {}
    numbers: list[tuple[int, ...]] = []
    for band in bands:
        start = first + len(boards)
        numbers.append(tuple(range(start, start + len(band))))
        for number, name in enumerate(band, start):
            columns, rows = _named(by_board[name].values(), axes, orientation)
            column_of, row_of = ({value: at for at, value in enumerate(values)} for values in (columns, rows))
            positions = {
                key: (column_of[cell[orientation.across]], row_of[cell[orientation.down]])
                for key, cell in by_board[name].items()
            }
            words = ([title] if title else []) + [known.spell(word) for word in name]
            labels = tuple(map(known.spell, columns)), tuple(map(known.spell, rows))
            boards.append(make(" ".join(words), *labels, frozenset(positions.values()), orientation.upwards))
            places |= {key: CellPlace(number, *position) for key, position in positions.items()}
    return Sheet(tuple(boards), tuple(numbers), places)


def _named(cells: Iterable[Leaves], axes: Sequence[Axis], orientation: Orientation) -> tuple[Leaves, Leaves]:
    """Return the names of the columns and rows of a board, from the left and from the top."""
    across, down = (axes[coordinate] for coordinate in (orientation.across, orientation.down))
    if len(axes) > 2:  # this board may have fewer columns or rows than others
        here = list(cells)
        across = across.within(cell[orientation.across] for cell in here)
        down = down.within(cell[orientation.down] for cell in here)
    columns = across.values[::-1] if orientation.leftwards else across.values
    return columns, down.values[::-1] if orientation.upwards else down.values


def _bands(names: Sequence[Leaves], axes: Sequence[Axis], orientation: Orientation) -> list[list[Leaves]]:
    """Arrange the names of boards in rows; boards with two coordinates are arranged like the cells within them."""
    ranks = [{value: rank for rank, value in enumerate(axes[i].values)} for i in orientation.boards]
    if len(orientation.boards) < 2:
        return [sorted(names, key=lambda name: tuple(rank[word] for rank, word in zip(ranks, name, strict=True)))]
    row, column = (0, 1) if orientation.down < orientation.across else (1, 0)
    rows: dict[int, list[Leaves]] = {}
    for name in sorted(names, key=lambda name: ranks[column][name[column]], reverse=orientation.leftwards):
        rows.setdefault(ranks[row][name[row]], []).append(name)
    return [rows[rank] for rank in sorted(rows, reverse=orientation.upwards)]


def _parts(corners: Mapping[str, tuple[int, int]], orientation: Orientation) -> list[list[Leaves]]:
    """Arrange the parts of a whole board, by the name of each, in rows."""
    down = int(orientation.down > orientation.across)
    rows: dict[int, list[str]] = {}
    for name in sorted(corners, key=lambda name: corners[name][1 - down], reverse=orientation.leftwards):
        rows.setdefault(corners[name][down], []).append(name)
    return [[(name,) for name in rows[row]] for row in sorted(rows, reverse=orientation.upwards)]
