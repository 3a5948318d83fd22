"""A short soak. Times are not judged, as other tests may run at the same time.

Signals come at other moments in each run; the environment variable `INTERRUPTS` has the seed of some of them.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from soak.__main__ import soak
from soak.interrupts import COMMANDS, attempts

#: What depends on the speed of the machine.
TIMES = {
    "matches with late moves or other faults",
    "moves made at random for late players",
    "slow answers to honest requests",
    "too few matches",
}


@pytest.mark.slow
def test_services_survive_hostile_requests(tmp_path: Path) -> None:
    ledger = asyncio.run(soak(25.0, 0.3, seed=1, folder=tmp_path))
    assert {what: notes for what, notes in ledger.misses.items() if what not in TIMES} == {}
    assert ledger.answers.total() > 100


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are read from /proc")
def test_commands_end_at_random_moments(tmp_path: Path) -> None:
    seed = int(os.environ.get("INTERRUPTS") or time.time_ns() % 10**6)
    faults = {result.command: result.faults for result in attempts(COMMANDS, 1, seed, tmp_path) if result.faults}
    assert faults == {}, f"INTERRUPTS={seed}"
