"""Find the boards of a game."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from gdl.engine import Engine
from ggp.board.kinds.grids import find_grids
from ggp.board.kinds.hands import find_hands
from ggp.board.kinds.hexagons import find_hexagons
from ggp.board.kinds.lines import find_lines
from ggp.board.kinds.points import find_nets, find_points
from ggp.board.kinds.rows import find_rows
from ggp.board.kinds.search import Search
from ggp.board.kinds.stacks import find_stacks
from ggp.board.kinds.walls import find_walls
from ggp.board.view import Layout

#: The kinds of boards. Each takes what those before it have left.
KINDS: Final[tuple[Callable[[Search], None], ...]] = (
    find_lines,
    find_walls,
    find_stacks,
    find_nets,
    find_rows,
    find_hexagons,
    find_points,
    find_grids,
    find_hands,
)


def find_boards(game: Engine, hands: Collection[str] | None = None) -> Layout:
    """Find the boards of a game from its rules and its initial state. This may take a second: do it once per game.

    `hands` are the relations, in lower case, that say what roles hold; without, these are found, too.
    """
    search = Search(game, hands)
    for find in KINDS:
        find(search)
    return Layout(tuple(search.known.roles), tuple(search.boards), tuple(search.bands), search.layers)
