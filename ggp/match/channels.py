"""Channels from a match to its players: direct calls, threads that can be abandoned, and futures.

Without clocks, players are called directly. With clocks, each player has one thread for the whole match, and all roles
are asked at the same time. A player that does not answer by its deadline is late, and the match continues without it.
Python cannot stop such a thread: it is abandoned and keeps its core busy until its call returns or the process ends.
Meanwhile, that player is late at every ply. Answers to earlier questions are dropped.

Remote players answer through a future, which needs no thread: see `FutureChannel`.

Deadlines cannot be enforced against native code that holds the interpreter lock and never returns: it stops the whole
process. Players that are not part of ggp therefore run in processes of their own: see `ggp.match.isolation`.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from math import inf
from pathlib import Path
from traceback import extract_tb
from typing import Final, Protocol

from gdl.errors import GdlError
from ggp.match.interruptible import take
from ggp.players.clock import NEVER, Deadline
from ggp.players.daemon import DaemonThread, InterpreterEnding
from ggp.players.player import Leaving
from ggp.rules.report_text import printable

#: A question: a call, made in the thread of the player.
Question = Callable[[], object]

#: Tells from another thread that an answer is no longer waited for.
Stopped = Callable[[], bool]

#: Error codes of the GGP community's viewers: TO is a timeout, IL an illegal move, CE a failure of the player.
LATE: Final = "TO"
ILLEGAL: Final = "IL"
CRASH: Final = "CE"

#: Seconds after the deadline in which an answer given in time may still arrive from its thread.
DELIVERY: Final = 0.03

#: Maximum length of a player's own text in a record.
LONGEST_TEXT: Final = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question: a value, or an error code with details, and the seconds it took.

    `leaving` is set if the player leaves the course of the match.
    """

    value: object = None
    error: str = ""
    seconds: float = 0.0
    leaving: Leaving | None = None


class PlayerError(GdlError):
    """A failure of a player whose text is its whole description, as it occurred elsewhere."""

    code = "player-fault"


class LateError(TimeoutError):
    """A player elsewhere has not answered in time."""


class Channel(Protocol):
    """A channel to the player of one role. Both `send` and `receive` raise the player's `Leaving`."""

    def send(self, question: Question, deadline: Deadline) -> None:
        """Ask a question."""
        ...

    def receive(self, stopped: Stopped = lambda: False) -> Answer:
        """Wait for the answer, but not beyond the deadline. Raises StoppedError soon after `stopped` returns True."""
        ...

    def close(self) -> None:
        """Release the channel after the last question."""
        ...


class DirectChannel:
    """A channel that calls the player in the thread of the match, without a deadline."""

    def __init__(self) -> None:
        """Start without an answer."""
        self._answer = Answer()

    def send(self, question: Question, deadline: Deadline) -> None:  # noqa: ARG002
        """Call the player."""
        self._answer, _ = _ask(question)
        _pass_on(self._answer)

    def receive(self, stopped: Stopped = lambda: False) -> Answer:  # noqa: ARG002
        """Return the answer."""
        return self._answer

    def close(self) -> None:
        """Do nothing."""


class ThreadChannel:
    """A channel that calls the player in a daemon thread, so that a hanging player blocks neither match nor process."""

    def __init__(self, role: str) -> None:
        """Start the thread of the role's player."""
        self._questions: queue.SimpleQueue[tuple[int, Question] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[tuple[int, Answer, float]] = queue.SimpleQueue()
        self._number = 0
        self._sent = 0.0
        self._deadline = NEVER
        DaemonThread(_serve, self._questions, self._answers, name=f"player of {role}").start()

    def send(self, question: Question, deadline: Deadline) -> None:
        """Pass a question to the thread."""
        self._number += 1
        self._deadline = deadline
        self._sent = time.monotonic()
        self._questions.put((self._number, question))

    def receive(self, stopped: Stopped = lambda: False) -> Answer:
        """Wait for the answer to the last question; after the deadline, the answer is late."""
        until = inf if self._deadline.at is None else self._deadline.at + DELIVERY
        while True:
            try:
                number, answer, finished = take(self._answers, until, stopped)
            except queue.Empty:
                return Answer(error=LATE, seconds=time.monotonic() - self._sent)
            if number == self._number:
                _pass_on(answer)
                seconds = finished - self._sent
                late = not self._deadline.met_at(finished)
                return Answer(error=LATE, seconds=seconds) if late else Answer(answer.value, answer.error, seconds)

    def close(self) -> None:
        """End the thread when its current call returns."""
        self._questions.put(None)


class FutureChannel:
    """A channel to a remote player, whose questions return futures of the answers."""

    def __init__(self, grace: float) -> None:
        """Allow `grace` seconds beyond each deadline."""
        self._grace = grace
        self._deadline = NEVER
        self._sent = 0.0
        self._asked: Answer | Future[object] = Answer()
        self._answers: queue.SimpleQueue[tuple[Future[object], float]] = queue.SimpleQueue()

    def send(self, question: Question, deadline: Deadline) -> None:
        """Send a question to the player."""
        self._deadline = deadline
        self._sent = time.monotonic()
        answer, _ = _ask(question)
        self._asked = answer
        if isinstance(answer.value, Future):
            self._asked = answer.value
            # Record the time of arrival here, as this thread may look at the answer later.
            self._asked.add_done_callback(lambda future: self._answers.put((future, time.monotonic())))

    def receive(self, stopped: Stopped = lambda: False) -> Answer:
        """Wait for the answer to the last question; after the deadline and grace, the answer is late."""
        if isinstance(self._asked, Answer):
            return self._asked
        last = inf if self._deadline.at is None else self._deadline.at + self._grace
        while True:
            try:
                future, arrived = take(self._answers, last + DELIVERY, stopped)
            except queue.Empty:
                self._asked.cancel()
                return Answer(error=LATE, seconds=time.monotonic() - self._sent)
            if future is self._asked:
                break
        seconds = arrived - self._sent
        if arrived > last:
            return Answer(error=LATE, seconds=seconds)
        try:
            return Answer(future.result(), seconds=seconds)
        except Leaving:
            raise
        except TimeoutError:  # set by the maker of the future, which knows the deadline too
            return Answer(error=LATE, seconds=seconds)
        except Exception as error:
            return Answer(error=f"{CRASH} {one_line(str(error) or type(error).__name__)}", seconds=seconds)

    def close(self) -> None:
        """Do nothing; the network belongs to the command."""


def _serve(
    questions: queue.SimpleQueue[tuple[int, Question] | None], answers: queue.SimpleQueue[tuple[int, Answer, float]]
) -> None:
    """Answer questions until the channel is closed; only the latest of several waiting questions is answered."""
    while (entry := questions.get()) is not None:
        while not questions.empty():
            newer = questions.get()
            if newer is None:
                return
            entry = newer
        number, question = entry
        answer, finished = _ask(question)
        answers.put((number, answer, finished))


def _ask(question: Question) -> tuple[Answer, float]:
    """Return the answer and the time at which it was given."""
    began = time.monotonic()
    try:
        value, error = question(), ""
    except InterpreterEnding:
        raise
    except BaseException as caught:  # any failure of the player is recorded
        if isinstance(caught, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
            raise  # the user pressed Ctrl-C
        if isinstance(caught, Leaving):
            return Answer(leaving=caught), time.monotonic()
        value, error = None, _error_of(caught)
    finished = time.monotonic()
    return Answer(value, error, finished - began), finished


def _pass_on(answer: Answer) -> None:
    if answer.leaving is not None:
        raise answer.leaving


def _error_of(caught: BaseException) -> str:
    """Return the code of an error with its description."""
    if isinstance(caught, LateError):
        return LATE
    return f"{CRASH} {one_line(str(caught)) if isinstance(caught, PlayerError) else describe(caught, calls=1)}"


def describe(error: BaseException, *, calls: int) -> str:
    """Return one line with the type of an error, its message, and the place in the player's code that raised it.

    `calls` is the number of frames between the handler of the error and the player's code.
    """
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:  # an error that cannot even be printed
        message = "(its message cannot be shown)"
    return one_line(f"{name}: {message}" if message else name) + _place(error, calls)


def _place(error: BaseException, calls: int) -> str:
    """Return the innermost place of an error in the player's own file, even if other code raised it."""
    frames = extract_tb(error.__traceback__)[calls:]
    own = [frame for frame in frames if frame.filename == frames[0].filename]
    return f" ({Path(own[-1].filename).name}:{own[-1].lineno} in {own[-1].name})" if own else ""


def one_line(text: str) -> str:
    """Return a player's text in a form safe for records and screens: one printable line of limited length."""
    text = printable(" ".join(text[: 4 * LONGEST_TEXT].split()))
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 3] + "..."
