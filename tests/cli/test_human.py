"""A person at the terminal: numbers, moves, nonsense, and an input that ends."""

from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest
from support.commands import Ggp
from support.toy_files import rule_file
from support.toy_rules import COIN

from ggp.match.record import Result, read_record


def types(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_numbers_and_moves(ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "1\n  (TAKE one) \n")
    outcome = ggp("play", nim, "--player", "left=human", "--player", "right=legal", "--seed", "1")
    assert outcome.status == 0, outcome.err
    assert "1  (take one)\n2  (take two)\nleft to move (a number or a move):\n  1  left   (take one)\n" in outcome.out
    assert "left to move (a number or a move):\n  3  left   (take one)\n" in outcome.out
    assert "errors" not in outcome.out


def test_nonsense_is_asked_again(ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "3\n\n(take\n(take three)\x1b[31m\n2\n2\n")
    outcome = ggp("play", nim, "--player", "left=human", "--player", "right=legal", "--seed", "1")
    assert "\n3 is not legal for left; a number or a move:\n(take is not legal for left;" in outcome.out
    assert "\x1b" not in outcome.out
    assert "\n  1  left   (take two)\n" in outcome.out


@pytest.mark.parametrize("clocks", [[], ["--play-clock", "60"]], ids=["direct", "with a clock"])
def test_an_input_that_ends(
    clocks: list[str], ggp: Ggp, nim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    types(monkeypatch, "1\n")
    record = tmp_path / "match.json"
    outcome = ggp("play", nim, "--player", "human", "--seed", "1", "--record", record, *clocks)
    assert outcome.status == 0
    read = read_record(record)
    assert read.result is Result.FINISHED
    assert read.plies[0].errors == ("", "")
    assert read.plies[1].errors[1].startswith("CE EOFError: the input has ended")


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
    types(monkeypatch, "1\n")
    outcome = ggp(
        "play", rule_file(tmp_path, COIN), "--player", "guesser=human", "--player", "other=legal", "--seed", "1"
    )
    assert "guesser sees (coin " in outcome.out
