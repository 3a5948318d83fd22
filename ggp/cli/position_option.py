"""The options `--position` and `--moves`, shared by all commands that have them."""

from __future__ import annotations

from typing import Annotated

import typer

#: The facts of a position, or a file with them; `ggp.rules.position` reads both.
PositionOption = Annotated[
    str,
    typer.Option(
        "--position",
        metavar="FACTS",
        help="Begin at this position: '(true FACT) (true FACT) ...', or a file with it. Default: the start.",
    ),
]

#: A line of moves that leads to a position; `ggp.solver.line` reads it.
MovesOption = Annotated[
    str,
    typer.Option(
        "--moves",
        metavar="MOVES",
        help="Start after these moves: joint moves, or only the moves of roles with a choice.",
    ),
]
