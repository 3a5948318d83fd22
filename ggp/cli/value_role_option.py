"""The option `--role` of commands that show a learned value."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

#: The role whose value is shown.
ValueRoleOption = Annotated[
    str,
    typer.Option(
        "--role",
        metavar="ROLE",
        help="With --value, in games whose roles have a value each: the role. Default: the first one.",
    ),
]


def check_value_role(role: str, value: Path | None) -> None:
    """Raise BadParameter if a role is given without a file of values."""
    if role and value is None:
        raise typer.BadParameter("this is for --value", param_hint="--role")
