"""The options `--position` and `--seed` of the commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import Ggp

#: x can win at once, and it is x's turn.
WINNING = (
    "(true (cell 1 1 x)) (true (cell 2 2 x)) (true (cell 1 2 o)) (true (cell 3 2 o)) (true (cell 3 3 b)) "
    "(true (control xplayer))"
)


def test_play_from_a_position_and_replay_it(ggp: Ggp, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    run = ggp("play", "tic_tac_toe", "--position", WINNING, "--player", "legal", "--record", str(file), "--quiet")
    assert run.status == 0, run.err
    assert "finished after 1 ply" in run.out
    assert json.loads(file.read_text())["goalValues"] == [100, 0]
    assert ggp("replay", str(file), "--quiet").status == 0
    assert ggp("render", str(file)).status == 0


def test_explain_and_render_a_position(ggp: Ggp, tmp_path: Path) -> None:
    run = ggp("explain", "tic_tac_toe", "(legal xplayer (mark 3 3))", "--position", WINNING)
    assert run.status == 0
    assert "(true (cell 3 3 b))" in run.out
    file = tmp_path / "position.txt"
    file.write_text(WINNING)
    drawn = ggp("render", "tic_tac_toe", "--position", str(file))
    assert drawn.out.startswith("<svg")
    assert drawn.out != ggp("render", "tic_tac_toe").out


@pytest.mark.slow
def test_solve_a_position(ggp: Ggp) -> None:
    run = ggp("solve", "tic_tac_toe", "--position", WINNING)
    assert run.status == 0, run.err
    assert "xplayer wins in 1 ply" in run.out


@pytest.mark.parametrize("command", [["play"], ["solve"], ["render"], ["explain", "terminal"]])
def test_a_text_that_is_no_position_is_refused_with_a_caret(ggp: Ggp, command: list[str]) -> None:
    name, *rest = command
    run = ggp(name, "tic_tac_toe", *rest, "--position", "(true (sell 1 1 b))")
    assert run.status == 2
    assert "--position:1:7" in run.err
    assert "did you mean cell?" in run.err
    assert "      ^" in run.err
    assert "Traceback" not in run.err


def test_options_that_do_not_go_together(ggp: Ggp, tmp_path: Path) -> None:
    run = ggp("solve", "tic_tac_toe", "--position", WINNING, "--store", str(tmp_path / "proof"))
    assert run.status == 2
    assert "cannot be combined" in run.err
    run = ggp("play", "tic_tac_toe", "--position", str(tmp_path / "missing"))
    assert run.status == 2
    assert "missing" in run.err


@pytest.mark.parametrize("command", ["bench", "check", "host", "join", "play", "test", "tournament"])
def test_seeds_out_of_range(command: str, ggp: Ggp) -> None:
    for seed in (-1, 2**64):
        done = ggp(command, "tic_tac_toe", "--seed", str(seed))
        assert (done.status, done.out) == (2, "")
        assert f"seed must be from 0 to 2^64 - 1, not {seed}" in " ".join(done.err.replace("│", " ").split())
