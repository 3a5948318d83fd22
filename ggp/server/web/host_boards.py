"""The positions of hosted matches, drawn for pages by one process for each game."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final, final

from ggp.match.record import MatchRecord, to_json
from ggp.server.messages import Game, HowToPlay, Json, News, Open, Position, ShowRecord
from ggp.server.web.game_client import GameClient, GameClientError, GameClients

#: The largest numbers of processes, and of positions kept in memory.
_GAMES: Final = 6
_POSITIONS: Final = 1000


@final
@dataclass(frozen=True, slots=True)
class _Game:
    """A process with a game, and what never changes about it; `how` to play it is empty until somebody asks."""

    client: GameClient
    about: Game
    how: Json = field(default_factory=dict)


@final
class HostBoards:
    """Draws positions. Each is drawn once, however many look at it."""

    def __init__(self) -> None:
        """Start without processes."""
        self._clients = GameClients()
        self._games: OrderedDict[str, asyncio.Task[_Game]] = OrderedDict()
        self._positions: OrderedDict[tuple[str, int], asyncio.Task[Position]] = OrderedDict()

    async def close(self) -> None:
        """End all processes."""
        for task in [*self._games.values(), *self._positions.values()]:
            task.cancel()
        await asyncio.gather(*self._games.values(), *self._positions.values(), return_exceptions=True)
        await self._clients.close()

    async def about(self, record: MatchRecord) -> Game:
        """Return the game of a match: its roles, and the boards without pieces. Raises GameClientError."""
        return (await self._game(record)).about

    async def how_to_play(self, record: MatchRecord) -> Json:
        """Return how to play the game of a match, and its rules. Raises GameClientError."""
        game = await self._game(record)
        if not game.how:
            game.how.update(await game.client.ask(HowToPlay()))
        return game.how

    async def position(self, record: MatchRecord, ply: int) -> Position:
        """Return the position after a ply. Raises GameClientError."""
        key = (record.match_id, ply)
        task = self._positions.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = self._positions[key] = asyncio.create_task(self._drawn(_step(record, ply), min(ply, 1)))
            if len(self._positions) > _POSITIONS:
                self._positions.popitem(last=False)[1].cancel()
        # Shielded: the drawing serves others, too, when one reader goes away.
        return {**await asyncio.shield(task), "ply": ply}

    async def _drawn(self, record: MatchRecord, ply: int) -> Position:
        game = await self._game(record)
        return await game.client.ask(ShowRecord(to_json(replace(record, rules="")), ply))

    async def _game(self, record: MatchRecord) -> _Game:
        if not record.rules:
            raise GameClientError("the record contains no rules (gameRulesheet)")
        key = sha256(record.rules.encode(errors="surrogateescape")).hexdigest()
        task = self._games.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() or not task.result().client.open)):
            task = self._games[key] = asyncio.create_task(self._opened(record))
        self._games.move_to_end(key)
        while len(self._games) > _GAMES:
            _, oldest = self._games.popitem(last=False)
            oldest.add_done_callback(_end)
        return await asyncio.shield(task)

    async def _opened(self, record: MatchRecord) -> _Game:
        client = await self._clients.take(_ignore)
        opened = await client.ask(Open(record.rules, record.game_name or "match", ""))
        return _Game(client, opened["game"])


def _end(task: asyncio.Task[_Game]) -> None:
    if not task.cancelled() and task.exception() is None:
        task.result().client.close()


def _ignore(news: News) -> None:
    """Ignore the news of a process, which plays no match."""


def _step(record: MatchRecord, ply: int) -> MatchRecord:
    """Return a record of one ply only, the given one, which is all that drawing its position needs."""
    if ply == 0:
        return replace(record, plies=())
    start = record.plies[ply - 2].state if ply > 1 else record.initial_state
    return replace(record, initial_state=start, plies=record.plies[ply - 1 : ply])
