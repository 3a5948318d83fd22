"""A joined match in a thread of this process, so that a test can look into its player."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial

from ggp.match.channels import one_line
from ggp.network.protocol.joined import Event, JoinedMatch, RefusedError
from ggp.network.protocol.match_process import MatchLostError
from ggp.network.protocol.messages import Play, Start, Stop
from ggp.players import Player
from ggp.players.clock import Deadline
from support.call_queue import CallQueue


class ThreadedMatch:
    """A `RunningMatch` with a player that is made here."""

    def __init__(self, make: Callable[[], Player]) -> None:
        self._make = make
        self.transit = 0.0
        self._calls = CallQueue("match")
        self._called_off = threading.Event()
        self._match: JoinedMatch | None = None

    def start(self, message: Start, seed: int, due: float, report: Callable[[Event], None]) -> asyncio.Future[str]:
        self._match = JoinedMatch(message, self._make, seed, report)
        return self._submit(partial(self._match.start, Deadline(due, self._called_off)))

    def play(self, message: Play, due: float) -> asyncio.Future[str]:
        assert self._match is not None
        return self._submit(partial(self._match.play, message, Deadline(due, self._called_off)))

    def call_off(self) -> None:
        self._called_off.set()
        self._called_off = threading.Event()

    def end(self, message: Stop | None, reason: str) -> asyncio.Future[None]:
        assert self._match is not None
        future = asyncio.wrap_future(self._calls.submit(partial(self._match.end, message, reason)))
        self._calls.close()
        return future

    def _submit(self, call: Callable[[], str]) -> asyncio.Future[str]:
        return asyncio.wrap_future(self._calls.submit(lambda: _failing(call)))


def _failing(call: Callable[[], str]) -> str:
    try:
        return str(call())
    except RefusedError:
        raise
    except Exception as error:
        raise MatchLostError(one_line(f"{type(error).__name__}: {error}")) from error
