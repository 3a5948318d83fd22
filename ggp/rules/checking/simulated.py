"""The results of a simulation, also as JSON: another process may have made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from gdl.checker import Diagnostic, Note
from gdl.errors import Location, Source
from ggp.rules.checking.verdict import Verdict


@final
@dataclass(frozen=True, slots=True)
class Simulated:
    """The results of a simulation: diagnostics, placed at the rules to blame, and the verdicts on properties."""

    diagnostics: tuple[Diagnostic, ...] = ()
    verdicts: tuple[Verdict, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the results in their JSON form, without the text of the rules."""
        return {
            "diagnostics": [
                {
                    "code": one.code,
                    "message": one.message,
                    "place": _place(one.location),
                    "notes": [{"message": note.message, "place": _place(note.location)} for note in one.notes],
                }
                for one in self.diagnostics
            ],
            "verdicts": [verdict.as_json() for verdict in self.verdicts],
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any], source: Source) -> Simulated:
        """Return the results for rules from their JSON form. Raises KeyError or TextError for anything else."""
        diagnostics = tuple(
            Diagnostic(
                one["code"],
                one["message"],
                Location(source, *one["place"]),
                tuple(Note(Location(source, *note["place"]), note["message"]) for note in one["notes"]),
            )
            for one in fields["diagnostics"]
        )
        return cls(diagnostics, tuple(map(Verdict.from_json, fields["verdicts"])))


def _place(location: Location) -> list[int]:
    return [location.line, location.column, location.width]
