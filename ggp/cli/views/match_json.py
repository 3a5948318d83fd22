"""A match as JSON: one object at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ggp.cli.json_output import print_json
from ggp.cli.views.match import Shown
from ggp.match.conduct import conduct_of
from ggp.match.record import MatchRecord, Ply


class JsonMatchView:
    """A view that prints nothing during a match, and one object at its end."""

    def __init__(self, match: Shown, command: str, more: Mapping[str, Any] | None = None) -> None:
        """Report `match` for a command, which may have `more` fields of its own."""
        self._match = match
        self._command = command
        self._more = more or {}
        self._begun = False

    def go_on(self, match: Shown) -> None:
        """Continue with the resumed match."""
        self._match = match

    def take_back(self, match: Shown) -> None:
        """Continue with a match in which moves have been taken back."""
        self._match = match

    def begin(self) -> None:
        """Note that the match has begun, so that its end is reported."""
        self._begun = True

    def ply(self, ply: Ply) -> None:
        """Print nothing; the object at the end contains the ply."""

    def end(self) -> None:
        """Print the object."""
        if self._begun:
            print_json(self._command, {**self._more, **match_fields(self._match.record)})


def match_fields(record: MatchRecord) -> dict[str, Any]:
    """Return the fields that commands report for a match."""
    rows = zip(record.roles, record.player_names, record.goal_values, strict=True)
    return {
        "game": record.game_name,
        "match_id": record.match_id,
        "result": record.result.value,
        "plies": len(record.plies),
        "roles": record.roles,
        "players": [
            {"role": role, "player": player, "goal": goal, **asdict(conduct_of(record, place))}
            for place, (role, player, goal) in enumerate(rows)
        ],
        "disqualified": record.disqualified,
        "resigned": record.resigned,
        "rules_error": record.rules_error,
        "seed": record.seed,
        "max_plies": record.max_plies,
        "start_clock": record.start_clock,
        "play_clock": record.play_clock,
        "moves": record.moves,
    }
