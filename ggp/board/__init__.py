"""Boards for any game, found from its rules: a layout of cells and pieces, and text renderings of states.

`find_boards(game)` returns the `Layout`; call it once per game. `lay(layout, state)` places a state on it, as data for
any screen. `render_state(layout, state)` does the same for rich, and `render_text` returns a string.
"""

from ggp.board.finding.find import find_boards
from ggp.board.kinds.board import Board
from ggp.board.model import Cell, CellPlace, Layer, Piece, View
from ggp.board.terminal.text import StateText, render_state, render_text
from ggp.board.view import Layout, Moves, lay

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
