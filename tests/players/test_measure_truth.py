"""The script that measures how often players keep the value of a position."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.toy_files import ROOT

SCRIPT = ROOT / "docs" / "benchmarks" / "truth.py"


def measure(folder: Path, *more: str) -> list[str]:
    command = [sys.executable, str(SCRIPT), "tic_tac_toe", "--positions", "12", "--plies", "2", "5", *more]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=True)
    return ended.stdout.splitlines()


@pytest.mark.slow
def test_positions_are_solved_and_players_are_asked_once(tmp_path: Path) -> None:
    options = ("--players", "random", "--play-clock", "0")
    table = measure(tmp_path, *options)
    counts = [[int(cell) for cell in row.split("|")[1:-1]] for row in table[2 : table.index("")]]
    assert sum(row[1] for row in counts) == sum(row[2] for row in counts) == 12
    assert {row[0] for row in counts} <= {2, 3, 4, 5}
    sharp = sum(row[3] for row in counts)
    assert 0 < sharp < 12
    results = tmp_path / "truth.jsonl"
    lines = results.read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    values, moves = {one["number"]: one for one in found[:12]}, {one["number"]: one["move"] for one in found[12:]}
    assert sorted(moves) == [number for number in range(12) if values[number]["losing"]]
    assert len(moves) == sharp
    lost = sum(move in values[number]["losing"] for number, move in moves.items())
    kept = sum(move in values[number]["keeping"] for number, move in moves.items())
    assert kept + lost == sharp
    average, row = table[-2:]
    assert average.startswith("| a random move, on average | ")
    assert row.startswith(f"| `random` | {100 * kept / sharp:.0f}% of {sharp} | ")
    assert f" | {100 * (12 - lost) / 12:.0f}% of 12 | " in row
    # The last line was not completed, so that move is asked for again; nothing else is.
    results.write_text("\n".join(lines)[:-3], encoding="utf-8")
    assert measure(tmp_path, *options) == table
    added = results.read_text(encoding="utf-8").splitlines()
    assert added[: len(lines) - 1] == lines[:-1]
    assert json.loads(added[-1])["move"] == found[-1]["move"]
    assert len(added) == len(lines) + 1
