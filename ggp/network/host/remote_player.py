"""A player that is asked over the network, by the messages of the GGP protocol."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import suppress
from functools import lru_cache
from typing import Final

from gdl.terms import Term
from ggp.match.match import FAREWELL
from ggp.match.record import Result
from ggp.network.host.connections import Address, ExchangeError, Network, exchange
from ggp.network.protocol import messages, replies
from ggp.network.protocol.errors import ProtocolError
from ggp.network.protocol.rules_text import rules_line
from ggp.players.clock import Deadline
from ggp.players.player import End, Start, Told, Turn

#: Seconds that messages may be on their way, beyond the clock.
GRACE: Final = 0.5

#: Words that say that a player does not play.
_REFUSALS: Final = (replies.Word.BUSY, replies.Word.NIL)


@lru_cache(maxsize=8)
def rules_for_messages(text: str) -> str:
    """The rules as START has them. Takes a while the first time: best asked for before clocks run."""
    return rules_line(text)


class RemotePlayer:
    """Asks a player at an address: a `Correspondent`, so a match waits for its futures. For one match at a time.

    An answer counts that is there `grace` seconds after the deadline: the other side's clock begins later than ours.
    In a game with hidden information it is told its percepts; with `turns` also which turn it is and what was played
    for it, as servers of the Dresden kind tell it.
    """

    def __init__(
        self, address: Address, network: Network, *, name: str = "", grace: float = GRACE, turns: bool = False
    ) -> None:
        self.address = address
        self.name = name or str(address)
        self.grace = grace
        self._network = network
        self._turns = turns
        self._match_id = ""
        self._hidden = False
        self._farewell = FAREWELL

    def introduce(self, seconds: float) -> Future[replies.InfoReply]:
        """Ask who it is and whether it has time. The future raises TimeoutError, ExchangeError or ProtocolError."""
        return self._network.start(self._introduce(Deadline.after(seconds)))

    def start(self, start: Start, deadline: Deadline) -> Future[object]:
        """START; where a match goes on, ABORT before it, and every PLAY that there was after it."""
        self._match_id = start.match_id
        self._hidden = start.hidden
        if start.start_clock is None or start.play_clock is None:
            raise ExchangeError("a player elsewhere is told a start clock and a play clock")
        self._farewell = min(FAREWELL, start.start_clock, start.play_clock)
        rules = rules_for_messages(start.rules)
        message = messages.Start(start.match_id, start.role, rules, start.start_clock, start.play_clock)
        return self._network.start(self._start(message, start.past, deadline))

    def move(self, turn: Turn) -> Future[object]:
        """PLAY; the future has the move as a term, or what was answered instead."""
        told = Told(turn.moves, turn.own_move, turn.percepts)
        return self._network.start(self._move(self._play(told, turn.ply - 1), turn.deadline))

    def stop(self, end: End) -> Future[object]:
        """STOP, or ABORT where the match was broken off."""
        if not self._match_id:  # it never heard of the match
            nothing: Future[object] = Future()
            nothing.set_result(None)
            return nothing
        if end.result in (Result.ABORTED, Result.STUCK):
            message: messages.Message = messages.Abort(self._match_id)
        else:
            told = Told(end.moves, end.own_move, end.percepts)
            news = self._play(told, end.ply)
            message = messages.Stop(news.match_id, news.moves, news.turn, news.own_move)
        return self._network.start(self._stop(message))

    async def _introduce(self, deadline: Deadline) -> replies.InfoReply:
        answer = await exchange(self.address, str(messages.Info()), receiver=self.name, until=deadline.at)
        return replies.parse_info_reply(answer)

    async def _start(self, message: messages.Start, past: tuple[Told, ...], deadline: Deadline) -> object:
        if past:
            with suppress(ExchangeError):  # it need not remember the match, nor be the one who played it
                await self._ask(messages.Abort(message.match_id), deadline)
        answer = await self._ask(message, deadline)
        try:
            word = replies.parse_word(answer)
        except ProtocolError:
            word = ""  # some say more than they need to, and are ready all the same
        if word in _REFUSALS:
            raise ExchangeError(f"START was answered by {word}")
        for turn, told in enumerate((Told(), *past[:-1]) if past else ()):
            await self._ask(self._play(told, turn), deadline)  # whatever it would do: this is past
        return None

    async def _move(self, message: messages.Message, deadline: Deadline) -> Term | str:
        answer = await self._ask(message, deadline)
        try:
            return replies.parse_move(answer)
        except ProtocolError:
            return answer

    async def _stop(self, message: messages.Message) -> object:
        await self._ask(message, Deadline.after(self._farewell))
        return None

    async def _ask(self, message: messages.Message, deadline: Deadline) -> str:
        until = None if deadline.at is None else deadline.at + self.grace
        return await exchange(self.address, str(message), receiver=self.name, until=until)

    def _play(self, told: Told, turn: int) -> messages.Play:
        """What a role hears in the turn of that number, which counts from 0."""
        if not self._hidden:
            return messages.Play(self._match_id, told.moves)
        percepts = told.percepts if turn else None
        if self._turns:
            return messages.Play(self._match_id, percepts, turn, told.own_move)
        return messages.Play(self._match_id, percepts)
