"""The server's end of a worker process: commands go out, answers and news come in, and a budget is held."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from gdl.childprocess import JSON_LINES, start_child_async
from gdl.errors import GdlError
from ggp.server.watchdog import EXHAUSTED

#: Seconds that a worker may take for an answer, the start of the process included; its own budget is shorter.
PATIENCE: Final = 40.0


class DeskError(GdlError):
    """A worker did not answer, or said that something is wrong."""

    code = "desk"

    def __str__(self) -> str:
        return str(self.args[0])


class EndlessError(DeskError):
    """The rules took more time than they have."""


class Desk:
    """A worker process. `news` hears of everything that is no answer; `used` is when it was last asked."""

    def __init__(self, process: asyncio.subprocess.Process, news: Callable[[dict[str, Any]], None]) -> None:
        self._process = process
        self.news = news
        self._number = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reading = asyncio.create_task(self._read())
        self.used = time.monotonic()

    @classmethod
    async def start(cls, news: Callable[[dict[str, Any]], None]) -> Desk:
        """A new process, without a game yet."""
        process = await start_child_async("ggp.server.game_process")
        return cls(process, news)

    async def ask(self, do: str, **parts: Any) -> dict[str, Any]:
        """Send a command and wait for its answer. Raises DeskError, and EndlessError where the budget is spent."""
        self.used = time.monotonic()
        self._number += 1
        number = self._number
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            assert self._process.stdin is not None
            if self._process.returncode is not None or self._process.stdin.is_closing():
                raise DeskError("the process of this game has ended")
            self._process.stdin.write(JSON_LINES.dumps({"do": do, "id": number, **parts}))
            found = await asyncio.wait_for(answer, PATIENCE)
        except TimeoutError:
            self.close()
            raise EndlessError(_ENDLESS) from None
        finally:
            self._waiting.pop(number, None)
        if "error" in found:
            raise DeskError(found["error"])
        return found

    @property
    def open(self) -> bool:
        return self._process.returncode is None and not self._reading.done()

    def close(self) -> None:
        """End the process at once."""
        if self._process.returncode is None:
            self._process.kill()

    async def gone(self) -> None:
        """Wait until the process has ended."""
        await asyncio.gather(self._process.wait(), self._reading, return_exceptions=True)
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            while line := await self._process.stdout.readline():
                self._hear(json.loads(line))
        except ValueError:  # a line without an end, or no JSON
            self.close()
        status = await self._process.wait()
        error = EndlessError(_ENDLESS) if status == EXHAUSTED else DeskError("the process of this game has ended")
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(error)
        self.news({"say": "gone", "error": str(error), "endless": status == EXHAUSTED})

    def _hear(self, message: Mapping[str, Any]) -> None:
        if message["say"] == "answer":
            answer = self._waiting.get(message["id"])
            if answer is not None and not answer.done():
                answer.set_result(dict(message))
        else:
            self.news(dict(message))


class Desks:
    """New workers. One is always started ahead, so that whoever opens a game need not wait for a process."""

    def __init__(self) -> None:
        self._all: set[Desk] = set()
        self._spare: asyncio.Task[Desk] | None = None

    async def take(self, news: Callable[[dict[str, Any]], None]) -> Desk:
        """A worker without a game yet; `news` hears what it says."""
        spare, self._spare = self._spare, None
        desk = await (spare or self._start())
        if not desk.open:
            desk = await self._start()
        desk.news = news
        if self._spare is None:
            self._spare = asyncio.create_task(self._start())
        return desk

    async def close(self) -> None:
        """End all workers, and wait until they have ended."""
        if self._spare is not None:
            await asyncio.wait([self._spare])
        for desk in self._all:
            desk.close()
        await asyncio.gather(*(desk.gone() for desk in self._all))

    async def _start(self) -> Desk:
        self._all = {desk for desk in self._all if desk.open}
        desk = await Desk.start(_nothing)
        self._all.add(desk)
        return desk


def _nothing(news: Mapping[str, Any]) -> None:
    """Nobody listens yet."""


_ENDLESS: Final = "the rules take more time than they have: they may never come to an end"
