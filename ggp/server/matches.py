"""The matches of a server: each with a worker process while it is played or looked at, and with its files for ever."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Mapping
from typing import Any, Final

from ggp.match.record import MatchRecord, Result
from ggp.server.files import FilesError, Lineup, MatchFiles
from ggp.server.game_client import Desk, DeskError, Desks
from ggp.server.lineup import HUMAN
from ggp.server.standing import at_rest

#: Worker processes at the same time; whoever was not asked for longest makes room.
WORKERS: Final = 12

#: Positions of a match that are kept.
_POSITIONS: Final = 400

#: Seconds after which nobody is expected to come back to a match that waits for people, or is over.
_IDLE: Final = 600.0


class BusyError(DeskError):
    """There are too many matches under way."""


class LiveMatch:
    """A match, as the server knows it. `version` grows with everything that watchers should know."""

    def __init__(self, match: str, files: MatchFiles, desks: Desks) -> None:
        self.id = match
        self.lineup = files.lineup(match)
        self.version = 0
        self.thoughts = _by_position(files.thoughts(match))
        self.game: dict[str, Any] | None = None
        self._files = files
        self._desks = desks
        self._desk: Desk | None = None
        self._opening = asyncio.Lock()
        self._changed = asyncio.Event()
        self._positions: dict[int, dict[str, Any]] = {}
        self._standing = at_rest(files.record(match))
        self._error = ""
        self._playing = False

    # What is known of it

    @property
    def over(self) -> bool:
        return bool(self._standing["result"] != Result.RUNNING.value)

    @property
    def running(self) -> bool:
        """Whether a worker plays it."""
        return self._playing and self._desk is not None and self._desk.open

    @property
    def busy(self) -> bool:
        """Whether its worker must not be ended: a program may be thinking."""
        return self.running and not self.over and not self._standing["waiting"]

    @property
    def used(self) -> float:
        return self._desk.used if self._desk is not None else 0.0

    @property
    def has_worker(self) -> bool:
        return self._desk is not None and self._desk.open

    def state(self) -> dict[str, Any]:
        """All that a watcher has to know."""
        lineup = self.lineup
        return {
            "id": self.id,
            "version": self.version,
            "game": lineup.game,
            "title": lineup.title,
            "players": dict(lineup.players),
            "settings": {key: lineup.settings.get(key) for key in ("start_clock", "play_clock", "seed")},
            "source": lineup.source,
            "error": self._error,
            "running": self.running,
            "thoughts": len(self.thoughts),
            **self._standing,
        }

    def in_short(self) -> dict[str, Any]:
        """What lists of matches say."""
        keys = ("id", "game", "title", "players", "plies", "result", "goals", "waiting", "running")
        state = self.state()
        return {**{key: state[key] for key in keys}, "created": self.lineup.created}

    def told_thoughts(self) -> list[dict[str, Any]]:
        return [self.thoughts[key] for key in sorted(self.thoughts)]

    async def newer(self, than: int) -> dict[str, Any]:
        """The state as soon as its version is another one."""
        while self.version == than:
            await self._changed.wait()
        return self.state()

    # What is done with it

    async def open(self) -> dict[str, Any]:
        """The game, with a worker for it; a match under way goes on. Raises DeskError."""
        async with self._opening:
            if self.game is None or self._desk is None or not self._desk.open:
                lineup = self.lineup
                self._desk = await self._desks.take(self._hear)
                name = _plain(lineup.game)
                answer = await self._desk.ask("open", rules=lineup.rules, name=name, wishes=lineup.wishes)
                self.game = answer["game"]
                self._playing = False
            if not self._playing and not self.over and not self.lineup.source and not self._error:
                await self._begin()
            return self.game

    async def _begin(self) -> None:
        assert self._desk is not None
        file = str(self._files.record_file(self.id))
        self._playing = True
        try:
            await self._desk.ask("play", players=self.lineup.players, settings=self.lineup.settings, file=file)
        except DeskError as error:
            self._error = str(error)
            self._playing = False
            self._change()
            raise

    async def position(self, ply: int) -> dict[str, Any]:
        """What is to be seen after a ply. Raises DeskError."""
        found = self._positions.get(ply)
        if found is None:
            await self.open()
            file = self._files.record_file(self.id)
            assert self._desk is not None
            answer = await self._desk.ask("show", file=str(file) if file.exists() else None, ply=ply)
            found = answer["position"]
            if len(self._positions) >= _POSITIONS:
                self._positions.pop(next(iter(self._positions)))
            self._positions[ply] = found
        return found

    async def explain(self, ply: int, atom: str) -> dict[str, Any]:
        """Why an atom holds after a ply. Raises DeskError."""
        await self.open()
        file = self._files.record_file(self.id)
        assert self._desk is not None
        answer = await self._desk.ask("explain", file=str(file) if file.exists() else None, ply=ply, atom=atom)
        why: dict[str, Any] = answer["why"]
        return why

    async def move(self, role: str, ply: int, move: str) -> bool:
        """Somebody's move; False if it was not asked for, or is not legal. Raises DeskError."""
        await self.open()
        assert self._desk is not None
        if not self._playing:
            return False
        answer = await self._desk.ask("move", role=role, ply=ply, move=move)
        return bool(answer["taken"])

    async def back(self, ply: int) -> None:
        """Take back all that was played after a ply. Raises DeskError."""
        await self.open()
        assert self._desk is not None
        if self.over:
            raise DeskError("the match is over")
        if HUMAN not in self.lineup.players.values():
            raise DeskError("nobody plays here who could take a move back")
        await self._desk.ask("back", ply=ply)

    async def end(self) -> None:
        """End the match, as aborted. Raises DeskError."""
        await self.open()
        assert self._desk is not None
        if not self.over:
            await self._desk.ask("end")

    def watched(self, record: MatchRecord) -> None:
        """A newer record of a match that is played elsewhere."""
        self._stand(at_rest(record))

    def unreachable(self, error: str) -> None:
        """The match that is watched cannot be followed any more."""
        self._error = error
        self._change()

    def close(self) -> None:
        """End the worker; the match goes on when somebody comes back to it."""
        if self._desk is not None:
            self._desk.close()
        self._desk = None
        self._playing = False

    # What the worker says

    def _hear(self, news: dict[str, Any]) -> None:
        match news["say"]:
            case "match":
                left = news.pop("left", None)
                until = None if left is None else time.time() + left
                self._error = ""
                self._stand({**news["standing"], "waiting": news["waiting"], "until": until})
            case "thought":
                thought = {key: value for key, value in news.items() if key != "say"}
                self.thoughts[thought["ply"], thought["role"]] = thought
                self._files.add_thought(self.id, thought)
                self._change()
            case "failed":
                self._error = news["error"]
                self._playing = False
                self._change()
            case "gone":
                self._lost(news)

    def _lost(self, news: Mapping[str, Any]) -> None:
        if self._desk is None:
            return  # it was ended on purpose
        self._desk = None
        was_playing, self._playing = self._playing, False
        if was_playing and not self.over:
            self._error = news["error"]
        self._standing["waiting"] = []
        self._change()

    def _stand(self, standing: dict[str, Any]) -> None:
        if standing["plies"] < self._standing["plies"]:  # moves were taken back
            kept = standing["plies"]
            self._positions = {ply: found for ply, found in self._positions.items() if ply <= kept}
            self.thoughts = {key: thought for key, thought in self.thoughts.items() if key[0] < kept}
        self._standing = standing
        self._change()

    def _change(self) -> None:
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()


def _by_position(thoughts: list[dict[str, Any]]) -> dict[tuple[int, str], dict[str, Any]]:
    """The last thoughts on each position: what was thought before moves were taken back is gone."""
    found: dict[tuple[int, str], dict[str, Any]] = {}
    for thought in thoughts:
        ply = thought.get("ply")
        if isinstance(ply, int) and isinstance(thought.get("role"), str):
            found = {key: known for key, known in found.items() if key[0] <= ply}
            found[ply, thought["role"]] = thought
    return found


def _plain(game: str) -> str:
    return game.rpartition("/")[2]


class Matches:
    """All matches in a folder. Those that were looked at are kept in memory, with workers as long as there is room."""

    def __init__(self, files: MatchFiles, desks: Desks, workers: int = WORKERS) -> None:
        self.files = files
        self._desks = desks
        self._workers = workers
        self._live: dict[str, LiveMatch] = {}

    def create(self, lineup: Lineup) -> LiveMatch:
        """A new match. Raises OSError."""
        words = "".join(c if c.isalnum() and c.isascii() else "-" for c in _plain(lineup.game).lower())[:40].strip("-")
        match = f"{words or 'match'}-{secrets.token_hex(4)}"
        self.files.create(match, lineup)
        return self.get(match)

    def get(self, match: str) -> LiveMatch:
        """A match by its identifier. Raises FilesError, RecordError."""
        found = self._live.get(match)
        if found is None:
            found = self._live[match] = LiveMatch(match, self.files, self._desks)
        return found

    def listed(self, most: int = 60) -> list[dict[str, Any]]:
        """The newest matches in short; those whose files cannot be read are left out."""
        found = []
        for match in self.files.identifiers()[:most]:
            try:
                found.append(self.get(match).in_short())
            except (FilesError, OSError):
                continue
            except Exception:  # a record that was damaged
                continue
        return sorted(found, key=lambda entry: -entry["created"])

    def make_room(self, wanted: LiveMatch) -> None:
        """End the worker that was idle longest, if there are too many. Raises BusyError."""
        if wanted.has_worker:
            return
        now = time.monotonic()
        working = [live for live in self._live.values() if live.has_worker]
        idle = sorted((live for live in working if not live.busy), key=lambda live: live.used)
        for live in idle:
            if now - live.used > _IDLE or len(working) >= self._workers:
                live.close()
                working.remove(live)
        if len(working) >= self._workers:
            raise BusyError("too many matches are being played at the moment")
