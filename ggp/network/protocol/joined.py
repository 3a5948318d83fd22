"""A match that a player has joined: its START, PLAY and end, without any network code.

The calls may take as long as the clocks allow, or longer if the rules are slow, and any amount of memory. So they are
made in a process of their own, `ggp.network.protocol.match_child`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from gdl import Reasoner
from gdl.engine import hides_states
from gdl.errors import GdlError, TextError
from gdl.reasoner.joint_moves import role_named
from gdl.simulator.seeds import derive, generator
from gdl.terms import Term, name_key
from ggp.match.answers import legal_move
from ggp.match.channels import CRASH, ILLEGAL, LATE, Answer, ThreadChannel, one_line
from ggp.match.isolation.wire import SO_FAR
from ggp.match.record import Result
from ggp.network.protocol import messages
from ggp.network.protocol.following import Following, follow
from ggp.network.protocol.replies import Word
from ggp.players.clock import Deadline
from ggp.players.player import End, Player, Start
from ggp.players.traits import stages_of, thought_of
from ggp.rules.report_text import number_and_noun

#: Seconds that a player has to finish a match.
FAREWELL: Final = 1.0

#: The exit status of a match's process whose memory limit is used up.
EXHAUSTED: Final = 76


@dataclass(frozen=True, slots=True)
class Event:
    """A line about something that happened, for people. `match_id` is empty if it belongs to no match."""

    match_id: str
    text: str
    warning: bool = False


class RefusedError(GdlError):
    """A match cannot be joined."""

    code = "refused"


class JoinedMatch:
    """A match from START to its end, for one role. Its methods are called one at a time, from any thread."""

    def __init__(
        self,
        message: messages.Start,
        make: Callable[[], Player],
        seed: int,
        report: Callable[[Event], None],
        *,
        ponder: bool = False,
        threads: int = 1,
    ) -> None:
        """Join a match. `make` makes the player and `report` receives events; both are called in the playing thread.

        With `ponder`, the player may think while others do. Its search may use `threads` threads.
        """
        self._message = message
        self._make = make
        self._seed = derive(seed, "match", name_key(message.match_id), name_key(message.role))
        self._random = generator(self._seed, "replacement")
        self._report = report
        self._ponder = ponder
        self._threads = threads
        self._following: Following | None = None
        self._player: Player | None = None
        self._channel: ThreadChannel | None = None
        self._answered: Term | None = None
        self._late = 0
        self._stages = ""
        #: The player's work in the match, the seconds that it took, and its unit.
        self._work: tuple[int, float, str] = (0, 0.0, "")
        #: What the player did while others were thinking.
        self._pondered = 0

    def start(self, deadline: Deadline) -> Word:
        """Read the rules and let the player prepare until the deadline. Raises RefusedError for invalid rules."""
        message = self._message
        began = time.monotonic()
        try:
            game = Reasoner(message.rules, "<START>")
            role = role_named(message.role, game.roles)
            self._following = follow(game, role, self._seed)
            reading = time.monotonic() - began
            player = self._make()
        except GdlError as error:
            raise RefusedError(_summary(error)) from None
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:  # a player's code may raise anything
            raise RefusedError(one_line(f"no player: {type(error).__name__}: {error}")) from error
        start = Start(
            match_id=message.match_id,
            game=game,
            role=role,
            seed=self._seed,
            start_clock=message.start_clock,
            play_clock=message.play_clock,
            rules=game.rulesheet.source.text,
            hidden=hides_states(game),
            ponder=self._ponder,
            threads=self._threads,
        )
        self._player, self._channel = player, ThreadChannel(role)
        self._channel.send(partial(player.start, start, deadline), deadline)
        # Meanwhile, the Reasoner compiles the rules. On a busy core, this may take longer than a play clock. Players
        # that run in this process do not use the Reasoner when they start.
        with suppress(GdlError):
            self._following.rehearse()
        fault = self._channel.receive().error
        if fault and not _called_off(deadline):
            self._report_event(_fault_text(fault), True)
        elif not fault:
            self._stages = stages_of(self._player)
            compiling = f", compiling: {self._stages}" if self._stages else ""
            seconds = time.monotonic() - began
            self._report_event(f"ready after {seconds:.2f} s; reading the rules {reading:.2f} s{compiling}")
        return Word.READY

    def play(self, message: messages.Play, deadline: Deadline) -> str:
        """Return the next move, spelled as in the rules, or `nil` if the match cannot be followed."""
        answered, self._answered = self._answered, None
        if self._following is None or self._channel is None or self._player is None:
            return Word.NIL  # the rules were never read
        try:
            self._following.hear(message, answered, deadline)
            legal = self._following.legal()
        except GdlError as error:
            self._report_event(_summary(error), True)
            return Word.NIL
        if not legal:
            self._report_event("asked for a move when the game is over", True)
            return Word.NIL
        turn = self._following.turn(legal, deadline)
        self._channel.send(partial(self._player.move, turn), deadline)
        answer = self._channel.receive()
        move, fault = (None, answer.error) if answer.error else legal_move(answer.value, legal)
        if move is None:
            move = self._random.choice(legal)
        self._answered = move
        self._count(answer)
        if not _called_off(deadline):
            note = f"  at random: {_fault_text(fault)}" if fault else ""
            self._report_event(f"ply {turn.ply}  {one_line(move.text)}  {answer.seconds:.2f} s{note}", bool(fault))
        return move.text

    def end(self, message: messages.Stop | None, reason: str) -> None:
        """End the match. `message` is the STOP with the last moves, or None if the match was broken off.

        `reason` says how the match ended, unless it was finished.
        """
        end = End(str(Result.ABORTED))
        if self._following is not None:
            try:
                if message is not None:
                    self._following.hear(message, self._answered)
                end = self._following.end()
            except GdlError as error:
                self._report_event(_summary(error), True)
            if message is None and end.result != Result.FINISHED:
                end = End(str(Result.ABORTED), end.moves, None, end.ply, end.own_move, end.percepts)
            plies = number_and_noun(end.ply, "ply", "plies")
            goal = "" if end.goal is None else f", goal {end.goal}"
            how = "finished" if end.result == Result.FINISHED else reason
            self._report_event(f"{how} after {plies}{goal}{self._summary()}")
        if self._channel is not None and self._player is not None:
            self._channel.send(partial(self._player.stop, end), Deadline.after(FAREWELL))
            if fault := self._channel.receive().error:
                self._report_event(f"at the end {_fault_text(fault)}", True)
            self._channel.close()
        self._following = self._channel = self._player = None

    def _count(self, answer: Answer) -> None:
        """Count late moves and work, and report the stages of compiling when it is over."""
        self._late += answer.error.startswith(LATE)
        if thought := thought_of(self._player):
            work, seconds, _ = self._work
            self._work = work + thought.work, seconds + answer.seconds, thought.unit
            self._pondered += thought.pondered
        stages = stages_of(self._player)
        if stages != self._stages and not stages.endswith(SO_FAR):
            self._stages = stages
            self._report_event(f"compiling: {one_line(stages)}")

    def _summary(self) -> str:
        """Return the late moves and the speed of the player as the end of a line."""
        work, seconds, unit = self._work
        speed = f", {work / seconds:,.0f} {one_line(unit)}/s" if work and seconds else ""
        pondered = f", {self._pondered:,} {one_line(unit)} while others were thinking" if self._pondered else ""
        return f", late moves: {self._late}{speed}{pondered}"

    def _report_event(self, text: str, warning: bool = False) -> None:
        self._report(Event(self._message.match_id, text, warning))


def _fault_text(fault: str) -> str:
    """Describe a player's fault in words."""
    code, _, details = fault.partition(" ")
    words = {LATE: "the player was late", ILLEGAL: "its answer is not legal:", CRASH: "the player crashed with"}
    return f"{words.get(code, code)} {details}".strip()


def _summary(error: GdlError) -> str:
    """Return an error in one line; for a text with mistakes, the first mistake and the number of others."""
    if not isinstance(error, TextError):
        return one_line(str(error).partition("\n")[0])  # without the excerpt
    first, *others = error.mistakes
    more = f", and {len(others)} more" if others else ""
    return f"{one_line(f'{first.location}: {first.code}: {first.message}')}{more}"


def _called_off(deadline: Deadline) -> bool:
    return deadline.called_off is not None and deadline.called_off.is_set()
