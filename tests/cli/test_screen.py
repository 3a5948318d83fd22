"""The line that shows what a person waits for."""

from __future__ import annotations

import io
import sys

import pytest

pytest.importorskip("rich")

from rich.cells import cell_len
from rich.console import Console

from ggp.cli import screen
from ggp.cli.screen import RunningStage, line, paragraph, progress_line, table

SCORES = [
    ["player", "wins", "draws", "losses"],
    ["greedy", "1", "22", "3"],
    ["random", "333", "4", "5"],
]


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


def console_of(width: int, *, terminal: bool = True) -> Console:
    return Console(
        file=io.StringIO(), force_terminal=terminal, color_system=None, width=width, markup=False, highlight=False
    )


def lines_of(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("console", [console_of(40), console_of(10, terminal=False)], ids=["terminal", "pipe"])
def test_a_table_that_fits_and_one_in_a_pipe(console: Console) -> None:
    table(console, SCORES, right=(1, 2, 3))
    assert lines_of(console) == [
        "player  wins  draws  losses",
        "greedy     1     22       3",
        "random   333      4       5",
    ]


def test_a_table_that_is_too_wide_goes_on_below_with_its_first_column() -> None:
    console = console_of(22)
    table(console, [[*row, row[3]] for row in SCORES], right=(1, 2, 3, 4))
    assert lines_of(console) == [
        "player  wins  draws",
        "greedy     1     22",
        "random   333      4",
        "",
        "player  losses  losses",
        "greedy       3       3",
        "random       5       5",
    ]


def test_columns_below_each_other_where_no_two_fit() -> None:
    console = console_of(20)
    table(console, SCORES, right=(1, 2, 3))
    assert lines_of(console) == [
        *("greedy", "  wins    1", "  draws   22", "  losses  3"),
        "",
        *("random", "  wins    333", "  draws   4", "  losses  5"),
    ]


def test_a_last_column_of_text_is_wrapped_between_words() -> None:
    console = console_of(30)
    table(console, [["adds", "fact"], ["+1", "a long text about some fact"], ["-12", "short"]], right=(0,))
    assert lines_of(console) == ["adds  fact", "  +1  a long text about some", "      fact", " -12  short"]


def test_lines_are_wrapped_between_words_and_keep_their_indent() -> None:
    console = console_of(26)
    line(console, "  1  red   ", ("(move one two three four)", "bold"), " and so on")
    assert lines_of(console) == ["  1  red   (move one two", "      three four) and so", "      on"]
    console = console_of(26, terminal=False)
    line(console, "  1  red   ", ("(move one two three four)", "bold"), " and so on")
    assert lines_of(console) == ["  1  red   (move one two three four) and so on"]


def test_words_that_are_too_long_stay_whole() -> None:
    address = "http://127.0.0.1:8000/matches/tic_tac_toe.1"
    console = console_of(30)
    line(console, "look at ", address, " soon")
    assert [one for one in lines_of(console) if address in one]
    assert max(cell_len(one) for one in lines_of(console) if address not in one) <= 30


def test_a_label_that_is_longer_than_its_column() -> None:
    for terminal, expected in ((True, ["a_long_name", "        and a text"]), (False, ["a_long_name  and a text"])):
        console = console_of(40, terminal=terminal)
        paragraph(console, "a_long_name", "and a text", 8)
        assert lines_of(console) == expected
