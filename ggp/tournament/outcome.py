"""The outcome of a match: the part of its record that a tournament stores, and the goals and points of players.

A player's goal in a match is the mean of the goals of its roles. Of two players, the one with the higher goal wins. A
match without goals, because it was cut off or its rules got stuck, counts as a draw. If the rules give none of a
player's roles a goal value, or several, its goal is 50, as it is for the players that search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from json import dumps, loads
from statistics import fmean
from typing import TYPE_CHECKING

from ggp.match.conduct import Conduct, conduct_from, conduct_of
from ggp.match.record import MatchRecord, RecordError, Result
from ggp.match.record.fields import Fields
from ggp.players.player import UNKNOWN

if TYPE_CHECKING:
    from ggp.tournament.plan import Fixture


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
    def from_json(cls, text: str, file: str = "<outcome>") -> Outcome:
        """Return the outcome from JSON text. Raises RecordError, which names `file`, for text not from `to_json`."""
        try:
            read = Fields(loads(text), file)
        except (ValueError, TypeError, RecursionError) as error:
            raise RecordError(file, f"not JSON: {error}") from None
        result = read.required("result", str)
        if result not in tuple(Result):
            raise RecordError(file, f"result: {result!r:.40} is not one of {', '.join(Result)}")
        return cls(
            number=read.required("number", int, 0),
            result=result,
            goals=read.goals("goals", 0, 100),
            conduct=tuple(map(conduct_from, read.parts("conduct"))),
            moves=read.rows("moves", str),
            errors=read.row("errors", str),
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


def goal_of(player: str, fixture: Fixture, outcome: Outcome) -> float | None:
    """Return the mean goal of a player's roles in a match; None if the match has no goals."""
    if not outcome.goals:
        return None
    goals = zip(fixture.lineup, outcome.goals, strict=True)
    own = [goal for name, goal in goals if name == player and goal is not None]
    return fmean(own) if own else 100 * UNKNOWN


def points_of(goal: float | None, other: float | None) -> float:
    """Return the points of a player with a goal against another: 1 for a win and half for a draw."""
    if goal is None or other is None or goal == other:
        return 0.5
    return float(goal > other)
