"""The search for the boards of a game: what one kind of board leaves, the next one may take.

Tables of cells that belong together are a group, which is drawn on one board, or side by side on several.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gdl.engine import Engine
from gdl.terms import name_key
from ggp.board.finding.candidates import Candidate, find_candidates
from ggp.board.finding.facts import Knowledge, Table, knowledge_of
from ggp.board.finding.order import Axis
from ggp.board.finding.pieces import make_pieces
from ggp.board.kinds.board import Board
from ggp.board.kinds.sheet import Sheet
from ggp.board.leaves import Leaves, pick
from ggp.board.model import CellPlace, Layer, Piece

#: Marks for a board's relations without contents, assigned in the order of the rules.
_MARKS = "*+^~'\""

#: Draws a group of cells on boards; the pieces are the contents of its main table.
Arrange = Callable[["Search", "Group", Mapping[Leaves, Piece], str], Sheet]


@dataclass(slots=True)
class Group:
    """Tables over the same cells: `main` defines the coordinates, `marks` are tables that only mark cells.

    A kind of board that draws the cells in its own way says how in `arrange`; it is None until one does.
    """

    main: Candidate
    cells: dict[Leaves, Leaves]
    pieces: list[Candidate] = field(default_factory=list)
    marks: list[Candidate] = field(default_factory=list)
    arrange: Arrange | None = None

    def axes(self) -> list[Axis]:
        """Return the axes of the cells, restricted to the coordinates that occur."""
        columns = zip(*self.cells.values(), strict=True)
        return [axis.within(column) for axis, column in zip(self.main.axes, columns, strict=True)]


class Search:
    """The boards of a game in the making.

    `candidates` are the tables that look like cells and that no kind of board has taken; `named` are the relations that
    say what roles hold, if somebody has chosen these.
    """

    def __init__(self, game: Engine, named: Collection[str] | None) -> None:
        """Read what the rules and the initial state say about facts."""
        self.game = game
        self.named = named
        self.known: Knowledge = knowledge_of(game)
        self.candidates = find_candidates(self.known)
        self.take(table for table in self.known.tables if table.name in (named or ()))
        self.boards: list[Board] = []
        self.bands: list[tuple[int, ...]] = []
        self.layers: dict[str, Layer] = {}
        self._groups: list[Group] | None = None

    def take(self, tables: Iterable[Table]) -> None:
        """Take tables that are no cells, whatever they look like, before there are groups."""
        shapes = {table.shape for table in tables}
        self.candidates = [one for one in self.candidates if one.table.shape not in shapes]

    @property
    def groups(self) -> list[Group]:
        """The tables of cells in groups. Once somebody asks for them, no table can be taken any more."""
        if self._groups is None:
            self._groups = []
            for candidate in self.candidates:
                joined = any(_join(candidate, group, self.known.roles) for group in self._groups)
                if not joined and _stands_alone(candidate, self._groups):
                    self._groups.append(Group(candidate, candidate.coordinates(), [candidate]))
        return self._groups

    @property
    def found(self) -> bool:
        """True if there are cells, or boards."""
        return bool(self.candidates or self._groups or self.boards)

    @property
    def arranged(self) -> bool:
        """True if some kind of board draws the cells of a group in its own way."""
        return any(group.arrange for group in self._groups or ())

    def add(self, board: Board, layers: Mapping[str, Layer]) -> None:
        """Add a board of its own kind, and the layers of its facts."""
        self.bands.append((len(self.boards),))
        self.boards.append(board)
        self.layers |= layers

    def close_bands(self) -> None:
        """Put all boards that have no others beside them into one band; boards that are added now come below it."""
        single = tuple(number for band in self.bands if len(band) == 1 for number in band)
        several = [band for band in self.bands if len(band) > 1]
        self.bands = [single, *several] if single else several

    def add_group(self, group: Group, arrange: Arrange) -> None:
        """Add the boards of a group, and the layers of its tables."""
        known = self.known
        drafted = make_pieces(known, group.pieces)
        pieces: dict[str, dict[Leaves, Piece]] = {}
        for (shape, content), piece in drafted.items():
            pieces.setdefault(shape, {})[content] = piece
        title = known.spell(group.main.name) if len(self.groups) > 1 else ""
        sheet = (group.arrange or arrange)(self, group, pieces.get(group.main.table.shape, {}), title)
        glyphs = frozenset(piece.glyph for piece in drafted.values())
        self.boards += [replace(board, glyphs=glyphs) for board in sheet.boards]
        self.bands += sheet.bands
        for table in group.pieces:
            self.layers[table.table.shape] = layer_of(known, table, sheet.places, pieces.get(table.table.shape, {}))
        self.layers |= sheet.layers
        marks = [mark for mark in _MARKS if mark not in glyphs]
        for table, mark in zip(group.marks, marks, strict=False):
            self.layers[table.table.shape] = layer_of(known, table, sheet.places, {}, mark)


def layer_of(
    known: Knowledge,
    table: Candidate,
    places: Mapping[Leaves, CellPlace],
    pieces: Mapping[Leaves, Piece],
    mark: str = "",
) -> Layer:
    """Return the layer of a table whose cells have these places, and whose contents are these pieces."""
    return Layer(table.table.shape, known.spell(table.name), table.key, table.content, places, pieces, mark)


# ------------------------------------------------------------------------------------------ one board or another


def _join(candidate: Candidate, group: Group, roles: Sequence[str]) -> bool:
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


def _fits(candidate: Candidate, group: Group) -> bool:
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


def _stands_alone(candidate: Candidate, groups: Sequence[Group]) -> bool:
    """Return True if a table deserves a board of its own: not if it just numbers or remembers the cells of another."""
    domains = [candidate.table.domains[leaf] for leaf in candidate.telling()]
    numbers = any(all(value.isdecimal() for value in domain) for domain in domains)
    return not numbers or not any(_fits(candidate, group) for group in groups)
