"""Lines between dots, such as the sides of boxes.

A fact about a line names both of its ends, as in `(line 1 1 1 2)`, or one end and a direction, as in `(line 1 1 up)`.
The rules declare, or the initial state contains, all lines between neighbouring dots of a rectangle, and nothing else.
The boxes between the dots, if facts speak of them, are named after one of their corners.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, permutations, product
from typing import ClassVar, Final

from rich.style import Style

from gdl.terms import name_key
from ggp.board.drawing.elements import Element, element
from ggp.board.drawing.looks import CELL, block_of, image_on, look_of
from ggp.board.finding.candidates import MAX_CELLS, Candidate
from ggp.board.finding.facts import Knowledge, Table
from ggp.board.finding.order import Axis, OrderKind, ordered
from ggp.board.finding.orient import orient
from ggp.board.finding.pieces import make_pieces
from ggp.board.kinds.board import EMPTY, Board, Short, TextPart, glyph_of
from ggp.board.kinds.search import Group, Search, layer_of
from ggp.board.kinds.sheet import Sheet, lay_out
from ggp.board.leaves import Leaves, pick
from ggp.board.model import CellPlace, Layer, Piece
from ggp.board.terminal.colours import DIM

#: The width of columns, and the height of rows, that have lines and dots, in cells; and the same if things stand on the
#: dots.
_THIN: Final = 1 / 3
_WIDE: Final = 3 / 4
#: The thickness of a line.
LINE: Final = 8.0
#: The size of an image on a line, relative to one in a cell.
_ON_LINE: Final = 0.5
#: The radius of the dots between which lines are drawn, and a dot as text.
_RADIUS: Final = 5.0
_DOT: Final = "+"


@dataclass(frozen=True, slots=True)
class Lines(Board):
    """A board of dots, in every second column and row from the first to the last, and of the lines between them.

    What is between four dots may be cells, too.
    """

    #: The first column and row that have a label.
    first_label: ClassVar[int] = 0

    def is_line(self, column: int, row: int) -> bool:
        """Return True if a line belongs there, and not a dot or a cell."""
        return (column + row) % 2 == 1

    def labels(self, short: Short) -> tuple[Sequence[str], Sequence[str]]:
        """Return the labels of the dots."""
        first = self.first_label
        columns, rows = (
            tuple(named[number // 2] if number % 2 == first else "" for number in range(len(labels)))
            for labels in (self.columns, self.rows)
            for named in (short(labels[first::2]),)
        )
        return columns, rows

    def name_of(self, column: int, row: int) -> str:
        """Return the name of a line, a box or a dot."""
        columns, rows = ((at - 1, at + 1) if at % 2 else (at, at) for at in (column, row))
        ends = zip(columns, rows[::-1] if self.upwards else rows, strict=True)
        first, last = (f"({self.columns[x]}, {self.rows[y]})" for x, y in ends)
        if first == last:
            return f"dot {first}"
        return f"line between {first} and {last}" if self.is_line(column, row) else f"box {first} to {last}"

    def piece_words(self, piece: Piece, column: int, row: int) -> str:
        """Return who has drawn a line, or what stands on a dot or in a box."""
        if not self.is_line(column, row):
            return piece.name
        return f"drawn by {piece.owner}" if piece.owner else "drawn"

    def chequered(self, roles: int) -> bool:
        """Return False."""
        return False

    def extras(self, short: Short, left: float, top: float) -> Iterator[Element]:
        """Yield the dots."""
        for column, row in product(range(0, len(self.columns), 2), range(0, len(self.rows), 2)):
            x, y = self.middle(column, row, left, top)
            yield element("circle", class_="spot", cx=x, cy=y, r=_RADIUS)

    def line_size(self, column: int, row: int) -> tuple[float, float]:
        """Return the size of a line, which nearly reaches two dots."""
        length = CELL + self.widths[0] * CELL - LINE
        return (length, LINE) if column % 2 else (LINE, length)

    def look(self, piece: Piece, column: int, row: int) -> list[Element]:
        """Return the elements of a line, or of a piece on a dot or in a box."""
        if not self.is_line(column, row):
            return look_of(piece)
        line = block_of(*self.line_size(column, row))
        return [line, image_on(piece, 24, 24, _ON_LINE)] if piece.image else [line]

    def text_parts(self, fit: int) -> Iterator[Sequence[int]]:
        """Yield groups of columns, divided at dots, so that no box is divided."""
        step = max(2, (fit - 1) // 2 * 2)
        for start in range(0, max(1, len(self.columns) - 1), step):
            yield range(len(self.columns))[start : start + step + 1]

    def text_of(self, column: int, row: int, part: TextPart) -> tuple[str, Style]:
        """Return the text of a line, a dot or a cell, and its style."""
        thin = self.is_line(column, row)
        if (column, row) in self.cells:
            glyph, style = glyph_of(part.cells.get((column, row)), part.colours, "" if thin else EMPTY)
            return ("|" if row % 2 else "-" * part.pitch) if thin and glyph else glyph, style
        return ("", part.colours.plain) if column % 2 or row % 2 else (_DOT, DIM)


def find_lines(search: Search) -> None:
    """Find lines between dots; they surround the cells of a group if these are the boxes, or the dots."""
    found = _found(search.known)
    search.take(one.table for several in found for one in several)
    for lines in found:
        for group in search.groups:
            boxes = None if group.arrange else _between(lines[0].axes, group.axes(), group.cells)
            if boxes is not None:
                break
        else:
            group, boxes = Group(lines[0], {}), {}
            search.groups.append(group)
        group.cells = enclosed(group.main, boxes, lines)
        group.arrange = partial(_arrange, lines)


def enclosed(main: Candidate, boxes: Mapping[Leaves, Leaves], lines: Sequence[Candidate]) -> dict[Leaves, Leaves]:
    """Return cells and what is between them by key, on the axes of the lines."""
    cells = dict(boxes)
    for one in lines:
        cells |= {_key(main, lines, one, cell): place for cell, place in one.coordinates().items()}
    return cells


def _key(main: Candidate, lines: Sequence[Candidate], one: Candidate, cell: Leaves) -> Leaves:
    """Return the key of a line: with the name of its table if cells, or other lines, may have the same."""
    own = len(one.key) > len(main.key) or (one is main and len(lines) == 1)
    return cell if own else (one.table.shape, *cell)


def layers_of(
    known: Knowledge, main: Candidate, lines: Sequence[Candidate], places: Mapping[Leaves, CellPlace]
) -> dict[str, Layer]:
    """Return the layers of tables of lines. Pieces have no glyphs, as a line is drawn from dot to dot."""
    layers = {}
    for line in lines:
        pieces = {
            content: replace(piece, glyph=piece.name, shape="")
            for (_, content), piece in make_pieces(known, [line]).items()
        }
        layer = layer_of(known, line, places, pieces)
        keys = {cell: _key(main, lines, line, cell) for cell in line.cells}
        if any(cell != key for cell, key in keys.items()):
            layer = replace(layer, places={cell: places[key] for cell, key in keys.items()}, alike=True)
        layers[line.table.shape] = layer
    return layers


def _arrange(
    lines: Sequence[Candidate], search: Search, group: Group, looks: Mapping[Leaves, Piece], title: str
) -> Sheet:
    known, main = search.known, group.main
    orientation = orient(known, main, main.axes, looks)
    sheet = lay_out(known, group.cells, lines[0].axes, orientation, title, len(search.boards), make=Lines)
    boards = [
        with_thin(board, _THIN if all(column % 2 or row % 2 for column, row in board.cells) else _WIDE)
        for board in sheet.boards
    ]
    return replace(sheet, boards=tuple(boards), layers=layers_of(known, main, lines, sheet.places))


def with_thin(board: Board, thin: float) -> Board:
    """Return a board on which every second column and row, from the first one on, has another size."""
    widths, heights = (
        tuple(1.0 if number % 2 else thin for number in range(len(names))) for names in (board.columns, board.rows)
    )
    return replace(board, widths=widths, heights=heights)


# ------------------------------------------------------------------------------------------ in the rules


def _found(known: Knowledge) -> list[tuple[Candidate, ...]]:
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


def _between(
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
