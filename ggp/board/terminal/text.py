"""Boards as text: readable without colour and in a pipe, coloured by role on terminals that can.

Cells are separated by one character, which also carries annotations: `[` and `]` around cells that the last moves
name, and the mark of a relation such as `(defended 3 4)` behind the cell. Text from rule files is never interpreted as
markup, and its control characters are removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from gdl.engine import Engine
from gdl.terms import Term
from ggp.board.finding.find import find_boards
from ggp.board.model import Board, Cell, Layout, View
from ggp.board.terminal.colours import DIM, Colours
from ggp.board.terminal.listing import columns_of, crowded, legend, listing, wrapped
from ggp.board.view import Moves, lay
from ggp.rules.report_text import printable

_EMPTY = "."
_DOT = "+"
#: Spaces between boards that stand side by side.
_GAP = 4


@dataclass(frozen=True, slots=True)
class StateText:
    """A state that rich can print: boards, a legend of their glyphs, then the facts that belong to no board."""

    layout: Layout
    view: View

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the state to fit the console's width."""
        for line in _lines(self.layout, self.view, options.max_width):
            line.rstrip()
            yield from line.render(console, end="\n")  # unwrapped, as wrapping would destroy the board


def render_state(
    game: Engine | Layout,
    state: Iterable[Term],
    *,
    last_moves: Moves | None = None,
    before: Iterable[Term] | None = None,
) -> StateText:
    """Return a state that rich can print; the cells that `last_moves` (by role, or in any order) name are highlighted.

    If they name none, those are that differ from the state `before` them. Given a game instead of its layout
    (`find_boards`), the boards are found again on each call.
    """
    layout = game if isinstance(game, Layout) else find_boards(game)
    return StateText(layout, lay(layout, state, last_moves, None if before is None else lay(layout, before)))


def render_text(
    game: Engine | Layout,
    state: Iterable[Term],
    *,
    last_moves: Moves | None = None,
    before: Iterable[Term] | None = None,
    width: int = 80,
) -> str:
    """Return a state as plain text without colours, in lines of at most `width` characters."""
    out = StringIO()
    console = Console(file=out, width=width, color_system=None, force_terminal=False)
    console.print(render_state(game, state, last_moves=last_moves, before=before), crop=False)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip("\n").split("\n"))


def _lines(layout: Layout, view: View, width: int) -> Iterator[Text]:
    colours = Colours(layout.roles)
    if not layout.boards:
        yield from columns_of(view.rest, colours, width)
        return
    for number, block in enumerate(_flow(layout, view, colours, width)):
        if number:
            yield Text()
        yield from block
    notes = [
        part for part in (legend(layout, view, colours), crowded(layout, view), listing(view.rest, colours)) if part
    ]
    if notes:
        yield Text()
    for part in notes:
        yield from wrapped(part, width)


def _flow(layout: Layout, view: View, colours: Colours, width: int) -> Iterator[list[Text]]:
    """Yield boards side by side, as many as fit."""
    cells: dict[int, dict[tuple[int, int], Cell]] = {}
    for place, cell in view.cells.items():
        cells.setdefault(place.board, {})[place.column, place.row] = cell
    for band in layout.bands:
        row: list[list[Text]] = []
        for number in band:
            for block in _blocks(layout.boards[number], cells.get(number, {}), colours, width):
                if row and sum(map(_block_width, (*row, block))) + _GAP * len(row) > width:
                    yield _beside(row)
                    row = []
                row.append(block)
        if row:
            yield _beside(row)


def _block_width(block: Sequence[Text]) -> int:
    return max(line.cell_len for line in block)


def _beside(blocks: Sequence[list[Text]]) -> list[Text]:
    if len(blocks) == 1:
        return blocks[0]
    widths = [_block_width(block) for block in blocks]
    lines = []
    for number in range(max(map(len, blocks))):
        line = Text()
        for block, width in zip(blocks, widths, strict=True):
            part = block[number] if number < len(block) else Text()
            line.append_text(part).append(" " * (width - part.cell_len + _GAP))
        lines.append(line)
    return lines


def _blocks(board: Board, cells: Cells, colours: Colours, width: int) -> Iterator[list[Text]]:
    """Yield the lines of a board; a board too wide for the screen is split into groups of columns."""
    columns, rows = (tuple(map(printable, labels)) for labels in board.drawn(_short))
    called = dict(zip(board.names, map(printable, _short(tuple(board.names.values()) or ("",))), strict=False))
    pitch = max(map(cell_len, (_EMPTY, *columns, *called.values(), *map(printable, board.glyphs))))
    margin = max(map(cell_len, rows))
    fit = max(1, (width - margin - 2) // (pitch + 1)) if not board.shifts else len(columns)
    parts = list(_parts(board, fit))
    for part in parts:
        title = printable(board.title)
        if len(parts) > 1:
            names = board.columns if board.hand else columns
            title = f"{title} {names[part[0]]} to {names[part[-1]]}".strip()
        header = Text(" " * (margin + 2 + _shift(board, len(rows) - 1 if board.upwards else 0, pitch)), DIM)
        header.append(" ".join(_right(columns[column], pitch) for column in part))
        body = []
        for row, label in enumerate(rows):
            if board.walled and row % 2 == 0:
                if (walls := below(board, cells, row - 1, part, pitch, colours)) is not None:
                    body.append(Text(" " * (margin + 1)).append_text(walls))
                continue
            if called:
                above = (_right(called.get((column, row), ""), pitch) for column in part)
                body.append(Text(" " * (margin + 2) + " ".join(above), DIM))
            line = Text().append(_right(label, margin), DIM).append(" ")
            line.append(" " * _shift(board, row, pitch))
            body.append(line.append_text(_row(board, cells, row, part, pitch, colours)))
        if board.labelled:
            body = [*body, header] if board.upwards else [header, *body]
        yield [Text(title), *body] if title else body


def _parts(board: Board, fit: int) -> Iterator[Sequence[int]]:
    """Yield groups of columns, at most so many; lines are divided at dots, so that no box is divided."""
    columns = range(1, len(board.columns), 2) if board.walled else range(len(board.columns))
    step = fit if board.walled or not board.lined else max(2, (fit - 1) // 2 * 2)
    for start in range(0, max(1, len(columns) - (board.lined and not board.walled)), step):
        yield columns[start : start + step + (board.lined and not board.walled)]


def _shift(board: Board, row: int, pitch: int) -> int:
    """Return the characters by which a row is shifted to the right."""
    return board.shifts[row] * (pitch + 1) // 2 if board.shifts else 0


def _short(labels: Sequence[str]) -> Sequence[str]:
    """Return labels, without their common beginning if they are long."""
    if max(map(len, labels)) <= 3:
        return labels
    common = 0
    while len({label[: common + 1] for label in labels}) == 1 and all(len(label) > common + 1 for label in labels):
        common += 1
    return [label[common:] for label in labels]


def _row(board: Board, cells: Cells, row: int, part: Sequence[int], pitch: int, colours: Colours) -> Text:
    """Return the cells of a row and the separators between them."""
    separators: list[tuple[str, Style | str]] = [(" ", "")] * (len(part) + 1)
    if board.walled:
        separators = beside(board, cells, row, part, colours)
    for position, column in enumerate(part):
        cell = cells.get((column, row))
        if cell is not None and cell.named:
            before, style = separators[position]
            separators[position] = {" ": "[", "]": "|"}.get(before, before), style
            separators[position + 1] = "]", ""
        if cell is not None and cell.marks:
            separators[position + 1] = cell.marks[0], ""
    pieces = separators[:1]
    for position, column in enumerate(part):
        thin = not board.walled and board.is_line(column, row)
        glyph, style = "", colours.plain
        if (column, row) in board.cells:
            empty = "" if thin or board.stacked or board.hand else _EMPTY
            glyph, style = _glyph(cells.get((column, row)), colours, empty)
        elif board.lined and not (column % 2 or row % 2):
            glyph, style = _DOT, DIM
        if thin and glyph:
            glyph = "|" if row % 2 else "-" * pitch
        pieces.append((_right(glyph, pitch), style))
        pieces.append(separators[position + 1])
    return Text.assemble(*pieces)


def _glyph(cell: Cell | None, colours: Colours, empty: str) -> tuple[str, Style]:
    if cell is None or not cell.pieces:
        return empty, colours.named if cell is not None and cell.named else DIM
    style = colours.piece(cell.pieces[0])
    return printable(cell.pieces[0].glyph), style + colours.named if cell.named else style


def _right(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text


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
