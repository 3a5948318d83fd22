"""`ggp fmt`: format rule files in the standard layout."""

from __future__ import annotations

from typing import Annotated

import typer

from ggp.cli.guard import BAD_INPUT, FAILED, guarded, say
from ggp.cli.json_output import print_json
from ggp.cli.options import JsonLinesOption, RuleFilesArgument


@guarded
def fmt(
    files: RuleFilesArgument,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; list the files that would change, and exit with status 1.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Change nothing; show what would change.")] = False,
    json: JsonLinesOption = False,
) -> None:
    """Format rule files in the standard layout.

    Each head and each condition gets its own line, comments stay where they are, and the rules do not change. Rules
    from standard input are written to standard output.
    """
    from gdl.errors import GdlError

    changed = failed = False
    for file in files:
        try:
            changed |= _format(file, check, diff, json)
        except GdlError as error:
            say(str(error))
            failed = True
    if failed:
        raise typer.Exit(BAD_INPUT)
    if check and changed:
        raise typer.Exit(FAILED)


def _format(file: str, check: bool, diff: bool, json: bool) -> bool:
    """Format one file, or report what would change. Return True if its layout was another one."""
    from gdl.language.formatter import format_source
    from ggp.rules.rulefiles import STDIN, difference, is_unchanged, print_rules, read_rules, write_rules

    source = read_rules(file)
    text = format_source(source)
    changed = source.text != text if file == STDIN else not is_unchanged(file, text)
    rewrites = not (check or diff)
    written = rewrites and changed and file != STDIN
    if written:
        write_rules(file, text)
    if json:
        fields = {
            "file": source.name,
            "changed": changed,
            "written": written,
            "diff": difference(source.text, text, source.name) if diff else None,
            "text": text if rewrites and file == STDIN else None,
        }
        print_json("fmt", fields)
        return changed
    if diff and changed:
        from ggp.cli.views.diff import print_changes

        print_changes(source, text)
    if check and changed:
        typer.echo(f"{source.name} would change")
    if written:
        typer.echo(f"{source.name} changed")
    elif rewrites and file == STDIN:
        print_rules(text)
    return changed
