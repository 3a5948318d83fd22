"""The option `--position`, shared by all commands that have it."""

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
