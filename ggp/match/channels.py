"""How a match asks a player: at once, in a thread of the player's own that a clock can leave behind, or by message.

Without clocks the call is made directly. With clocks each player has one thread for the whole match, and all
roles are asked at the same time. A player that does not answer by its deadline is late, and the match goes on
without it. Python cannot stop such a thread: it is abandoned, keeps its core busy until its call returns or the
process ends, and meanwhile that player is late at every ply. An answer to an earlier question is dropped.

A player elsewhere answers by a future, which needs no thread: see `FutureChannel`.

What a deadline cannot hold: native code that never returns and keeps the interpreter lock stops the whole process.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from typing import Final, Protocol

from ggp.players.clock import NEVER, Deadline
from ggp.rules.printable import printable

#: What a player is asked for: the call is made where the player lives.
Question = Callable[[], object]

#: Errors as the community's viewers know them: TO is a timeout, IL an illegal move, CE a failure of the player.
LATE: Final = "TO"
ILLEGAL: Final = "IL"
CRASH: Final = "CE"

#: Seconds after the deadline in which an answer that was ready in time may still arrive from its thread.
DELIVERY: Final = 0.03

#: Longest text of a player's own making that is kept in a record.
LONGEST_TEXT: Final = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question: a value, or an error code with details; and the seconds it took."""

    value: object = None
    error: str = ""
    seconds: float = 0.0


class Channel(Protocol):
    """The way to one role's player: `send` asks, `receive` waits for the answer and never longer than the deadline."""

    def send(self, question: Question, deadline: Deadline) -> None: ...

    def receive(self) -> Answer: ...

    def close(self) -> None:
        """No more questions will come."""
        ...


class DirectChannel:
    """Asks in the thread of the match. Knows no deadline."""

    def __init__(self) -> None:
        self._answer = Answer()

    def send(self, question: Question, deadline: Deadline) -> None:  # noqa: ARG002
        self._answer, _ = _ask(question)

    def receive(self) -> Answer:
        return self._answer

    def close(self) -> None:
        pass


class ThreadChannel:
    """Asks in a daemon thread, so that a player that never returns holds up neither the match nor the process."""

    def __init__(self, role: str) -> None:
        self._questions: queue.SimpleQueue[tuple[int, Question] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[tuple[int, Answer, float]] = queue.SimpleQueue()
        self._number = 0
        self._sent = 0.0
        self._deadline = NEVER
        arguments = (self._questions, self._answers)
        threading.Thread(target=_serve, args=arguments, name=f"player of {role}", daemon=True).start()

    def send(self, question: Question, deadline: Deadline) -> None:
        self._number += 1
        self._deadline = deadline
        self._sent = time.monotonic()
        self._questions.put((self._number, question))

    def receive(self) -> Answer:
        while True:
            patience = None if self._deadline.at is None else max(0.0, self._deadline.left() + DELIVERY)
            try:
                number, answer, finished = self._answers.get(timeout=patience)
            except queue.Empty:
                return Answer(error=LATE, seconds=time.monotonic() - self._sent)
            if number == self._number:
                seconds = finished - self._sent
                late = not self._deadline.met_at(finished)
                return Answer(error=LATE, seconds=seconds) if late else Answer(answer.value, answer.error, seconds)

    def close(self) -> None:
        self._questions.put(None)


class FutureChannel:
    """Asks a player elsewhere: a question is a future of the answer, and has `grace` seconds more than the deadline."""

    def __init__(self, grace: float) -> None:
        self._grace = grace
        self._deadline = NEVER
        self._sent = 0.0
        self._asked: Answer | Future[object] = Answer()
        self._answers: queue.SimpleQueue[tuple[Future[object], float]] = queue.SimpleQueue()

    def send(self, question: Question, deadline: Deadline) -> None:
        self._deadline = deadline
        self._sent = time.monotonic()
        answer, _ = _ask(question)
        self._asked = answer
        if isinstance(answer.value, Future):
            self._asked = answer.value
            # The moment counts at which the answer is there, and not when this thread comes to look at it.
            self._asked.add_done_callback(lambda future: self._answers.put((future, time.monotonic())))

    def receive(self) -> Answer:
        if isinstance(self._asked, Answer):
            return self._asked
        last = None if self._deadline.at is None else self._deadline.at + self._grace
        while True:
            patience = None if last is None else max(0.0, last + DELIVERY - time.monotonic())
            try:
                future, arrived = self._answers.get(timeout=patience)
            except queue.Empty:
                self._asked.cancel()
                return Answer(error=LATE, seconds=time.monotonic() - self._sent)
            if future is self._asked:
                break
        seconds = arrived - self._sent
        if last is not None and arrived > last:
            return Answer(error=LATE, seconds=seconds)
        try:
            return Answer(future.result(), seconds=seconds)
        except TimeoutError:  # whoever made the future knows the deadline, too
            return Answer(error=LATE, seconds=seconds)
        except Exception as error:
            return Answer(error=f"{CRASH} {one_line(str(error) or type(error).__name__)}", seconds=seconds)

    def close(self) -> None:
        pass


def _serve(
    questions: queue.SimpleQueue[tuple[int, Question] | None], answers: queue.SimpleQueue[tuple[int, Answer, float]]
) -> None:
    """Answer questions until there are no more; of those that piled up meanwhile, only the last."""
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
    """The answer, and the moment at which it was there."""
    began = time.monotonic()
    try:
        value, error = question(), ""
    except BaseException as caught:  # the player's own failure, whatever it is, goes into the record
        if isinstance(caught, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
            raise  # that is the user's
        value, error = None, f"{CRASH} {_describe(caught)}"
    finished = time.monotonic()
    return Answer(value, error, finished - began), finished


def _describe(error: BaseException) -> str:
    """One line: the kind of error, its message, and the place in the player's code that raised it."""
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:  # an error that cannot even be printed
        message = "(its message cannot be shown)"
    return one_line(f"{name}: {message}" if message else name) + _place(error)


def _place(error: BaseException) -> str:
    """Where in the player's own file it happened, however deep in other code it came up."""
    frames = extract_tb(error.__traceback__)[1:]  # the first is the call above
    own = [frame for frame in frames if frame.filename == frames[0].filename]
    return f" ({Path(own[-1].filename).name}:{own[-1].lineno} in {own[-1].name})" if own else ""


def one_line(text: str) -> str:
    """Text of a player's making as it may stand in a record and on a screen: one line, printable, not too long."""
    text = printable(" ".join(text[: 4 * LONGEST_TEXT].split()))
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 3] + "..."
