"""A player in a process of its own."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Final, final

from gdl.engine import rule_text
from ggp.match.channels import LateError, PlayerError
from ggp.match.isolation.process import TRANSIT_SHARE, DiedError, FaultError, PlayerProcess
from ggp.match.isolation.reserve import Reserve
from ggp.match.isolation.wire import Begin, Move, Prepare, Reply
from ggp.players.clock import Deadline
from ggp.players.player import End, Start, Told, Turn
from ggp.players.thought import Thought

#: Seconds that a player has to finish a match before its process is ended.
FAREWELL: Final = 3.0

#: Seconds after the end of its clock in which a player may still finish a move, and `start`. Then its process is ended.
OVERRUN: Final = 3.0
START_OVERRUN: Final = 30.0

#: Seconds that a process has to get ready for a match before the clocks start.
PREPARATION: Final = 600.0

#: The share of a turn's time that is reserved for the move when a new process has to start the match.
_AGAIN: Final = 0.5


@final
class IsolatedPlayer:
    """A player that runs in a process of its own, where it may crash, hang or hold Python's lock.

    If its process ends, or overruns a clock by far and is ended, a new one takes over the match with the next move.
    """

    def __init__(self, name: str, reserve: Reserve, *, compiles: bool = False) -> None:
        """Take a process from the reserve for each match. `compiles` is the trait of the player."""
        self.name = name
        self.compiles = compiles
        self._reserve = reserve
        self._lock = threading.Lock()
        self._process: PlayerProcess | None = None
        self._begin: Begin | None = None
        #: The number of the request that began the match in the current process; 0 if it has not begun there.
        self._began = 0
        self._past: list[Told] = []
        self._thought: Thought | None = None
        #: The durations of the stages of compiling the game so far, in words; empty if it is not compiled.
        self.stages = ""

    def prepare(self, start: Start) -> None:
        """Load the player and the game in a process, before the clock of `start` runs. Failures show in `start`."""
        try:
            process = self._process = self._reserve.take()
            process.describe(f"{start.match_id}, {start.role}")
            within = Deadline.after(PREPARATION)
            process.wait_until_ready(within)
            process.ask(Prepare(_rules(start)), within)
        except (PlayerError, LateError):
            return

    def start(self, start: Start, deadline: Deadline) -> None:
        """Start the match in a process. Raises FaultError, DiedError, LateError."""
        self._begin = Begin(
            match_id=start.match_id,
            role=start.role,
            seed=start.seed,
            start_clock=start.start_clock,
            play_clock=start.play_clock,
            rules=_rules(start),
            ponder=start.ponder,
            threads=start.threads,
        )
        self._past = list(start.past)
        if self._process is None:
            self._process = self._reserve.take()
        self._begin_match(self._process, deadline)

    def move(self, turn: Turn) -> str:
        """Return the player's move as text. Raises FaultError, DiedError, LateError."""
        if self._begin is None:
            raise RuntimeError("move() called before start()")
        if len(self._past) < turn.ply - 1:
            self._past.append(Told(turn.moves, turn.own_move, turn.percepts))
        with self._lock:
            process = self._process = self._process or self._reserve.take()
            began = self._began
        if not began:
            # A new process may be ready in time for this move, and should be for the next one.
            self._begin_match(process, turn.deadline, reserved=_AGAIN)
        facts = None if turn.state is None else tuple(turn.state)
        move = Move(turn.ply, facts, turn.legal, turn.moves, turn.own_move, turn.percepts)
        self._thought = None
        try:
            reply = process.ask(move, turn.deadline)
            self.stages = reply.stages
            self._thought = _thought(reply)
            return reply.move
        except DiedError:
            self._replace(process)
            raise
        except LateError:
            self._end_later(process, OVERRUN)
            raise

    def thought(self) -> Thought | None:
        """Return the amount of search of the player's thought at its last move."""
        return self._thought

    def stop(self, end: End) -> None:
        """End the match and give the process back. Raises FaultError, DiedError, LateError."""
        with self._lock:
            process, began = self._process, self._began
            self._process, self._began, self._begin = None, 0, None
        if process is None:
            return
        if not began:
            self._reserve.give_back(process)
            return
        if process.busy and self._reserve.tidy:
            self._reserve.discard(process)
            raise LateError("still busy at the end of the match")
        try:
            reply = process.ask(end, Deadline.after(FAREWELL))
        except (DiedError, LateError):
            self._reserve.discard(process)
            raise
        except FaultError:
            self._reserve.give_back(process)
            raise
        self._reserve.give_back(process, busy=reply.busy)

    def _begin_match(self, process: PlayerProcess, deadline: Deadline, reserved: float = TRANSIT_SHARE) -> None:
        assert self._begin is not None
        begin = self._begin
        process.describe(f"{begin.match_id}, {begin.role}")
        try:
            process.wait_until_ready(deadline)
            self._began = process.asked + 1
            self.stages = process.ask(replace(begin, past=tuple(self._past)), deadline, reserved=reserved).stages
        except DiedError:
            self._replace(process)
            raise
        except LateError:
            self._end_later(process, START_OVERRUN)
            raise

    def _end_later(self, process: PlayerProcess, seconds: float) -> None:
        """Replace a process that has not answered its last request after some seconds, unless it is still starting."""
        number, began = process.asked, self._began

        def check() -> None:
            starting = process.answered < began < number
            if process.answered < number and not starting:
                self._replace(process)

        timer = threading.Timer(seconds, check)
        timer.daemon = True
        timer.start()

    def _replace(self, process: PlayerProcess) -> None:
        """End the process of the match, and let a new one get ready for it."""
        with self._lock:
            if self._process is not process or self._begin is None:
                return
            self._process, self._began = None, 0
            try:
                new = self._process = self._reserve.take()
                new.send_ahead(Prepare(self._begin.rules))
            except DiedError:  # the reserve is closed
                self._process = None
        self._reserve.discard(process)


def _thought(reply: Reply) -> Thought | None:
    return Thought(work=reply.work, unit=reply.unit, pondered=reply.pondered) if reply.unit else None


def _rules(start: Start) -> str:
    return start.rules or rule_text(start.game)
