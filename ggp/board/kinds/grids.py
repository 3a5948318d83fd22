"""Grids: cells in columns and rows that no other kind of board draws in its own way."""

from __future__ import annotations

from collections.abc import Mapping

from ggp.board.finding.neighbours import corners_of
from ggp.board.finding.orient import orient
from ggp.board.kinds.search import Group, Search
from ggp.board.kinds.sheet import Sheet, lay_out
from ggp.board.leaves import Leaves
from ggp.board.model import Piece


def find_grids(search: Search) -> None:
    """Add the boards of all groups of cells."""
    for group in search.groups:
        search.add_group(group, _arrange)


def _arrange(search: Search, group: Group, looks: Mapping[Leaves, Piece], title: str) -> Sheet:
    known, axes = search.known, group.axes()
    orientation = orient(known, group.main, axes, looks)
    several = orientation.boards if len(axes) == 3 else ()
    corners = corners_of(search.game, known.rules, axes, *several) if several else None
    return lay_out(known, group.cells, axes, orientation, title, len(search.boards), corners=corners)
