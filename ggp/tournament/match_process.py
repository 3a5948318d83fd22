"""A process that plays matches of a tournament: `python -m ggp.tournament.match_process MEMORY FOLDER`.

MEMORY is the limit in bytes of each player that is not part of ggp, 0 for none; FOLDER is the folder for their logs.

It reads one JSON object per line, and writes one in reply to each. Rules and engines stay loaded between matches.

    {"do": "load", "path": ...}            -> {"roles": [...], "engine": ..., "note": ..., "digest": ...}
    {"do": "check", "player": ...}         -> {}
    {"do": "play", "path": ..., ...}       -> {"outcome": ..., "stale": ...}    see `plan.Task`
    any failure                            -> {"error": ...}

`stale` is true if a player of the finished match is still busy; the process should then be replaced. The process ends
when its input ends, so that none is left behind if the parent is killed.
"""

from __future__ import annotations

import queue
import sys
import threading
from pathlib import Path
from traceback import format_exception_only
from typing import Any, Final

from gdl.childprocess import JSON_LINES, Parent
from gdl.errors import GdlError
from ggp.match.isolation.local import LocalPlayers
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.rules.engine_choice import EngineChoice, load_compiled
from ggp.tournament.outcome import outcome
from ggp.tournament.plan import Task

#: Seconds that a player's thread has to finish after its match.
_LINGER: Final = 0.2


class RequestHandler:
    """A handler that answers requests one after another."""

    def __init__(self, players: LocalPlayers) -> None:
        """Start without loaded games. `players` makes the players."""
        self._players = players
        self._games: dict[str, EngineChoice] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to a request. Never raises."""
        fields = dict(request)
        do = fields.pop("do", "")
        try:
            if do == "load":
                game = self._load(fields["path"])
                return {"roles": game.player_roles, "engine": game.engine, "note": game.reason, "digest": game.digest}
            if do == "check":
                self._players.make(fields["player"])
                return {}
            fields["lineup"] = tuple(fields["lineup"])
            return self._play(Task(**fields))
        except GdlError as error:
            return {"error": str(error)}
        except Exception as error:  # the tournament reports any failure and continues
            return {"error": "".join(format_exception_only(error)).strip()}

    def _load(self, path: str) -> EngineChoice:
        if path not in self._games:
            self._games[path] = load_compiled(Path(path))
        return self._games[path]

    def _play(self, task: Task) -> dict[str, Any]:
        game = self._load(task.path)
        players = {role: self._players.make(name) for role, name in zip(game.player_roles, task.lineup, strict=True)}
        settings = Settings(task.seed, task.max_plies, task.start_clock, task.play_clock)
        before = set(threading.enumerate())
        record = play_match(game.game, players, settings, name=task.name)
        left = [thread for thread in threading.enumerate() if thread not in before and thread.name.startswith("player")]
        for thread in left:
            thread.join(_LINGER)
        stale = any(thread.is_alive() for thread in left)
        return {"outcome": outcome(task.number, record, game.player_roles).to_json(), "stale": stale}


def main() -> None:
    """Answer requests until the input ends."""
    parent = Parent(JSON_LINES)
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    parent.listen(requests.put)
    memory, folder = sys.argv[1:]
    with LocalPlayers(memory=int(memory) or None, logs=Path(folder)) as players:
        handler = RequestHandler(players)
        while True:
            parent.send(handler.answer(requests.get()))


if __name__ == "__main__":
    main()
