"""What roles hold, such as cards in their hands: a row for each role.

A fact about it names a role and a thing, as in `(hand alice king)` or `(hand left (card sun 3))`; it may also say how
many of it there are, as in `(in_hand white pawn 2)`. Moves name these things, and they are neither cells of a board nor
the values of a counter. Facts that name only such a thing, as in `(deck king)`, are another row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Final, Self

from rich.style import Style

from gdl.language.rules import Rule
from gdl.terms import Term, name_key
from ggp.board.drawing.elements import Element, element, group
from ggp.board.drawing.looks import CELL, look_of
from ggp.board.finding.candidates import Candidate
from ggp.board.finding.facts import Knowledge, Table
from ggp.board.finding.order import naturally, ordered
from ggp.board.finding.pieces import make_pieces
from ggp.board.kinds.board import Board, Short, TextPart, Waiting, glyph_of
from ggp.board.kinds.search import Search
from ggp.board.leaves import Leaves, flatten, pick
from ggp.board.model import CellPlace, Layer, Piece
from ggp.board.vocabulary import are_dice

#: The most things that are told apart, and the most pieces with all their owners and numbers.
_MOST: Final = 60
_MOST_PIECES: Final = 5000

#: The longest row; things that do not fit continue in a second one.
_LONGEST: Final = 13

#: The most characters of a name that is written on a card, or in a terminal.
_WRITTEN: Final = 6

#: The size of a card, in cells.
_CARD: Final = 1.4
#: The room between the rows.
_BETWEEN: Final = 3.0


@dataclass(frozen=True, slots=True)
class Hands(Board):
    """A board on which each row has what a role holds, or a deck.

    A row without a name continues the one above it, and the columns are just numbers.
    """

    @property
    def holds(self) -> bool:
        """True: the cells are no places."""
        return True

    def settle(self, waiting: Sequence[Waiting], pieces: dict[CellPlace, list[Piece]]) -> Iterable[Term]:
        """Deal things into the rows, from the left; the last cell of a row has all that do not fit before it."""
        left: list[Term] = []
        held: dict[CellPlace, list[Piece]] = {}
        for fact, layer, leaves in waiting:
            place, piece = layer.places.get(pick(leaves, layer.key)), layer.pieces.get(pick(leaves, layer.content))
            if place is None or piece is None:
                left.append(fact)
            elif not piece.blank:
                held.setdefault(place, []).append(piece)
        width = len(self.columns)
        for first, things in held.items():
            lines = 1
            while first.row + lines < len(self.rows) and not self.rows[first.row + lines]:
                lines += 1
            for at, piece in enumerate(sorted(things, key=lambda piece: piece.held)):
                row, column = divmod(min(at, lines * width - 1), width)
                pieces.setdefault(replace(first, column=column, row=first.row + row), []).append(piece)
        return left

    def flipped(self) -> Self:
        """Return the board as it is."""
        return self

    def flip(self, column: int, row: int) -> tuple[int, int]:
        """Return the place of a cell as it is."""
        return column, row

    @property
    def labelled(self) -> bool:
        """False: only the rows have labels."""
        return False

    def labels(self, short: Short) -> tuple[Sequence[str], Sequence[str]]:
        """Return the names of the rows, as long as they are."""
        return ("",) * len(self.columns), self.rows

    def words(self, column: int, row: int, roles: Sequence[str]) -> str:
        """Return the name of a cell, such as `hand of alice, 3`."""
        name = next(self.rows[at] for at in range(row, -1, -1) if self.rows[at])
        number = column + 1 + len(self.columns) * (row - self.rows.index(name))
        return f"{self.title} of {name}, {number}" if name in roles else f"{name}, {number}"

    def chequered(self, roles: int) -> bool:
        """Return False."""
        return False

    def class_of(self, column: int, row: int) -> str:
        """Return the class of a cell."""
        return "slot"

    def ground_of(self, column: int, row: int, x: float, y: float, /, **attributes: str | float) -> Element:
        """Return an empty cell; there are no gaps between those of a row."""
        width, height = self.size(column, row)
        width, height = width + 0.5, height - _BETWEEN
        return element("rect", **attributes, x=x - width / 2, y=y - height / 2, width=width, height=height)

    def look(self, piece: Piece, column: int, row: int) -> list[Element]:
        """Return the elements of a thing; cards are as large as their cells."""
        scale = self.size(column, row)[0] / CELL if piece.shape == "card" else 1
        drawn = look_of(piece)
        shift = CELL / 2 * (1 - scale)
        return drawn if scale == 1 else [group(drawn, transform=f"translate({shift:.2f} {shift:.2f}) scale({scale:g})")]

    def text_of(self, column: int, row: int, part: TextPart) -> tuple[str, Style]:
        """Return the text of a thing, and its style; there is none in an empty cell."""
        return glyph_of(part.cells.get((column, row)), part.colours, "")


def find_hands(search: Search) -> None:
    """Find what roles hold, below all other boards."""
    known = search.known
    search.close_bands()
    for held in _found(known, search.layers, search.named):
        pieces = [piece for layer in search.layers.values() for piece in layer.pieces.values()]
        search.add(*_board(known, held, pieces, len(search.boards)))


def _board(
    known: Knowledge, hands: Sequence[Hand], drawn: Iterable[Piece], number: int
) -> tuple[Board, dict[str, Layer]]:
    """Return the board of what roles hold, which has a number in the layout, and its layers by shape.

    Pieces that also stand on boards look as they are `drawn` there.
    """
    first = hands[0]
    looks = _looks(known, first, list(drawn))
    lines = 1 if len(looks) <= _LONGEST else 2
    columns = min(_LONGEST, (len(looks) + lines - 1) // lines)
    holders = [
        role for role in known.roles if first.role is not None and name_key(role) in first.table.domains[first.role]
    ]
    names: list[str] = []
    layers = {}
    for hand in hands:
        title = known.spell(hand.table.name)
        rows = holders if hand.role is not None else [title]
        places: dict[Leaves, CellPlace] = {}
        for row in rows:
            places[() if hand.role is None else (name_key(row),)] = CellPlace(number, 0, len(names))
            names += [row, *[""] * (lines - 1)]
        key = () if hand.role is None else (hand.role,)
        count = () if hand.count is None else (hand.count,)
        pieces = _pieces(known, hand, holders, looks)
        layers[hand.table.shape] = Layer(
            hand.table.shape, title, key, (*key, *hand.items, *count), places, pieces, board=number
        )
    cells = frozenset(product(range(columns), range(len(names))))
    glyphs = frozenset(piece.glyph for layer in layers.values() for piece in layer.pieces.values())
    numbers = tuple(str(column + 1) for column in range(columns))
    title = known.spell(first.table.name)
    size = _CARD if any(look.shape == "card" for look in looks.values()) else 1.0
    widths, heights = (size,) * columns, (size,) * len(names)
    return Hands(title, numbers, tuple(names), cells, False, glyphs, widths, heights), layers


def _looks(known: Knowledge, hand: Hand, drawn: Sequence[Piece]) -> dict[Leaves, Piece]:
    """Return what things look like, in their order."""
    table = Candidate(hand.table, (), hand.items, (), frozenset(), False, frozenset())
    made = {content: piece for (_, content), piece in make_pieces(known, [table]).items()}
    ranks = []
    for leaf in hand.items:
        domain = hand.table.domains[leaf]
        axis = ordered(domain, known.chains)
        values = axis.values if axis else sorted(domain, key=naturally)
        ranks.append({value: rank for rank, value in enumerate(values)})
    contents = sorted(made, key=lambda content: [rank[leaf] for rank, leaf in zip(ranks, content, strict=True)])
    dice = are_dice(hand.table.name, {leaf for content in made for leaf in content})
    written = all(len(piece.name) <= _WRITTEN for piece in made.values())
    looks = {}
    for number, content in enumerate(contents, 1):
        piece = made[content]
        name = " ".join(map(known.spell, content))
        like = [one for one in drawn if name_key(name) in name_key(one.name).split()]
        if like:
            first = min(like, key=lambda one: (not one.shape, len(one.glyph)))
            glyph, shape = first.glyph, first.shape
        else:
            glyph, shape = name if written else piece.glyph, f"die{name}" if dice else "card"
        looks[content] = Piece(name, glyph, None, shape=shape, held=number)
    return looks


def _pieces(known: Knowledge, hand: Hand, holders: Sequence[str], looks: Mapping[Leaves, Piece]) -> dict[Leaves, Piece]:
    """Return the pieces by their content: the role, unless it is a deck, the thing, and how many of it there are."""
    owners = [(name_key(role),) for role in holders] if hand.role is not None else [()]
    if hand.count is None:
        counts: list[tuple[Leaves, int]] = [((), 0)]
    else:
        domain = hand.table.domains[hand.count]
        axis = ordered(domain, known.chains)
        values = axis.values if axis else sorted(domain, key=naturally)
        counts = [((value,), int(value) if value.isdecimal() else rank) for rank, value in enumerate(values)]
    spelled = {name_key(role): role for role in holders}
    pieces = {}
    for owner, (content, look), (value, count) in product(owners, looks.items(), counts):
        piece = replace(look, owner=spelled[owner[0]] if owner else None, count=count)
        if value and not count:
            piece = replace(piece, blank=True)
        elif count > 1:
            times = "x" if look.glyph.isdecimal() else ""
            piece = replace(piece, name=f"{count} {look.name}", glyph=f"{count}{times}{look.glyph}")
        pieces[(*owner, *content, *value)] = piece
    return pieces


# ------------------------------------------------------------------------------------------ in the rules


@dataclass(frozen=True, slots=True)
class Hand:
    """A table that says what each role holds: `role` is the leaf of the role, None for a deck.

    `items` are the leaves that name a thing. If a leaf says how many of it there are, that is `count`.
    """

    table: Table
    role: int | None
    items: tuple[int, ...]
    count: int | None = None


def _found(
    known: Knowledge, layers: Mapping[str, Layer], named: Collection[str] | None = None
) -> list[tuple[Hand, ...]]:
    """Return the tables of what roles hold, each with the decks of the same things, in the rules' order.

    `layers` are those of the boards of the game. If relations are `named`, it is these tables and no others.
    """
    free = [table for table in known.tables if table.shape not in layers]
    if named is not None:
        free = [table for table in free if table.name in named]
    coordinates = _coordinates(layers.values())
    found: list[tuple[Hand, ...]] = []
    taken: set[str] = set()
    for table in free:
        hand = _hand(known, table)
        if hand is None or (named is None and not _seems_held(known, hand, layers, coordinates)):
            continue
        things = [table.domains[leaf] for leaf in hand.items]
        decks = [other for other in free if other.shape not in taken and _is_deck(other, things)]
        taken |= {deck.shape for deck in decks}
        found.append((hand, *(Hand(deck, None, tuple(range(len(things)))) for deck in decks)))
    return found


def _coordinates(layers: Iterable[Layer]) -> list[frozenset[str]]:
    """Return the values of each coordinate of cells that have contents."""
    places = {id(layer.places): layer.places for layer in layers if layer.content}
    return [frozenset(values) for keys in places.values() for values in zip(*keys, strict=False)]


def _hand(known: Knowledge, table: Table) -> Hand | None:
    """Return a table as what roles hold, if it has one role and some things, not too many to be told apart."""
    people = set(map(name_key, known.roles))
    roles = [leaf for leaf, domain in enumerate(table.domains) if domain <= people]
    others = tuple(leaf for leaf in range(len(table.domains)) if leaf not in roles)
    if len(roles) != 1 or not others:
        return None
    count = _count(known, table, roles[0], others)
    hand = Hand(table, roles[0], tuple(leaf for leaf in others if leaf != count), count)
    sizes = prod(len(table.domains[leaf]) for leaf in hand.items), prod(map(len, table.domains))
    return hand if 1 < sizes[0] <= _MOST and sizes[1] <= _MOST_PIECES else None


def _seems_held(known: Knowledge, hand: Hand, layers: Collection[str], coordinates: Collection[frozenset[str]]) -> bool:
    """Return True if the things of a table are held: moves name them, and they are neither places nor qualities."""
    table = hand.table
    things = [table.domains[leaf] for leaf in hand.items]
    named = all(any(domain <= moved for moved in known.moves) for domain in things)
    on_board = all(any(domain <= values for values in coordinates) for domain in things)
    alone = sum(other.name == table.name for other in known.tables) == 1
    if not named or on_board or not alone or (hand.count is None and _is_quality(hand)):
        return False
    # Numbers may be those of cards or dice, which moves deal or throw, or of something else.
    numbers = not table.initial and all(value.isdecimal() for domain in things for value in domain)
    if numbers and not any(_is_put(rule, hand) for rule in known.rules):
        return False
    return not any(other.shape not in layers and _are_places(other, things) for other in known.tables)


def _count(known: Knowledge, table: Table, role: int, others: Sequence[int]) -> int | None:
    """Return the leaf that says how many of a thing a role has: at the start, one number for each role and thing."""
    for leaf in others:
        key = [role, *(other for other in others if other != leaf)]
        numbers = ordered(table.domains[leaf], known.chains) or all(map(str.isdecimal, table.domains[leaf]))
        seen = {pick(row, key) for row in table.initial}
        whole = prod(len(table.domains[other]) for other in key)
        if len(key) > 1 and numbers and len(seen) == len(table.initial) == whole:
            return leaf
    return None


def _is_put(rule: Rule, hand: Hand) -> bool:
    """Return True if a rule gives a role what a move names."""
    shape, leaves = flatten(rule.head.args[0]) if rule.head.signature == ("next", 1) else ("", ())
    moves = (literal.atom.args[1] for literal in rule.literals() if literal.atom.signature == ("does", 2))
    return shape == hand.table.shape and any({*pick(leaves, hand.items)} <= {*flatten(move)[1]} for move in moves)


def _is_quality(hand: Hand) -> bool:
    """Return True if each role has one value from the start, such as its points or its colour."""
    holder = () if hand.role is None else (hand.role,)
    each = Counter(pick(row, holder) for row in hand.table.initial)
    return max(each.values(), default=0) == 1


def _are_places(other: Table, things: Sequence[frozenset[str]]) -> bool:
    """Return True if a table takes things for places: at the start, each of them has one content."""
    return len(other.domains) > 1 and any(
        [domain] == things and len({row[leaf] for row in other.initial}) == len(other.initial) == len(domain)
        for leaf, domain in enumerate(other.domains)
    )


def _is_deck(table: Table, things: Sequence[frozenset[str]]) -> bool:
    """Return True if a table has nothing but things of some kind."""
    if len(table.domains) != len(things):
        return False
    numbers = all(value.isdecimal() for domain in things for value in domain)
    pairs = zip(table.domains, things, strict=True)
    return all(domain == thing if numbers else domain <= thing for domain, thing in pairs)
