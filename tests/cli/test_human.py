"""A person at the terminal: numbers, moves, commands, nonsense, and an input that ends."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from support.commands import Ggp
from support.toy_files import ROOT, rule_file
from support.toy_rules import COIN

import gdl
from gdl.terms import Constant
from ggp.cli.human import meant_moves, parenthesized
from ggp.cli.terminal import Terminal
from ggp.match.record import Result, read_record
from ggp.players.clock import NEVER, Deadline
from ggp.players.player import Quit

#: Pasted text is bracketed from here on, as a line is being read.
PROMPT = "\x1b[?2004h"

BOARD_OF_MOVES = """
(role r) (index 1) (index 2) (index 3) (index 4) (index 5) (index 6) (index 7)
(<= (legal r (put ?x ?y)) (index ?x) (index ?y))
(init (count 0)) (<= (next (count 1)) (does r ?m)) (<= terminal (true (count 1))) (goal r 50)
"""


def types(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_numbers_and_moves(ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "1\n  (TAKE one) \n")
    outcome = ggp("play", nim, "--player", "left=human", "--player", "right=legal", "--seed", "1")
    assert outcome.status == 0, outcome.err
    asked = "left to move (a number, a move or help):\n"
    assert f"1  (take one)\n2  (take two)\n{asked}  1  left   (take one)\n" in outcome.out
    assert f"{asked}  3  left   (take one)\n" in outcome.out
    assert "errors" not in outcome.out


@pytest.mark.parametrize("typed", ["take two", "(take two", "Take  TWO", "take tw", "( take two )"])
def test_moves_without_parentheses_and_their_beginnings(
    typed: str, ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    types(monkeypatch, f"{typed}\n1\n1\n")
    outcome = ggp("play", nim, "--player", "left=human", "--player", "right=legal", "--seed", "1")
    assert "\n  1  left   (take two)\n" in outcome.out


def test_what_typed_lines_mean() -> None:
    texts = ("(move 1 2)", "(move 1 23)", "noop", "(noopt a)", "(f (g x) y)")
    legal = [gdl.parse_term(text) for text in texts]
    assert [str(move) for move in meant_moves("move 1 2", legal)] == ["(move 1 2)"]
    assert len(meant_moves("move", legal)) == 2
    assert [str(move) for move in meant_moves("noop", legal)] == ["noop"]
    assert [str(move) for move in meant_moves("f (g", legal)] == ["(f (g x) y)"]
    assert [str(move) for move in meant_moves("2", legal)] == ["(move 1 23)"]
    assert meant_moves("", legal) == meant_moves("6", legal) == meant_moves("go", legal) == []
    assert parenthesized("move 1 2") == parenthesized(" (move 1 2)") == "(move 1 2)"
    assert parenthesized("noop") == "noop"


def test_bytes_that_are_not_text_are_no_move(ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n2\n2\n"), encoding="utf-8"))
    outcome = ggp("play", nim, "--player", "left=human", "--player", "right=legal", "--seed", "1")
    assert outcome.status == 0, outcome.err
    assert "\ufffd is not legal for left" in outcome.out


def test_nonsense_is_asked_again(ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "3\n9\nthree\n\n(drop\n(take three)\x1b[31m\ntake\n2\n2\n")
    outcome = ggp("play", nim, "--player", "left=human", "--player", "right=legal", "--seed", "1")
    assert (
        "\nchoose 1 to 2\nchoose 1 to 2\nthree is not legal for left; ? three says why, help lists commands\n"
        "(drop is not legal for left;"
    ) in outcome.out
    assert "\n2 moves begin like this: (take one), (take two)\n" in outcome.out
    assert "\x1b" not in outcome.out
    assert "\n  1  left   (take two)\n" in outcome.out


@pytest.mark.parametrize("clocks", [[], ["--play-clock", "60"]], ids=["direct", "with a clock"])
@pytest.mark.parametrize("typed", ["1\n", "1\nquit\n", "1\nQUIT\n2\n2\n2\n"], ids=repr)
def test_a_person_who_leaves_aborts_the_match(
    typed: str, clocks: list[str], ggp: Ggp, nim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    types(monkeypatch, typed)
    record = tmp_path / "match.json"
    outcome = ggp("play", nim, "--player", "human", "--seed", "1", "--record", record, *clocks)
    assert outcome.status == 130
    assert "\naborted after 1 ply\n" in outcome.out
    assert outcome.err.splitlines()[-1] == f"to continue the match: ggp replay --resume {record}"
    read = read_record(record)
    assert read.result is Result.ABORTED
    assert [ply.errors for ply in read.plies] == [("", "")]
    assert read.last_errors == ()


def test_a_person_gives_up(ggp: Ggp, nim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "1\nresign\n")
    record = tmp_path / "match.json"
    outcome = ggp("play", nim, "--player", "left=human", "--player", "right=legal", "--record", record)
    assert outcome.status == 0
    assert "over after 2 plies: left resigned\n  left   human    0\n  right  legal  100\n" in outcome.out
    read = read_record(record)
    assert (read.result, read.resigned, read.goals) == (Result.RESIGNED, ("left",), (0, 100))
    assert ggp("replay", record).status == 0
    assert "the match is over" in ggp("replay", record, "--resume").err


def test_moves_are_taken_back(ggp: Ggp, nim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "undo\n1\nundo\n1\nundo\nundo\n2\n")
    record = tmp_path / "match.json"
    outcome = ggp("play", nim, "--player", "left=human", "--player", "right=legal", "--seed", "1", "--record", record)
    assert outcome.status == 0, outcome.err
    assert outcome.out.count("left has made no move yet that could be taken back") == 2
    assert outcome.out.count("\nback to the start\n") == 2
    read = read_record(record)
    assert read.plies[0].moves[0] == "(take two)"
    assert read.result is Result.FINISHED
    assert ggp("replay", record).status == 0


def test_moves_are_not_taken_back_on_a_clock(ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "1\nundo\n")
    outcome = ggp("play", nim, "--player", "left=human", "--player", "right=legal", "--play-clock", "30")
    assert "moves cannot be taken back in this match" in outcome.out


def test_ctrl_c_gives_up_what_is_typed_and_then_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    meant: list[str] = []
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        terminal = Terminal()
        keys.send_text("tak\x031\r\x03")
        assert terminal.ask(lambda typed: meant.append(typed) or Constant(typed), Deadline.after(20)) == Constant("1")
        with pytest.raises(Quit):
            terminal.ask(lambda _: None, Deadline.after(20))
    assert meant == ["1"]


def test_what_was_typed_before_a_question_does_not_answer_it(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = pty.openpty()
    with open(slave) as terminal:  # noqa: PTH123  # it has no name
        monkeypatch.setattr(sys, "stdin", terminal)
        os.write(master, b"early\n")
        assert select.select([slave], [], [], 20)[0]
        # The question itself is not under test here.
        monkeypatch.setattr(Terminal, "_typed", lambda *_: "typed")
        assert Terminal().ask(lambda typed: Constant(typed), NEVER) == Constant("typed")
        assert not select.select([slave], [], [], 0)[0]
    os.close(master)


def test_why_a_move_is_legal_or_not(ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "? take one\n?take ten\n? ?x\n? (\nexplain take ten\nquit\n")
    outcome = ggp("play", nim, "--player", "left=human", "--player", "right=legal")
    assert "(legal left (take one)) holds by the rule on line 13, because of (true (control left)), " in outcome.out
    assert "(legal left (take ten)) does not hold: the rule on line 13 needs (take ten 4 ?rest): no such" in outcome.out
    assert "└─ rule for (legal ?r (take ?n))" in outcome.out
    assert "(legal left ?x) has 2 instances" in outcome.out
    assert "this parenthesis is never closed" in outcome.out


@pytest.mark.slow
def test_a_hint_is_a_legal_move(ggp: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    """The winning move is found, whatever the engine of the match."""
    for opponent in ("legal", "mcts"):
        types(monkeypatch, "mark 1 1\nmark 1 2\nhint\nquit\n")
        outcome = ggp("play", "tic_tac_toe", "--player", "xplayer=human", "--player", f"oplayer={opponent}")
        assert "\nhint: (mark " in outcome.out


def test_help_says_how_to_play_and_lists_the_commands(ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "help\nquit\n")
    outcome = ggp("play", nim, "--player", "human")
    for command in ("moves", "hint", "? MOVE", "undo", "resign", "quit"):
        assert f"\n  {command}  " in outcome.out
    assert "\n    left begins: 2 moves in the first position.\n" in outcome.out


def test_moves_named_like_commands_are_moves(ggp: Ggp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = """(role r) (legal r quit) (legal r (help me)) (init a) (<= (next b) (does r ?m))
               (<= terminal (true b)) (goal r 50)"""
    types(monkeypatch, "help\nquit\n")
    outcome = ggp("play", rule_file(tmp_path, rules), "--player", "human")
    assert outcome.status == 0
    assert "? MOVE" in outcome.out, "the beginning of a move does not hide a command"
    assert "\n  1  r  quit\n" in outcome.out


def test_many_moves_stand_in_columns(ggp: Ggp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "moves\n49\n")
    monkeypatch.setenv("COLUMNS", "50")
    outcome = ggp("play", rule_file(tmp_path, BOARD_OF_MOVES), "--player", "human")
    rows = outcome.out[: outcome.out.index("r to move")].splitlines()
    first = next(number for number, row in enumerate(rows) if "(put 1 1)" in row)
    assert rows[first] == " 1  (put 1 1)    9  (put 2 2)   17  (put 3 3)"
    assert rows[-1] == "... and 25 more: moves"
    assert len(rows) - first == 9
    assert "(put 7 7)" in outcome.out
    assert "  1  r  (put 7 7)" in outcome.out


def test_a_clock_that_runs_out(ggp: Ggp, nim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    class Silent(io.StringIO):
        def __next__(self) -> str:
            over.wait()
            raise StopIteration

    monkeypatch.setattr("sys.stdin", Silent())
    record = tmp_path / "match.json"
    ggp("play", nim, "--player", "left=human", "--player", "right=legal", "--play-clock", "0.1", "--record", record)
    over.set()
    assert read_record(record).plies[0].errors == ("TO", "")


def test_what_a_role_sees(ggp: Ggp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "hint\n1\n")
    outcome = ggp(
        "play", rule_file(tmp_path, COIN), "--player", "guesser=human", "--player", "other=legal", "--seed", "1"
    )
    assert "ply 1  you saw (coin " in outcome.out
    assert "there are no hints in a game with hidden information" in outcome.out


class Shell:
    """`ggp` in a terminal of its own."""

    def __init__(self, *arguments: str, columns: int = 100, rows: int = 30) -> None:
        self.master, slave = pty.openpty()
        command = [sys.executable, "-m", "ggp", *arguments]
        size = {"COLUMNS": str(columns), "LINES": str(rows)}
        environment = {**os.environ, **size, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
        )
        os.close(slave)
        self.text, self.read = "", 0

    def until(self, text: str) -> None:
        """Read until some text appears behind what has been read."""
        deadline = time.monotonic() + 60
        while (found := self.text.find(text, self.read)) < 0:
            assert select.select([self.master], [], [], deadline - time.monotonic())[0], self.text
            try:
                self.text += os.read(self.master, 10_000).decode(errors="replace")
            except OSError:  # the process has ended
                pytest.fail(f"{text!r} is missing in {self.text!r}")
        self.read = found + len(text)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())


@pytest.mark.parametrize(
    "clocks", [[], pytest.param(["--play-clock", "60"], marks=pytest.mark.slow)], ids=["direct", "with a clock"]
)
@pytest.mark.parametrize("keys", ["\x04", "\x03"], ids=["Ctrl-D", "Ctrl-C"])
def test_a_terminal(keys: str, clocks: list[str], tmp_path: Path) -> None:
    record = tmp_path / "match.json"
    players = ("--player", "xplayer=human", "--player", "oplayer=legal", "--record", str(record))
    shell = Shell("play", "tic_tac_toe", *players, *clocks)
    try:
        shell.until("xplayer to move")
        shell.until(PROMPT)
        shell.type("mark 2\t 2\r")
        shell.until("xplayer to move")
        shell.until(PROMPT)
        shell.type(keys)
        shell.until("aborted after 2 plies")
        assert shell.process.wait(30) == 130
    finally:
        shell.close()
    assert read_record(record).plies[0].moves[0] == "(mark 2 2)"


@pytest.mark.slow
def test_a_terminal_on_which_the_clock_runs_out() -> None:
    shell = Shell("play", "tic_tac_toe", "--player", "xplayer=human", "--player", "oplayer=legal", "--play-clock", "2")
    try:
        shell.until(PROMPT)
        shell.until("at random: late")
        shell.until(PROMPT)
        shell.type("quit\r")
        shell.until("aborted after")
    finally:
        shell.close()


@pytest.mark.parametrize(("rows", "hidden"), [(24, 4), (20, 16)])
def test_board_and_moves_fit_the_screen(rows: int, hidden: int) -> None:
    players = ("--player", "white=human", "--player", "black=legal", "--seed", "1")
    shell = Shell("play", "breakthrough", *players, columns=80, rows=rows)
    try:
        shell.until("white to move")
        first = shell.read
        shell.until(PROMPT)
        shell.type("1\r")
        shell.until("white to move")
        screens = [shell.text[:first], shell.text[first : shell.read]]
        shell.until(PROMPT)
        shell.type("moves\r")
        shell.until("22  (move")
    finally:
        shell.close()
    for screen, moves in zip(screens, (22, 23), strict=True):
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen).replace("\r", "")
        shown = plain[plain.rindex("\n8  ") + 1 :].splitlines()
        # The line of the last move, a blank, and the line for the answer come on top of it.
        assert len(shown) + 3 <= rows, plain
        listed = " ".join(shown).count("(move ")
        assert f"... and {hidden + moves - 22} more: moves" in shown
        assert listed == 22 - hidden
        assert len(shown) > rows - 5, "what is not hidden without need"
