"""Boards as text: readable without colour and in a pipe, coloured by role on terminals that can.

Cells are separated by one character, which also carries annotations: `[` and `]` around cells that the last moves
name, and the mark of a relation such as `(defended 3 4)` behind the cell. Text from rule files is never interpreted as
markup, and its control characters are removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from gdl.engine import Engine
from gdl.terms import Term
from ggp.board.finding.find import find_boards
from ggp.board.model import Cell, View
from ggp.board.terminal.colours import Colours
from ggp.board.terminal.listing import columns_of, crowded, legend, listing, wrapped
from ggp.board.view import Layout, Moves, lay

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
            for block in layout.boards[number].text(cells.get(number, {}), colours, width):
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
