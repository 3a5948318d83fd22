"""The sizes of a circuit at each stage, and the frequency of the processor."""

from __future__ import annotations

import pytest
from support.toy_files import ROOT

import gdl
from gdl.simulator.inspection import frequency, inspect


@pytest.mark.slow
def test_each_stage_is_no_larger_where_a_game_repeats_itself() -> None:
    found = inspect(gdl.Rulesheet.load(ROOT / "games" / "knights_and_pawns.kif"))
    gates = {stage.name: stage.gates for stage in found.stages}
    assert gates["invariants"] < gates["absorption"] <= gates["as it is"]
    assert all(stage.depth > 0 for stage in found.stages)


def test_the_frequency_is_that_of_a_processor() -> None:
    assert 1e8 < frequency() < 1e10
