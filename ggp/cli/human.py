"""A person at the terminal as a player, who sees the legal moves and types a number or a move."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Final, TypeVar

from rich.console import Console

from gdl.terms import Term
from ggp.cli.screen import line, screen
from ggp.match.answers import legal_move
from ggp.players.clock import Deadline
from ggp.players.player import End, Start, Turn

T = TypeVar("T")

#: Maximum number of moves listed; all legal moves can be typed.
_LISTED: Final = 60

#: Seconds between checks of the deadline while waiting for a line.
_PATIENCE: Final = 0.1


class Terminal:
    """The lines of standard input, for one person at a time. Lines typed before a question do not answer it."""

    def __init__(self) -> None:
        """Prepare to read; reading starts with the first question."""
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._turn = threading.Lock()
        self._reading = False

    def ask(self, meaning: Callable[[str], T | None], deadline: Deadline) -> T | None:
        """Return the first result of `meaning` for a line that is not None, or None at the deadline.

        Raises EOFError if the input has ended.
        """
        with self._turn:
            if not self._reading:
                # Reading from a terminal cannot be interrupted, so it needs a thread.
                threading.Thread(target=self._read, name="standard input", daemon=True).start()
                self._reading = True
            self._drop_old()
            while deadline.left() > 0:
                try:
                    typed = self._lines.get(timeout=min(_PATIENCE, deadline.left()))
                except queue.Empty:
                    continue
                if typed is None:
                    self._lines.put(None)  # for the next question
                    raise EOFError("the input has ended")
                if (found := meaning(typed.strip())) is not None:
                    return found
        return None

    def _drop_old(self) -> None:
        if not sys.stdin.isatty():
            return  # a program may write its answers ahead of the questions
        with suppress(queue.Empty):
            while self._lines.get_nowait() is not None:
                pass
            self._lines.put(None)

    def _read(self) -> None:
        for typed in sys.stdin:
            self._lines.put(typed)
        self._lines.put(None)


class HumanPlayer:
    """A player that prompts on a console, standard output by default, and reads answers from standard input.

    A single legal move is played without asking.
    """

    name = "human"

    def __init__(
        self,
        terminal: Terminal,
        console: Console | None = None,
        asking: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """Read from `terminal`, which all people at one terminal share, and prompt on `console`.

        `asking` is entered while the person is asked.
        """
        self._terminal = terminal
        self._asking = asking
        self._role = ""
        self._console = console or screen()

    def start(self, start: Start, deadline: Deadline) -> None:  # noqa: ARG002
        """Note the role."""
        self._role = start.role

    def move(self, turn: Turn) -> Term | str:
        """Return the move that was typed. Raises EOFError if the input has ended."""
        if len(turn.legal) == 1:
            return turn.legal[0]
        with self._asking():
            self._show(turn)
            return self._terminal.ask(lambda answer: self._meant(answer, turn), turn.deadline) or ""  # late anyway

    def stop(self, end: End) -> None:
        """Do nothing; the match view shows the end."""

    def _show(self, turn: Turn) -> None:
        for percept in turn.percepts:
            line(self._console, f"{self._role} sees {percept.text}")
        width = len(str(len(turn.legal)))
        for number, move in enumerate(turn.legal[:_LISTED], 1):
            line(self._console, (f"{number:>{width}}", "bold"), f"  {move.text}")
        if len(turn.legal) > _LISTED:
            line(self._console, f"... and {len(turn.legal) - _LISTED} more")
        seconds = turn.deadline.left()
        within = f", within {seconds:.0f} s" if turn.deadline.at is not None else ""
        line(self._console, (f"{self._role} to move (a number or a move{within}):", "bold"))

    def _meant(self, answer: str, turn: Turn) -> Term | None:
        """Return the legal move that a line denotes, by number or by text."""
        if answer.isdecimal() and 1 <= int(answer) <= len(turn.legal):
            return turn.legal[int(answer) - 1]
        move, _ = legal_move(answer, turn.legal)
        if move is None and answer:
            line(self._console, f"{answer} is not legal for {self._role}; a number or a move:")
        return move
