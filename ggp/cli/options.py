"""Options that several commands share, and their checks."""

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


RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Work on a Ray cluster instead of this machine: the address of its head, or `auto` for the one that "
        "RAY_ADDRESS names or that runs on this machine. Needs ggp[ray].",
    ),
]


def check_ray(ray: str | None, jobs: int | None) -> None:
    """Refuse an empty address, and a number of processes for a cluster, which counts its cores itself."""
    if ray is not None and not ray.strip():
        raise typer.BadParameter("--ray needs the address of a cluster, or `auto`")
    if ray is not None and jobs is not None:
        raise typer.BadParameter("--jobs is for this machine; with --ray, the cluster counts its cores")


def seed_of(seed: int | None) -> int | None:
    """Return a seed given on the command line. Raises BadParameter unless it is from 0 to 2^64 - 1."""
    from gdl.simulator.seeds import checked_seed  # here, so that `--help` does not wait for it

    try:
        return None if seed is None else checked_seed(seed)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def interface(address: str) -> str:
    """Return an address to listen on. Raises BadParameter if it has a scheme, a port or a path."""
    from ggp.network.pasted import is_address  # here, so that `--help` does not wait for it

    if is_address(address) or "/" in address:
        raise typer.BadParameter(
            f"expected an address of this machine, such as 127.0.0.1 or 0.0.0.0, not {address}; --port has the port"
        )
    return address
