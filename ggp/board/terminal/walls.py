"""Walls between cells as text: between the cells of a row, and in lines between the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.style import Style
from rich.text import Text

from ggp.board.model import Board, Cell
from ggp.board.terminal.colours import Colours

#: The cells of a board that are not just empty, by column and row.
Cells = Mapping[tuple[int, int], Cell]


def beside(
    board: Board, cells: Cells, row: int, part: Sequence[int], colours: Colours
) -> list[tuple[str, Style | str]]:
    """Return what separates the cells of a row, with what is before the first and behind the last one."""
    found: list[tuple[str, Style | str]] = []
    for column in (*(column - 1 for column in part), part[-1] + 1):
        walls = [cells.get((column, row))]
        if board.crossing == "|":  # from corner to corner
            walls += [cells.get((column, row - 1)), cells.get((column, row + 1))]
        styles = [style for wall in walls if (style := _style(wall, colours)) is not None]
        found.append(("|", styles[0]) if styles else (" ", ""))
    return found


def below(board: Board, cells: Cells, row: int, part: Sequence[int], pitch: int, colours: Colours) -> Text | None:
    """Return the walls below a row of cells, None if there are none; with row -1, those above the first row."""
    line = Text()
    for column in range(part[0] - 1, part[-1] + 2):
        walls = [cells.get((column, row + 1))]
        if board.crossing == "-" and column % 2:
            walls += [cells.get((column - 1, row + 1)), cells.get((column + 1, row + 1))]
        styles = [style for wall in walls if (style := _style(wall, colours)) is not None]
        corner = {"|": "|", "-": "-"}.get(board.crossing, "+")
        line.append(
            ("-" * pitch if column % 2 else corner) if styles else " " * (pitch if column % 2 else 1), *styles[:1]
        )
    return line if line.plain.strip() else None


def _style(cell: Cell | None, colours: Colours) -> Style | None:
    """Return the style of a wall; None if there is none."""
    if cell is None or not cell.pieces:
        return None
    style = colours.piece(cell.pieces[0])
    return style + colours.named if cell.named else style
