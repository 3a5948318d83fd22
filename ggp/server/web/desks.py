"""The game processes of the pages /edit: each page has a desk, with one process for each kind of question.

So answers about the text come while the rules, which may be endless, are being run.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Final, final

from ggp.server.messages import AskRules, AskText, Json
from ggp.server.web.game_client import GameClient, GameClients
from ggp.server.web.matches import BusyError

#: The largest number of desks; a further one takes the place of the one that was used least recently.
MOST_DESKS: Final = 4

#: The largest number of requests for one process that wait at a time.
MOST_WAITING: Final = 8

#: Seconds without requests after which the processes of a desk end.
IDLE: Final = 300.0

#: A question about a text, or about positions of its game.
Question = AskText | AskRules


@final
class _Lane:
    """One process, started when it is needed; questions to it wait for each other."""

    def __init__(self, clients: GameClients) -> None:
        self._clients = clients
        self._client: GameClient | None = None
        self._lock = asyncio.Lock()
        self._waiting = 0
        self._closed = False

    async def ask(self, command: Question) -> Json:
        if self._waiting >= MOST_WAITING:
            raise BusyError("too many requests of this page are waiting")
        self._waiting += 1
        try:
            async with self._lock:
                if self._client is None or not self._client.open:
                    self._client = await self._clients.take(lambda _: None)
                if self._closed:
                    self._client.close()  # it was still starting when the desk was closed
                    raise BusyError("too many pages are open")
                return await self._client.ask(command)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        self._closed = True
        if self._client is not None:
            self._client.close()


@final
class _Desk:
    """The two processes of a page, and the timer that ends them."""

    def __init__(self, clients: GameClients) -> None:
        self.lanes: dict[type[Question], _Lane] = {AskText: _Lane(clients), AskRules: _Lane(clients)}
        self.timer: asyncio.TimerHandle | None = None

    def close(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        for lane in self.lanes.values():
            lane.close()


@final
class Desks:
    """Answers the questions of all pages."""

    def __init__(self, clients: GameClients) -> None:
        """Start without desks."""
        self._clients = clients
        self._desks: OrderedDict[str, _Desk] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of desks."""
        return len(self._desks)

    async def ask(self, name: str, question: Question) -> Json:
        """Ask the process of a desk. Raises GameClientError, EndlessError, BusyError."""
        desk = self._desks.pop(name, None) or _Desk(self._clients)
        self._desks[name] = desk
        if len(self._desks) > MOST_DESKS:
            self._desks.popitem(last=False)[1].close()
        if desk.timer is not None:
            desk.timer.cancel()
        desk.timer = asyncio.get_running_loop().call_later(IDLE, self._leave, name, desk)
        return await desk.lanes[type(question)].ask(question)

    def close(self) -> None:
        """End all processes."""
        while self._desks:
            self._desks.popitem()[1].close()

    def _leave(self, name: str, desk: _Desk) -> None:
        if self._desks.get(name) is desk:
            del self._desks[name]
        desk.close()
