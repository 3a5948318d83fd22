"""`ggp export`: a game as one file that plays without Python."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ggp.cli.guard import guarded
from ggp.cli.options import FileArgument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gdl.language.rulesheet import Rulesheet


class Form(StrEnum):
    """The file that is made of a game."""

    HTML = "html"
    WASM = "wasm"
    C = "c"


_SUFFIXES: Final = {".html": Form.HTML, ".htm": Form.HTML, ".mjs": Form.WASM, ".js": Form.WASM, ".c": Form.C}
_ENDINGS: Final = {Form.HTML: ".html", Form.WASM: ".mjs", Form.C: ".c"}


@guarded
def export(
    file: FileArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The file to write. Default: the game's name, here."),
    ] = None,
    to: Annotated[
        Form | None, typer.Option(help="What to write. Default: by the ending of the file, and else a page.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The title of the page. Default: the game's name.")] = None,
    players: Annotated[
        str,
        typer.Option(
            metavar="ROLE=PLAYER,...",
            help="Who plays first: human, random, or mcts, which plays at the level. Default: a person and programs.",
        ),
    ] = "",
    level: Annotated[int | None, typer.Option(min=1, max=8, help="The level of the programs. Default: 3.")] = None,
) -> None:
    """Write a game as one file that plays without Python.

    A page (.html) has the board, the rules as WebAssembly, and programs of all levels. It needs no network: open it
    from a disk, send it, or put it on a web space. A module for JavaScript (.mjs) or a file in C99 (.c) has the rules
    alone.
    """
    from gdl.language.rulesheet import Rulesheet
    from gdl.simulator.simulator import compile as compiled
    from gdl.system.files import write_whole
    from ggp.cli.screen import progress_line
    from ggp.rules.shipped_games import find_game
    from ggp.server.export.page import LEVEL, page
    from ggp.server.export.wrapped import javascript_module, module_of

    path = find_game(file)
    form = to or (Form.HTML if output is None else _SUFFIXES.get(output.suffix, Form.HTML))
    target = output or Path(path.stem + _ENDINGS[form])
    if not target.absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder for {target} does not exist")
    if form is not Form.HTML and (players or title):
        raise typer.BadParameter("--title and --players are for pages")
    with progress_line() as progress:
        rules = Rulesheet.load(path)
        names = _players(rules, players, level or LEVEL)
        simulator = compiled(rules, progress=progress).whole("an export")
        progress("writing the game")
        notes: list[str] = []
        if form is Form.HTML:
            module = module_of(simulator)
            made, operations = page(path, simulator, module, title or "", names), module.operations
            text, notes = made.text, [f"{name} {_size(size)}" for name, size in made.parts.items()]
        elif form is Form.WASM:
            module = module_of(simulator)
            (text, types), operations = javascript_module(module), module.operations
            declared = target.with_suffix(".d.mts" if target.suffix == ".mjs" else ".d.ts")
            write_whole(declared, types)
            notes.append(f"types in {declared}")
        else:
            from gdl.codegen.portable.c99 import c_file, identifier
            from gdl.codegen.portable.game import portable

            game, name = portable(simulator.circuit), identifier(path.stem)
            text, operations = c_file(game, path.stem, name), game.operations
            notes.append(f"names begin with {name}_")
        write_whole(target, text)
    _tell(target, len(text.encode()), operations, notes)


def _players(rules: Rulesheet, wanted: str, level: int) -> dict[str, str]:
    """Return who plays each role in the first match."""
    from gdl.engine import is_nature
    from gdl.reasoner.joint_moves import role_named
    from gdl.reasoner.reasoner import Reasoner
    from ggp.server.export.page import default_players

    roles = Reasoner(rules).roles
    found = default_players(roles, level)
    kinds = {"human": "human", "random": "random", "mcts": f"level {level}"}
    for part in filter(None, wanted.split(",")):
        role, _, player = part.partition("=")
        name = role_named(role.strip(), roles)
        if is_nature(name) or player.strip() not in kinds:
            raise typer.BadParameter(
                f"expected ROLE=human, ROLE=random or ROLE=mcts, not {part.strip()!r}", param_hint="--players"
            )
        found[name] = kinds[player.strip()]
    return found


def _tell(target: Path, size: int, operations: tuple[int, int, int | None], notes: Sequence[str]) -> None:
    from ggp.cli.screen import line, screen

    console = screen()
    line(console, f"{target}: {_size(size)}" + (f" ({', '.join(notes)})" if notes else ""))
    look, move, step = operations
    steps = "playouts one at a time, as a step would be too large" if step is None else f"a step of playouts {step:,}"
    line(console, f"operations: look {look:,}, move {move:,}, {steps}")


def _size(count: int) -> str:
    return f"{count / 1000:,.0f} kB"
