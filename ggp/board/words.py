"""Cells, what is on them, and moves, in words of people; and the facts that belong to no board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gdl.errors import GdlError
from gdl.language.parser import parse_term
from gdl.terms import Function, Term, leaves, name_key
from ggp.board.leaves import flatten
from ggp.board.model import Cell, CellPlace
from ggp.board.view import Layout, Moves, spans_in
from ggp.board.vocabulary import are_dice

#: Names of moves that only say that nothing is done.
IDLE: Final = frozenset(("noop", "pass"))

#: The angle of a direction, in degrees from upwards, clockwise.
ANGLES: Final[Mapping[str, int]] = {
    **dict.fromkeys(("north", "n", "up", "upward", "upwards"), 0),
    **dict.fromkeys(("northeast", "ne", "upright"), 45),
    **dict.fromkeys(("east", "e", "right", "rightward", "rightwards"), 90),
    **dict.fromkeys(("southeast", "se", "downright"), 135),
    **dict.fromkeys(("south", "s", "down", "downward", "downwards"), 180),
    **dict.fromkeys(("southwest", "sw", "downleft"), 225),
    **dict.fromkeys(("west", "w", "left", "leftward", "leftwards"), 270),
    **dict.fromkeys(("northwest", "nw", "upleft"), 315),
}


def cell_words(layout: Layout, place: CellPlace) -> str:
    """Return the name of a cell as people say it, such as `d8` or `hand of alice, 3`."""
    return layout.boards[place.board].said(place.column, place.row, layout.roles)


def content_words(layout: Layout, place: CellPlace, cell: Cell) -> str:
    """Return what is on a cell, such as `king` or `drawn by red`; nothing if that is nothing."""
    names = {layer.mark: layer.name for layer in layout.layers.values() if layer.mark}
    board = layout.boards[place.board]
    pieces = [board.piece_words(piece, place.column, place.row) for piece in cell.pieces]
    return ", ".join([*pieces, *(names.get(mark, mark) for mark in cell.marks)])


def move_words(layout: Layout, move: Term | str, lanes: Mapping[str, str] | None = None) -> str:
    """Return a move as people write it, such as `c4–c5`, `defend d7` or `place pawn e2`.

    `lanes` are names of what moves without cells are about, by the text of the move, such as a column.
    """
    try:
        term = parse_term(move) if isinstance(move, str) else move
    except GdlError:
        return str(move)
    if not isinstance(term, Function):
        return spaced(term.text)
    if lanes and (lane := lanes.get(term.text)) is not None:
        return f"{spaced(term.name)} {lane}"
    text, own = spaced(term.name), flatten(term)[1]
    cells = {start: (end, place) for start, end, place in spans_in(layout, own)}
    at, after_cell = 0, False
    texts = [leaf.text for leaf in leaves(term)]
    while at < len(own):
        end, place = cells.get(at, (at + 1, None))
        word = spaced(texts[at]) if place is None else cell_words(layout, place)
        text += f"–{word}" if place is not None and after_cell else f" {word}"
        at, after_cell = end, place is not None
    return text.removeprefix("move ") if cells and name_key(term.name) == "move" else text


def spaced(word: str) -> str:
    """Return a word of the rules as people write it: `no_tiebreaker` with a space, and `pass` for a noop."""
    if name_key(word) in IDLE:
        return "pass"
    return word.strip("_").replace("_", " ") or word


def angles_of(words: Iterable[str]) -> dict[str, int]:
    """Return the angle of each word that is a direction, in degrees from upwards, clockwise.

    A letter such as `e` is one only beside its opposite.
    """
    plain = {word: name_key(word).replace("_", "").replace("-", "").removeprefix("go") for word in words}
    found = {word: ANGLES[name] for word, name in plain.items() if name in ANGLES}
    opposite = {(angle + 180) % 360 for angle in found.values()}
    return {word: angle for word, angle in found.items() if len(plain[word]) > 1 or angle in opposite}


@dataclass(frozen=True, slots=True)
class Note:
    """A relation and its facts in a state: one text per fact; no rows for a fact without arguments."""

    name: str
    rows: tuple[str, ...]

    @property
    def text(self) -> str:
        """The relation and its facts on one line."""
        return " ".join((self.name, ", ".join(self.rows))) if self.rows else self.name


def is_dice(note: Note) -> bool:
    """Return True if a note has nothing but dice."""
    return are_dice(note.name, [word for row in note.rows for word in row.split()])


def thrown(moves: Moves) -> Iterator[Note]:
    """Yield the dice that moves throw, such as `(throw 4)`."""
    for move in moves.values() if isinstance(moves, Mapping) else moves:
        try:
            found = grouped([parse_term(move) if isinstance(move, str) else move])
        except GdlError:
            continue
        yield from filter(is_dice, found)


def grouped(facts: Iterable[Term]) -> tuple[Note, ...]:
    """Group facts by relation, in order of appearance."""
    groups: dict[str, list[str]] = {}
    for fact in facts:
        if isinstance(fact, Function):
            groups.setdefault(fact.name, []).append(" ".join(arg.text for arg in fact.args))
        else:
            groups.setdefault(fact.text, [])
    return tuple(Note(name, tuple(rows)) for name, rows in groups.items())
