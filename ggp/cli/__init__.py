"""The `ggp` command. Each subcommand has its own module, which imports heavy packages only when it runs.

Exit status: 0 on success, 1 if the command found something wrong, 2 for unusable input, 130 when interrupted, 141 when
the output is no longer read, 143 when terminated.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ggp import __version__
from ggp.cli.commands import bench, explain
from ggp.cli.commands.cache import cache
from ggp.cli.commands.check import check
from ggp.cli.commands.dataset import dataset
from ggp.cli.commands.export import export
from ggp.cli.commands.fix import fix
from ggp.cli.commands.fmt import fmt
from ggp.cli.commands.games import games
from ggp.cli.commands.host import host
from ggp.cli.commands.inspect import inspect
from ggp.cli.commands.join import join
from ggp.cli.commands.lsp import lsp
from ggp.cli.commands.play import play
from ggp.cli.commands.render import render
from ggp.cli.commands.replay import replay
from ggp.cli.commands.rule import rule
from ggp.cli.commands.scramble import scramble
from ggp.cli.commands.serve import serve
from ggp.cli.commands.show import show
from ggp.cli.commands.solve import solve
from ggp.cli.commands.study import study
from ggp.cli.commands.test import conform
from ggp.cli.commands.tournament import tournament
from ggp.cli.commands.train import train
from ggp.cli.completion import join_words
from ggp.cli.guard import INTERRUPTED, TERMINATED


class FirstIsUsual(TyperGroup):
    """A command whose first subcommand need not be named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Name the usual subcommand if there is none."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [next(iter(self.commands)), *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete the names of subcommands, and what the usual one begins with."""
        name, usual = next(iter(self.commands.items()))
        with usual.make_context(name, [], parent=ctx, resilient_parsing=True) as own:
            first = next(param for param in usual.params if param.param_type_name == "argument")
            return [*super().shell_complete(ctx, incomplete), *first.shell_complete(own, incomplete)]


def in_order(names: Sequence[str]) -> type[TyperGroup]:
    """Return the class of a command that lists its subcommands in this order."""

    class InOrder(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
            return list(names)

    return InOrder


def group_of(about: str, *commands: Callable[..., None]) -> typer.Typer:
    """Return a command with these subcommands; each is called like its function, without an underscore at the end."""
    app = typer.Typer(cls=FirstIsUsual, help=about, no_args_is_help=True, rich_markup_mode=None)
    for command in commands:
        app.command(command.__name__.rstrip("_"))(command)
    return app


def main() -> None:
    """Run the command line and exit with its status."""
    join_words(os.environ)
    try:
        build()()
    except KeyboardInterrupt:  # before a command could handle it, or after
        _end_now(INTERRUPTED)
    except SystemExit as end:
        # After an interrupt, threads that still work are not waited for.
        at_work = end.code in (INTERRUPTED, TERMINATED) or any(thread.daemon for thread in threading.enumerate())
        if at_work and isinstance(end.code, int | None):
            _end_now(end.code or 0)
        raise


def _end_now(status: int) -> None:
    """Exit without finalizing Python, which would crash machine code still running in a thread."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)


def build() -> typer.Typer:
    """Return the application with all its commands."""
    commands: dict[str, Callable[..., None] | typer.Typer] = {
        "play": play,
        "replay": replay,
        "serve": serve,
        "render": render,
        "export": export,
        "host": host,
        "show": show,
        "games": games,
        "check": check,
        "rule": rule,
        "fix": fix,
        "test": conform,
        "fmt": fmt,
        "scramble": scramble,
        "explain": group_of(explain.ABOUT, explain.atom, explain.value, explain.belief),
        "lsp": lsp,
        "bench": group_of(bench.ABOUT, bench.playouts, bench.search, bench.environments, bench.sums),
        "inspect": inspect,
        "cache": cache,
        "solve": solve,
        "study": study,
        "train": train,
        "dataset": dataset,
        "join": join,
        "tournament": tournament,
    }
    app = typer.Typer(
        name="ggp",
        cls=in_order(tuple(commands)),
        help="Play, show, test and measure games written in the Game Description Language.",
        epilog="FILE is a rule file or the name of a game that comes with ggp, such as wolf_sheep.",
        no_args_is_help=True,
        # Plain help and errors are faster than styled ones, and look the same in a pipe.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ggp {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
