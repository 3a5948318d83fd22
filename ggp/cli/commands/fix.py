"""`ggp fix`: mend mistakes in rule files automatically."""

from __future__ import annotations

from typing import Annotated

import typer

from ggp.cli.guard import BAD_INPUT, guarded, say


@guarded
def fix(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Rule files, or - for standard input.")],
    write: Annotated[bool, typer.Option("--write", help="Change the files instead of only showing the changes.")] = (
        False
    ),
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODE", help="Do not mend findings with this code.")
    ] = None,
) -> None:
    """Mend mistakes in rule files that can be mended automatically, and show the changes.

    Rules without conditions become facts, parentheses around single names are removed, negations of anything but an
    atom are rewritten as GDL allows, and duplicates are removed. The meaning of the rules does not change.
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
    """Mend one file, or show what would change."""
    from ggp.cli.views.diff import print_changes
    from ggp.rules.checking.mending import mended, with_ends_of
    from ggp.rules.rulefiles import STDIN, print_rules, raw_text, read_rules, write_rules
    from ggp.rules.wording import number_and_noun

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
    by_code = ", ".join(f"{code} {count}" for code, count in sorted(counts.items()))
    done, hint = ("mended", "") if write else ("can be mended", "; use --write to change the file")
    typer.echo(f"{source.name}: {number_and_noun(len(found.applied), 'finding')} {done} ({by_code}){hint}")
