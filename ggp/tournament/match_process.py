"""A process that plays matches of a tournament: `python -m ggp.tournament.match_process MEMORY FOLDER`.

MEMORY is the limit in bytes of each player that is not part of ggp, 0 for none; FOLDER is the folder for their logs,
empty for a temporary one.

`ggp.work.process` has the form of the messages. These are the kinds of jobs:

    load    the rules of a game            -> {"roles": [...], "engine": ..., "note": ...}
    check   one `player`                   -> {}
    match   see `plan.Task`                -> {"outcome": ..., "stale": ...}

`stale` is true if a player of the finished match is still busy; the process should then be replaced.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, final

from ggp.match.isolation.local import LocalPlayers
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.tournament.outcome import outcome
from ggp.work.process import Games, serve

#: Seconds that a player's thread has to finish after its match.
_LINGER: Final = 0.2


@final
class Matches:
    """Plays matches, one after another."""

    def __init__(self, games: Games, players: LocalPlayers) -> None:
        """Start without loaded games. `players` makes the players."""
        self._games = games
        self._players = players

    def load(self, rules: str) -> dict[str, Any]:
        """Compile a game, and tell its roles and its engine."""
        game = self._games.load(rules)
        return {"roles": game.player_roles, "engine": game.engine, "note": game.reason}

    def check(self, player: str) -> dict[str, Any]:
        """Make a player. Raises the errors of `make_player`."""
        self._players.make(player)
        return {}

    def match(
        self,
        rules: str,
        number: int,
        name: str,
        lineup: Sequence[str],
        seed: int,
        max_plies: int,
        start_clock: float | None,
        play_clock: float | None,
        engine: str,
    ) -> dict[str, Any]:
        """Play a match."""
        game = self._games.load(rules, engine)
        players = {role: self._players.make(name) for role, name in zip(game.player_roles, lineup, strict=True)}
        settings = Settings(seed, max_plies, start_clock, play_clock)
        before = set(threading.enumerate())
        record = play_match(game.game, players, settings, name=name)
        left = [thread for thread in threading.enumerate() if thread not in before and thread.name.startswith("player")]
        for thread in left:
            thread.join(_LINGER)
        stale = any(thread.is_alive() for thread in left)
        return {"outcome": outcome(number, record, game.player_roles).to_json(), "stale": stale}


def main() -> None:
    """Answer requests until the input ends."""
    memory, folder = sys.argv[1:]
    with LocalPlayers(memory=int(memory) or None, logs=Path(folder) if folder else None) as players:
        games = Games()
        matches = Matches(games, players)
        serve(games, load=matches.load, check=matches.check, match=matches.match)


if __name__ == "__main__":
    main()
