"""The JSON output of `--json`: one object per line, on standard output.

Keys are in snake_case and described in docs/reference/json.md. Each object begins with `command` and `version`. Errors,
notes and progress are printed on standard error.
"""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from typing import Any, Final

import typer

#: Incremented when keys are removed or change their meaning.
VERSION: Final = 1


def print_json(command: str, fields: Mapping[str, Any]) -> None:
    """Print the fields as one line of JSON, with the command's name and the version in front."""
    typer.echo(dumps({"command": command, "version": VERSION, **fields}))
