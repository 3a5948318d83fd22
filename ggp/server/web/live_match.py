"""A match in the server. It has a game process while it is played or viewed, and files that are kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from ggp.match.record import MatchRecord, Result, write_record
from ggp.server import messages as to
from ggp.server.lineup import HUMAN
from ggp.server.web.files import MatchFiles
from ggp.server.web.game_client import GameClient, GameClientError, GameClients
from ggp.server.web.people import People

A = TypeVar("A")

#: The largest number of positions of a match kept in memory.
_POSITIONS: Final = 400

#: The settings that pages show.
_SETTINGS: Final = ("start_clock", "play_clock", "max_plies", "seed", "game_clock", "increment", "late")

#: Seconds after which the process of a match that is to end is ended, whatever it does.
_FAREWELL: Final = 0.6

#: Returns the file of learned values of a game by its name; None if there is none.
Learned = Callable[[str], Path | None]


class LiveMatch:
    """A match in the server. `version` increases with every change that spectators should see."""

    def __init__(self, match: str, files: MatchFiles, clients: GameClients, learned: Learned) -> None:
        """Load a match from its files. Raises FilesError, RecordError."""
        self.id = match
        self.lineup = files.lineup(match)
        self.version = 0
        self.thoughts = _by_position(files.thoughts(match))
        self.game: to.Game | None = None
        self._files = files
        self._clients = clients
        self._learned = learned
        #: The file of learned values that the process knows, and the time of its last change, in nanoseconds.
        self._file: tuple[Path | None, int] = (None, 0)
        self._client: GameClient | None = None
        self._opening = asyncio.Lock()
        self._changed = asyncio.Event()
        self._positions: dict[tuple[int, str], to.Position] = {}
        self._standing = to.standing(files.record(match))
        #: The roles of people that are to move, and the time by which all answers are due, in seconds since 1970.
        self._waiting: list[str] = []
        self._until: float | None = None
        self._error = ""
        #: What the compilation for its programs is doing; empty if nothing.
        self._doing = ""
        #: Why the programs use the Reasoner; empty if they do not.
        self._slow = ""
        self._playing = False
        people = [role for role, name in self.lineup.players.items() if name == HUMAN]
        self.people = People(people, talk=bool(self.lineup.settings.get("chat")))
        self.people.restore(files.people(match))
        self._kept = self.people.kept()
        self._clocks: dict[str, to.Clock] = {}
        #: The address of who has begun it, empty if nobody knows.
        self.visitor = ""
        #: The identifier of the match that people have agreed to play after this one; empty if they have not.
        self.rematch = ""

    # Its state

    @property
    def over(self) -> bool:
        """True once the match is over."""
        return bool(self._standing["result"] != Result.RUNNING.value)

    @property
    def concealed(self) -> bool:
        """True while somebody plays who must not see everything: a person, or a program elsewhere."""
        return self.lineup.hidden and not self.lineup.source and self.contested

    @property
    def contested(self) -> bool:
        """True while somebody plays who is not a program of this server, and so must get no help from it."""
        lineup = self.lineup
        others = any(name == HUMAN or "://" in name for name in lineup.players.values())
        return (others or bool(lineup.source)) and not self.over

    @property
    def running(self) -> bool:
        """True while a process plays the match."""
        return self._playing and self.has_worker and not self.over

    @property
    def busy(self) -> bool:
        """True while its process must not be ended, as a program may be thinking."""
        return self.running and not self._waiting

    @property
    def used(self) -> float:
        """The `time.monotonic()` at which its process was last used; 0 without a process."""
        return self._client.used if self._client is not None else 0.0

    @property
    def has_worker(self) -> bool:
        """True while the match has a process."""
        return self._client is not None and self._client.open

    def state(self) -> to.State:
        """Return the state of the match for its page."""
        lineup = self.lineup
        return {
            "id": self.id,
            "version": self.version,
            "game": lineup.game,
            "title": lineup.title,
            "players": dict(lineup.players),
            "settings": {key: lineup.settings.get(key) for key in _SETTINGS},
            "source": lineup.source,
            "reserved": list(lineup.seats),
            "error": self._error,
            "running": self.running,
            "doing": self._doing,
            "slow": self._slow,
            "thoughts": len(self.thoughts),
            "contested": self.contested,
            "offer": self.people.offer(),
            "rematch": self.rematch,
            "names": self.people.names(),
            "chat": self.people.remarks(),
            "clocks": self._clocks,
            "taken": [],
            "view": "whole",
            "role": "",
            **self._standing,
            "waiting": self._waiting,
            "until": self._until,
        }

    def in_short(self) -> to.Json:
        """Return the summary of the match for lists."""
        keys = {"id", "game", "title", "players", "plies", "result", "goals", "waiting", "running", "source"}
        state = self.state()
        if self.concealed:
            state["waiting"] = []
        return {**{key: value for key, value in state.items() if key in keys}, "created": self.lineup.created}

    def thought_list(self) -> list[to.Json]:
        """Return the thoughts of programs, by ply and role."""
        return [] if self.concealed else [self.thoughts[key] for key in sorted(self.thoughts)]

    async def newer(self, than: int) -> to.State:
        """Wait until the version is no longer `than`, and return the state."""
        while self.version == than:
            await self._changed.wait()
        return self.state()

    # Commands

    async def open(self) -> to.Game:
        """Start a process if there is none, resume a match under way, and return the game. Raises GameClientError."""
        async with self._opening:
            if self.game is None or self._client is None or not self._client.open:
                self.game = await self._open_game()
                self._playing = False
            if not self._playing and not self.over and not self.lineup.source and not self._error:
                await self._begin()
            return self.game

    async def about(self) -> to.Game:
        """Return the game for a page that is loaded, as `open` does, and see whether its learned values still fit."""
        game = await self.open()
        file = self._learned_now()
        if file != self._file and self._client is not None:
            fits = await self._client.ask(to.Learn(str(file[0] or "")))
            self._file = file
            game = self.game = {**game, "values": fits}
        return game

    def _learned_now(self) -> tuple[Path | None, int]:
        """Return the file of learned values that there is now, and the time of its last change; None and 0 without."""
        file = self._learned(self.lineup.game)
        if file is not None:
            with suppress(OSError):
                return file, file.stat().st_mtime_ns
        return None, 0

    async def _open_game(self) -> to.Game:
        """Start a process, and return the game. Raises GameClientError."""
        lineup = self.lineup
        client = self._client = await self._clients.take(lambda news: self._receive(client, news))
        name = plain_name(lineup.game)
        file = self._file = self._learned_now()
        try:
            return (await client.ask(to.Open(lineup.rules, name, lineup.wishes, str(file[0] or ""))))["game"]
        except BaseException:
            self.close()  # the next request starts another
            raise

    async def _begin(self) -> None:
        assert self._client is not None
        file = str(self._files.record_file(self.id))
        self._playing = True
        try:
            await self._client.ask(to.Play(self.lineup.players, self.lineup.settings, file))
        except GameClientError as error:
            self._error = str(error)
            self._playing = False
            self._notify()
            raise

    def begins_at(self, position: to.Position) -> None:
        """Take in the initial position, so that nobody waits for the process while players get ready."""
        self._positions[0, ""] = position

    async def position(self, ply: int) -> to.Position:
        """Return the position after a ply, as a page shows it. Raises GameClientError."""
        return await self._position(ply, "")

    async def own_position(self, ply: int, role: str) -> to.Position:
        """Return what a role has seen after a ply, as a page shows it. Raises GameClientError."""
        return await self._position(ply, role)

    async def _position(self, ply: int, role: str) -> to.Position:
        if (found := self._positions.get((ply, role))) is not None:
            return found
        shown = await self.ask(to.Show(self.file, ply, role))
        if len(self._positions) >= _POSITIONS:
            self._positions.pop(next(iter(self._positions)))
        self._positions[ply, role] = shown
        return shown

    @property
    def file(self) -> str | None:
        """The file of the record, if there is one yet."""
        file = self._files.record_file(self.id)
        return str(file) if file.exists() else None

    async def ask(self, command: to.Command[A], *, patient: bool = False) -> A:
        """Send a command about the record to the process, and return its answer. Raises as `GameClient.ask`."""
        await self.open()
        assert self._client is not None
        return await self._client.ask(command, patient=patient)

    async def move(self, role: str, ply: int, move: str) -> bool:
        """Make a person's move; return False if it is not due or not legal. Raises GameClientError."""
        await self.open()
        return self._playing and await self.ask(to.Move(role, ply, move))

    async def resign(self, *roles: str) -> bool:
        """Give up roles of people; if all roles do, it is a draw. Return False if none can. Raises GameClientError."""
        able = not self.over and bool(roles) and set(roles) <= set(self.people.roles)
        if able:
            await self._interrupt(to.Resign(roles))
        return able

    async def back(self, ply: int) -> None:
        """Take back all moves after a ply. Raises GameClientError."""
        self.check_back(ply)
        await self._interrupt(to.Back(ply))

    def check_back(self, ply: int) -> None:
        """Check that somebody may take back a move so that so many plies stay. Raises GameClientError."""
        if self.over:
            raise GameClientError("the match is over")
        if not self.people.roles:
            raise GameClientError("no person plays in this match who could take back a move")
        if self.lineup.hidden:
            raise GameClientError("moves cannot be taken back in a game with hidden information: percepts stay known")
        if ply not in [kept for role, kept in self._standing["undo"].items() if role in self.people.roles]:
            raise GameClientError("only a person's last choice can be taken back, and no random move that was seen")

    async def end(self) -> None:
        """Abort the match, whatever its programs do. Raises GameClientError, RecordError."""
        if self.over:
            return
        try:
            async with asyncio.timeout(_FAREWELL):
                await self._interrupt(to.End())
                while not self.over:
                    await self.newer(self.version)
        except TimeoutError:
            await self._abort()

    async def _abort(self) -> None:
        """End the process of a match whose programs do not listen, and the match with it."""
        record = self._files.record(self.id)
        if record is None:
            raise GameClientError("the match has not begun yet")
        self.close()
        if not record.over:
            record = replace(record, result=Result.ABORTED)
            await asyncio.to_thread(write_record, record, self._files.record_file(self.id))
        self._rest(record)

    async def _interrupt(self, command: to.Command[None]) -> None:
        await self.open()
        if not self._playing:
            raise GameClientError(self._error or "the match is not being played")
        await self.ask(command)

    def changed(self) -> None:
        """Tell all who watch that something has changed, and keep who plays and what was said."""
        kept = self.people.kept()
        if kept != self._kept:
            self._kept = kept
            self._files.keep_people(self.id, kept)
        self._notify()

    def watched(self, record: MatchRecord) -> None:
        """Take in a newer record of a match that is played elsewhere."""
        self._rest(record)

    def unreachable(self, error: str) -> None:
        """Report that a watched match can no longer be followed."""
        self._error = error
        self._notify()

    def close(self) -> None:
        """End the process. The match is resumed when it is next opened."""
        if self._client is not None:
            self._client.close()
        self._client = None
        self._playing = False

    # News from the process

    def _receive(self, client: GameClient, news: to.News) -> None:
        if client is not self._client:
            return  # it was ended intentionally
        if news["say"] == "match":
            self._waiting = news["waiting"]
            now = time.time()
            self._clocks = {
                role: {"left": left, "due": now + left if role in self._waiting else None}
                for role, left in news["clocks"].items()
            }
            self._until = None if news["left"] is None else time.time() + news["left"]
            self._error = ""
            self._set_standing(news["standing"])
        elif news["say"] == "thought":
            thought = news["thought"]
            self.thoughts[thought["ply"], thought["role"]] = thought
            self._files.add_thought(self.id, thought)
            self._notify()
        elif news["say"] == "doing":
            self._doing, self._slow = news["doing"], news["slow"]
            self._notify()
        elif news["say"] == "failed":
            self._error = news["error"]
            self._playing = False
            self._notify()
        elif news["say"] == "gone":
            self._process_ended(news["error"])

    def _process_ended(self, error: str) -> None:
        self._client = None
        self._doing = ""
        was_playing, self._playing = self._playing, False
        if was_playing and not self.over:
            self._error = error
        self._waiting = []
        self._notify()

    def _rest(self, record: MatchRecord) -> None:
        self._waiting, self._until = [], None
        self._set_standing(to.standing(record))

    def _set_standing(self, standing: to.Standing) -> None:
        if standing["plies"] < self._standing["plies"]:  # moves were taken back
            kept = standing["plies"]
            self._positions = {key: found for key, found in self._positions.items() if key[0] <= kept}
            self.thoughts = {key: thought for key, thought in self.thoughts.items() if key[0] < kept}
        if self._standing["plies"] == 0 < standing["plies"]:
            # It says now which players were not ready.
            self._positions = {key: found for key, found in self._positions.items() if key[0]}
        if standing["plies"] != self._standing["plies"] or standing["result"] != self._standing["result"]:
            self.people.lapse()
        self._standing = standing
        self._notify()

    def _notify(self) -> None:
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()


def _by_position(thoughts: list[to.Json]) -> dict[tuple[int, str], to.Json]:
    """Return the last thought of each role at each ply, without thoughts on moves that were taken back."""
    found: dict[tuple[int, str], to.Json] = {}
    for thought in thoughts:
        ply = thought.get("ply")
        if isinstance(ply, int) and isinstance(thought.get("role"), str):
            found = {key: known for key, known in found.items() if key[0] <= ply}
            found[ply, thought["role"]] = thought
    return found


def plain_name(game: str) -> str:
    """Return the name of a game without its folder."""
    return game.rpartition("/")[2]
