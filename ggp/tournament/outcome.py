"""What is kept of a match in a tournament, and what it says about its players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from json import dumps, loads
from typing import Any

from ggp.match.conduct import Conduct, conduct_of
from ggp.match.record import MatchRecord


@dataclass(frozen=True, slots=True)
class Outcome:
    """How match `number` ended: everything by role is in the order of the roles, without `random`.

    `goals` is empty for a match that did not come to its end, and has None where the rules give none.
    `moves` are the joint moves of all roles, `random` included; `errors` are lines for people.
    """

    number: int
    result: str
    goals: tuple[int | None, ...]
    conduct: tuple[Conduct, ...]
    moves: tuple[tuple[str, ...], ...]
    errors: tuple[str, ...] = ()

    def to_json(self) -> str:
        return dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Outcome:
        """Raises ValueError, KeyError or TypeError for what `to_json` did not write."""
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
    """What is kept of a match's record; `roles` are those that players had."""
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
