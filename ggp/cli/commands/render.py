"""`ggp render`: boards as pictures."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ggp.cli.guard import guarded

if TYPE_CHECKING:
    from ggp.board import Layout
    from ggp.board.drawing.svg import Frame
    from ggp.board.wishes import Wishes

#: Pictures of longer matches would be too large for most programs.
_MOST_FRAMES: Final = 1000


class Theme(StrEnum):
    """For which paper the colours are."""

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


@guarded
def render(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A rule file, the name of a game, or the record of a match (JSON).")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE.svg", help="Where to write. Default: standard output."),
    ] = None,
    moves: Annotated[
        str,
        typer.Option(
            "--moves",
            metavar="MOVES",
            help="Draw what follows these moves: joint moves, or those of the roles with a choice.",
        ),
    ] = "",
    ply: Annotated[
        int | None, typer.Option(min=0, help="Of a record or with --moves, draw the state after this ply.")
    ] = None,
    animate: Annotated[
        bool, typer.Option("--animate", help="Draw every ply, one after the other; of a record, this is the default.")
    ] = False,
    seconds: Annotated[float, typer.Option(help="How long each ply is shown.")] = 1.0,
    theme: Annotated[
        Theme, typer.Option(help="Colours for light or dark paper; auto leaves it to the reader.")
    ] = Theme.AUTO,
    title: Annotated[str | None, typer.Option(help="A heading. Default: none, or that of NAME.board.toml.")] = None,
) -> None:
    """Draw the boards of a game as SVG: a position, or a whole match that plays itself.

    What is a board follows from the rules. A file NAME.board.toml beside NAME.kif can change titles, colours and
    shapes.
    """
    from ggp.board.drawing.svg import animated_svg, svg

    if not 0.05 <= seconds <= 60:
        raise typer.BadParameter(f"{seconds} seconds: from 0.05 to 60")
    if output is not None and not output.absolute().parent.is_dir():
        raise typer.BadParameter(f"no folder for {output}")
    recorded = file.endswith(".json")
    if recorded and moves:
        raise typer.BadParameter("a record has its own moves: --moves goes with rules")
    layout, wishes, frames = _recorded(Path(file)) if recorded else _played(file, moves)
    if ply is not None:
        if ply >= len(frames):
            raise typer.BadParameter(f"there are {len(frames) - 1} plies, and no ply {ply}")
        frames = frames[: ply + 1]
    heading = wishes.title if title is None else title
    if (animate or (recorded and ply is None)) and len(frames) > 1:
        if len(frames) > _MOST_FRAMES:
            raise typer.BadParameter(f"{len(frames)} plies are too many for one picture; --ply draws one of them")
        text = animated_svg(layout, frames, seconds=seconds, title=heading, theme=theme.value, colours=wishes.colours)
    else:
        last = frames[-1]
        before = frames[-2].state if len(frames) > 1 else None
        text = svg(
            layout,
            last.state,
            last_moves=last.moves,
            before=before,
            title=heading,
            theme=theme.value,
            colours=wishes.colours,
        )
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")


def _played(file: str, moves: str) -> tuple[Layout, Wishes, list[Frame]]:
    """The states after each of some moves."""
    from gdl import Reasoner
    from ggp.board import find_boards
    from ggp.board.wishes import fulfil, wishes_beside
    from ggp.match.rendering import frames_after
    from ggp.rules.shipped_games import find_game
    from ggp.solver.line import position_after

    path = find_game(file)
    wishes = wishes_beside(path)
    game = Reasoner.load(path)
    _, played = position_after(game, moves, "--moves")
    return fulfil(find_boards(game), wishes), wishes, frames_after(game, played)


def _recorded(path: Path) -> tuple[Layout, Wishes, list[Frame]]:
    """The states of a match as they were recorded."""
    from ggp.board.wishes import Wishes
    from ggp.match.record import read_record
    from ggp.match.record.pictures import frames_of, layout_of

    record = read_record(path)
    return layout_of(record, str(path)), Wishes(), frames_of(record)
