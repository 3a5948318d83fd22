"""A line on the terminal that says what a person is waiting for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from ggp.players.compilation import compilation_stages
from ggp.rules.report_text import without_controls


@final
class WaitingLine:
    """Shows which programs are at work, and how far the rules are compiled, if standard error is a terminal.

    The line disappears while nobody is at work, and while a person is asked.
    """

    def __init__(self, rules: str) -> None:
        """Show how far these rules are compiled."""
        self._rules = rules
        self._console = Console(file=sys.stderr, markup=False, emoji=False, highlight=False)
        self._lock = threading.Lock()
        self._working: list[str] = []
        self._asked = 0
        self._live: Live | None = None

    @contextmanager
    def __call__(self, work: str) -> Iterator[None]:
        """Show that a program is at work, while the context lasts."""
        with self._lock:
            self._working.append(work)
            self._show()
        try:
            yield
        finally:
            with self._lock:
                self._working.remove(work)
                self._show()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Hide the line while the context lasts."""
        with self._lock:
            self._asked += 1
            self._show()
        try:
            yield
        finally:
            with self._lock:
                self._asked -= 1
                self._show()

    def text(self) -> str:
        """Return the line: the programs at work, and the stage of compiling."""
        stages, over = compilation_stages(self._rules)
        compiling = "" if over or not stages else f" (compiling the rules: {stages[-1][0]}, {stages[-1][1]:.0f} s)"
        return without_controls(", ".join(list(self._working)) + compiling)

    def _show(self) -> None:
        """Show or hide the line, as it is needed; the lock is held."""
        wanted = bool(self._working) and not self._asked and self._console.is_terminal
        if wanted and self._live is None:
            self._live = Live(
                get_renderable=lambda: Spinner("dots", Text(f"{self.text()} ...")),
                console=self._console,
                transient=True,
                refresh_per_second=4,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        elif not wanted and self._live is not None:
            self._live.stop()
            self._live = None
