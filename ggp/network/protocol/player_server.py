"""A player that answers a game server's messages: to which match they belong, and by when an answer has to be there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from threading import Event as Flag
from typing import Final

from ggp.match.channels import one_line
from ggp.network.protocol import messages
from ggp.network.protocol.call_queue import CallQueue
from ggp.network.protocol.joined import Event, JoinedMatch, RefusedError
from ggp.network.protocol.messages import Message, parse_message
from ggp.network.protocol.replies import InfoReply, Word
from ggp.players.clock import Deadline
from ggp.players.player import Player

#: What a player calls its kind; others are `human`.
SPECIES: Final = "alien"

#: Of a clock, so many seconds and such a share are kept back for what happens on the way, up to the most; but never
#: more than the greatest share.
MARGIN: Final = 0.05
MARGIN_SHARE: Final = 0.1
MOST_MARGIN: Final = 0.2
GREATEST_SHARE: Final = 0.9

#: Of what is kept back from the start clock, so large a share is left when `ready` is said in any case.
LAST: Final = 0.4

#: Seconds after the play clock in which an answer is still given if there is one.
OVERTIME: Final = 1.0

#: Seconds after its clock has run out, from which on a match gives way to another.
OVERDUE: Final = 1.0

#: Round trips through the network that a server's clock may count: to connect, and to ask and answer.
TRIPS: Final = 2.0

#: Characters of a message from which on it is read by a thread.
LONG: Final = 50_000

#: Seconds that matches are given to end when the player does.
CLOSING: Final = 1.0


@dataclass(frozen=True, slots=True)
class NetworkPlayerSettings:
    """The settings of a player on the network: its name, the number of concurrent matches, and its safety margins.

    `margin` is in seconds: what is kept back of each clock; None to measure the network and go by that. A match is
    dropped if the server says nothing for `patience` seconds after the clock has run out.
    """

    name: str = "ggp"
    matches: int = 1
    margin: float | None = None
    patience: float = 10.0
    seed: int = 0

    def kept_back(self, clock: float, trip: float) -> float:
        """Seconds of a clock that are kept back, where a round trip through the network takes so long."""
        margin = self.margin
        if margin is None:
            margin = min(MOST_MARGIN, MARGIN + MARGIN_SHARE * clock) + TRIPS * trip
        return min(margin, GREATEST_SHARE * clock)


@dataclass(slots=True)
class _OpenMatch:
    """A match under way: the thread that plays it, the question that is thought about, and the timer to give it up.

    `due` is when the server's clock for that question has run out, of `time.monotonic()`.
    """

    start: messages.Start
    match: JoinedMatch
    calls: CallQueue
    called_off: Flag = field(default_factory=Flag)
    expiry: asyncio.TimerHandle | None = None
    due: float = 0.0

    @property
    def overdue(self) -> bool:
        """Whether the server should have said something by now."""
        return time.monotonic() > self.due + OVERDUE

    def question(self, seconds: float, received: float) -> Deadline:
        """The deadline of a new question; whatever was asked before is called off."""
        self.called_off.set()
        self.called_off = Flag()
        return Deadline(received + seconds, self.called_off)


class NetworkPlayer:
    """Answers messages, in the event loop; each match is played by a thread of its own, with a player of its own."""

    def __init__(
        self, make: Callable[[], Player], conduct: NetworkPlayerSettings, report: Callable[[Event], None]
    ) -> None:
        """`make` makes a player for a match, `report` is told what happens; both are called by threads."""
        self._make = make
        self._conduct = conduct
        self._report = report
        self._open: dict[str, _OpenMatch] = {}
        self._ending: set[Future[None]] = set()

    @property
    def matches(self) -> int:
        """How many matches it plays at a time."""
        return self._conduct.matches

    @property
    def busy(self) -> bool:
        """Whether it plays as many matches as it may; those do not count that nothing is heard of any more."""
        return sum(not open_match.overdue for open_match in self._open.values()) >= self._conduct.matches

    async def answer(self, text: str, received: float, trip: float = 0.0) -> str:
        """The answer to a message, as text.

        `received` is when it began to come in, of `time.monotonic()`, as from there its clock is counted; `trip` is
        how many seconds a round trip to the server takes. Raises ProtocolError for what is no message.
        """
        # What takes long to read must not keep others waiting.
        message = parse_message(text) if len(text) < LONG else await asyncio.to_thread(parse_message, text)
        match message:
            case messages.Info():
                return str(self.info())
            case messages.Preview():
                return Word.BUSY if self.busy else Word.READY
            case messages.Start():
                return await self._start(message, received, trip)
        open_match = self._open.get(message.match_id.lower())
        if open_match is None:
            self._report(Event(message.match_id, f"{_name(message)} for a match that is not played here: busy", True))
            return Word.BUSY
        match message:
            case messages.Play():
                return await self._play(open_match, message, received, trip)
            case messages.Stop():
                self._end(open_match, message, "stopped")
                return Word.DONE
            case messages.Abort():
                self._end(open_match, None, "aborted")
                return Word.ABORTED

    def info(self) -> InfoReply:
        """What it says of itself."""
        return InfoReply(self._conduct.name, Word.BUSY if self.busy else Word.AVAILABLE, SPECIES)

    async def close(self) -> None:
        """End all matches."""
        for open_match in list(self._open.values()):
            self._end(open_match, None, "aborted")
        if self._ending:
            await asyncio.wait(map(asyncio.wrap_future, self._ending), timeout=CLOSING)

    async def _start(self, message: messages.Start, received: float, trip: float) -> str:
        key = message.match_id.lower()
        if self.busy or key in self._open:
            self._report(Event(message.match_id, "START while there is no time for another match: busy", True))
            return Word.BUSY
        if len(self._open) >= self._conduct.matches:
            self._end(min(self._open.values(), key=lambda open_match: open_match.due), None, "dropped, without news,")
        clocks = f"start clock {message.start_clock:g} s, play clock {message.play_clock:g} s"
        self._report(Event(message.match_id, f"begins: {message.role}, {clocks}"))
        match = JoinedMatch(message, self._make, self._conduct.seed, self._report)
        open_match = self._open[key] = _OpenMatch(message, match, CallQueue(f"match {message.match_id}"))
        deadline, margin = self._question(open_match, message.start_clock, received, trip)
        # Once the rules are read, it can do without having got ready.
        last = received + message.start_clock - LAST * margin
        try:
            return await self._ask(open_match, partial(match.start, deadline), last, Word.READY)
        except RefusedError as error:
            self._report(Event(message.match_id, f"refused: {error}", True))
            self._leave(open_match)
            return Word.BUSY

    async def _play(self, open_match: _OpenMatch, message: messages.Play, received: float, trip: float) -> str:
        clock = open_match.start.play_clock
        deadline, _ = self._question(open_match, clock, received, trip)
        # A legal move that is late may still be taken; to say that there is none is of no use before.
        last = received + clock + OVERTIME
        return await self._ask(open_match, partial(open_match.match.play, message, deadline), last, Word.NIL)

    def _question(self, open_match: _OpenMatch, clock: float, received: float, trip: float) -> tuple[Deadline, float]:
        """By when a player has to answer a new question, and what is kept back for that; the match is kept so long."""
        margin = self._conduct.kept_back(clock, trip)
        self._keep(open_match, received + clock)
        return open_match.question(clock - margin, received), margin

    async def _ask(self, open_match: _OpenMatch, call: Callable[[], str], last: float, otherwise: str) -> str:
        """What a call in the match's thread gives; in its place something else, if it does not come in time."""
        future = asyncio.wrap_future(open_match.calls.submit(call))
        # It is not cancelled: what the match hears now, it has to know later.
        await asyncio.wait([future], timeout=max(0.0, last - time.monotonic()))
        if not future.done():
            future.add_done_callback(lambda late: late.cancelled() or late.exception())
            self._report(Event(open_match.start.match_id, f"out of time: answered {otherwise}", True))
            return otherwise
        try:
            return str(future.result())
        except RefusedError:
            raise
        except Exception as error:  # one match's failure is not that of others
            told = one_line(f"{type(error).__name__}: {error}")
            self._report(Event(open_match.start.match_id, f"failed: {told}; answered {otherwise}", True))
            return otherwise

    def _keep(self, open_match: _OpenMatch, due: float) -> None:
        """Give a match up some time after its clock has run out, unless there is news before."""
        if open_match.expiry is not None:
            open_match.expiry.cancel()
        open_match.due = due
        left = due + self._conduct.patience - time.monotonic()
        loop = asyncio.get_running_loop()
        open_match.expiry = loop.call_later(left, self._end, open_match, None, "dropped, without news,")

    def _end(self, open_match: _OpenMatch, message: messages.Stop | None, reason: str) -> None:
        """A match is over. Its player hears of it as soon as it stops thinking; nobody waits for that."""
        future = open_match.calls.submit(partial(open_match.match.end, message, reason))
        self._ending.add(future)
        future.add_done_callback(self._ending.discard)
        self._leave(open_match)

    def _leave(self, open_match: _OpenMatch) -> None:
        if open_match.expiry is not None:
            open_match.expiry.cancel()
        open_match.called_off.set()
        open_match.calls.close()
        self._open.pop(open_match.start.match_id.lower(), None)


def _name(message: Message) -> str:
    return type(message).__name__.upper()
