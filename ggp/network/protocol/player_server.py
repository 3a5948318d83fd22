"""A player that answers a game server's messages. It assigns each message to a match and a deadline to each answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gdl.terms import name_key
from ggp.match.channels import one_line
from ggp.network.protocol import messages
from ggp.network.protocol.joined import Event, RefusedError
from ggp.network.protocol.match_process import MatchLostError, RunningMatch
from ggp.network.protocol.messages import Message, parse_message
from ggp.network.protocol.replies import InfoReply, Word
from ggp.players.margin import Margin

#: The species of a program in the reply to INFO; people are `human`.
SPECIES: Final = "alien"

#: The safety margin of a clock, for delays in transit: MARGIN seconds plus a share of the clock, at most MOST_MARGIN
#: seconds, and never more than GREATEST_SHARE of the clock.
MARGIN: Final = 0.01
MARGIN_SHARE: Final = 0.1
MOST_MARGIN: Final = 0.2
GREATEST_SHARE: Final = 0.9

#: An answer passes from the player's process to that of the match, and from there to the event loop. Only the second of
#: these steps is measured; the first one is assumed to take as long.
STEPS: Final = 2.0

#: The delay of answers on this machine that is assumed at first, in seconds.
ASSUMED: Final = 0.04

#: The share of the start clock's margin that is left when `ready` is sent even if the player is not ready.
LAST: Final = 0.4

#: Seconds after the play clock in which an answer is still sent.
OVERTIME: Final = 1.0

#: Seconds after the end of its clock before a silent match may be replaced by another.
OVERDUE: Final = 1.0

#: Network round trips that a server's clock may include: one to connect, one to ask and answer.
TRIPS: Final = 2.0

#: Messages of at least this many characters are parsed in a thread.
LONG: Final = 50_000

#: Seconds that matches have to end when the player is closed.
CLOSING: Final = 1.0


@dataclass(frozen=True, slots=True)
class NetworkPlayerSettings:
    """The settings of a player on the network: its name, the number of concurrent matches, and its safety margins.

    `margin` is the part of each clock, in seconds, that is reserved for transit; None derives it from measured round
    trips and delays. A match is dropped if the server is silent for `patience` seconds after the end of its clock.
    """

    name: str = "ggp"
    matches: int = 1
    margin: float | None = None
    patience: float = 10.0
    seed: int = 0

    def kept_back(self, clock: float, trip: float, delay: float = 0.0) -> float:
        """Return the margin of a clock, given the times of a network round trip and of an answer's way on this machine.

        All are in seconds.
        """
        margin = self.margin
        if margin is None:
            margin = min(MOST_MARGIN, MARGIN + MARGIN_SHARE * clock) + TRIPS * trip + delay
        return min(margin, GREATEST_SHARE * clock)


@dataclass(slots=True)
class _OpenMatch:
    """A match under way: where it runs, the address of its server, and the timer to give it up.

    `due` is when the server's clock for the current question has run out, of `time.monotonic()`.
    """

    start: messages.Start
    running: RunningMatch
    referee: str
    expiry: asyncio.TimerHandle | None = None
    due: float = 0.0

    @property
    def overdue(self) -> bool:
        """True if the server should have sent a message by now."""
        return time.monotonic() > self.due + OVERDUE


class NetworkPlayer:
    """Answers messages in the event loop. Matches run elsewhere: nothing here derives anything from rules."""

    def __init__(
        self, run: Callable[[], RunningMatch], settings: NetworkPlayerSettings, report: Callable[[Event], None]
    ) -> None:
        """Start without matches. `run` provides a match that is about to start, and `report` receives events."""
        self._run = run
        self._settings = settings
        self._report = report
        self._open: dict[str, _OpenMatch] = {}
        self._ending: set[asyncio.Future[None]] = set()
        #: The delays of the last answers, in all matches: they depend on the machine, and matches may be short.
        self._delays = Margin()
        for _ in range(2):  # as the longest does not count
            self._delays.note(ASSUMED)

    @property
    def matches(self) -> int:
        """The largest number of concurrent matches."""
        return self._settings.matches

    @property
    def busy(self) -> bool:
        """True if no further match can be played. Matches that are overdue do not count."""
        return sum(not open_match.overdue for open_match in self._open.values()) >= self._settings.matches

    @property
    def referees(self) -> set[str]:
        """The addresses that have started the matches under way."""
        return {open_match.referee for open_match in self._open.values()}

    async def answer(self, text: str, received: float, trip: float = 0.0, sender: str = "") -> str:
        """Return the answer to a message, as text.

        `received` is the `time.monotonic()` at which the message began to arrive, when its clock started.
        `trip` is the round-trip time to the server in seconds, and `sender` its address. Raises ProtocolError for
        invalid messages.
        """
        # Parsing a long message must not delay others.
        message = parse_message(text) if len(text) < LONG else await asyncio.to_thread(parse_message, text)
        match message:
            case messages.Info():
                return str(self.info())
            case messages.Preview():
                return Word.BUSY if self.busy else Word.READY
            case messages.Start():
                return await self._start(message, received, trip, sender)
        open_match = self._open.get(name_key(message.match_id))
        if open_match is None:
            self._report(Event(message.match_id, f"{_name(message)} for an unknown match: answered busy", True))
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
        """Return the reply to INFO."""
        return InfoReply(self._settings.name, Word.BUSY if self.busy else Word.AVAILABLE, SPECIES)

    async def close(self) -> None:
        """End all matches."""
        for open_match in list(self._open.values()):
            self._end(open_match, None, "aborted")
        if self._ending:
            await asyncio.wait(self._ending, timeout=CLOSING)

    async def _start(self, message: messages.Start, received: float, trip: float, sender: str) -> str:
        key = name_key(message.match_id)
        if self.busy or key in self._open:
            self._report(Event(message.match_id, "START refused, too many matches: answered busy", True))
            return Word.BUSY
        if len(self._open) >= self._settings.matches:
            self._end(min(self._open.values(), key=lambda open_match: open_match.due), None, "dropped (server silent)")
        clocks = f"start clock {message.start_clock:g} s, play clock {message.play_clock:g} s"
        self._report(Event(message.match_id, f"begins: {message.role}, {clocks}"))
        open_match = self._open[key] = _OpenMatch(message, self._run(), sender)
        margin = self._settings.kept_back(message.start_clock, trip)
        due = self._question(open_match, message.start_clock, received) - margin
        # Once the rules are read, the player can play even if it is not ready.
        last = received + message.start_clock - LAST * margin
        answer = open_match.running.start(message, self._settings.seed, due, self._report)
        try:
            return await self._ask(open_match, answer, last, Word.READY)
        except (RefusedError, MatchLostError) as error:
            if self._open.get(key) is open_match:  # not aborted in the meantime
                self._report(Event(message.match_id, f"refused: {one_line(str(error))}", True))
                self._end(open_match, None, "refused")
            return Word.BUSY

    async def _play(self, open_match: _OpenMatch, message: messages.Play, received: float, trip: float) -> str:
        clock = open_match.start.play_clock
        end = self._question(open_match, clock, received)
        due = end - self._settings.kept_back(clock, trip, self._delays.delay(clock))
        try:
            # A server may still accept a late move, so `nil` is not sent any earlier.
            answer = await self._ask(open_match, open_match.running.play(message, due), end + OVERTIME, Word.NIL)
        except MatchLostError as error:  # a failing match must not affect others
            self._report(Event(message.match_id, f"answered {Word.NIL}: {one_line(str(error))}", True))
            return Word.NIL
        self._delays.note(STEPS * open_match.running.transit)
        return answer

    def _question(self, open_match: _OpenMatch, clock: float, received: float) -> float:
        """Call off the previous question, and return when the new one's clock will have run out."""
        self._set_expiry(open_match, received + clock)
        open_match.running.call_off()
        return received + clock

    async def _ask(self, open_match: _OpenMatch, answer: asyncio.Future[str], last: float, otherwise: str) -> str:
        """Return an answer of a match, or `otherwise` if there is none by `last`.

        Raises RefusedError, MatchLostError.
        """
        # The future is not cancelled: the match needs this message to follow later ones.
        await asyncio.wait([answer], timeout=max(0.0, last - time.monotonic()))
        if not answer.done():
            self._report(Event(open_match.start.match_id, f"out of time: answered {otherwise}", True))
            return otherwise
        return answer.result()

    def _set_expiry(self, open_match: _OpenMatch, due: float) -> None:
        """Drop a match some time after the end of its clock, unless a message arrives before."""
        if open_match.expiry is not None:
            open_match.expiry.cancel()
        open_match.due = due
        left = due + self._settings.patience - time.monotonic()
        loop = asyncio.get_running_loop()
        open_match.expiry = loop.call_later(left, self._end, open_match, None, "dropped (server silent)")

    def _end(self, open_match: _OpenMatch, message: messages.Stop | None, reason: str) -> None:
        """End a match without waiting for its player, which is informed as soon as it stops thinking."""
        self._remove(open_match)
        self._keep(open_match.running.end(message, reason))

    def _keep(self, ending: asyncio.Future[None]) -> None:
        """Keep a match that is ending, so that `close` can wait for it."""
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    def _remove(self, open_match: _OpenMatch) -> None:
        if open_match.expiry is not None:
            open_match.expiry.cancel()
        open_match.running.call_off()
        key = name_key(open_match.start.match_id)
        if self._open.get(key) is open_match:
            del self._open[key]


def _name(message: Message) -> str:
    return type(message).__name__.upper()
