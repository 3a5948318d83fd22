"""Rule files that a program has made: it still makes the shipped one, and its puzzles can be solved."""

from __future__ import annotations

import runpy
import sys

import pytest
from support.toy_files import ROOT

import gdl

MAKER = ROOT / "docs" / "examples" / "make_lights_out.py"


def made(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", [str(MAKER), *arguments])
    runpy.run_path(str(MAKER), run_name="__main__")
    return capsys.readouterr().out


def test_the_shipped_puzzle_is_made_again(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = (ROOT / "games" / "gallery" / "lights_out.kif").read_text(encoding="utf-8")
    assert made(capsys, monkeypatch, "lights_out") == shipped


@pytest.mark.parametrize(("size", "presses"), [(2, 1), (3, 2)])
def test_a_small_puzzle_can_be_solved_in_its_presses(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, size: int, presses: int
) -> None:
    text = made(capsys, monkeypatch, "tiny", "--size", str(size), "--presses", str(presses), "--seed", "5")
    assert [found.code for found in gdl.check(text)] == []
    game = gdl.Reasoner(text)
    states = {game.initial_state()}
    for _ in range(presses):
        states = {
            game.next_state(state, [move])
            for state in states
            if not game.is_terminal(state)
            for move in game.legal_moves(state, "robot")
        }
        assert states
    assert all(map(game.is_terminal, states))
    assert {game.goal(state, "robot") for state in states} == {0, 100}


def test_sizes_and_presses_that_make_no_puzzle_are_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for wrong in (("--size", "1"), ("--presses", "0"), ("--presses", "13")):
        with pytest.raises(SystemExit) as refused:
            made(capsys, monkeypatch, "wrong", *wrong)
        assert refused.value.code == 2
        assert "at most half of all cells" in capsys.readouterr().err
