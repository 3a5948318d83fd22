"""`ggp train` killed with -9 at any moment: it goes on, and learns what it would have learned without."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ggp.players.learned_values.value import read_value

#: `ggp`, with files written every fifth of a second instead of every twenty seconds, and short rounds.
COMMAND = """\
import ggp.learning.train, ggp.learning.trainer
ggp.learning.train._FILES = 0.2
ggp.learning.trainer._NODES = 20_000
ggp.learning.trainer._PLAYOUTS = 4_000
from ggp.__main__ import main
main()
"""


def training(game: str, rounds: int, output: Path) -> subprocess.Popen[str]:
    options = ["--rounds", str(rounds), "--seed", "3", "--jobs", "1", "--no-measure", "-o", str(output)]
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "train", game, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def rounds_of(output: Path) -> int:
    """The rounds in the file, which is whole whenever it is read; 0 if there is none yet."""
    return int(read_value(output).made["rounds"]) if output.exists() else 0


@pytest.mark.parametrize(
    ("game", "rounds", "kills"),
    [
        pytest.param("tic_tac_toe", 40, 2, marks=pytest.mark.slow),
        pytest.param("tic_tac_toe", 60, 10, marks=pytest.mark.exhaustive),
        # Chance, whose rounds are short; three roles; moves at the same time; one role.
        pytest.param("pig", 120, 10, marks=pytest.mark.exhaustive),
        pytest.param("odd_one_out", 60, 10, marks=pytest.mark.exhaustive),
        pytest.param("harvest", 60, 10, marks=pytest.mark.exhaustive),
        pytest.param("lights_out", 60, 10, marks=pytest.mark.exhaustive),
    ],
)
def test_kills(game: str, rounds: int, kills: int, tmp_path: Path) -> None:
    dice = random.Random(1)
    killed = tmp_path / "killed.learned"
    reached = [0]
    for _ in range(kills):
        running = training(game, rounds, killed)
        # Wait for the first round of this process, then for any moment.
        until = time.monotonic() + 120
        while rounds_of(killed) <= reached[-1] and running.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(dice.uniform(0, 0.3))
        running.kill()
        running.communicate()
        reached.append(rounds_of(killed))
    assert all(before < after for before, after in pairwise(reached))
    assert reached[-1] < rounds
    whole = tmp_path / "whole.learned"
    for output in (killed, whole):
        running = training(game, rounds, output)
        _, err = running.communicate(timeout=600)
        assert running.returncode == 0, err
        assert rounds_of(output) == rounds
    one, other = read_value(killed).arrays, read_value(whole).arrays
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)
