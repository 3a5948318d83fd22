"""A player that is asked over the network, with the messages of the GGP protocol."""

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
from ggp.network.protocol.messages import rules_line
from ggp.players.clock import Deadline
from ggp.players.player import End, Start, Told, Turn

#: Seconds beyond the clock that messages may spend in transit.
GRACE: Final = 0.5

#: Replies to START that decline the match.
_REFUSALS: Final = (replies.Word.BUSY, replies.Word.NIL)


@lru_cache(maxsize=8)
def rules_for_messages(text: str) -> str:
    """Return the rules as START carries them. The first call takes a while: make it before clocks run."""
    return rules_line(text)


class RemotePlayer:
    """A player at an address, for one match at a time. It is a `Correspondent`: a match waits for its futures."""

    def __init__(
        self, address: Address, network: Network, *, name: str = "", grace: float = GRACE, turns: bool = False
    ) -> None:
        """Prepare to ask the player at an address; nothing is sent yet.

        Answers count until `grace` seconds after the deadline, as the other side's clock starts later than ours. In a
        game with hidden information the player receives its percepts. With `turns` it also receives the number of the
        turn and its own last move, as from servers of the Dresden kind.
        """
        self.address = address
        self.name = name or str(address)
        self.grace = grace
        self._network = network
        self._turns = turns
        self._match_id = ""
        self._hidden = False
        self._farewell = FAREWELL

    def introduce(self, seconds: float) -> Future[replies.InfoReply]:
        """Send INFO. The future holds the reply, or raises TimeoutError, ExchangeError or ProtocolError."""
        return self._network.start(self._introduce(Deadline.after(seconds)))

    def start(self, start: Start, deadline: Deadline) -> Future[object]:
        """Send START. If a match is resumed, send ABORT first, and every earlier PLAY afterwards."""
        self._match_id = start.match_id
        self._hidden = start.hidden
        if start.start_clock is None or start.play_clock is None:
            raise ExchangeError("remote players need a start clock and a play clock")
        self._farewell = min(FAREWELL, start.start_clock, start.play_clock)
        rules = rules_for_messages(start.rules)
        message = messages.Start(start.match_id, start.role, rules, start.start_clock, start.play_clock)
        return self._network.start(self._start(message, start, deadline))

    def move(self, turn: Turn) -> Future[object]:
        """Send PLAY. The future holds the move as a term, or the text of an answer that is not a move."""
        told = Told(turn.moves, turn.own_move, turn.percepts)
        return self._network.start(self._move(self._play(told, turn.ply - 1), turn.deadline))

    def stop(self, end: End) -> Future[object]:
        """Send STOP, or ABORT if the match was broken off."""
        if not self._match_id:  # START was never sent
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

    async def _start(self, message: messages.Start, start: Start, deadline: Deadline) -> object:
        past = start.past
        if start.resumed:
            with suppress(ExchangeError):  # it may have forgotten the match, or be another player
                await self._ask(messages.Abort(message.match_id), deadline)
        answer = await self._ask(message, deadline)
        try:
            word = replies.parse_word(answer)
        except ProtocolError:
            word = ""  # some players reply with more than one word, and are ready all the same
        if word in _REFUSALS:
            raise ExchangeError(f"START was answered with {word}")
        for turn, told in enumerate((Told(), *past[:-1]) if past else ()):
            await self._ask(self._play(told, turn), deadline)  # the answer is ignored: that move is past
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
        """Return the PLAY message of a turn; turns count from 0."""
        if not self._hidden:
            return messages.Play(self._match_id, told.moves)
        percepts = told.percepts if turn else None
        if self._turns:
            return messages.Play(self._match_id, percepts, turn, told.own_move)
        return messages.Play(self._match_id, percepts)
