"""Grids: cells in columns and rows that no other kind of board draws in its own way."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_lowercase
from typing import Final

from gdl.terms import name_key
from ggp.board.finding.neighbours import corners_of
from ggp.board.finding.orient import orient
from ggp.board.kinds.board import Board, Short
from ggp.board.kinds.search import Group, Search
from ggp.board.kinds.sheet import Sheet, lay_out
from ggp.board.leaves import Leaves
from ggp.board.model import Piece

_NUMBERED: Final = re.compile(r"(\D*)(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Grid(Board):
    """A board whose cells people call by a letter and a number, such as `d8`, if its axes have letters or numbers."""

    def signs(self, short: Short) -> tuple[Sequence[str], Sequence[str]]:
        """Return letters for the columns if columns and rows have numbers."""
        columns, rows = self._letters(), _numbers(self.rows)
        return (columns, list(map(str, rows))) if columns and rows else Board.labels(self, short)

    def said(self, column: int, row: int, roles: Sequence[str]) -> str:
        """Return the name of a cell as people say it beside a drawing."""
        columns, rows = _numbers(self.columns), _numbers(self.rows)
        if rows and (letters := self._letters() or _lettered(self.columns)):
            return f"{self.title} {letters[column]}{rows[row]}".strip()
        if columns and (letters := _lettered(self.rows)):
            return f"{self.title} {letters[row]}{columns[column]}".strip()
        return self.words(column, row, roles)

    def _letters(self) -> Sequence[str]:
        """Return letters for columns with numbers, if all rows have numbers, too; none otherwise."""
        columns = _numbers(self.columns)
        if not (columns and _numbers(self.rows)) or len(columns) > len(ascii_lowercase):
            return ()
        return [ascii_lowercase[number - min(columns)] for number in columns]


def _numbers(names: Sequence[str]) -> Sequence[int]:
    """Return the numbers in names that have consecutive ones, counted from 1 if the rules count from 0."""
    found = [_NUMBERED.fullmatch(name) for name in names]
    numbers = [int(one[2]) for one in found if one is not None]
    alike = len(numbers) == len(names) > 1 and len({one[1] for one in found if one is not None}) == 1
    if not alike or {abs(a - b) for a, b in pairwise(numbers)} != {1}:
        return ()
    return [number + 1 for number in numbers] if min(numbers) == 0 else numbers


def _lettered(names: Sequence[str]) -> Sequence[str]:
    """Return the names in lower case if all are single letters."""
    return [name_key(name) for name in names] if all(len(name) == 1 and name.isalpha() for name in names) else ()


def find_grids(search: Search) -> None:
    """Add the boards of all groups of cells."""
    for group in search.groups:
        search.add_group(group, _arrange)


def _arrange(search: Search, group: Group, looks: Mapping[Leaves, Piece], title: str) -> Sheet:
    known, axes = search.known, group.axes()
    orientation = orient(known, group.main, axes, looks)
    several = orientation.boards if len(axes) == 3 else ()
    corners = corners_of(search.game, known.rules, axes, *several) if several else None
    return lay_out(known, group.cells, axes, orientation, title, len(search.boards), make=Grid, corners=corners)
