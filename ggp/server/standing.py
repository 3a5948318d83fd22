"""The standing of a match, in the form in which game processes send it to the server, and the server to pages."""

from __future__ import annotations

from typing import Any

from ggp.match.record import MatchRecord, Result


def standing(record: MatchRecord | None) -> dict[str, Any]:
    """Return the standing of a match with a record, or of one that has not begun. Lists follow `record_roles`."""
    return {
        "plies": len(record.plies) if record else 0,
        "result": record.result.value if record else Result.RUNNING.value,
        "goals": list(record.goals) if record else [],
        "resigned": list(record.resigned) if record else [],
        "rules_error": record.rules_error if record else "",
        "last": list(record.plies[-1].moves) if record and record.plies else [],
        "record_roles": list(record.roles) if record else [],
    }


def at_rest(record: MatchRecord | None) -> dict[str, Any]:
    """Return the standing of a match that is not being played here, so that no role is waited for."""
    return {**standing(record), "waiting": [], "until": None}
