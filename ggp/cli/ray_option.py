"""The option `--ray`, of commands whose work a cluster can do."""

from __future__ import annotations

from typing import Annotated

import typer

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
