"""`ggp fmt`: format rule files in the standard layout."""

from __future__ import annotations

from typing import Annotated

import typer

from ggp.cli.guard import BAD_INPUT, FAILED, guarded, say


@guarded
def fmt(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Rule files, or - for standard input.")],
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; list the files that would change, and exit with status 1.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Change nothing; show what would change.")] = False,
) -> None:
    """Format rule files in the standard layout.

    Each head and each condition gets its own line, comments stay where they are, and the rules do not change. Rules
    from standard input are written to standard output.
    """
    from gdl.errors import GdlError

    changed = failed = False
    for file in files:
        try:
            changed |= _format(file, check, diff)
        except GdlError as error:
            say(str(error))
            failed = True
    if failed:
        raise typer.Exit(BAD_INPUT)
    if check and changed:
        raise typer.Exit(FAILED)


def _format(file: str, check: bool, diff: bool) -> bool:
    """Format one file, or show what would change. Return True if its layout was different."""
    from gdl.language.formatter import format_source
    from ggp.rules.rulefiles import STDIN, is_unchanged, print_rules, read_rules, write_rules

    source = read_rules(file)
    text = format_source(source)
    changed = source.text != text if file == STDIN else not is_unchanged(file, text)
    if diff and changed:
        from ggp.cli.views.diff import print_changes

        print_changes(source, text)
    if check and changed:
        typer.echo(f"{source.name} would change")
    if not (check or diff):
        if file == STDIN:
            print_rules(text)
        elif changed:
            write_rules(file, text)
            typer.echo(f"{source.name} changed")
    return changed
