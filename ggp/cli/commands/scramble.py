"""`ggp scramble`: the same game under other names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ggp.cli.completion import complete_game
from ggp.cli.guard import guarded
from ggp.cli.options import seed_of


@guarded
def scramble(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A rule file, the name of a game, or - for standard input.",
            autocompletion=complete_game,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The rule file to write. Default: standard output."),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option("--map", metavar="FILE", help="Write the old name of each new one to this file (JSON)."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="The same seed gives the same names. Default: a new one.")
    ] = None,
) -> None:
    """Replace all names of a game by meaningless words.

    Comments are removed, and the game stays the same. Keywords, the role random and the values of goals are kept.
    Everything else is renamed, the same name in the same way everywhere: roles, relations, facts, moves, constants,
    other numbers and variables.
    """
    from json import dumps
    from secrets import randbits

    from gdl.system.files import write_whole
    from ggp.rules.rulefiles import STDIN, print_rules, read_rules
    from ggp.rules.scrambling import scramble as scrambled
    from ggp.rules.shipped_games import find_game

    chosen = seed_of(seed)
    for path in (output, names):
        if path is not None and not path.absolute().parent.is_dir():
            raise typer.BadParameter(f"the folder for {path} does not exist")
    source = read_rules(file if file == STDIN else str(find_game(file)))
    found = scrambled(source, randbits(64) if chosen is None else chosen)
    if names is not None:
        write_whole(names, dumps(found.names, indent=1) + "\n")
    if output is None:
        print_rules(found.text)
    else:
        write_whole(output, found.text)
