"""Cells and what is on them in words, for those who do not see the board; and the facts that belong to no board."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gdl.terms import Function, Term
from ggp.board.model import Cell, CellPlace
from ggp.board.view import Layout


def cell_words(layout: Layout, place: CellPlace) -> str:
    """Return the name of a cell, such as `c4 2`, `line between (1, 1) and (1, 2)` or `hand of alice, 3`."""
    return layout.boards[place.board].words(place.column, place.row, layout.roles)


def content_words(layout: Layout, place: CellPlace, cell: Cell) -> str:
    """Return what is on a cell, such as `king` or `drawn by red`; nothing if that is nothing."""
    names = {layer.mark: layer.name for layer in layout.layers.values() if layer.mark}
    board = layout.boards[place.board]
    pieces = [board.piece_words(piece, place.column, place.row) for piece in cell.pieces]
    return ", ".join([*pieces, *(names.get(mark, mark) for mark in cell.marks)])


@dataclass(frozen=True, slots=True)
class Note:
    """A relation and its facts in a state: one text per fact; no rows for a fact without arguments."""

    name: str
    rows: tuple[str, ...]

    @property
    def text(self) -> str:
        """The relation and its facts on one line."""
        return " ".join((self.name, ", ".join(self.rows))) if self.rows else self.name


def grouped(facts: Iterable[Term]) -> tuple[Note, ...]:
    """Group facts by relation, in order of appearance."""
    groups: dict[str, list[str]] = {}
    for fact in facts:
        if isinstance(fact, Function):
            groups.setdefault(fact.name, []).append(" ".join(arg.text for arg in fact.args))
        else:
            groups.setdefault(fact.text, [])
    return tuple(Note(name, tuple(rows)) for name, rows in groups.items())
