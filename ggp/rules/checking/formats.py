"""Write reports in formats for people and programs: text, GitHub annotations, SARIF, and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from gdl.checker import CODES, Diagnostic, Severity
from gdl.errors import Location
from gdl.language.edits import Offsets
from ggp import __version__
from ggp.rules.checking.report import FileReport
from ggp.rules.report_text import number_and_noun

_SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

#: The word for a hint in GitHub annotations and SARIF; errors and warnings have the same names everywhere.
_GITHUB: Final[Mapping[Severity, str]] = MappingProxyType({"hint": "notice"})
_SARIF: Final[Mapping[Severity, str]] = MappingProxyType({"hint": "note"})


def as_text(reports: Sequence[FileReport]) -> str:
    """Return each diagnostic with its line and a caret, and a summary line for each file."""
    blocks = []
    for report in reports:
        blocks += [str(diagnostic) for diagnostic in report.diagnostics]
        blocks += [line for verdict in report.verdicts for line in verdict.lines()]
        blocks.append(summary(report))
    return "".join(f"{block}\n" for block in blocks)


def summary(report: FileReport) -> str:
    """Return the numbers of findings in a file, and of hidden hints."""
    counts = ((report.errors, "error"), (report.warnings, "warning"), (report.hints, "hint"))
    parts = [number_and_noun(number, word) for number, word in counts if number]
    if failing := sum(verdict.fails for verdict in report.verdicts):
        parts.append(number_and_noun(failing, "property does not hold", "properties do not hold"))
    told = ", ".join(parts) or "nothing found"
    if not report.hidden:
        return f"{report.file}: {told}"
    them = "it" if report.hidden == 1 else "them"
    return f"{report.file}: {told} ({number_and_noun(report.hidden, 'hint')}; --hints shows {them})"


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
    return found


def _place(location: Location) -> dict[str, int]:
    return {"line": location.line, "column": location.column, "end_column": location.column + location.width}


def as_github(reports: Sequence[FileReport]) -> str:
    """Return one workflow command per line, which GitHub shows at the line in a pull request."""
    return "".join(_annotation(one) for report in reports for one in report.diagnostics)


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
        "results": [_result(one, told.index(one.code)) for report in reports for one in report.diagnostics],
    }
    return json.dumps({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(diagnostic: Diagnostic, rule: int) -> dict[str, Any]:
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
        result["fixes"] = [_fix(diagnostic)]
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


def _fix(diagnostic: Diagnostic) -> dict[str, Any]:
    assert diagnostic.fix is not None
    offsets = Offsets(diagnostic.location.source)
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


def shown(reports: Sequence[FileReport], form: str, *, hints: bool = False) -> list[FileReport]:
    """Return the reports as a format shows them: formats for people hide hints, unless `hints` is set."""
    return list(reports) if hints or form not in _READ_BY_PEOPLE else [report.without_hints() for report in reports]


def written(reports: Sequence[FileReport], form: str, *, hints: bool = False) -> str:
    """Return reports in one of the `FORMATS`; formats for programs always include hints."""
    return FORMATS[form](shown(reports, form, hints=hints))
