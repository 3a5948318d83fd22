"""`ggp render`: boards as pictures."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ggp.cli.completion import complete_game
from ggp.cli.guard import guarded
from ggp.cli.options import MovesOption, PositionOption, ValueRoleOption

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gdl import Rulesheet
    from ggp.board import Layout
    from ggp.board.drawing.scene import Shade
    from ggp.board.drawing.svg import Frame
    from ggp.board.model import CellPlace
    from ggp.board.wishes import Wishes

#: Maximum number of frames; longer animations are too large for most programs.
_MOST_FRAMES: Final = 1000


class Theme(StrEnum):
    """The background that the colours are made for."""

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


@guarded
def render(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A rule file, the name of a game, or the record of a match (JSON).",
            autocompletion=complete_game,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write: .svg, or .png for a position. Default: SVG on standard output.",
        ),
    ] = None,
    moves: MovesOption = "",
    position: PositionOption = "",
    ply: Annotated[
        int | None, typer.Option(min=0, help="Draw the state after this ply of a record or of --moves.")
    ] = None,
    animate: Annotated[
        bool, typer.Option("--animate", help="Draw every ply, one after another; the default for a record.")
    ] = False,
    seconds: Annotated[float, typer.Option(help="Seconds for which each ply is shown.")] = 1.0,
    theme: Annotated[
        Theme, typer.Option(help="Colours for a light or dark background; auto follows the viewer's setting.")
    ] = Theme.AUTO,
    value: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.learned",
            help="Shade each cell by what it adds to the value that ggp train has learned.",
        ),
    ] = None,
    role: ValueRoleOption = "",
    title: Annotated[
        str | None,
        typer.Option(help="A heading. Default: what the colours of --value mean, or the one in NAME.board.toml."),
    ] = None,
) -> None:
    """Draw a position as SVG or PNG, or a match as animated SVG.

    Boards are recognized in the rules. A file NAME.board.toml beside NAME.kif can change titles, colours and shapes,
    and name images.
    """
    from gdl import Rulesheet
    from gdl.system.files import write_file
    from ggp.board.drawing.svg import Frame, animated_svg, svg
    from ggp.rules.shipped_games import find_game

    if not 0.05 <= seconds <= 60:
        raise typer.BadParameter(f"seconds must be from 0.05 to 60, not {seconds}")
    if output is not None and not output.absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder for {output} does not exist")
    kind = "" if output is None else output.suffix.lower()
    if kind not in ("", ".svg", ".png"):
        raise typer.BadParameter(f"pictures are SVG or PNG: expected FILE.svg or FILE.png, not {output}")
    recorded = file.endswith(".json")
    if recorded and moves:
        raise typer.BadParameter("--moves cannot be combined with a record, which has its own moves")
    if recorded and position:
        raise typer.BadParameter("--position cannot be combined with a record, which has its own positions")
    if value is not None and (recorded or animate):
        raise typer.BadParameter("it is for a position of a rule file", param_hint="--value")
    if role and value is None:
        raise typer.BadParameter("this is for --value", param_hint="--role")
    rules = None if recorded else Rulesheet.load(find_game(file))
    layout, wishes, frames = _recorded(Path(file)) if rules is None else _played(rules, moves, position)
    if ply is not None:
        if ply >= len(frames):
            raise typer.BadParameter(f"there is no ply {ply}; the last ply is {len(frames) - 1}")
        frames = frames[: ply + 1]
    heading = wishes.title if title is None else title
    shades = None
    if value is not None and rules is not None:
        shades, meaning = _shades(value, rules, role, layout, frames[-1])
        # The marks of the last move would hide the shades of its cells.
        frames = [Frame(frames[-1].state)]
        if title is None:
            heading = meaning
    animate = animate or (recorded and ply is None and len(frames) > 1)
    if animate and kind == ".png":
        raise typer.BadParameter("a PNG file shows one position: choose it with --ply, or write an SVG file")
    if animate and len(frames) > 1:
        if len(frames) > _MOST_FRAMES:
            raise typer.BadParameter(f"{len(frames)} plies are too many for one picture; use --ply to draw one of them")
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
            # Pixels do not follow the viewer's setting.
            theme="light" if kind == ".png" and theme is Theme.AUTO else theme.value,
            colours=wishes.colours,
            shades=shades,
        )
    if output is None:
        sys.stdout.write(text)
    elif kind == ".png":
        from ggp.environments.pixels import png_of

        write_file(output, png_of(text))
    else:
        write_file(output, text)


def _shades(
    value: Path, rules: Rulesheet, role: str, layout: Layout, frame: Frame
) -> tuple[Mapping[CellPlace, Shade], str]:
    """Return what the cells of a position add to a learned value, and what the colours mean. Raises ArrayFileError."""
    from gdl.reasoner.joint_moves import role_named
    from gdl.terms import name_key
    from ggp.learning.heat_map import heat_map
    from ggp.learning.value_parts import value_parts
    from ggp.players.learned_values.value import read_value_for

    name = name_key(role_named(role, layout.roles)) if role else ""
    parts = value_parts(read_value_for(value, rules), frame.state, str(value), name)
    if parts.role:
        own = role_named(parts.role, layout.roles)
        meaning = f"Good for {own}: blue; bad: orange"
    else:
        meaning = "Good for {}: blue; for {}: orange".format(*layout.roles)
    return heat_map(layout, parts), meaning


def _played(rules: Rulesheet, moves: str, position: str) -> tuple[Layout, Wishes, list[Frame]]:
    """Return the boards, wishes and frames of a game after each of some moves."""
    from ggp.board import find_boards
    from ggp.board.wishes import fulfil, wishes_beside
    from ggp.match.rendering import frames_after
    from ggp.rules.position import begun_at
    from ggp.solver.line import position_after

    wishes = wishes_beside(Path(rules.name))
    game = begun_at(rules, position)
    _, played = position_after(game, moves, "--moves")
    return fulfil(find_boards(game, wishes.hands), wishes), wishes, frames_after(game, played)


def _recorded(path: Path) -> tuple[Layout, Wishes, list[Frame]]:
    """Return the boards, wishes and frames of a recorded match."""
    from ggp.board.wishes import Wishes
    from ggp.match.record import read_record
    from ggp.match.record.pictures import frames_of, layout_of

    record = read_record(path)
    return layout_of(record, str(path)), Wishes(), frames_of(record)
