"""Walls between the cells of a board: they are drawn on the sides of cells, not as things in them.

A fact about a wall names two cells side by side, as in `(wall 1 1 1 2)`, or a cell and a direction, as in
`(wall 1 1 north)`. Or there is a relation for each direction, as in `(blocked_north 1 1)`. A fact may also name two
columns and two rows, as in `(wall a b 1 2)`: such a wall stands where four cells meet. The rules declare all walls, or
the initial state has some.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Final

from rich.style import Style
from rich.text import Text

from gdl.terms import name_key
from ggp.board.drawing.elements import Element, element
from ggp.board.drawing.looks import CELL
from ggp.board.finding.candidates import Candidate, blanks_of
from ggp.board.finding.facts import Knowledge, Table, direction_of
from ggp.board.finding.order import Axis, OrderKind, ordered
from ggp.board.finding.orient import Orientation, orient
from ggp.board.kinds.board import EMPTY, Board, Short, TextPart, glyph_of
from ggp.board.kinds.lines import LINE, Lines, enclosed, layers_of, with_thin
from ggp.board.kinds.search import Group, Search
from ggp.board.kinds.sheet import Sheet, lay_out
from ggp.board.leaves import Leaves, flatten, pick
from ggp.board.model import Cell, Piece
from ggp.board.terminal.colours import Colours

#: The width of columns, and the height of rows, that have walls, in cells.
_THIN: Final = 1 / 6
#: The least width and height of what is between cells.
_GAP: Final = 18.0
#: How much the ground of a wall is wider and higher than the wall.
_AROUND: Final = 10.0
#: How walls run if the first coordinate is the row.
_ACROSS: Final = {"|": "-", "-": "|"}

#: The sides of a board before its first and behind its last cells; no constant is called so.
_FIRST: Final = "("
_LAST: Final = ")"
#: The number of what is no coordinate.
_NOWHERE: Final = -99

_WORDS: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")

#: Cells by their key: numbers on both axes, where cells have odd ones and the sides between them even ones.
_Places = dict[Leaves, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Read:
    """A table of walls. The places of its lines are on axes on which the sides of cells are between the cells.

    `crossing` is `|` or `-` if walls at corners stand between columns or rows, as the rules write these: the first
    coordinate is the column. It is empty for others.
    """

    table: Candidate
    crossing: str = ""


@dataclass(frozen=True, slots=True)
class Walls(Lines):
    """A board with walls between its cells, which are in every second column and row from the second one on.

    Walls where four cells meet run like the character `crossing`.
    """

    crossing: str = ""

    first_label: ClassVar[int] = 1

    def is_line(self, column: int, row: int) -> bool:
        """Return True if a wall belongs there, and not a cell."""
        return not (column % 2 and row % 2)

    def is_gap(self, column: int, row: int) -> bool:
        """Return True if a cell is what is between others."""
        return self.is_line(column, row)

    def name_of(self, column: int, row: int) -> str:
        """Return the name of a cell, or of what is between cells, or between one and the outside."""
        beside = [
            [names[at]] if at % 2 else [names[near] for near in (at - 1, at + 1) if 0 < near < len(names)]
            for names, at in ((self.columns, column), (self.rows, row))
        ]
        if self.upwards:
            beside[1].reverse()
        cells = [f"{across} {down}" for down in beside[1] for across in beside[0]]
        if column % 2 and row % 2:
            return cells[0]
        if len(cells) == 2:
            return f"between {cells[0]} and {cells[1]}"
        return f"corner of {', '.join(cells)}" if len(cells) > 2 else f"side of {cells[0]}"

    def piece_words(self, piece: Piece, column: int, row: int) -> str:
        """Return who has built a wall, or what stands on a cell."""
        if not self.is_line(column, row):
            return piece.name
        return f"wall of {piece.owner}" if piece.owner else "wall"

    def class_of(self, column: int, row: int) -> str:
        """Return the class of a cell."""
        return "gap" if self.is_gap(column, row) else ""

    def ground_of(self, column: int, row: int, x: float, y: float, /, **attributes: str | float) -> Element:
        """Return an empty cell, or what is between cells: narrow, and not seen, but it can be clicked."""
        width, height = self.size(column, row)
        if self.is_gap(column, row):
            width, height = max(width, _GAP), max(height, _GAP)
        return element("rect", **attributes, x=x - width / 2, y=y - height / 2, width=width, height=height)

    def extras(self, short: Short, left: float, top: float) -> Iterator[Element]:
        """Yield nothing: there are no dots."""
        yield from ()

    def line_size(self, column: int, row: int) -> tuple[float, float]:
        """Return the size of a wall: it is as long as one cell, or in a corner, as two."""
        length = CELL + LINE
        if column % 2 != row % 2:
            return (length, LINE) if column % 2 else (LINE, length)
        length += CELL
        return {"|": (LINE, length), "-": (length, LINE)}.get(self.crossing, (2 * LINE, 2 * LINE))

    def highlight(
        self, column: int, row: int, x: float, y: float, inset: float, /, **attributes: str | float
    ) -> Element:
        """Return what covers a cell, or surrounds a wall, under the pieces."""
        if not self.is_gap(column, row):
            return Board.highlight(self, column, row, x, y, inset, **attributes)
        width, height = (size + _AROUND - 1 - 2 * inset for size in self.line_size(column, row))
        return element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, **attributes)

    def text_parts(self, fit: int) -> Iterator[Sequence[int]]:
        """Yield groups of columns of cells."""
        columns = range(1, len(self.columns), 2)
        for start in range(0, max(1, len(columns)), fit):
            yield columns[start : start + fit]

    def text_lines(self, row: int, label: str, part: TextPart) -> Iterator[Text]:
        """Yield a row of cells, or the walls between two rows if there are any."""
        if row % 2:
            yield from Board.text_lines(self, row, label, part)
        elif (walls := self._between_rows(row, part)).plain.strip():
            yield Text(" " * (part.margin + 1)).append_text(walls)

    def separators(self, row: int, part: TextPart) -> list[tuple[str, Style | str]]:
        """Return the walls beside the cells of a row."""
        found: list[tuple[str, Style | str]] = []
        for column in (*(column - 1 for column in part.columns), part.columns[-1] + 1):
            walls = [part.cells.get((column, row))]
            if self.crossing == "|":  # from corner to corner
                walls += [part.cells.get((column, row - 1)), part.cells.get((column, row + 1))]
            styles = [style for wall in walls if (style := _style(wall, part.colours)) is not None]
            found.append(("|", styles[0]) if styles else (" ", ""))
        return found

    def _between_rows(self, row: int, part: TextPart) -> Text:
        """Return the walls between two rows of cells, or above the first or below the last one."""
        line = Text()
        for column in range(part.columns[0] - 1, part.columns[-1] + 2):
            walls = [part.cells.get((column, row))]
            if self.crossing == "-" and column % 2:
                walls += [part.cells.get((column - 1, row)), part.cells.get((column + 1, row))]
            styles = [style for wall in walls if (style := _style(wall, part.colours)) is not None]
            wide = part.pitch if column % 2 else 1
            sign = "-" * wide if column % 2 else self.crossing or "+"
            line.append(sign if styles else " " * wide, *styles[:1])
        return line

    def text_of(self, column: int, row: int, part: TextPart) -> tuple[str, Style]:
        """Return the text of a cell, and its style."""
        if (column, row) not in self.cells:
            return "", part.colours.plain
        return glyph_of(part.cells.get((column, row)), part.colours, EMPTY)


def _style(cell: Cell | None, colours: Colours) -> Style | None:
    """Return the style of a wall; None if there is none."""
    if cell is None or not cell.pieces:
        return None
    style = colours.piece(cell.pieces[0])
    return style + colours.named if cell.named else style


def find_walls(search: Search) -> None:
    """Find walls between the cells of a table, unless there are lines."""
    found = None if search.arranged else _found(search.known, search.candidates)
    if found is None:
        return
    main, tables = found
    search.take(tables)
    for group in search.groups:
        if main in group.pieces:
            group.arrange = partial(_arrange, tables)


def _arrange(tables: Sequence[Table], search: Search, group: Group, looks: Mapping[Leaves, Piece], title: str) -> Sheet:
    known, main = search.known, group.main
    axes, number = group.axes(), len(search.boards)
    orientation = orient(known, main, axes, looks)

    def read() -> list[_Read]:
        return [walls for table in tables if (walls := _read(known, table, group.axes(), orientation))]

    if not main.exact:
        group.cells = _within(group, read())
    walls = read()
    if not walls:
        return lay_out(known, group.cells, axes, orientation, title, number)
    lines = [one.table for one in walls]
    group.cells = enclosed(main, group.cells, lines)
    crossing = next((one.crossing for one in walls if one.crossing), "")
    make = partial(Walls, crossing=_ACROSS.get(crossing, "") if orientation.across else crossing)
    sheet = lay_out(known, group.cells, lines[0].axes, orientation, title, number, make=make)
    boards = tuple(with_thin(board, _THIN) for board in sheet.boards)
    return replace(sheet, boards=boards, layers=layers_of(known, main, lines, sheet.places))


def _within(group: Group, walls: Sequence[_Read]) -> dict[Leaves, Leaves]:
    """Return the cells of a group that are between its outermost walls; all if others are in use at the start."""
    cells = group.cells
    for coordinate, axis in enumerate(group.axes()):
        places = {place[coordinate] for one in walls for place in one.table.lines.values()}
        values = _with_sides(axis).values
        at = [number for number, value in enumerate(values) if value in places]
        inside = set(values[min(at, default=0) : max(at, default=len(values)) + 1])
        cells = {key: cell for key, cell in cells.items() if cell[coordinate] in inside}
    used = {pick(row, table.key) for table in group.pieces for row in table.table.initial}
    return cells if used <= cells.keys() else group.cells


# ------------------------------------------------------------------------------------------ in the rules


def _found(known: Knowledge, found: Sequence[Candidate]) -> tuple[Candidate, list[Table]] | None:
    """Return the first table of cells that has walls between its cells, and the tables of these walls."""
    for main in found:
        if len(main.axes) == 2 and not (main.composite or main.single):
            others = [table for table in known.tables if table.shape != main.table.shape]
            orientation = orient(known, main, main.axes, {})
            read = [walls.table for table in others if (walls := _read(known, table, main.axes, orientation))]
            tables = [walls.table for walls in read if len(walls.key) > 2 or _has_sibling(known, walls, read)]
            if tables:
                return main, tables
    return None


def _has_sibling(known: Knowledge, walls: Candidate, others: Iterable[Candidate]) -> bool:
    """Return True if a relation that names a direction is about the sides of cells.

    A cell has another side then, in a relation that is called alike but for the direction.
    """
    stem, way = _named_way(known, walls.table)
    alike = ((other, _named_way(known, other.table)) for other in others if len(other.key) == 2)
    return any(name[0] == stem and name[1] != way and other.cells & walls.cells for other, name in alike)


def _read(known: Knowledge, table: Table, axes: Sequence[Axis], orientation: Orientation) -> _Read | None:
    """Return a table as walls between the cells that have these coordinates; None if it is something else."""
    rows = table.initial | table.declared
    if not rows:
        return None
    ways = [leaf for leaf, domain in enumerate(table.domains) if domain and all(map(direction_of, domain))]
    ends = [leaf for leaf, domain in enumerate(table.domains) if leaf not in ways and _are_coordinates(domain, axes)]
    numbers = [_numbers(known, table, ends, axis) for axis in axes] if len(ends) in (2, 4) else []
    places: _Places = {}
    key, crossing = tuple(ends), ""
    if len(ends) == 4 and not ways:
        places, crossing = _between(known, table, key, numbers)
    elif len(ends) == 2 and len(ways) == 1:
        key = tuple(sorted((*ends, *ways)))
        ways_of = {pick(row, key): (pick(row, ends), direction_of(row[ways[0]])) for row in rows}
        # What always has a single direction is something that looks there.
        if len({cell for cell, _ in ways_of.values()}) < len(ways_of):
            places = {row: _beside(*at, numbers, orientation) for row, at in ways_of.items()}
    elif len(ends) == len(table.domains) == 2 and (direction := _named_way(known, table)[1]):
        places = {pick(row, key): _beside(pick(row, key), direction, numbers, orientation) for row in rows}
    sided = [_with_sides(axis) for axis in axes]
    limits = [len(axis.values) for axis in sided]
    if not places or not all(0 <= x < limits[0] and 0 <= y < limits[1] for x, y in places.values()):
        return None
    content = tuple(leaf for leaf in range(len(table.domains)) if leaf not in key)
    lines = {row: (sided[0].values[x], sided[1].values[y]) for row, (x, y) in places.items()}
    blanks = blanks_of(table, content, known.roles)
    return _Read(Candidate(table, key, content, tuple(sided), frozenset(lines), True, blanks, lines=lines), crossing)


def _are_coordinates(domain: frozenset[str], axes: Sequence[Axis]) -> bool:
    """Return True if values are coordinates of cells, but for one that may come before the first."""
    return any(domain & set(axis.values) and len(domain - set(axis.values)) <= 1 for axis in axes)


def _numbers(known: Knowledge, table: Table, ends: Sequence[int], axis: Axis) -> Mapping[str, int]:
    """Return the numbers of coordinates on an axis with sides; the one before the first cell has a negative one."""
    whole = ordered(set(axis.values).union(*(table.domains[leaf] for leaf in ends)), known.chains)
    values = whole.values if whole and whole.values[-len(axis.values) :] == axis.values else axis.values
    return {value: 2 * number + 1 for number, value in enumerate(values, len(axis.values) - len(values))}


def _between(
    known: Knowledge, table: Table, key: Sequence[int], numbers: Sequence[Mapping[str, int]]
) -> tuple[_Places, str]:
    """Return the places between two cells, or where two columns and two rows meet, if all rows name such."""
    for order in ((0, 1, 0, 1), (0, 0, 1, 1)):
        found: _Places = {}
        kinds = set()
        for row in table.initial | table.declared:
            at: tuple[list[int], list[int]] = ([], [])
            for leaf, coordinate in zip(pick(row, key), order, strict=True):
                at[coordinate].append(numbers[coordinate].get(leaf, _NOWHERE))
            found[pick(row, key)] = (sum(at[0]) // 2, sum(at[1]) // 2)
            kinds.add(tuple(abs(a - b) for a, b in at))
        if kinds <= {(0, 2), (2, 0)}:
            return found, ""
        if kinds == {(2, 2)}:
            return found, _crossing(known, table, key, order)
    return {}, ""


def _crossing(known: Knowledge, table: Table, key: Sequence[int], order: Sequence[int]) -> str:
    """Return how walls at corners run: `|` between columns, `-` between rows, nothing if the rules do not say.

    The rule of a step across a wall has both values of the coordinate that changes in its head, and one of the other.
    """
    for rule in known.rules:
        head = {leaf for arg in rule.head.args for leaf in flatten(arg)[1] or (arg.key,)}
        for literal in rule.literals():
            shape, leaves = flatten(literal.atom.args[0]) if literal.atom.signature == ("true", 1) else ("", ())
            if shape == table.shape:
                named = list(zip(pick(leaves, key), order, strict=True))
                first, second = ({leaf for leaf, of in named if of == coordinate} <= head for coordinate in (0, 1))
                if first != second:
                    return "|" if first else "-"
    return ""


def _beside(
    cell: Leaves, direction: str, numbers: Sequence[Mapping[str, int]], orientation: Orientation
) -> tuple[int, int]:
    """Return the place at one side of a cell."""
    at = [number.get(leaf, _NOWHERE) for number, leaf in zip(numbers, cell, strict=True)]
    if direction in "ud":
        at[orientation.down] += 1 if orientation.upwards == (direction == "u") else -1
    else:
        at[orientation.across] += 1 if orientation.leftwards == (direction == "l") else -1
    return at[0], at[1]


def _named_way(known: Knowledge, table: Table) -> tuple[str, str]:
    """Return the name of a table without the direction in it, and the direction, if there is one."""
    words = _WORDS.findall(known.spell(table.name))
    ways = {word: direction_of(name_key(word)) for word in words}
    named = [way for way in ways.values() if way]
    return "".join(word for word in words if not ways[word]), named[0] if len(named) == 1 else ""


def _with_sides(cells: Axis) -> Axis:
    """Return an axis with the sides of its cells, each named after the cells next to it."""
    values = [_FIRST, cells.values[0]]
    for value in cells.values[1:]:
        values += [f"{values[-1]}-{value}", value]
    return Axis((*values, _LAST), OrderKind.CHAIN, cells.prefix)
