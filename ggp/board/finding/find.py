"""Find the boards of a game: tables that share cells become one board, with a place for each of their facts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from gdl.engine import Engine
from gdl.terms import name_key
from ggp.board.finding.candidates import ONE, Candidate, find_candidates, pick
from ggp.board.finding.facts import Knowledge, Table, knowledge_of
from ggp.board.finding.geometry import in_ring, lay_out
from ggp.board.finding.hands import find_hands, hand_board
from ggp.board.finding.leaves import Leaves
from ggp.board.finding.lines import between, find_lines, line_pieces, lined
from ggp.board.finding.neighbours import corners_of, slant_of
from ggp.board.finding.order import Axis, OrderKind, naturally
from ggp.board.finding.orient import Orientation, orient
from ggp.board.finding.pieces import make_pieces
from ggp.board.finding.rings import ring_places
from ggp.board.finding.stacks import find_stacks, stack_board
from ggp.board.finding.walls import Walls, find_walls, read_walls, with_sides
from ggp.board.model import Board, CellPlace, Layer, Layout, Piece

#: Marks for a board's relations without contents, assigned in the order of the rules.
_MARKS = "*+^~'\""
#: How walls run if the first coordinate is the row.
_ACROSS = {"|": "-", "-": "|"}


@dataclass(slots=True)
class _Group:
    """Tables over the same cells: `main` defines the coordinates, `marks` are tables that only mark cells.

    If there are `lines` or `walls` around the cells, there is a `frame`: axes that also have what is between cells.
    """

    main: Candidate
    cells: dict[Leaves, Leaves]
    pieces: list[Candidate] = field(default_factory=list)
    marks: list[Candidate] = field(default_factory=list)
    lines: tuple[Candidate, ...] = ()
    walls: tuple[Table, ...] = ()
    frame: tuple[Axis, ...] = ()

    def axes(self) -> list[Axis]:
        """Return the axes of the cells, restricted to the coordinates that occur."""
        columns = zip(*self.cells.values(), strict=True)
        return [axis.within(column) for axis, column in zip(self.main.axes, columns, strict=True)]

    def enclose(self, boxes: Mapping[Leaves, Leaves], lines: Sequence[Candidate]) -> None:
        """Put lines or walls around the cells, whose places on the axes of the lines are given."""
        self.frame = lines[0].axes
        self.cells = dict(boxes)
        for one in lines:
            self.cells |= {self.key(one, cell): place for cell, place in one.coordinates().items()}

    def key(self, lines: Candidate, cell: Leaves) -> Leaves:
        """Return the key of a line: with the name of its table if cells, or other lines, may be called alike."""
        own = len(lines.key) > len(self.main.key) or self.lines == (self.main,)
        return cell if own else (lines.table.shape, *cell)


def find_boards(game: Engine, hands: Collection[str] | None = None) -> Layout:
    """Find the boards of a game from its rules and its initial state. This may take a second: do it once per game.

    `hands` are the relations, in lower case, that say what roles hold; without, these are found, too.
    """
    known = knowledge_of(game)
    groups: list[_Group] = []
    lines = find_lines(known)
    drawn = {one.table.shape for several in lines for one in several}
    drawn |= {table.shape for table in known.tables if table.name in (hands or ())}
    found = [candidate for candidate in find_candidates(known) if candidate.table.shape not in drawn]
    walls = None if lines else find_walls(known, found)
    if walls:
        drawn = {table.shape for table in walls[1]}
        found = [candidate for candidate in found if candidate.table.shape not in drawn]
    stacks = [] if found or lines else find_stacks(known)
    for candidate in found or ([] if stacks or lines else find_rows(known)):
        if not any(_join(candidate, group, known.roles) for group in groups) and _stands_alone(candidate, groups):
            groups.append(_Group(candidate, candidate.coordinates(), [candidate]))
    for several in lines:
        _line(several, groups)
    for group in groups:
        if walls and walls[0] in group.pieces and not group.frame:
            group.walls = tuple(walls[1])
    boards: list[Board] = []
    bands: list[tuple[int, ...]] = []
    layers: dict[str, Layer] = {}
    for group in groups:
        layers |= _add(game, known, group, len(groups) > 1, boards, bands)
    for stack in stacks:
        title = known.spell(stack.on.name) if len(stacks) > 1 else ""
        board, added = stack_board(known, stack, title, len(boards))
        bands.append((len(boards),))
        boards.append(board)
        layers |= added
    bands = _joined(bands)
    for held in find_hands(known, layers, hands):
        pieces = [piece for layer in layers.values() for piece in layer.pieces.values()]
        board, added = hand_board(known, held, pieces, len(boards))
        bands.append((len(boards),))
        boards.append(board)
        layers |= added
    return Layout(tuple(known.roles), tuple(boards), tuple(bands), layers)


def _joined(bands: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Merge all bands of a single board into one band."""
    single = tuple(number for band in bands if len(band) == 1 for number in band)
    several = [band for band in bands if len(band) > 1]
    return [single, *several] if single else several


def _line(lines: Sequence[Candidate], groups: list[_Group]) -> None:
    """Add lines between dots to the group whose cells are the boxes between them, or the dots, or to a new one."""
    for group in groups:
        boxes = None if group.frame else between(lines[0].axes, group.axes(), group.cells)
        if boxes is not None:
            break
    else:
        group, boxes = _Group(lines[0], {}), {}
        groups.append(group)
    group.lines = tuple(lines)
    group.enclose(boxes, lines)


def _walled(known: Knowledge, group: _Group, orientation: Orientation) -> tuple[Walls, ...]:
    """Put walls around the cells of a group, and return them."""

    def read() -> tuple[Walls, ...]:
        found = (read_walls(known, table, group.axes(), orientation) for table in group.walls)
        return tuple(walls for walls in found if walls)

    if group.walls and not group.main.exact:
        group.cells = _within(group, read())
    walls = read()
    if walls:
        group.enclose(group.cells, [one.table for one in walls])
    return walls


def _within(group: _Group, walls: Sequence[Walls]) -> dict[Leaves, Leaves]:
    """Return the cells of a group that are between its outermost walls; all if others are in use at the start."""
    cells = group.cells
    for coordinate, axis in enumerate(group.axes()):
        places = {place[coordinate] for one in walls for place in one.table.lines.values()}
        values = with_sides(axis).values
        at = [number for number, value in enumerate(values) if value in places]
        inside = set(values[min(at, default=0) : max(at, default=len(values)) + 1])
        cells = {key: cell for key, cell in cells.items() if cell[coordinate] in inside}
    used = {pick(row, table.key) for table in group.pieces for row in table.table.initial}
    return cells if used <= cells.keys() else group.cells


# ------------------------------------------------------------------------------------------ one board or another


def _join(candidate: Candidate, group: _Group, roles: Sequence[str]) -> bool:
    """Add a table to a group's board and return True, or return False if it does not belong there."""
    main = group.main
    if len(candidate.axes) != len(main.axes) or candidate.composite != main.composite:
        return False
    same_contents = bool(_contents(candidate) & _contents(main))
    if not _fits(candidate, group):
        disjoint = candidate.exact and main.exact and group.cells.keys().isdisjoint(candidate.cells)
        if candidate.axes == main.axes and disjoint and same_contents:
            group.cells.update(candidate.coordinates())
            group.pieces.append(candidate)
            return True
        return False
    if not candidate.content:
        as_pieces = bool(candidate.blanks) or not main.content
        (group.pieces if as_pieces else group.marks).append(candidate)
        return True
    if _once_each(candidate, roles) and not same_contents:
        group.pieces.insert(0, candidate)
        return True
    return False


def _fits(candidate: Candidate, group: _Group) -> bool:
    """Return True if all cells of a table, as far as they are known, are cells of the group."""
    if group.cells.keys() >= candidate.cells:
        return True
    rows = candidate.table.initial
    return not candidate.exact and bool(rows) and all(pick(row, candidate.key) in group.cells for row in rows)


def _once_each(candidate: Candidate, roles: Sequence[str]) -> bool:
    """Return True if a table locates a few things, each once: pieces that stand on top of other tables' contents."""
    rows = candidate.table.initial
    contents = {pick(row, candidate.content) for row in rows}
    names = {leaf for content in _contents(candidate) for leaf in content}
    return len(contents) == len(rows) > 0 or (not rows and names <= set(map(name_key, roles)))


def _contents(candidate: Candidate) -> set[Leaves]:
    """Return the possible contents of a table, judged by the domain of each leaf."""
    return {(value,) for leaf in candidate.content for value in candidate.table.domains[leaf]}


def _stands_alone(candidate: Candidate, groups: Sequence[_Group]) -> bool:
    """Return True if a table deserves a board of its own: not if it just numbers or remembers the cells of another."""
    domains = [candidate.table.domains[leaf] for leaf in candidate.telling()]
    numbers = any(all(value.isdecimal() for value in domain) for domain in domains)
    return not numbers or not any(_fits(candidate, group) for group in groups)


# ------------------------------------------------------------------------------------------ layers


def _may_slant(group: _Group) -> bool:
    """Return True if the cells of a group may be hexagons."""
    main = group.main
    return len(main.axes) == 2 and not (main.composite or main.single or group.frame or group.walls)


def _add(
    game: Engine,
    known: Knowledge,
    group: _Group,
    several: bool,
    boards: list[Board],
    bands: list[tuple[int, ...]],
) -> dict[str, Layer]:
    """Add the boards of a group to `boards` and `bands`, and return the layers of its tables."""
    axes = list(group.main.axes) if group.frame else group.axes()
    drafted = make_pieces(known, group.pieces)
    pieces: dict[str, dict[Leaves, Piece]] = {}
    for (shape, content), piece in drafted.items():
        pieces.setdefault(shape, {})[content] = piece
    orientation = orient(known, group.main, axes, pieces.get(group.main.table.shape, {}))
    title = known.spell(group.main.name) if several else ""
    slant = slant_of(game, known.rules, group.main.axes) if _may_slant(group) else 0
    stacked = orientation.boards if len(axes) == 3 else ()
    corners = corners_of(game, known.rules, axes, *stacked) if stacked else None
    walls = _walled(known, group, orientation)
    axes = list(group.frame) or axes
    sheet = lay_out(known, group.cells, axes, orientation, group.main.composite, title, len(boards), slant, corners)
    glyphs = frozenset(piece.glyph for piece in drafted.values())
    ring = ring_places(known, group.main.axes[0].values) if group.main.single else {}
    if ring:
        around: dict[Leaves, CellPlace] = {(thing,): CellPlace(len(boards), *place) for thing, place in ring.items()}
        sheet = replace(sheet, boards=(in_ring(known, sheet.boards[0], ring),), places=around)
    made = [replace(board, glyphs=glyphs) for board in sheet.boards]
    if group.frame:
        crossing = next((one.crossing for one in walls if one.crossing), "")
        crossing = _ACROSS.get(crossing, "") if orientation.across else crossing
        made = [lined(board, walled=bool(walls), crossing=crossing) for board in made]
    boards.extend(made)
    bands.extend(sheet.bands)
    marks = [mark for mark in _MARKS if mark not in glyphs]
    layers = {}
    for table in group.pieces:
        layers[table.table.shape] = _layer(known, table, sheet.places, pieces.get(table.table.shape, {}))
    for line in (*group.lines, *(one.table for one in walls)):
        layer = _layer(known, line, sheet.places, line_pieces(known, line))
        keys = {cell: group.key(line, cell) for cell in line.cells}
        if any(cell != key for cell, key in keys.items()):
            places = {cell: sheet.places[key] for cell, key in keys.items()}
            layer = replace(layer, places=places, alike=True)
        layers[line.table.shape] = layer
    for table, mark in zip(group.marks, marks, strict=False):
        layers[table.table.shape] = _layer(known, table, sheet.places, {}, mark)
    return layers


def _layer(
    known: Knowledge,
    table: Candidate,
    places: Mapping[Leaves, CellPlace],
    pieces: Mapping[Leaves, Piece],
    mark: str = "",
) -> Layer:
    return Layer(table.table.shape, known.spell(table.name), table.key, table.content, places, pieces, mark)


#: The fewest and the most cells of a row.
_FEWEST: Final = 3
_MOST: Final = 24


def find_rows(known: Knowledge) -> list[Candidate]:
    """Return the tables that can be drawn as rows of cells, in the rules' order."""
    found = [made for table in known.tables if (made := _valued(known, table)) is not None]
    return found or _switches(known)


def _valued(known: Knowledge, table: Table) -> Candidate | None:
    """Return a table of pairs as a row if it gives each value of one leaf exactly one of the other at the start."""
    if len(table.domains) != 2:
        return None
    for key in (0, 1):
        values, contents = {row[key] for row in table.initial}, table.domains[1 - key]
        # Things that lie on one another are no row.
        if values == table.domains[key] and len(values) == len(table.initial) and not values & contents:
            return _row(known, table, key, (1 - key,), values) if len(contents) > 1 else None
    return None


def _switches(known: Knowledge) -> list[Candidate]:
    """Return the tables of single things, such as lights that are on or off, that share out the same things."""
    tables = [table for table in known.tables if len(table.domains) == 1]
    for first in tables:
        values = first.domains[0]
        alike = [table for table in tables if table.domains[0] <= values]
        rows = [row[0] for table in alike for row in table.initial]
        if len(alike) > 1 and len(rows) == len(set(rows)) and set(rows) == values:
            made = [_row(known, table, 0, (), set(values)) for table in alike]
            return [one for one in made if one is not None]
    return []


def _row(known: Knowledge, table: Table, key: int, content: tuple[int, ...], values: set[str]) -> Candidate | None:
    if not _FEWEST <= len(values) <= _MOST or values <= set(map(name_key, known.roles)):
        return None
    axis = Axis(tuple(sorted(values, key=naturally)), OrderKind.LETTER)
    cells: frozenset[Leaves] = frozenset((value,) for value in values)
    axes = (axis, Axis((ONE,), OrderKind.LETTER))
    return Candidate(table, (key,), content, axes, cells, True, frozenset(), single=True)
