"""The work of `ggp host SCHEDULE.toml`: a tournament between players on any machine, with progress and standings."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

import typer

from ggp.cli.guard import say
from ggp.cli.hosting import MatchNetwork
from ggp.cli.json_output import print_json
from ggp.cli.playing import engine_for
from ggp.cli.screen import line, screen
from ggp.cli.views.tournament import TournamentView
from ggp.match.isolation.local import LocalPlayers
from ggp.network.host import Bulletin
from ggp.network.pasted import is_address
from ggp.tournament.hosted import HostedTournament
from ggp.tournament.outcome import Outcome
from ggp.tournament.plan import Fixture
from ggp.tournament.schedule import read_schedule

#: The options of `ggp host` that a schedule replaces, and its keys.
_KEYS: Final[Mapping[str, str]] = {
    "player": "[players]",
    "start_clock": "start_clock",
    "play_clock": "play_clock",
    "grace": "grace",
    "turns": "turns",
    "policy": "policy",
    "matches": "matches",
    "at_once": "at_once",
    "seed": "seed",
    "max_plies": "max_plies",
    "record": "records",
    "fsync": "",
    "game_url": "",
}


def refuse_options_of_matches(context: typer.Context) -> None:
    """Raise BadParameter if an option was given that a schedule has as a key, or cannot have."""
    for name, key in _KEYS.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = f"--{name.replace('_', '-')}"
            instead = f"; its place in the schedule is {key}" if key else ""
            raise typer.BadParameter(f"{option} is not an option of schedules{instead}")


def play_schedule(
    file: Path,
    local: LocalPlayers,
    *,
    port: int | None,
    bind: str,
    wait: float,
    linger: float,
    quiet: bool,
    json: bool,
) -> None:
    """Play the tournament of a schedule, or what is left of it. Raises the errors of schedules, rules and players."""
    schedule = read_schedule(file, local.make)
    bulletin = Bulletin(schedule.title)
    with MatchNetwork(local.make, schedule.grace, turns=schedule.turns, bulletin=bulletin) as network:
        tournament = HostedTournament(
            schedule,
            network.hosted,
            bulletin,
            lambda where, name: network.player(where, name if is_address(where) else ""),
            engine_for,
        )
        with tournament:
            if port is not None:
                line(screen(sys.stderr), f"spectators: {network.serve(bind, port)}")
            finished = len(tournament.outcomes) >= tournament.plan.total
            if not finished:
                network.introduce(schedule.players, *tournament.rules, wait=wait)
            with network.lingering(linger, finished=finished):
                _play(tournament, quiet=quiet, json=json)


def _play(tournament: HostedTournament, *, quiet: bool, json: bool) -> None:
    plan = tournament.plan
    view = TournamentView(plan, list(tournament.outcomes.values()), json=json, command="host")
    try:
        with view, closing(tournament.results()) as results:
            for outcome in results:
                view.add(outcome, silent=not quiet)
                fixture = plan.fixtures(list(tournament.outcomes.values()))[outcome.number]
                if json:
                    print_json("host", {"event": "match", **_match(fixture, outcome)})
                elif not quiet:
                    view.say(_in_a_line(len(tournament.outcomes), plan.total, fixture, outcome))
    except KeyboardInterrupt:
        say(f"{tournament.schedule.records} has the results; run the same command again to continue")
        raise
    finally:
        view.show()


def _match(fixture: Fixture, outcome: Outcome) -> dict[str, object]:
    return {
        "match": fixture.number,
        "round": fixture.round,
        "game": fixture.contest.name,
        "players": dict(zip(fixture.contest.roles, fixture.lineup, strict=True)),
        "result": outcome.result,
        "goals": list(outcome.goals),
        "plies": len(outcome.moves),
        "errors": list(outcome.errors),
    }


def _in_a_line(played: int, total: int, fixture: Fixture, outcome: Outcome) -> str:
    """Return a line about a match: how many were played, its round and game, and the players with their goals."""
    goals = outcome.goals or (None,) * len(fixture.lineup)
    sides = ", ".join(
        f"{player} {'-' if goal is None else goal}" for player, goal in zip(fixture.lineup, goals, strict=True)
    )
    part = f"round {fixture.round}  " if fixture.round else ""
    errors = f"  {len(outcome.errors)} errors" if len(outcome.errors) > 1 else "  1 error" * len(outcome.errors)
    ended = "" if outcome.result == "finished" else f"  {outcome.result}"
    return f"{str(played).rjust(len(str(total)))} of {total}  {part}{fixture.contest.name}  {sides}{ended}{errors}"
