"""A process that plays matches of a tournament: `python -m ggp.tournament.match_process MEMORY FOLDER`.

MEMORY is the limit in bytes of each player that is not part of ggp, 0 for none; FOLDER is the folder for their logs,
empty for a temporary one.

`ggp.work.process` has the form of the messages. These are the kinds of jobs:

    load    the rules of a game            -> {"roles": [...], "engine": ..., "note": ...}
    check   one `player`                   -> {}
    match   see `plan.Task`                -> {"outcome": ..., "stale": ...}

`stale` is true if a player of the finished match is still busy; the process should then be replaced.

Players elsewhere are asked over the network. A match does not begin before they are there, and free: it is not played
against random moves.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, final

from ggp.match.isolation.local import LocalPlayers
from ggp.match.match import AnyPlayer, play_match
from ggp.match.settings import Settings
from ggp.network.host import Address, Network, RemotePlayer
from ggp.network.host.connections import ExchangeError, UnreachedError
from ggp.network.pasted import is_address
from ggp.network.protocol.errors import ProtocolError
from ggp.network.protocol.replies import Word
from ggp.tournament.outcome import outcome
from ggp.work.process import Games, serve

#: Seconds that a player's thread has to finish after its match.
_LINGER: Final = 0.2

#: Seconds that a player elsewhere has to identify itself, and after which it is asked again if it is busy.
_INTRODUCTION: Final = 5.0
_AGAIN: Final = 0.5

#: Seconds beyond the clocks in which a player elsewhere has to be free: it may wait for the end of a match that was
#: broken off.
_PATIENCE: Final = 60.0


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
        """Make a player. Raises the errors of `make_player`, AddressError and ExchangeError."""
        made = self._made(player)
        if isinstance(made, RemotePlayer):
            _is_free(made)
        return {}

    @cached_property
    def _network(self) -> Network:
        return Network()

    def _made(self, name: str) -> AnyPlayer:
        """Return a new player, here or elsewhere."""
        if not is_address(name):
            return self._players.make(name)
        return RemotePlayer(Address.parse(name), self._network, name=name)

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
        """Play a match. Raises ExchangeError if a player elsewhere is not there, or busy with something else."""
        game = self._games.load(rules, engine)
        players = {role: self._made(name) for role, name in zip(game.player_roles, lineup, strict=True)}
        for player in players.values():
            if isinstance(player, RemotePlayer):
                _wait_for(player, _PATIENCE + (start_clock or 0.0) + 2 * (play_clock or 0.0))
        settings = Settings(seed, max_plies, start_clock, play_clock)
        before = set(threading.enumerate())
        record = play_match(game.game, players, settings, name=name)
        left = [thread for thread in threading.enumerate() if thread not in before and thread.name.startswith("player")]
        for thread in left:
            thread.join(_LINGER)
        stale = any(thread.is_alive() for thread in left)
        return {"outcome": outcome(number, record, game.player_roles).to_json(), "stale": stale}


def _is_free(player: RemotePlayer) -> bool:
    """Return True unless a player elsewhere says that it is busy. Raises UnreachedError if nobody is there."""
    try:
        return player.introduce(_INTRODUCTION).result().status != Word.BUSY
    except UnreachedError as error:
        raise UnreachedError(f"{player.name} cannot be reached: {str(error).removeprefix(f'{error.code}: ')}") from None
    except (TimeoutError, ExchangeError, ProtocolError):
        return True  # not every player knows INFO


def _wait_for(player: RemotePlayer, seconds: float) -> None:
    """Wait until a player elsewhere is free. Raises ExchangeError if it is not in time."""
    until = time.monotonic() + seconds
    while not _is_free(player):
        if time.monotonic() > until:
            raise ExchangeError(f"{player.name} is still busy after {seconds:g} s")
        time.sleep(_AGAIN)


def main() -> None:
    """Answer requests until the input ends."""
    memory, folder = sys.argv[1:]
    with LocalPlayers(memory=int(memory) or None, logs=Path(folder) if folder else None) as players:
        games = Games()
        matches = Matches(games, players)
        serve(games, load=matches.load, check=matches.check, match=matches.match)


if __name__ == "__main__":
    main()
