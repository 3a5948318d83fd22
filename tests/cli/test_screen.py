"""The line that shows what a person waits for."""

from __future__ import annotations

import io
import sys

import pytest

pytest.importorskip("rich")

from ggp.cli import screen
from ggp.cli.screen import RunningStage, progress_line


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which a test can set."""
    now = [100.0]
    monkeypatch.setattr(screen, "monotonic", lambda: now[0])
    return now


def test_the_stage_and_its_seconds(clock: list[float]) -> None:
    running = RunningStage()
    running.begin("grounding")
    assert running.__rich__().plain == "grounding ..."
    clock[0] += 12.7
    assert running.__rich__().plain == "grounding ... 12 s"
    running.begin("building the circuit")
    assert running.__rich__().plain == "building the circuit ..."


def test_new_figures_do_not_begin_a_stage(clock: list[float]) -> None:
    running = RunningStage()
    running.begin("1,000 states")
    clock[0] += 3
    running.begin("2,500 states")
    assert running.__rich__().plain == "2,500 states ... 3 s"


def test_control_characters_are_not_shown() -> None:
    running = RunningStage()
    running.begin("compiling a\x1b[2Jb")
    assert "\x1b" not in running.__rich__().plain


def test_only_a_terminal_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    for stream in (io.StringIO(), Terminal()):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        with progress_line() as progress:
            progress("grounding")
        shown.append(stream.getvalue())
    assert shown[0] == ""
    assert "grounding ..." in shown[1]
