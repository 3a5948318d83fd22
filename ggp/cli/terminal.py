"""The lines that a person types, with completion and history if standard input is a terminal."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Final, TextIO, final

from gdl.terms import Term, name_key
from ggp.players.clock import Deadline
from ggp.players.player import Quit

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document

#: Seconds between checks of the deadline while waiting for a line of a file or a pipe.
_PATIENCE: Final = 0.1


@final
class Terminal:
    """The lines of standard input, for one person at a time. Lines typed before a question do not answer it."""

    def __init__(self, output: TextIO | None = None) -> None:
        """Prepare to read; reading starts with the first question. A terminal echoes on `output`."""
        self._turn = threading.Lock()
        self._output = output
        self._session: PromptSession[str] | None = None
        self._lines: queue.SimpleQueue[str | None] | None = None

    def ask(self, meaning: Callable[[str], Term | None], deadline: Deadline, words: Sequence[str] = ()) -> Term | None:
        """Return the first result of `meaning` for a line that is not None, or None at the deadline.

        On a terminal, the beginnings of `words` can be completed. Raises Quit if the input has ended.
        """
        terminal = sys.stdin.isatty()
        read = self._typed if terminal else self._piped
        with self._turn:
            if terminal:
                _forget_what_was_typed()
            while deadline.left() > 0:
                line = read(deadline, words)
                if line is not None and (found := meaning(line.strip())) is not None:
                    return found
        return None

    def _piped(self, deadline: Deadline, _words: Sequence[str]) -> str | None:
        """Return a line of a file or a pipe, into which a program may write ahead of the questions."""
        if self._lines is None:
            # Reading cannot be interrupted, so it needs a thread.
            self._lines = queue.SimpleQueue()
            threading.Thread(target=_read, args=(self._lines,), name="standard input", daemon=True).start()
        while deadline.left() > 0:
            try:
                line = self._lines.get(timeout=min(_PATIENCE, deadline.left()))
            except queue.Empty:
                continue
            if line is None:
                self._lines.put(None)  # for the next question
                raise Quit("the input has ended")
            return line
        return None

    def _typed(self, deadline: Deadline, words: Sequence[str]) -> str | None:
        """Return a line from a terminal."""
        from prompt_toolkit import PromptSession
        from prompt_toolkit.output import create_output

        if self._session is None:
            self._session = PromptSession(output=create_output(self._output or sys.stdout))
        session = self._session

        def limit() -> None:
            loop = session.app.loop
            if deadline.at is not None and loop is not None:
                loop.call_later(deadline.left(), lambda: session.app.is_running and session.app.exit(result=""))

        try:
            return session.prompt("> ", completer=_completer(words), complete_while_typing=False, pre_run=limit)
        except (EOFError, KeyboardInterrupt) as end:
            if isinstance(end, KeyboardInterrupt) and session.default_buffer.text:
                return None  # as in shells, Ctrl-C gives up what is typed
            raise Quit("the person has left") from None


def _forget_what_was_typed() -> None:
    with suppress(ImportError, OSError):  # there are no such terminals on Windows
        import termios

        with suppress(termios.error):
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


def _read(lines: queue.SimpleQueue[str | None]) -> None:
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a line that is not text is no move
    try:
        for line in sys.stdin:
            lines.put(line)
    finally:
        lines.put(None)


def _completer(words: Sequence[str]) -> Completer:
    """Return a completer of whole lines."""
    from prompt_toolkit.completion import Completer, Completion

    class Words(Completer):
        def get_completions(self, document: Document, _event: CompleteEvent) -> Iterable[Completion]:
            typed = document.text_before_cursor
            start = name_key(typed.lstrip("("))
            for word in words:
                if name_key(word.lstrip("(")).startswith(start):
                    yield Completion(word, start_position=-len(typed))

    return Words()
