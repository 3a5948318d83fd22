"""`ggp fix`: fix findings in rule files automatically."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ggp.cli.guard import BAD_INPUT, guarded, say
from ggp.cli.json_output import print_json
from ggp.cli.options import JsonLinesOption, RuleFilesArgument

if TYPE_CHECKING:
    from gdl.checker import Diagnostic
    from gdl.errors import Source
    from ggp.rules.checking.mending import Mended


@guarded
def fix(
    files: RuleFilesArgument,
    write: Annotated[bool, typer.Option("--write", help="Change the files instead of only showing the changes.")] = (
        False
    ),
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODE", help="Do not fix findings with this code.")
    ] = None,
    guesses: Annotated[
        bool, typer.Option("--guesses", help='Also apply suggestions ("did you mean"), which change the rules.')
    ] = False,
    json: JsonLinesOption = False,
) -> None:
    """Fix what can be fixed in rule files, and show the changes.

    Rules without conditions become facts, parentheses around single names are removed, negations of anything but an
    atom are rewritten as GDL allows, and duplicates are removed. The meaning of the rules does not change, except with
    --guesses.
    """
    from gdl.errors import GdlError
    from ggp.rules.checking.options import Options

    ignored = Options.of(ignore or ()).ignored
    failed = False
    for file in files:
        try:
            _mend(file, ignored, write=write, guesses=guesses, json=json)
        except GdlError as error:
            say(str(error))
            failed = True
    if failed:
        raise typer.Exit(BAD_INPUT)


def _mend(file: str, ignored: frozenset[str], *, write: bool, guesses: bool, json: bool) -> None:
    """Fix one file, or report what would change."""
    from ggp.rules.checking.mending import mended, with_ends_of
    from ggp.rules.rulefiles import STDIN, print_rules, raw_text, read_rules, write_rules

    source = read_rules(file)
    found = mended(source, ignored, guesses=guesses)
    written = write and file != STDIN and bool(found.applied)
    if written:
        write_rules(file, with_ends_of(raw_text(file), found.text))
    if json:
        print_json("fix", _fields(source, found, written, file == STDIN))
    elif file == STDIN:
        print_rules(found.text)
    else:
        _print(source, found, written)


def _print(source: Source, found: Mended, written: bool) -> None:
    """Print the changes of a file that was not written, and the number of fixes."""
    from ggp.cli.views.diff import print_changes
    from ggp.rules.report_text import number_and_noun

    if not found.applied:
        typer.echo(f"{source.name}: nothing to fix")
        return
    if not written:
        print_changes(source, found.text)
    done, hint = ("fixed", "") if written else ("can be fixed", "; use --write to change the file")
    number = number_and_noun(len(found.applied), "finding")
    typer.echo(f"{source.name}: {number} {done} ({_counts(found.applied)}){hint}")


def _counts(applied: Sequence[Diagnostic]) -> str:
    """Return the number of fixes for each code."""
    counts: dict[str, int] = {}
    for diagnostic in applied:
        counts[diagnostic.code] = counts.get(diagnostic.code, 0) + 1
    return ", ".join(f"{code} {count}" for code, count in sorted(counts.items()))


def _fields(source: Source, found: Mended, written: bool, from_stdin: bool) -> dict[str, Any]:
    """Return the report on a file as JSON: the repairs, and the findings in the text after them."""
    from ggp.rules.checking.formats import diagnostic_fields
    from ggp.rules.checking.options import Options
    from ggp.rules.checking.report import check_source
    from ggp.rules.rulefiles import difference

    left = check_source(replace(source, text=found.text), Options())
    return {
        "file": source.name,
        "changed": bool(found.applied),
        "written": written,
        "repairs": [
            {"code": one.code, "line": line, "title": one.fix.title if one.fix is not None else ""}
            for one, line in zip(found.applied, found.lines, strict=True)
        ],
        "left": [diagnostic_fields(one) for one in left.diagnostics],
        "diff": None if written or from_stdin else difference(source.text, found.text, source.name),
        "text": found.text if from_stdin else None,
    }
