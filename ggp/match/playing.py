"""Matches in one call: `ggp.play`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from gdl.engine import Engine, rule_text
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.reasoner import Reasoner
from gdl.simulator import seeds
from ggp.match.isolation.isolated_player import IsolatedPlayer
from ggp.match.isolation.local import MEMORY, LocalPlayers
from ggp.match.lineup import DEFAULT, LineupError, lineup_of
from ggp.match.match import AnyPlayer, Match
from ggp.match.record import MatchRecord
from ggp.match.recorded_play import play_recorded
from ggp.match.settings import Policy, Settings
from ggp.players.traits import compiles
from ggp.rules.engine_choice import compiled_or_reasoner
from ggp.rules.shipped_games import load_game


def play(
    rules: str | Path | Rulesheet | Engine,
    players: str | AnyPlayer | Mapping[str, str | AnyPlayer] = DEFAULT,
    /,
    *,
    start_clock: float | None = None,
    play_clock: float | None = None,
    seed: int | None = None,
    max_plies: int = 500,
    policy: Policy | str = Policy.REPLACE,
    record: str | Path | None = None,
    player_memory: int | None = MEMORY,
    player_logs: str | Path | None = None,
    fsync: bool = False,
    **by_role: str | AnyPlayer,
) -> MatchRecord:
    """Play a match and return its record.

    >>> import ggp
    >>> match = ggp.play("tic_tac_toe", xplayer="greedy", oplayer="random", seed=7)
    >>> match.goal_of
    {'xplayer': 100, 'oplayer': 0}

    Args:
        rules: A path, the name of a shipped game, a `gdl.Rulesheet`, or an engine such as a `gdl.Simulator`.
        players: The player of every role, or a mapping from roles to players. A player is a name as on the command
            line (`"mcts"`, `"mcts(simulations=1000)"`, `"FILE.py:CLASS"`) or an object with the methods of
            `ggp.players.Player`. Roles that are not named are played by `auto`. A class in a file runs in a process
            of its own, an object in this process.
        start_clock: Seconds to get ready; None for no clock.
        play_clock: Seconds for each move; None for no clock.
        seed: Repeats a match, unless players look at the clock. None draws a seed, which the record contains.
        max_plies: A longer match ends as unfinished.
        policy: The penalty for late or illegal moves and crashes: `"replace"` (a random move) or `"disqualify"`.
        record: Write the record to this file (JSON) while the match is played.
        player_memory: Bytes of memory that the process of a class in a file may use; None for no limit.
        player_logs: The folder for the output of such processes; None for a temporary folder. If there is any
            output, the logger `ggp` names the file.
        fsync: Sync the record to the disk after each ply, not only at the end.
        by_role: The player of a role by the role's name: `wolf="mcts"`. Use `players` for a role whose name is also
            a parameter's.

    Raises:
        UnknownGameError, AmbiguousGameError, FileError, RulesheetError: The rules cannot be read.
        UnknownRoleError, UnknownPlayerError, PlayerLoadError, LineupError: The players do not fit the game.
        RecordError: The record cannot be written.
        ValueError: A clock, limit or policy makes no sense.
    """
    settings = Settings(
        seeds.draw() if seed is None else seed, max_plies, start_clock, play_clock, Policy(policy), fsync
    )
    game, name = load_game(rules)
    local = LocalPlayers(memory=player_memory, logs=None if player_logs is None else Path(player_logs))
    try:
        with local:
            lineup: dict[str, AnyPlayer] = lineup_of(game.roles, players, by_role, local.make)
            _check_rules(game, lineup)
            if isinstance(game, Reasoner) and any(map(compiles, lineup.values())):
                game = compiled_or_reasoner(game).game
            match = Match(game, lineup, settings, name=name)
            for _ in play_recorded(match, None if record is None else Path(record)):
                pass
    finally:
        for player, path in local.logs.items():
            logging.getLogger("ggp").warning("output of %s: %s", player, path)
    return match.record


def _check_rules(game: Engine, lineup: Mapping[str, AnyPlayer]) -> None:
    """Raise LineupError if a player in a process of its own would not get the rules."""
    if rule_text(game):
        return
    for player in lineup.values():
        if isinstance(player, IsolatedPlayer):
            raise LineupError(f"{player.name} needs the text of the rules, which this engine lacks; pass an object")
