"""The check of `--seed`, shared by all commands that have it."""

from __future__ import annotations

import typer


def checked(seed: int | None) -> int | None:
    """Return a seed given on the command line. Raises BadParameter unless it is from 0 to 2^64 - 1."""
    from gdl.simulator.seeds import checked_seed  # here, so that `--help` does not wait for it

    try:
        return None if seed is None else checked_seed(seed)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
