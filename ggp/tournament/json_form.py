"""Tournaments as JSON: the contents of the tables, and all errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ggp.tournament.outcome import Outcome
from ggp.tournament.plan import Fixture, Plan
from ggp.tournament.standings import Line, Pair, tables


def tournament_fields(plan: Plan, outcomes: Sequence[Outcome], lost: Mapping[int, str]) -> dict[str, Any]:
    """Return a tournament as JSON fields. `outcomes` are ordered by number; `lost` maps numbers to reasons."""
    fixtures = plan.fixtures(outcomes)
    return {
        "games": [
            {"game": contest.name, "file": contest.path, "roles": contest.roles, "engine": contest.engine}
            for contest in plan.contests
        ],
        "players": plan.players,
        "format": str(plan.format),
        "rounds": plan.rounds,
        "seed": plan.seed,
        "start_clock": plan.start_clock,
        "play_clock": plan.play_clock,
        "max_plies": plan.max_plies,
        "matches": plan.total,
        "played": len(outcomes),
        "tables": [
            {"table": table.name, "lines": list(map(_line, table.lines)), "pairs": list(map(_pair, table.pairs))}
            for table in tables(plan, outcomes)
        ],
        "errors": [
            {**_match(fixtures[outcome.number]), "error": error} for outcome in outcomes for error in outcome.errors
        ],
        "lost": [{**_match(fixtures[number]), "reason": reason} for number, reason in sorted(lost.items())],
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "player": line.player,
        "points": line.points,
        "matches": line.matches,
        "byes": line.byes,
        "wins": line.wins,
        "draws": line.draws,
        "losses": line.losses,
        "unfinished": line.unfinished,
        "mean_goal": line.goal,
        "rating": None if line.rating is None else asdict(line.rating),
        **asdict(line.conduct),
    }


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "player": pair.player,
        "against": pair.other,
        "points": pair.points,
        "matches": pair.games,
        "share": pair.share,
        "interval": pair.interval,
    }


def _match(fixture: Fixture) -> dict[str, Any]:
    players = dict(zip(fixture.contest.roles, fixture.lineup, strict=True))
    return {"match": fixture.number, "game": fixture.contest.name, "players": players}
