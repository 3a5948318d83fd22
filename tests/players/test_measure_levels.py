"""The script that measures levels: what was played is not played again, and damaged results are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.toy_files import ROOT

SCRIPT = ROOT / "docs" / "benchmarks" / "levels.py"

#: Left may take all or nothing, and wins if it takes all.
RACE = """
(role left) (role right) (init (step 1))
(<= (legal left (take ?n)) (true (step 1)) (number ?n)) (number 1) (number 2)
(<= (legal right noop) (true (step 1)))
(<= (next (took ?n)) (does left (take ?n)))
(<= terminal (true (took ?n)))
(<= (goal left 100) (true (took 2))) (<= (goal right 0) (true (took 2)))
(<= (goal left 0) (true (took 1))) (<= (goal right 100) (true (took 1)))
"""


def measure(folder: Path, game: Path) -> tuple[str, str]:
    command = [sys.executable, str(SCRIPT), "--matches", "2", "--jobs", "1", str(game)]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=True)
    return ended.stdout, ended.stderr


@pytest.mark.slow
def test_results_are_kept_and_completed(tmp_path: Path) -> None:
    game = tmp_path / "race.kif"
    game.write_text(RACE, encoding="utf-8")
    table, progress = measure(tmp_path, game)
    head, rule, row = table.splitlines()
    assert (head.count("|"), rule.count("---")) == (10, 9)
    assert row.startswith("| race | ")
    assert row.count("%") == 8
    assert "16 of 16" in progress
    results = tmp_path / "levels.jsonl"
    lines = results.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 16
    assert measure(tmp_path, game) == (table, "\n")
    # The last line was not completed, so its match is played again.
    results.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:-3], encoding="utf-8")
    again, progress = measure(tmp_path, game)
    assert "16 of 16" in progress
    assert "15 of 16" not in progress
    assert again.count("%") == 8
    assert measure(tmp_path, game)[1] == "\n"
