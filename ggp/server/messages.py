"""The standing of a match, in the form in which game processes send it to the server, and the server to pages."""

from __future__ import annotations

from typing import Any, Final

from gdl.engine import is_nature
from ggp.match.record import MatchRecord, Result

#: The exit status of a game process that exceeded the time limit.
EXHAUSTED: Final = 75


def standing(record: MatchRecord | None) -> dict[str, Any]:
    """Return the standing of a match with a record, or of one that has not begun. Lists follow `record_roles`."""
    return {
        "plies": len(record.plies) if record else 0,
        "result": record.result.value if record else Result.RUNNING.value,
        "goals": list(record.goals) if record else [],
        "resigned": list(record.resigned) if record else [],
        "rules_error": record.rules_error if record else "",
        "last": list(record.plies[-1].moves) if record and record.plies else [],
        "counts": list(record.plies[-1].choices) if record and record.plies else [],
        "undo": undoable(record) if record else {},
        "record_roles": list(record.roles) if record else [],
    }


def joint_moves(record: MatchRecord | None) -> dict[str, Any]:
    """Return the joint moves of a record, and how many moves each role could choose from."""
    plies = record.plies if record else ()
    return {"moves": [list(ply.moves) for ply in plies], "counts": [list(ply.choices) for ply in plies]}


def undoable(record: MatchRecord) -> dict[str, int]:
    """Return for each role the number of plies that stay if it takes back its last choice.

    A choice is where a role had two or more moves. Nothing is taken back from before a random move, which was seen.
    """
    found: dict[str, int] = {}
    for number in reversed(range(len(record.plies))):
        choosing = [role for role, count in zip(record.roles, record.plies[number].choices, strict=False) if count > 1]
        if any(map(is_nature, choosing)):
            break
        found = dict.fromkeys(choosing, number) | found
    return found


def at_rest(record: MatchRecord | None) -> dict[str, Any]:
    """Return the standing of a match that is not being played here, so that no role is waited for."""
    return {**standing(record), "waiting": [], "until": None}
