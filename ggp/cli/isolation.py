"""Options for players in processes of their own, shared by the commands that play matches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ggp.match.isolation.local import LocalPlayers


def memory_limit(gigabytes: float, option: str = "--player-memory") -> int | None:
    """Return the limit in bytes; None if there is none. Raises BadParameter for values that are no limit.

    `option` is the name of the option that set it.
    """
    if not gigabytes < float("inf"):
        raise typer.BadParameter(f"{option} must be finite, not {gigabytes}")
    return int(gigabytes * (1 << 30)) or None


@contextmanager
def local_players(memory: float, logs: Path | None) -> Iterator[LocalPlayers]:
    """Make players for the body; afterwards, end their processes and name their logs on standard error."""
    from ggp.cli.screen import line, screen
    from ggp.match.isolation.local import LocalPlayers

    players = LocalPlayers(memory=memory_limit(memory), logs=logs)
    try:
        with players:
            yield players
    finally:
        sys.stdout.flush()
        for name, path in players.logs.items():
            line(screen(sys.stderr), f"output of {name}: {path}")
