"""The evaluations of analyses: each analysis that evaluates has a game process for it, and there are only a few."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ggp.server.messages import Evaluate, EvaluationNews, Json, Line, News, Open, Rest
from ggp.server.web.files import Lineup
from ggp.server.web.game_client import GameClient, GameClientError, GameClients
from ggp.server.web.matches import BusyError

#: The largest number of analyses that evaluate at a time.
MOST: Final = 3

#: The largest number of news that a reader may be behind; further ones are dropped for it.
_BEHIND: Final = 10_000


#: Called with the news of an evaluation that is to be kept, and the seconds that it was given, 0 if it was stopped.
Keep = Callable[[EvaluationNews, float], None]


@dataclass(slots=True)
class _Request:
    """A request to evaluate several positions, or a single one, of which only the last evaluation is kept."""

    seconds: float
    several: bool
    keep: Keep
    latest: EvaluationNews | None = None

    def take(self, news: EvaluationNews) -> None:
        """Take in an evaluation."""
        if self.several:
            self.keep(news, self.seconds)
        else:
            self.latest = news

    def end(self, *, stopped: bool) -> None:
        """Keep the evaluation of a single position."""
        latest, self.latest = self.latest, None
        if latest is not None:
            self.keep(latest, 0.0 if stopped else self.seconds)


class EvaluationWorker:
    """The process of one analysis."""

    def __init__(self, client: GameClient) -> None:
        """Evaluate nothing yet."""
        self.client = client
        #: The name of the request that is being evaluated, or an empty text.
        self.busy = ""
        #: The requests of which the process has not said yet that they are over, by their names.
        self.requests: dict[str, _Request] = {}

    def close(self) -> None:
        """End the process; what it has found is kept."""
        self.client.close()
        self.end_requests()

    def end_requests(self) -> None:
        """Take all requests for stopped."""
        while self.requests:
            self.requests.popitem()[1].end(stopped=True)


class Evaluations:
    """The evaluations of all analyses of a server, by the identifiers of the analyses."""

    def __init__(self, clients: GameClients, most: int = MOST) -> None:
        """Evaluate nothing yet. At most this many analyses may evaluate at a time."""
        self._clients = clients
        self._most = most
        #: The processes that evaluate, or did, by analysis.
        self.workers: dict[str, EvaluationWorker] = {}
        self._readers: dict[str, set[asyncio.Queue[Json]]] = {}
        self._starting = asyncio.Lock()

    async def begin(
        self,
        identifier: str,
        lineup: Lineup,
        file: str,
        line: Line,
        plies: Sequence[int],
        *,
        seconds: float,
        name: str,
        keep: Keep,
    ) -> None:
        """Evaluate the positions after some plies of a line. What the analysis evaluates already is stopped.

        `keep` is called with the last evaluation of each position. Raises BusyError if too many analyses evaluate, and
        GameClientError.
        """
        async with self._starting:
            worker = self.workers.get(identifier)
            if worker is None or not worker.client.open:
                worker = await self._start(identifier, lineup)
            worker.busy = name
            worker.requests[name] = _Request(seconds, len(plies) > 1, keep)
        try:
            await worker.client.ask(Evaluate(file, line, plies, seconds, name))
        except GameClientError:
            worker.busy = ""
            worker.requests.pop(name, None)
            raise

    async def stop(self, identifier: str) -> None:
        """Stop what an analysis evaluates, if it does. Raises GameClientError."""
        worker = self.workers.get(identifier)
        if worker is not None and worker.client.open:
            await worker.client.ask(Rest())

    async def news(self, identifier: str) -> AsyncGenerator[Json]:
        """Yield the news of an analysis, `ready` first. When nobody reads them any more, its process is ended."""
        queue: asyncio.Queue[Json] = asyncio.Queue(_BEHIND)
        readers = self._readers.setdefault(identifier, set())
        readers.add(queue)
        try:
            yield {"say": "ready"}
            while True:
                yield await queue.get()
        finally:
            readers.discard(queue)
            if not readers:
                self._readers.pop(identifier, None)
                worker = self.workers.pop(identifier, None)
                if worker is not None:
                    worker.close()

    async def _start(self, identifier: str, lineup: Lineup) -> EvaluationWorker:
        self.workers = {one: worker for one, worker in self.workers.items() if worker.client.open}
        idle = [one for one, worker in self.workers.items() if not worker.busy]
        if len(self.workers) >= self._most:
            if not idle:
                raise BusyError(f"{self._most} analyses are being evaluated already; stop one of them")
            self.workers.pop(min(idle, key=lambda one: self.workers[one].client.used)).close()
        client = await self._clients.take(lambda news: self._take(identifier, client, news))
        worker = self.workers[identifier] = EvaluationWorker(client)
        try:
            name = lineup.game.rpartition("/")[2]
            await client.ask(Open(lineup.rules, name, lineup.wishes))
        except GameClientError:
            client.close()
            raise
        return worker

    def _take(self, identifier: str, client: GameClient, news: News) -> None:
        worker = self.workers.get(identifier)
        if worker is None or worker.client is not client:
            return  # it was ended intentionally
        if news["say"] == "gone":
            del self.workers[identifier]
            worker.end_requests()
            news = {"say": "evaluated", "name": worker.busy, "error": news["error"], "stopped": False}
        elif news["say"] == "evaluation" and news["name"] in worker.requests:
            worker.requests[news["name"]].take(news)
        elif news["say"] == "evaluated":
            if news["name"] == worker.busy:
                worker.busy = ""
            if (request := worker.requests.pop(news["name"], None)) is not None:
                request.end(stopped=news["stopped"] or bool(news["error"]))
        for queue in self._readers.get(identifier, ()):
            if not queue.full():
                queue.put_nowait({**news, **news["evaluation"]} if news["say"] == "evaluation" else {**news})
