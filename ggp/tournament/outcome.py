"""The outcome of a match: the part of its record that a tournament stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from json import dumps, loads
from typing import Any

from ggp.match.conduct import Conduct, conduct_of
from ggp.match.record import MatchRecord


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of match `number`. Tuples by role are in role order, without `random`.

    `goals` is empty for an unfinished match, and has None for roles without a goal value. `moves` are the joint moves
    of all roles, including `random`; `errors` are lines for people.
    """

    number: int
    result: str
    goals: tuple[int | None, ...]
    conduct: tuple[Conduct, ...]
    moves: tuple[tuple[str, ...], ...]
    errors: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the outcome as JSON text."""
        return dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Outcome:
        """Return the outcome from JSON text. Raises ValueError, KeyError or TypeError for text not from `to_json`."""
        fields: dict[str, Any] = loads(text)
        return cls(
            number=fields["number"],
            result=fields["result"],
            goals=tuple(fields["goals"]),
            conduct=tuple(Conduct(**one) for one in fields["conduct"]),
            moves=tuple(map(tuple, fields["moves"])),
            errors=tuple(fields["errors"]),
        )


def outcome(number: int, record: MatchRecord, roles: Sequence[str]) -> Outcome:
    """Return the outcome of a match from its record; `roles` are the roles of players."""
    places = [record.roles.index(role) for role in roles]
    errors = []
    for ply, row in enumerate(record.error_rows):
        errors += [f"ply {ply}, {role}: {row[place]}" for role, place in zip(roles, places, strict=True) if row[place]]
    if record.rules_error:
        errors.append(f"rules: {record.rules_error}")
    return Outcome(
        number=number,
        result=record.result.value,
        goals=tuple(record.goals[place] for place in places) if record.goals else (),
        conduct=tuple(conduct_of(record, place) for place in places),
        moves=record.moves,
        errors=tuple(errors),
    )
