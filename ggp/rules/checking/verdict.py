"""The verdicts on properties of a game, and the results of a simulation, which another process may have made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, final

from gdl.checker import Diagnostic, Note
from gdl.errors import Location, Source
from gdl.language.parser import parse_term
from gdl.terms import Term
from ggp.rules.report_text import indent_and_wrap, joint_move_text, sorted_listing

#: The largest number of facts shown for a state.
_SHOWN_FACTS: Final = 100

#: The specification of GDL requires a property; most games have it, but none has to; or it is only of interest.
Kind = Literal["required", "usual", "information"]

#: The headings of the sections of a report, in their order.
_HEADINGS: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "required": "required by the specification of GDL:",
        "usual": "usual, but not required:",
        "information": "information:",
    }
)


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """A property of a game and the result of examining it.

    `proved` and `refuted` apply to all states; `held` means that the property held wherever it was tried. A
    `counterexample` does not have the property after `moves`, which the Reasoner has played from the initial state.
    `unknown` means that nothing was found within the budget. Of a property that is only usual, `differs` means that
    this game does not have it after `moves`. `seen` is what happened in playouts.
    """

    name: str
    kind: Kind
    result: Literal["proved", "refuted", "held", "counterexample", "unknown", "differs", "seen"]
    message: str
    moves: tuple[tuple[Term, ...], ...] | None = None
    facts: tuple[Term, ...] = ()

    @property
    def fails(self) -> bool:
        """True if a required property does not hold."""
        return self.kind == "required" and self.result in ("refuted", "counterexample")

    def lines(self) -> list[str]:
        """Return the verdict as lines of text, with moves and state if it is against a required property."""
        told = [f"{self.name}: {self.result}: {self.message}"]
        if self.moves is not None and self.kind == "required":
            moves = ", ".join(f'"{joint_move_text(joint_move)}"' for joint_move in self.moves)
            told += indent_and_wrap([f"moves = [{moves}]", f"state: {sorted_listing(self.facts, _SHOWN_FACTS)}"])
        return told

    def as_json(self) -> dict[str, Any]:
        """Return the verdict in its JSON form."""
        found: dict[str, Any] = {
            "property": self.name,
            "kind": self.kind,
            "result": self.result,
            "message": self.message,
        }
        if self.moves is not None:
            found["moves"] = [[str(move) for move in joint_move] for joint_move in self.moves]
            found["state"] = [str(fact) for fact in self.facts]
        return found

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Verdict:
        """Return the verdict from its JSON form. Raises KeyError or TextError for anything else."""
        moves = fields.get("moves")
        return cls(
            fields["property"],
            fields["kind"],
            fields["result"],
            fields["message"],
            None if moves is None else tuple(tuple(map(parse_term, joint_move)) for joint_move in moves),
            tuple(map(parse_term, fields.get("state", ()))),
        )


def sections(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield the verdicts as lines of text, in a section for each kind."""
    for kind, heading in _HEADINGS.items():
        own = [line for verdict in verdicts if verdict.kind == kind for line in verdict.lines()]
        if own:
            yield heading
            yield from (f"  {line}" for line in own)


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
