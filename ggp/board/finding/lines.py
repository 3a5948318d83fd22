"""Find facts that are lines between dots, such as the sides of boxes.

Such a fact names both ends of a line, as in `(line 1 1 1 2)`, or one end and a direction, as in `(line 1 1 up)`. The
rules declare, or the initial state contains, all lines between neighbouring dots of a rectangle, and nothing else. The
boxes between the dots, if facts speak of them, are named after one of their corners.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, permutations, product
from typing import Final

from gdl.terms import name_key
from ggp.board.finding.candidates import MAX_CELLS, Candidate, pick
from ggp.board.finding.facts import Knowledge, Table
from ggp.board.finding.leaves import Leaves
from ggp.board.finding.order import Axis, OrderKind, ordered
from ggp.board.finding.pieces import make_pieces
from ggp.board.model import Board, Piece

#: The width of columns, and the height of rows, that have lines and dots, in cells.
_THIN: Final = 1 / 3
#: The same if things stand on the dots, and between cells with walls.
_DOT: Final = 3 / 4
_WALL: Final = 1 / 6


def find_lines(known: Knowledge) -> list[tuple[Candidate, ...]]:
    """Return the tables of lines between dots; their axes have the dots and, between them, the lines and boxes.

    Two tables share the lines of a board if one has those that run across, and the other one those that run down.
    """
    people = set(map(name_key, known.roles))
    found: list[tuple[Candidate, ...]] = []
    halves: list[tuple[Table, tuple[int, ...]]] = []
    for table in known.tables:
        ends = [
            leaf
            for leaf, domain in enumerate(table.domains)
            if not domain <= people and ordered(domain, known.chains) is not None
        ]
        ways = [leaf for leaf, domain in enumerate(table.domains) if len(domain) == 2 and leaf not in ends]
        keys = [ends] if len(ends) == 4 else [sorted((*ends, way)) for way in ways if len(ends) == 2]
        made = [lines for key in keys if (lines := _lines(known, table, tuple(key), ends)) is not None]
        found += [(lines,) for lines in made[:1]]
        if len(ends) == 2 and not made:
            halves.append((table, tuple(ends)))
    return found + [pair for one, other in permutations(halves, 2) if (pair := _pair(known, one, other)) is not None]


def _pair(
    known: Knowledge, one: tuple[Table, tuple[int, ...]], other: tuple[Table, tuple[int, ...]]
) -> tuple[Candidate, ...] | None:
    """Return two tables as the lines along the first and along the second coordinate, each called like one end."""
    cells = [frozenset(pick(row, key) for row in table.declared | table.initial) for table, key in (one, other)]
    if not all(cells):
        return None
    # Each line along a coordinate begins, or ends, at a dot that is not the last one, or the first one.
    dots = [ordered({cell[i] for cell in cells[1 - i]}, known.chains) for i in (0, 1)]
    axes = [_with_gaps(axis) for axis in dots if axis is not None]
    if len(axes) < 2 or len(cells[0]) > MAX_CELLS:
        return None
    made = []
    for along, (table, key) in enumerate((one, other)):
        for named in (axes[along].values[:-1:2], axes[along].values[2::2]):
            gaps = dict(zip(named, axes[along].values[1::2], strict=True))
            if cells[along] == set(product(*(gaps if i == along else axes[i].values[::2] for i in (0, 1)))):
                lines = {cell: tuple(gaps[v] if i == along else v for i, v in enumerate(cell)) for cell in cells[along]}
                content = tuple(leaf for leaf in range(len(table.domains)) if leaf not in key)
                made.append(Candidate(table, key, content, tuple(axes), cells[along], True, frozenset(), lines=lines))
                break
    return tuple(made) if len(made) == 2 else None


def _lines(known: Knowledge, table: Table, key: tuple[int, ...], ends: Sequence[int]) -> Candidate | None:
    """Return a table as lines whose key is two ends, or an end and a direction; None if they are something else."""
    rows = frozenset(pick(row, key) for row in table.declared | table.initial)
    at = [key.index(leaf) for leaf in ends]
    values = [{row[i] for row in rows for i in at[coordinate::2]} for coordinate in (0, 1)]
    dots = [axis for found in values if (axis := ordered(found, known.chains)) is not None]
    if len(dots) < 2 or len(rows) > MAX_CELLS:
        return None
    axes = tuple(map(_with_gaps, dots))
    lines = _between_ends(axes, rows) if len(key) == 4 else _in_directions(axes, rows, at)
    across, down = (range(len(axis.values)) for axis in axes)
    expected = {(axes[0].values[x], axes[1].values[y]) for x, y in product(across, down) if (x + y) % 2}
    if set(lines.values()) != expected or len(lines) != len(rows):
        return None
    content = tuple(leaf for leaf in range(len(table.domains)) if leaf not in key)
    return Candidate(table, key, content, axes, rows, True, frozenset(), lines=lines)


def _with_gaps(dots: Axis) -> Axis:
    """Return an axis with the gaps between its values, each named after both of them."""
    values = [dots.values[0]]
    for pair in pairwise(dots.values):
        values += ["-".join(pair), pair[1]]
    return Axis(tuple(values), OrderKind.CHAIN, dots.prefix)


def _between_ends(axes: Sequence[Axis], rows: frozenset[Leaves]) -> dict[Leaves, Leaves]:
    """Return the middle of each line between two neighbouring dots."""
    places = [{value: number for number, value in enumerate(axis.values)} for axis in axes]
    found: dict[Leaves, Leaves] = {}
    for row in rows:
        (a, b), (c, d) = (
            tuple(place[leaf] for place, leaf in zip(places, end, strict=True)) for end in (row[:2], row[2:])
        )
        if abs(a - c) + abs(b - d) == 2:  # dots are two apart, as there is a gap between them
            found[row] = (axes[0].values[(a + c) // 2], axes[1].values[(b + d) // 2])
    return found


def _in_directions(axes: Sequence[Axis], rows: frozenset[Leaves], at: Sequence[int]) -> dict[Leaves, Leaves]:
    """Return the middle of each line, if the dots that have a line in a direction are all but those of one side."""
    way = next(i for i in range(3) if i not in at)
    dots = [axis.values[::2] for axis in axes]
    found: dict[Leaves, Leaves] = {}
    for direction in {row[way] for row in rows}:
        starts = {pick(row, at) for row in rows if row[way] == direction}
        for along, last in product((0, 1), (False, True)):
            gaps = dict(zip(dots[along][1:] if last else dots[along][:-1], axes[along].values[1::2], strict=True))
            if starts == {dot for dot in product(*dots) if dot[along] in gaps}:
                for row in rows:
                    if row[way] == direction:
                        x, y = pick(row, at)
                        found[row] = (x, gaps[y]) if along else (gaps[x], y)
    return found


def between(
    lines: Sequence[Axis], cells_on: Sequence[Axis], cells: Mapping[Leaves, Leaves]
) -> dict[Leaves, Leaves] | None:
    """Return cells on the axes of lines, by key; None if they are neither the boxes between the dots nor the dots."""
    if len(cells_on) != 2:
        return None
    dots = [axis.values[::2] for axis in lines]
    if all(named.values == some for named, some in zip(cells_on, dots, strict=True)):
        return dict(cells)
    gaps: list[dict[str, str]] = []
    for axis, named, some in zip(lines, cells_on, dots, strict=True):
        if named.values not in (some[:-1], some[1:]):
            return None
        gaps.append(dict(zip(named.values, axis.values[1::2], strict=True)))
    return {key: (gaps[0][cell[0]], gaps[1][cell[1]]) for key, cell in cells.items()}


# ------------------------------------------------------------------------------------------ the drawing


def lined(board: Board, *, walled: bool = False, crossing: str = "") -> Board:
    """Return a board as one that has dots, or with `walled` the corners of cells, in every second column and row."""
    on_dots = any(not (column % 2 or row % 2) for column, row in board.cells)
    thin = _WALL if walled else _DOT if on_dots else _THIN
    widths, heights = (
        tuple(1.0 if number % 2 else thin for number in range(len(names))) for names in (board.columns, board.rows)
    )
    return replace(board, lined=True, walled=walled, crossing=crossing, widths=widths, heights=heights)


def line_pieces(known: Knowledge, lines: Candidate) -> dict[Leaves, Piece]:
    """Return the kinds of lines by their content: they have no glyphs, as a line is drawn from dot to dot."""
    pieces = make_pieces(known, [lines])
    return {content: replace(piece, glyph=piece.name, shape="") for (_, content), piece in pieces.items()}
