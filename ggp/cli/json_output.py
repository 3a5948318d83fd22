"""The JSON that commands print with `--json`: one object a line, on standard output.

docs/reference/json.md describes their keys.

Keys are snake_case. Each object begins with `command` and `version`. Errors, notes and progress go to standard error.
"""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from typing import Annotated, Any, Final

import typer

#: Grows when keys change their meaning or go.
VERSION: Final = 1

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
JsonLinesOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text: one object a line.")]


def print_json(command: str, fields: Mapping[str, Any]) -> None:
    """Print what a command reports as one line of JSON."""
    typer.echo(dumps({"command": command, "version": VERSION, **fields}))
