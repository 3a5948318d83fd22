"""Seeds on the command line."""

from __future__ import annotations

import pytest
from support.commands import Ggp


@pytest.mark.parametrize("command", ["bench", "check", "host", "join", "play", "test", "tournament"])
def test_seeds_out_of_range(command: str, ggp: Ggp) -> None:
    for seed in (-1, 2**64):
        done = ggp(command, "tic_tac_toe", "--seed", str(seed))
        assert (done.status, done.out) == (2, "")
        assert f"seed must be from 0 to 2^64 - 1, not {seed}" in " ".join(done.err.replace("│", " ").split())
