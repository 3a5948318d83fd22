"""The process of one match that a player has joined: `python -m ggp.network.protocol.match_child`.

It reads one JSON object per line. The first one has the settings; then there is one match. Times are values of
`time.monotonic()`, which is the same clock in all processes.

    {"do": "load", "player": NAME, "memory": BYTES or null, "logs": FOLDER, "ponder": BOOL,
     "threads": NUMBER}
    {"do": "start", "number": N, "text": START, "seed": SEED, "due": TIME}
    {"do": "play", "number": N, "text": PLAY, "due": TIME}
    {"do": "end", "number": N, "text": STOP or "", "reason": TEXT}
    {"do": "call off"}                                        earlier questions need no answer

It writes the same kind of lines:

    {"say": "ready", "name": NAME, "compiles": BOOL}          the player's own name, and whether it searches compiled
                                                              games; all code is loaded
    {"say": "failed", "reason": TEXT}                         the player cannot be loaded
    {"say": "event", "match": ID, "text": TEXT, "warning": BOOL}
    {"say": "answer", "number": N, "at": TIME, "text": TEXT}  or "refused" or "failed" for "text", with the reason

The process ends with status `EXHAUSTED` when its memory limit is used up. It is killed at the end of the match, along
with the player's process.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, final

from gdl import Reasoner
from gdl.system.childprocess import JSON_LINES, Parent, limit_process
from ggp.match.channels import PlayerError, one_line
from ggp.match.isolation.isolated_player import IsolatedPlayer
from ggp.match.isolation.log import LogFolder, PlayerLog
from ggp.match.isolation.reserve import Reserve
from ggp.network.protocol.joined import EXHAUSTED, Event, JoinedMatch, RefusedError
from ggp.network.protocol.messages import Play, Start, Stop, parse_message
from ggp.players import Player, is_foreign, make_player
from ggp.players.clock import Deadline
from ggp.players.simple import LegalPlayer, RandomPlayer
from ggp.rules.shipped_games import find_game

#: A game loaded before the match, to warm up the reader.
_READ_FIRST: Final = "tic_tac_toe"

#: Seconds between checks that the match has not begun.
_GLANCE: Final = 0.05

#: Seconds that a thread may run before it yields to another.
SWITCH: Final = 0.001


@final
class MatchHandler:
    """Carries out the commands of the parent, one after another."""

    def __init__(self, say: Callable[[dict[str, Any]], None]) -> None:
        """Start without a player. `say` sends a message to the parent; it is called from several threads."""
        self._say = say
        self._make: Callable[[], Player] | None = None
        self._match: JoinedMatch | None = None
        self._ponder = False
        self._threads = 1
        #: Set when the match begins.
        self._begun = threading.Event()

    def do(self, command: Mapping[str, Any], called_off: threading.Event) -> None:
        """Carry out a command. An answer that waits for `called_off` is given when it is set."""
        if command["do"] == "load":
            self._ponder, self._threads = command["ponder"], command["threads"]
            self._load(command["player"], command["memory"], Path(command["logs"]))
            return
        answer: dict[str, Any] = {"say": "answer", "number": command["number"]}
        try:
            answer["text"] = self._answer(command, called_off)
        except RefusedError as error:
            answer["refused"] = str(error)
        except MemoryError:
            raise
        except Exception as error:  # told to the parent
            answer["failed"] = one_line(f"{type(error).__name__}: {error}")
        self._say(answer | {"at": time.monotonic()})

    def _answer(self, command: Mapping[str, Any], called_off: threading.Event) -> str:
        message = parse_message(command["text"]) if command["text"] else None
        match message:
            case Start():
                assert self._make is not None
                self._match = JoinedMatch(
                    message, self._make, command["seed"], self._report, ponder=self._ponder, threads=self._threads
                )
                return self._match.start(Deadline(command["due"], called_off))
            case Play():
                assert self._match is not None
                return self._match.play(message, Deadline(command["due"], called_off))
            case Stop() | None:
                if self._match is not None:
                    self._match.end(message, command["reason"])
        return ""

    def _load(self, name: str, memory: int | None, logs: Path) -> None:
        # Load the code that reads rules before a clock runs.
        Reasoner.load(find_game(_READ_FIRST))
        if not is_foreign(name):
            player = make_player(name)
            if isinstance(player, RandomPlayer | LegalPlayer):  # fast enough without a process of its own
                self._make = lambda: make_player(name)
                self._say({"say": "ready", "name": player.name, "compiles": False})
                return
        reserve = Reserve(name, memory=memory, log=PlayerLog(name, LogFolder(logs)))
        loading = threading.Thread(target=self._wait_for, args=(reserve,), name="loading", daemon=True)
        loading.start()

        def make() -> Player:
            # From now on, the match waits for the player, until its deadlines.
            self._begun.set()
            loading.join()
            return IsolatedPlayer(name, reserve)

        self._make = make

    def _wait_for(self, reserve: Reserve) -> None:
        """Say when the player is ready, unless the match begins before."""
        loaded = None
        try:
            while loaded is None and not self._begun.is_set():
                loaded = reserve.wait_until_ready(Deadline.after(_GLANCE))
        except PlayerError as error:
            self._say({"say": "failed", "reason": str(error)})
        if loaded is not None:
            self._say({"say": "ready", "name": loaded.name, "compiles": loaded.compiles})

    def _report(self, event: Event) -> None:
        self._say({"say": "event", "match": event.match_id, "text": event.text, "warning": event.warning})


@final
class _Inbox:
    """Commands, each with the flag that calls it off."""

    def __init__(self) -> None:
        self._commands: queue.SimpleQueue[tuple[dict[str, Any], threading.Event]] = queue.SimpleQueue()
        self._called_off = threading.Event()

    def get(self) -> tuple[dict[str, Any], threading.Event]:
        return self._commands.get()

    def put(self, command: dict[str, Any]) -> None:
        if command["do"] == "call off":
            self._called_off.set()
            self._called_off = threading.Event()
        else:
            self._commands.put((command, self._called_off))


def main() -> None:
    """Carry out commands until the input ends."""
    parent = Parent(JSON_LINES)
    # The thread that hears that a question is called off should not wait for the one that computes.
    sys.setswitchinterval(SWITCH)
    inbox = _Inbox()
    parent.listen(inbox.put)
    handler = MatchHandler(parent.send)
    while True:
        command, called_off = inbox.get()
        if command["do"] == "load":
            limit_process(0, memory=command["memory"])
        try:
            handler.do(command, called_off)
        except MemoryError:
            os._exit(EXHAUSTED)  # there may not be enough memory for anything else


if __name__ == "__main__":
    main()
