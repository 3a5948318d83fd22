"""Boards for any game, found from its rules: what to draw where, and drawing it as text.

`find_boards(game)` gives the `Layout`, once per game; `lay(layout, state)` a state on it, as data for any screen;
`render_state(layout, state)` the same for rich, and `render_text` as a string.
"""

from ggp.board.find import find_boards
from ggp.board.model import Board, Cell, CellPlace, Layer, Layout, Piece, View
from ggp.board.text import StateText, render_state, render_text
from ggp.board.view import Moves, lay

__all__ = [
    "Board",
    "Cell",
    "CellPlace",
    "Layer",
    "Layout",
    "Moves",
    "Piece",
    "StateText",
    "View",
    "find_boards",
    "lay",
    "render_state",
    "render_text",
]
