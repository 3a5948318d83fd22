"""Commands with subcommands, the first of which is meant if none is named, as in `ggp bench FILE`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import typer
from typer.core import TyperGroup


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
