"""Things that stand on one another, such as blocks on a table or discs on pegs, in columns.

A relation of two arguments says what stands on what if, at the start, everything stands on exactly one thing and
carries at most one. The ground either is what never stands on anything, or there is a relation of one argument for all
things that stand on the ground. If nothing but the ground carries anything at the start, there is a relation for the
things that carry nothing. Such relations are looked for only in games without cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations
from typing import Final, Self

from rich.style import Style

from gdl.terms import Term, name_key
from ggp.board.drawing.elements import Element, element
from ggp.board.drawing.looks import CELL, block_of, image_on, look_of
from ggp.board.finding.candidates import BLANK_NAMES, Candidate
from ggp.board.finding.facts import Knowledge, Table
from ggp.board.finding.order import naturally
from ggp.board.finding.pieces import make_pieces
from ggp.board.kinds.board import Board, TextPart, Waiting, glyph_of
from ggp.board.kinds.search import Search
from ggp.board.leaves import Leaves, pick
from ggp.board.model import CellPlace, Layer, Piece

#: The fewest things that are drawn as stacks, and the most columns or things.
_FEWEST: Final = 3
_MOST: Final = 24

#: The width of columns and the height of rows where things have sizes, and the widths of the smallest and the largest
#: thing, and of things without sizes, in cells.
_COLUMN: Final = 2.0
_ROW: Final = 0.75
_NARROWEST: Final = 0.6
_WIDEST: Final = 1.9
_PLAIN: Final = 0.9


@dataclass(frozen=True, slots=True)
class Stacks(Board):
    """A board on which each row stands on the one below it."""

    @property
    def upright(self) -> bool:
        """True: what stands on something else is not put upside down."""
        return True

    def settle(self, waiting: Sequence[Waiting], pieces: dict[CellPlace, list[Piece]]) -> Iterable[Term]:
        """Put things on those that they stand on, from the ground up; return the facts left over."""
        under: dict[str, CellPlace] = {}
        left: list[Waiting] = []
        for fact, layer, leaves in waiting:
            place, piece = layer.places.get(pick(leaves, layer.key)), layer.pieces.get(pick(leaves, layer.content))
            if place is None or piece is None:
                left.append((fact, layer, leaves))
            else:
                pieces.setdefault(place, []).append(piece)
                under[name_key(piece.name)] = place
        while left:
            floating = []
            for fact, layer, leaves in left:
                below, piece = under.get(leaves[layer.key[-1]]), layer.pieces.get(pick(leaves, layer.content))
                if piece is None or below is None or not below.row:
                    floating.append((fact, layer, leaves))
                else:
                    place = replace(below, row=below.row - 1)
                    pieces.setdefault(place, []).append(piece)
                    under[name_key(piece.name)] = place
            if len(floating) == len(left):
                break
            left = floating
        return [fact for fact, _, _ in left]

    def flipped(self) -> Self:
        """Return the board as it is seen from behind."""
        return replace(
            self,
            columns=self.columns[::-1],
            cells=frozenset(self.flip(*cell) for cell in self.cells),
            widths=self.widths[::-1],
        )

    def flip(self, column: int, row: int) -> tuple[int, int]:
        """Return the place of a cell as it is seen from behind."""
        return len(self.columns) - 1 - column, row

    def chequered(self, roles: int) -> bool:
        """Return False."""
        return False

    def look(self, piece: Piece, column: int, row: int) -> list[Element]:
        """Return a block as high as its cell, with its glyph or its image; or the shape that somebody has chosen."""
        if piece.shape:
            return look_of(piece)
        width, height = piece.width * CELL, self.size(column, row)[1]
        body = block_of(width, height - 1)
        if piece.image:
            return [body, image_on(piece, 24, 24, (min(width, height) - 2) / CELL)]
        size = min(18.0, max(10.0, 1.7 * (width - 4) / len(piece.glyph)))
        return [body, element("text", piece.glyph, class_="ink", x=24, y=24.5, font_size=size)]

    def text_of(self, column: int, row: int, part: TextPart) -> tuple[str, Style]:
        """Return the text of a thing, and its style; there is none where nothing stands."""
        if (column, row) not in self.cells:
            return "", part.colours.plain
        return glyph_of(part.cells.get((column, row)), part.colours, "")


def find_stacks(search: Search) -> None:
    """Find what stands on what, if there are no cells."""
    if search.found:
        return
    stacks = _found(search.known)
    for stack in stacks:
        title = search.known.spell(stack.on.name) if len(stacks) > 1 else ""
        search.add(*_board(search.known, stack, title, len(search.boards)))


def _board(known: Knowledge, stack: Stack, title: str, number: int) -> tuple[Board, dict[str, Layer]]:
    """Return the board of some stacks, which has a number in the layout, and the layers of their facts by shape."""
    rows = len(stack.things)
    cells = frozenset((column, row) for column in range(len(stack.columns)) for row in range(rows))
    heights = tuple(str(height) for height in range(rows, 0, -1))
    tables = [stack.on, *([stack.lying] if stack.lying else [])]
    pieces = make_pieces(known, tables)
    glyphs = frozenset(piece.glyph for piece in pieces.values())
    board = Stacks(title, tuple(map(known.spell, stack.columns)), heights, cells, glyphs=glyphs)
    if stack.sizes:
        board = replace(board, widths=(_COLUMN,) * len(stack.columns), heights=(_ROW,) * rows)
    places = {key: CellPlace(number, column, rows - 1) for key, column in stack.ground.items()}
    layers = {
        table.table.shape: Layer(
            table.table.shape,
            known.spell(table.name),
            table.key,
            table.content,
            places,
            {
                content: replace(piece, shape="", width=_width(content[0], stack.sizes))
                for (shape, content), piece in pieces.items()
                if shape == table.table.shape
            },
            board=number,
        )
        for table in tables
    }
    return board, layers


def _width(thing: str, sizes: Sequence[str]) -> float:
    if thing not in sizes:
        return _PLAIN
    return _NARROWEST + (_WIDEST - _NARROWEST) * sizes.index(thing) / (len(sizes) - 1)


# ------------------------------------------------------------------------------------------ in the rules


@dataclass(frozen=True, slots=True)
class Stack:
    """Things that stand on one another.

    `on` are the facts about what stands on what: the first leaf of the key stands on the second. `lying` are those
    about what stands on the ground, if they have a relation of their own. `ground` has the column of each fact, by its
    key, about a thing on the ground. `sizes` are the things from the smallest to the largest, if the rules order them.
    """

    on: Candidate
    lying: Candidate | None
    things: tuple[str, ...]
    columns: tuple[str, ...]
    ground: Mapping[Leaves, int]
    sizes: tuple[str, ...]


def _found(known: Knowledge) -> list[Stack]:
    """Return the relations that say what stands on what, in the rules' order."""
    found: list[Stack] = []
    for table in known.tables:
        taken = {stack.lying.table.shape for stack in found if stack.lying}
        if (stack := _stack(known, table, taken)) is not None:
            found.append(stack)
    return found


def _stack(known: Knowledge, table: Table, taken: Collection[str]) -> Stack | None:
    """Return the stacks of a table of pairs, or None if it is none. The tables that are `taken` are of other stacks."""
    named = frozenset().union(*table.domains)
    people = set(map(name_key, known.roles))
    if len(table.domains) != 2 or named & BLANK_NAMES or all(name.isdecimal() for name in named):
        return None
    if table.domains[0] <= people:  # an order of the roles, for example
        return None
    for key in permutations((0, 1)):
        upper, lower = (table.domains[leaf] for leaf in key)
        pairs = [(row[key[0]], row[key[1]]) for row in table.initial]
        # Read the other way round, what carries nothing would be taken for what stands on the ground.
        if not upper & lower or not pairs or (key != (0, 1) and not lower - upper):
            continue
        things = upper if lower - upper else upper | lower
        lone = things - {thing for thing, _ in pairs}
        lying = None if lower - upper else _table_of(known, things, lone, taken)
        if (lone and lying is None) or not _stand(things, pairs, lone):
            continue
        carrying = {below for _, below in pairs}
        if carrying & things or _table_of(known, things | lower, (things | lower) - carrying, taken):
            return _made(known, table, key, pairs, lying)
    return None


def _table_of(known: Knowledge, things: frozenset[str], some: frozenset[str], taken: Collection[str]) -> Table | None:
    """Return a table of single things, with just some of them at the start."""
    for table in known.tables:
        single = len(table.domains) == 1 and table.domains[0] <= things and table.shape not in taken
        if single and {row[0] for row in table.initial} == some:
            return table
    return None


def _stand(things: frozenset[str], pairs: Sequence[tuple[str, str]], lone: frozenset[str]) -> bool:
    """Return True if all things stand on exactly one thing or are `lone`, carry at most one, and form no circle."""
    under = dict(pairs)
    carried = Counter(lower for lower in under.values() if lower in things)
    if len(under) != len(pairs) or under.keys() | lone != things or max(carried.values(), default=0) > 1:
        return False
    for thing in under:
        seen = {thing}
        while (thing := under.get(thing, "")) in under:
            if thing in seen:
                return False
            seen.add(thing)
    return True


def _made(
    known: Knowledge, table: Table, key: tuple[int, ...], pairs: Sequence[tuple[str, str]], lying: Table | None
) -> Stack | None:
    upper, lower = (table.domains[leaf] for leaf in key)
    things = tuple(sorted(upper | lower if lying else upper, key=naturally))
    columns: list[str] = []
    ground: dict[Leaves, int] = {}
    if lying:
        columns, ground = list(things), {(thing,): number for number, thing in enumerate(things)}
    grounds = sorted(lower - upper, key=naturally)
    carried = Counter(below for _, below in pairs)
    for one in grounds:
        # On a table, each thing has a place of its own; on a peg, there is one place.
        wide = len(grounds) == 1 or carried[one] > 1
        ground |= {(thing, one): len(columns) + (number if wide else 0) for number, thing in enumerate(things)}
        columns += things if wide else [one]
    if len(things) < _FEWEST or max(len(things), len(columns)) > _MOST:
        return None
    on, off = _read(table, key, key[:1]), _read(lying, (0,), (0,)) if lying else None
    return Stack(on, off, things, tuple(columns), ground, _sizes(known, things, pairs))


def _read(table: Table, key: tuple[int, ...], content: tuple[int, ...]) -> Candidate:
    return Candidate(table, key, content, (), frozenset(), False, frozenset())


def _sizes(known: Knowledge, things: Sequence[str], pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the things in the order of a relation by which everything stands on something larger; else nothing."""
    standing = [(upper, lower) for upper, lower in pairs if lower in things]
    for _, related in known.chains:
        inside = [(a, b) for a, b in related if a in things and b in things]
        line = _in_line(things, inside)
        for sizes in (line, line[::-1]):
            rank = {thing: number for number, thing in enumerate(sizes)}
            if line and standing and all(rank[upper] < rank[lower] for upper, lower in standing):
                return sizes
    return ()


def _in_line(things: Sequence[str], pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the things in the one order in which the first of each pair comes first; nothing if there is none."""
    line: list[str] = []
    while len(line) < len(things):
        left = [thing for thing in things if thing not in line]
        free = [thing for thing in left if all(b != thing or a in line for a, b in pairs)]
        if len(free) != 1:
            return ()
        line += free
    return tuple(line) if all(pair in pairs for pair in pairwise(line)) else ()
