"""A short soak. Times are not judged, as other tests may run at the same time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from soak.__main__ import soak

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
