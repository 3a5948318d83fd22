"""The output of commands on terminals that are too narrow for it: no cell and no word is broken."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len
from support.toy_files import ROOT
from typer.testing import CliRunner

from ggp.cli import build


def run(width: int, *args: str) -> list[str]:
    """The lines on standard output of a command whose terminal has a width."""
    env = {"COLUMNS": str(width), "FORCE_COLOR": "1", "TERM": "xterm"}
    result = CliRunner().invoke(build(), list(args), env=env)
    assert result.exit_code == 0, result.output
    return re.sub(r"\x1b\[[0-9;]*m", "", result.stdout).splitlines()


def fits(lines: list[str], width: int) -> None:
    for line in lines:
        assert cell_len(line) <= width or len(line.split()) == 1 or str(ROOT) in line, line


@pytest.mark.parametrize("width", [100, 40])
def test_tournament(width: int) -> None:
    options = ("--play-clock", "5", "--games", "2", "--jobs", "1", "--seed", "1")
    lines = run(width, "tournament", "tic_tac_toe", "--players", "random,legal", *options)
    fits(lines, width)
    heads = [line.split() for line in lines if line.startswith("player ")]
    assert len(heads) == {100: 2, 40: 4}[width]
    assert all(head[0] == "player" for head in heads)
    assert [word for head in heads for word in head[1:]].count("slowest") == 1
    assert sum(line.startswith("random ") for line in lines) >= len(heads)


@pytest.mark.parametrize("width", [100, 40])
def test_inspect(width: int) -> None:
    lines = run(width, "inspect", "tic_tac_toe")
    fits(lines, width)
    heads = [line.split() for line in lines if line.startswith("stage ")]
    assert (
        heads
        == {
            100: [["stage", "gates", "inputs", "depth", "seconds"]],
            40: [["stage", "gates", "inputs", "depth"], ["stage", "seconds"]],
        }[width]
    )


@pytest.mark.parametrize("width", [100, 40])
def test_bench(width: int) -> None:
    lines = run(width, "bench", "tic_tac_toe", "--seconds", "0.05", "--repeat", "1")
    fits(lines, width)
    text = "\n".join(lines)
    for name in ("playouts/s", "transitions/s", "mean length", "setup s", "cut off"):
        assert name in text


@pytest.mark.parametrize("width", [100, 40])
def test_solve(width: int) -> None:
    lines = run(width, "solve", "tic_tac_toe")
    fits(lines, width)
    assert any(line.startswith("value ") for line in lines)
