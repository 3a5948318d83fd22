"""Write reports in formats for people and programs: text, GitHub annotations, SARIF, and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from gdl.checker import CODES, Diagnostic, Severity
from gdl.errors import Location
from gdl.language.edits import Offsets
from ggp import __version__
from ggp.rules.checking.report import FileReport
from ggp.rules.checking.verdict import sections
from ggp.rules.report_text import number_and_noun

_SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

#: The word for a hint in GitHub annotations and SARIF; errors and warnings have the same names everywhere.
_GITHUB: Final[Mapping[Severity, str]] = MappingProxyType({"hint": "notice"})
_SARIF: Final[Mapping[Severity, str]] = MappingProxyType({"hint": "note"})


def as_text(reports: Sequence[FileReport]) -> str:
    """Return each diagnostic with its line and a caret, and a summary line for each file."""
    blocks = []
    for report in reports:
        blocks += [str(diagnostic) for diagnostic in report.told]
        blocks += sections(report.verdicts)
        blocks.append(summary(report))
    return "".join(f"{block}\n" for block in blocks)


def summary(report: FileReport) -> str:
    """Return the numbers of findings in a file, of those shown if not all are, and of hidden hints."""
    counts = ((report.errors, "error"), (report.warnings, "warning"), (report.hints, "hint"))
    parts = [number_and_noun(number, word) for number, word in counts if number]
    if report.failing:
        parts.append(
            number_and_noun(report.failing, "required property does not hold", "required properties do not hold")
        )
    told = ", ".join(parts) or "nothing found"
    remarks = []
    if len(report.told) < len(report.diagnostics):
        remarks.append(f"{len(report.told)} shown; --all shows all")
    if report.hidden:
        them = "it" if report.hidden == 1 else "them"
        remarks.append(f"{number_and_noun(report.hidden, 'hint')}; --hints shows {them}")
    return f"{report.file}: {told}" + "".join(f" ({remark})" for remark in remarks)


def as_fields(report: FileReport) -> dict[str, Any]:
    """Return a report as a JSON object: counts, `diagnostics` and `properties`. Lines and columns count from 1."""
    return {
        "file": report.file,
        "errors": report.errors,
        "warnings": report.warnings,
        "hints": report.hints,
        "diagnostics": [diagnostic_fields(diagnostic) for diagnostic in report.diagnostics],
        "properties": [verdict.as_json() for verdict in report.verdicts],
    }


def diagnostic_fields(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic as a JSON object. Lines and columns count from 1."""
    found: dict[str, Any] = {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **_place(diagnostic.location),
    }
    if diagnostic.notes:
        found["notes"] = [{"message": note.message, **_place(note.location)} for note in diagnostic.notes]
    if diagnostic.fix is not None:
        found["fix"] = diagnostic.fix.title
        found["guess"] = diagnostic.fix.guess
    return found


def _place(location: Location) -> dict[str, int]:
    return {"line": location.line, "column": location.column, "end_column": location.column + location.width}


def as_github(reports: Sequence[FileReport]) -> str:
    """Return one workflow command per line, which GitHub shows at the line in a pull request."""
    return "".join(_annotation(one) for report in reports for one in report.told)


def _annotation(diagnostic: Diagnostic) -> str:
    place = diagnostic.location
    notes = [f"{note.message}: line {note.location.line}" for note in diagnostic.notes]
    message = "\n".join([diagnostic.message, *notes])
    properties = {
        "file": place.file,
        "line": place.line,
        "endLine": place.line,
        "col": place.column,
        "endColumn": place.column + place.width,
        "title": diagnostic.code,
    }
    listed = ",".join(f"{key}={_escaped(str(value), properties=True)}" for key, value in properties.items())
    level = _GITHUB.get(diagnostic.severity, diagnostic.severity)
    return f"::{level} {listed}::{_escaped(message)}\n"


def _escaped(text: str, *, properties: bool = False) -> str:
    escapes = {"%": "%25", "\r": "%0D", "\n": "%0A", **({":": "%3A", ",": "%2C"} if properties else {})}
    return "".join(escapes.get(character, character) for character in text)


def as_sarif(reports: Sequence[FileReport]) -> str:
    """Return SARIF 2.1.0 (OASIS 2020), for tools that collect the findings of many checkers."""
    told = sorted({diagnostic.code for report in reports for diagnostic in report.diagnostics})
    rules = [
        {
            "id": code,
            "shortDescription": {"text": CODES[code].title},
            "defaultConfiguration": {"level": _sarif_level(CODES[code].severity)},
        }
        for code in told
    ]
    run = {
        "tool": {"driver": {"name": "ggp", "semanticVersion": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [result for report in reports for result in _results(report, told)],
    }
    return json.dumps({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _results(report: FileReport, codes: Sequence[str]) -> Iterator[dict[str, Any]]:
    if report.diagnostics:
        offsets = Offsets(report.diagnostics[0].location.source)
        for diagnostic in report.diagnostics:
            yield _result(diagnostic, codes.index(diagnostic.code), offsets)


def _result(diagnostic: Diagnostic, rule: int, offsets: Offsets) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": _sarif_level(diagnostic.severity),
        "message": {"text": diagnostic.message},
        "locations": [{"physicalLocation": _physical(diagnostic.location)}],
    }
    if diagnostic.notes:
        result["relatedLocations"] = [
            {"physicalLocation": _physical(note.location), "message": {"text": note.message}}
            for note in diagnostic.notes
        ]
    if diagnostic.fix is not None:
        result["fixes"] = [_fix(diagnostic, offsets)]
    return result


def _sarif_level(severity: Severity) -> str:
    return _SARIF.get(severity, severity)


def _physical(location: Location) -> dict[str, Any]:
    region = {
        "startLine": location.line,
        "startColumn": location.column,
        "endColumn": location.column + location.width,
    }
    return {"artifactLocation": {"uri": location.file.replace("\\", "/")}, "region": region}


def _fix(diagnostic: Diagnostic, offsets: Offsets) -> dict[str, Any]:
    assert diagnostic.fix is not None
    replacements = []
    for edit in diagnostic.fix.edits:
        (first_line, first_column), (last_line, last_column) = offsets.place(edit.start), offsets.place(edit.end)
        region = {
            "startLine": first_line,
            "startColumn": first_column,
            "endLine": last_line,
            "endColumn": last_column,
        }
        replacements.append({"deletedRegion": region, "insertedContent": {"text": edit.text}})
    file = _physical(diagnostic.location)["artifactLocation"]
    return {
        "description": {"text": diagnostic.fix.title},
        "artifactChanges": [{"artifactLocation": file, "replacements": replacements}],
    }


FORMATS: Final[Mapping[str, Callable[[Sequence[FileReport]], str]]] = MappingProxyType(
    {"text": as_text, "github": as_github, "sarif": as_sarif}
)


#: The formats for people, which show hints only on request.
_READ_BY_PEOPLE: Final = ("text", "github")


#: The number of findings of a file that these formats show, unless all are asked for.
_MOST: Final = 100


def shown(
    reports: Sequence[FileReport], form: str, *, hints: bool = False, everything: bool = False
) -> list[FileReport]:
    """Return the reports as a format shows them.

    Formats for people hide hints, unless `hints` is set, and show at most 100 findings of each file, unless
    `everything` is set.
    """
    if form not in _READ_BY_PEOPLE:
        return list(reports)
    told = reports if hints else [report.without_hints() for report in reports]
    return [replace(report, most=None if everything else _MOST) for report in told]


def written(reports: Sequence[FileReport], form: str, *, hints: bool = False, everything: bool = False) -> str:
    """Return reports in one of the `FORMATS`; formats for programs always include all findings."""
    return FORMATS[form](shown(reports, form, hints=hints, everything=everything))
