"""`ggp fix`: mend what can be mended in rule files."""

from __future__ import annotations

from typing import Annotated

import typer

from ggp.cli.guard import BAD_INPUT, guarded, say


@guarded
def fix(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Rule files; - is standard input.")],
    write: Annotated[bool, typer.Option("--write", help="Change the files; else only what would change is shown.")] = (
        False
    ),
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODE", help="Leave findings of this code as they are.")
    ] = None,
) -> None:
    """Mend what can be mended in rule files, and show what changes.

    Rules without conditions become facts, names lose their parentheses, not distinct and other nots before more than an
    atom are written as GDL has them, and what is in a file twice goes. The game stays the same.
    """
    from gdl.errors import GdlError
    from ggp.rules.checking.options import Options

    ignored = Options.of(ignore or ()).ignored
    failed = False
    for file in files:
        try:
            _mend(file, ignored, write)
        except GdlError as error:
            say(str(error))
            failed = True
    if failed:
        raise typer.Exit(BAD_INPUT)


def _mend(file: str, ignored: frozenset[str], write: bool) -> None:
    """Mend one file, or say what would change."""
    from ggp.cli.views.diff import print_changes
    from ggp.rules.checking.mending import mended, with_ends_of
    from ggp.rules.report_text import number_and_noun
    from ggp.rules.rulefiles import STDIN, print_rules, raw_text, read_rules, write_rules

    source = read_rules(file)
    found = mended(source, ignored)
    if file == STDIN:
        print_rules(found.text)
        return
    if not found.applied:
        typer.echo(f"{source.name}: nothing to mend")
        return
    if write:
        write_rules(file, with_ends_of(raw_text(file), found.text))
    else:
        print_changes(source, found.text)
    counts: dict[str, int] = {}
    for diagnostic in found.applied:
        counts[diagnostic.code] = counts.get(diagnostic.code, 0) + 1
    told = ", ".join(f"{code} {count}" for code, count in sorted(counts.items()))
    done = "mended" if write else "to be mended; nothing is changed without --write"
    typer.echo(f"{source.name}: {number_and_noun(len(found.applied), 'finding')} {done} ({told})")
