"""A match as JSON: one object when it is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ggp.cli.json_output import print_json
from ggp.cli.views.match import Shown
from ggp.match.conduct import conduct_of
from ggp.match.record import MatchRecord, Ply


class JsonMatchView:
    """Prints nothing while a match is played, and an object when it ends; `more` are fields of the command."""

    def __init__(self, match: Shown, command: str, more: Mapping[str, Any] | None = None) -> None:
        self._match = match
        self._command = command
        self._more = more or {}
        self._begun = False

    def go_on(self, match: Shown) -> None:
        """Report another match from here on: the same, resumed."""
        self._match = match

    def begin(self) -> None:
        """The match has begun, so its end is reported."""
        self._begun = True

    def ply(self, ply: Ply) -> None:
        """One ply, which the object at the end has."""

    def end(self) -> None:
        """Print the object."""
        if self._begun:
            print_json(self._command, {**self._more, **match_fields(self._match.record)})


def match_fields(record: MatchRecord) -> dict[str, Any]:
    """What a command reports of a match."""
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
        "rules_error": record.rules_error,
        "seed": record.seed,
        "max_plies": record.max_plies,
        "start_clock": record.start_clock,
        "play_clock": record.play_clock,
        "moves": record.moves,
    }
