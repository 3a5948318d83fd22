"""What is kept of a match in a tournament, and what it says about its players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from json import dumps, loads
from typing import Any

from ggp.match.channels import CRASH, ILLEGAL, LATE
from ggp.match.record import MatchRecord


@dataclass(frozen=True, slots=True)
class Conduct:
    """How the player of one role behaved in a match.

    `late`, `illegal` and `crashes` count its errors, that of the start included. `decisions` are the plies in which it
    had a choice, `seconds` what it took for all of them, and `slowest` what it took for a move at most.
    """

    late: int = 0
    illegal: int = 0
    crashes: int = 0
    decisions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def __add__(self, other: Conduct) -> Conduct:
        return Conduct(
            self.late + other.late,
            self.illegal + other.illegal,
            self.crashes + other.crashes,
            self.decisions + other.decisions,
            self.seconds + other.seconds,
            max(self.slowest, other.slowest),
        )


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
    for ply, row in _error_rows(record):
        errors += [f"ply {ply}, {role}: {row[place]}" for role, place in zip(roles, places, strict=True) if row[place]]
    if record.rules_error:
        errors.append(f"rules: {record.rules_error}")
    return Outcome(
        number=number,
        result=record.result.value,
        goals=tuple(record.goals[place] for place in places) if record.goals else (),
        conduct=tuple(_conduct(record, place) for place in places),
        moves=tuple(ply.moves for ply in record.plies),
        errors=tuple(errors),
    )


def _error_rows(record: MatchRecord) -> list[tuple[int, tuple[str, ...]]]:
    """All errors by ply; the start is ply 0, and what came last has the number of the ply that was not played."""
    rows = [record.initial_errors, *(ply.errors for ply in record.plies)]
    if record.last_errors:
        rows.append(record.last_errors)
    return list(enumerate(rows))


def _conduct(record: MatchRecord, place: int) -> Conduct:
    errors = [part for _, row in _error_rows(record) for part in row[place].split("; ") if part]
    seconds = [ply.seconds[place] for ply in record.plies]
    decisions = [ply.seconds[place] for ply in record.plies if ply.choices[place] > 1]
    return Conduct(
        late=sum(error.startswith(LATE) for error in errors),
        illegal=sum(error.startswith(ILLEGAL) for error in errors),
        crashes=sum(error.startswith(CRASH) for error in errors),
        decisions=len(decisions),
        seconds=round(sum(decisions), 6),
        slowest=round(max(seconds, default=0.0), 6),
    )
