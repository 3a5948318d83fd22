"""`ggp train`: its output, and that it goes on after it was killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import Ggp
from support.processes import soon

from gdl.system.files import alone
from ggp.players.learned_values.value import read_value


@pytest.mark.slow
def test_lines_and_json(ggp: Ggp, tmp_path: Path) -> None:
    output = tmp_path / "some.learned"
    arguments = ("train", "tic_tac_toe", "-o", output, "--jobs", "2", "--no-measure")
    found = ggp(*arguments, "--rounds", "2", "--plot", tmp_path / "none" / "some.svg")
    assert (found.status, "does not exist" in found.err) == (2, True)
    found = ggp(*arguments, "--rounds", "2", "--plot", tmp_path / "some.svg")
    assert (tmp_path / "some.svg").read_text(encoding="utf-8").count("none were played") == 2
    assert (found.status, found.err) == (0, "")
    assert found.lines[0].startswith("time 0.")
    assert found.lines[-1] == f'wrote {output}; play with --player "learned({output})"'
    found = ggp(*arguments, "--rounds", "4", "--json")
    lines = [json.loads(line) for line in found.lines]
    assert [line["event"] for line in lines] == ["progress"] * (len(lines) - 1) + ["end"]
    assert {line["command"] for line in lines} == {"train"}
    assert lines[-1]["rounds"] == 4
    assert (lines[-1]["work"]["cores"], lines[-1]["work"]["done"]) == (2, 2 * 8)
    assert read_value(output).made["rounds"] == 4


def test_games_that_cannot_be_trained(ggp: Ggp, tmp_path: Path) -> None:
    output = tmp_path / "some.learned"
    found = ggp("train", "wolf_sheep", "--minutes", "0", "-o", output)
    assert found.status == 2
    assert "--minutes must be positive" in found.err
    found = ggp("train", "kuhn_poker", "-o", output)
    assert found.status == 2
    assert "not-trainable: states are hidden in this game; training needs states that all roles see" in found.err
    found = ggp("train", "tic_tac_toe", "-o", tmp_path / "none" / "some.learned")
    assert found.status == 2
    assert "not a file in a folder that exists" in found.err
    with alone(output):
        found = ggp("train", "tic_tac_toe", "-o", output)
    assert (found.status, found.err) == (2, f"{output}: file-in-use: another process writes it\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_it_goes_on_after_it_was_ended(tmp_path: Path, end: signal.Signals) -> None:
    output = tmp_path / "some.learned"
    command = [sys.executable, "-m", "ggp", "train", "tic_tac_toe", "--no-measure", "--jobs", "1", "-o", str(output)]
    before = 0
    for _ in range(2):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            assert soon(lambda: output.exists() and read_value(output).made["rounds"] > before)  # noqa: B023
        finally:
            process.send_signal(end)
            _, errors = process.communicate(timeout=30)
        assert errors == b"" or b"has what is learned" in errors
        before = read_value(output).made["rounds"]
    assert before >= 2
