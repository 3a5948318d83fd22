"""Options that several commands share, and their checks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ggp.cli.completion import complete_game

if TYPE_CHECKING:
    from ggp.match.isolation.local import LocalPlayers

#: One game, and several ones.
FileArgument = Annotated[
    str,
    typer.Argument(metavar="FILE", help="A rule file or the name of a game.", autocompletion=complete_game),
]
FilesArgument = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="Rule files or names of games.", autocompletion=complete_game),
]
#: Rule files that need not be games.
RuleFilesArgument = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="Rule files, or - for standard input.", autocompletion=complete_game),
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
JsonLinesOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text, one object per line.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show only the result.")]

#: Clocks of matches between programs.
StartClockOption = Annotated[float | None, typer.Option(help="Seconds to get ready. Default: no clock.")]
PlayClockOption = Annotated[float | None, typer.Option(help="Seconds for each move. Default: no clock.")]

ThreadsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=256,
        help="Threads of a search whose work for a move is not limited. Default: one for each core that others do not "
        "need.",
    ),
]

#: The default limit of players of one's own, in GB.
MEMORY: Final = 4.0
MemoryOption = Annotated[
    float,
    typer.Option(
        "--player-memory",
        metavar="GB",
        min=0.0,
        help="Maximum memory of a player of your own (FILE.py:CLASS), which runs in its own process; 0 for no limit.",
    ),
]
LogsOption = Annotated[
    Path | None,
    typer.Option(
        "--player-logs",
        metavar="FOLDER",
        help="The folder for the output of players of your own. Default: a temporary folder; if there is any output, a "
        "line names it.",
    ),
]

#: The role whose learned value is shown.
ValueRoleOption = Annotated[
    str,
    typer.Option(
        "--role",
        metavar="ROLE",
        help="In games whose roles have a learned value each: the role. Default: the first one.",
    ),
]


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


def check_folder(output: Path | None) -> None:
    """Refuse a file whose folder does not exist, before anything takes long."""
    if output is not None and not output.absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder for {output} does not exist")


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


def threads_of(threads: int | None, others: int = 1) -> int:
    """Return the number of threads that was given; otherwise each user's share of the cores."""
    from gdl.system.childprocess import usable_cores

    return max(1, usable_cores() // max(1, others)) if threads is None else threads


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
