"""`ggp rule`: what the codes of the checker mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ggp.cli.guard import guarded


@guarded
def rule(
    code: Annotated[str, typer.Argument(metavar="CODE", help="A code of `ggp check`. Default: list all.")] = "",
) -> None:
    """Explain a code of the checker, with examples."""
    from gdl.checker import CODES
    from ggp.rules.checking.options import Options

    if not code:
        width = max(map(len, CODES))
        for name, meaning in CODES.items():
            typer.echo(f"{name.ljust(width)}  {meaning.severity.ljust(7)}  {meaning.title}")
        return
    Options.of([code])  # checks that there is such a code
    typer.echo((_pages() / f"{code}.md").read_text(encoding="utf-8"), nl=False)


def _pages() -> Path:
    """Return the folder of the pages about codes: inside an installed package, next to it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "codes"
    return inside if inside.is_dir() else package.parent / "docs" / "codes"
