"""Lay out coordinates in columns and rows, so that every cell gets its place on a board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ggp.board.finding.facts import Knowledge
from ggp.board.finding.leaves import Leaves
from ggp.board.finding.order import Axis
from ggp.board.finding.orient import Orientation
from ggp.board.model import Board, CellPlace

#: The largest number of boards drawn for one table.
_MAX_BOARDS = 36

#: The width and the height of cells with names of their own.
_WIDE: Final = 1.3
_HIGH: Final = 1.6


@dataclass(frozen=True, slots=True)
class Sheet:
    """The boards of one table; each entry of `bands` has the numbers of boards that stand side by side."""

    boards: tuple[Board, ...]
    bands: tuple[tuple[int, ...], ...]
    places: Mapping[Leaves, CellPlace]


def lay_out(
    known: Knowledge,
    cells: Mapping[Leaves, Leaves],
    axes: Sequence[Axis],
    orientation: Orientation,
    composite: bool,
    title: str,
    first: int,
    slant: int = 0,
    corners: Mapping[str, tuple[int, int]] | None = None,
) -> Sheet:
    """Return boards for the cells (coordinates by key), numbered from `first`; none if there would be too many.

    With a `slant`, of two coordinates (`ggp.board.finding.neighbours`), the cells are hexagons. Boards that have
    `corners` are parts of a whole one, and are arranged like these.
    """
    by_board: dict[Leaves, dict[Leaves, Leaves]] = {}
    for key, cell in cells.items():
        by_board.setdefault(tuple(cell[i] for i in orientation.boards), {})[key] = cell
    bands = _parts(corners, orientation) if corners else _bands(list(by_board), axes, orientation)
    if len(by_board) > _MAX_BOARDS:
        return Sheet((), (), {})
    boards: list[Board] = []
    places: dict[Leaves, CellPlace] = {}
    numbers: list[tuple[int, ...]] = []
    for band in bands:
        start = first + len(boards)
        numbers.append(tuple(range(start, start + len(band))))
        for number, name in enumerate(band, start):
            words = ([title] if title else []) + [known.spell(word) for word in name]
            board, positions = _board(known, " ".join(words), by_board[name], axes, orientation, composite, slant)
            boards.append(board)
            places |= {key: CellPlace(number, column, row) for key, (column, row) in positions.items()}
    return Sheet(tuple(boards), tuple(numbers), places)


def in_ring(known: Knowledge, board: Board, places: Mapping[str, tuple[int, int]]) -> Board:
    """Return a row of cells as a board on which these have columns and rows of their own."""
    columns, rows = (1 + max(place[i] for place in places.values()) for i in (0, 1))
    return replace(
        board,
        columns=("",) * columns,
        rows=("",) * rows,
        cells=frozenset(places.values()),
        names={place: known.spell(thing) for thing, place in places.items()},
        upwards=False,
        widths=(_WIDE,) * columns,
        heights=(_HIGH,) * rows,
    )


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


def _board(
    known: Knowledge,
    title: str,
    cells: Mapping[Leaves, Leaves],
    axes: Sequence[Axis],
    orientation: Orientation,
    composite: bool,
    slant: int,
) -> tuple[Board, dict[Leaves, tuple[int, int]]]:
    """Return a board, and the column and row of each of its cells."""
    if composite:
        star = _star(cells)
        if star is not None:
            return star
    across, down = (axes[coordinate] for coordinate in (orientation.across, orientation.down))
    if len(axes) > 2:  # this board may have fewer columns or rows than others
        across = across.within(cell[orientation.across] for cell in cells.values())
        down = down.within(cell[orientation.down] for cell in cells.values())
    columns = across.values[::-1] if orientation.leftwards else across.values
    rows = down.values[::-1] if orientation.upwards else down.values
    column_of = {value: number for number, value in enumerate(columns)}
    row_of = {value: number for number, value in enumerate(rows)}
    positions = {
        key: (column_of[cell[orientation.across]], row_of[cell[orientation.down]]) for key, cell in cells.items()
    }
    # Each row begins half a cell to the right of the one above it if the cell below and to the left is a neighbour, or
    # else half a cell to the left.
    turned = orientation.upwards != orientation.leftwards
    falling = slant == (1 if turned else -1)
    shifts = tuple(range(len(rows))) if falling else tuple(reversed(range(len(rows))))
    board = Board(
        title,
        tuple(map(known.spell, columns)),
        tuple(map(known.spell, rows)),
        frozenset(positions.values()),
        orientation.upwards,
        shifts if slant else (),
    )
    return board, positions


def _star(cells: Mapping[Leaves, Leaves]) -> tuple[Board, dict[Leaves, tuple[int, int]]] | None:
    """Return a star-shaped board: cells such as `c4`, in centred rows of different lengths that each count from 1."""
    lengths: dict[str, list[int]] = {}
    for letter, number in cells.values():
        lengths.setdefault(letter, []).append(int(number))
    if len({len(numbers) for numbers in lengths.values()}) < 2:
        return None
    if any(sorted(numbers) != list(range(1, len(numbers) + 1)) for numbers in lengths.values()):
        return None
    rows = sorted(lengths)
    longest = max(map(len, lengths.values()))
    positions = {key: (int(number) - 1, rows.index(letter)) for key, (letter, number) in cells.items()}
    shifts = tuple(longest - len(lengths[letter]) for letter in rows)
    columns = tuple(str(number + 1) for number in range(longest))
    return Board("", columns, tuple(rows), frozenset(positions.values()), False, shifts), positions
