"""The server's connection to a game process: it sends commands and receives answers and news, within a time limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, TypeVar, cast

from gdl.errors import GdlError
from gdl.system.childprocess import AsyncChild
from ggp.server.messages import EXHAUSTED, Command, Json, News

A = TypeVar("A")

#: Seconds that a process may take for an answer, including its start. Its own time limit is shorter.
PATIENCE: Final = 40.0

#: Seconds after which a process that was lent and is not needed again ends.
_REST: Final = 20.0


class GameClientError(GdlError):
    """A game process did not answer, or answered with an error."""

    code = "game-client"


class EndlessError(GameClientError):
    """The rules exceeded their time limit."""


class GameClient:
    """A connection to one game process. `used` is the `time.monotonic()` of the last command."""

    def __init__(self, process: AsyncChild, news: Callable[[News], None]) -> None:
        """Start reading from a process; `news` is called with each message that is not an answer."""
        self._process = process
        self.news = news
        self._number = 0
        self._closed = False
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self._reading = asyncio.create_task(self._read())
        self.used = time.monotonic()

    @classmethod
    async def start(cls, news: Callable[[News], None], threads: int = 1) -> GameClient:
        """Start a process, without a game yet."""
        return cls(await AsyncChild.start("ggp.server.game.process", str(threads)), news)

    async def ask(self, command: Command[A], *, patient: bool = False) -> A:
        """Send a command and return its answer. Raises GameClientError, and EndlessError after the time limit.

        With `patient`, the answer may take any time, as the process goes on with other commands meanwhile.
        """
        self.used = time.monotonic()
        self._number += 1
        number = self._number
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            if not self.open:
                raise GameClientError(_ENDED)
            self._process.send({"id": number, **command.message()})
            found = await asyncio.wait_for(answer, None if patient else PATIENCE)
        except TimeoutError:
            self.close()
            raise EndlessError(_ENDLESS) from None
        finally:
            self._waiting.pop(number, None)
        if "error" in found:
            raise GameClientError(found["error"])
        return cast(A, found["answer"])

    @property
    def open(self) -> bool:
        """True while the process runs and can be asked."""
        return not self._closed and self._process.running and not self._reading.done()

    def close(self) -> None:
        """End the process at once."""
        self._closed = True
        self._process.kill()

    async def gone(self) -> None:
        """Wait until the process has ended."""
        await asyncio.gather(self._process.wait(), self._reading, return_exceptions=True)

    async def _read(self) -> None:
        try:
            with suppress(EOFError):
                while True:
                    self._dispatch(await self._process.receive())
        finally:  # also after an error in `news`: nobody waits in vain
            self.close()
            status = await self._process.wait()
            ended = EndlessError(_ENDLESS) if status == EXHAUSTED else GameClientError(_ENDED)
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(ended)
            self.news({"say": "gone", "error": str(ended)})

    def _dispatch(self, message: Any) -> None:
        if message["say"] == "answer":
            answer = self._waiting.get(message["id"])
            if answer is not None and not answer.done():
                answer.set_result(message)
        else:
            self.news(message)


class GameClients:
    """Starts game processes, one of them in advance, so that opening a game need not wait for a process."""

    def __init__(self, threads: int = 1) -> None:
        """Start without processes. Each search in one of them may use `threads` threads."""
        self._threads = threads
        self._all: set[GameClient] = set()
        self._spare: asyncio.Task[GameClient] | None = None
        #: Processes that have answered their questions, with the timers that end them.
        self._resting: dict[GameClient, asyncio.TimerHandle] = {}

    def prepare(self) -> None:
        """Start a process in advance, if there is none yet."""
        if self._spare is None:
            self._spare = asyncio.create_task(self._start())

    async def take(self, news: Callable[[News], None]) -> GameClient:
        """Return a client without a game yet; `news` is called with each message that is not an answer."""
        spare, self._spare = self._spare, None
        client = await (spare or self._start())
        if not client.open:
            client = await self._start()
        client.news = news
        self.prepare()
        return client

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[GameClient]:
        """Lend a client for some questions about one game, which is to be opened first.

        Its process answers others later, as starting one may take longer than all questions; it ends some time after
        the last ones.
        """
        client = self._rested() or await self.take(_nothing)
        try:
            yield client
        except GameClientError:
            self._rest(client)
            raise
        except BaseException:
            client.close()  # it may be busy with a question that nobody waits for any more
            raise
        self._rest(client)

    async def close(self) -> None:
        """End all processes, and wait until they have ended."""
        if self._spare is not None:
            await asyncio.wait([self._spare])
        while self._rested() is not None:
            pass
        for client in self._all:
            client.close()
        await asyncio.gather(*(client.gone() for client in self._all))

    def _rest(self, client: GameClient) -> None:
        if client.open:
            self._resting[client] = asyncio.get_running_loop().call_later(_REST, self._dismiss, client)

    def _rested(self) -> GameClient | None:
        while self._resting:
            client, timer = self._resting.popitem()
            timer.cancel()
            if client.open:
                return client
        return None

    def _dismiss(self, client: GameClient) -> None:
        self._resting.pop(client, None)
        client.close()

    async def _start(self) -> GameClient:
        self._all = {client for client in self._all if client.open}
        client = await GameClient.start(_nothing, self._threads)
        self._all.add(client)
        return client


def _nothing(news: News) -> None:
    """Ignore the news of a process that is not in use yet."""


_ENDED: Final = "the process of this game has ended"
_ENDLESS: Final = "the rules exceeded their time limit; they may never come to an end"
