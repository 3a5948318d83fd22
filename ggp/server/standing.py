"""How a match stands, as the worker that plays it tells the server, and the server its pages."""

from __future__ import annotations

from typing import Any

from ggp.match.record import MatchRecord, Result


def standing(record: MatchRecord | None) -> dict[str, Any]:
    """How a match stands by its record; None where it has not begun. Tuples are in the order of `record_roles`."""
    return {
        "plies": len(record.plies) if record else 0,
        "result": record.result.value if record else Result.RUNNING.value,
        "goals": list(record.goals) if record else [],
        "rules_error": record.rules_error if record else "",
        "last": list(record.plies[-1].moves) if record and record.plies else [],
        "record_roles": list(record.roles) if record else [],
    }


def at_rest(record: MatchRecord | None) -> dict[str, Any]:
    """How a match stands that nobody plays here: no role is waited for, until no time."""
    return {**standing(record), "waiting": [], "until": None}
