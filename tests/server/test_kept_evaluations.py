"""Evaluations of analyses are kept: the one that saw most counts, whatever comes after it and whatever is damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ggp.server.messages import EvaluationNews
from ggp.server.web.files import MatchFiles
from ggp.server.web.kept_evaluations import KeptEvaluations

MATCH = "toy-1234"
PLAYED = (("a", "noop"), ("noop", "b"), ("c", "noop"))


@pytest.fixture
def files(tmp_path: Path) -> MatchFiles:
    return MatchFiles(tmp_path)


def news(ply: int, simulations: int, **more: Any) -> EvaluationNews:
    found = {"expected": {"left": 50.0}, "best": {}, "simulations": simulations, "proven": False, "exact": ""}
    return {"say": "evaluation", "name": "x", "ply": ply, "evaluation": found | more}


def test_positions_are_found_again_on_the_match_and_beside_it(files: MatchFiles) -> None:
    kept = KeptEvaluations(files)
    kept.add(MATCH, PLAYED, PLAYED, news(2, 10), 1.0)
    aside = (*PLAYED[:1], ("noop", "z"))
    kept.add(MATCH, PLAYED, aside, news(2, 20), 1.0)
    rows = KeptEvaluations(files).of(MATCH)
    assert [(row["played"], row["moves"]) for row in rows] == [(2, []), (1, [["noop", "z"]])]
    assert [row["evaluation"]["simulations"] for row in rows] == [10, 20]
    assert rows[0]["evaluation"].keys() >= {"expected", "seconds"}
    assert not rows[0]["evaluation"].keys() & {"say", "name", "ply", "mistake"}


def test_a_mistake_belongs_to_the_position_after_the_move(files: MatchFiles) -> None:
    kept = KeptEvaluations(files)
    blunder = {"role": "left", "kind": "blunder", "loss": 50.0, "better": "z"}
    for ply, mistake in ((3, None), (2, blunder), (1, None)):
        kept.add(MATCH, PLAYED, PLAYED, news(ply, 10, mistake=mistake), 1.0)
    rows = {row["played"]: row for row in kept.of(MATCH)}
    assert rows[3]["mistake"] == blunder
    assert rows[2]["mistake"] is None
    assert "mistake" not in rows[1]  # nobody has looked at the start


@pytest.mark.parametrize(
    ("first", "second", "kept_simulations", "seconds"),
    [
        ((100, 20.0, {}), (10, 1.0, {}), 100, 20.0),
        ((10, 1.0, {}), (100, 20.0, {}), 100, 20.0),
        ((100, 0.0, {}), (90, 20.0, {}), 100, 20.0),
        ((5, 1.0, {"exact": "a draw"}), (900, 20.0, {}), 5, 20.0),
        ((900, 20.0, {}), (5, 1.0, {"proven": True}), 5, 20.0),
    ],
    ids=["shallower", "deeper", "stopped", "exact", "proved"],
)
def test_the_evaluation_that_saw_most_counts(
    files: MatchFiles, first: Any, second: Any, kept_simulations: int, seconds: float
) -> None:
    kept = KeptEvaluations(files)
    for simulations, given, more in (first, second):
        kept.add(MATCH, PLAYED, PLAYED, news(1, simulations, **more), given)
    (row,) = kept.of(MATCH)
    assert (row["evaluation"]["simulations"], row["evaluation"]["seconds"]) == (kept_simulations, seconds)


def test_damaged_rows_are_left_out_and_superseded_ones_are_removed(files: MatchFiles, tmp_path: Path) -> None:
    kept = KeptEvaluations(files)
    file = tmp_path / f"{MATCH}.evaluations.jsonl"
    file.write_text('{"played": "x", "moves": []}\n{"played": 0, "moves": [5]}\n[]\n{"evaluation": 7}\n{"pla', "utf-8")
    file.write_text(file.read_text("utf-8") + "\n", "utf-8")
    for number in range(300):
        kept.add(MATCH, PLAYED, PLAYED, news(number % 2, number), 1.0)
    assert [row["evaluation"]["simulations"] for row in kept.of(MATCH)] == [298, 299]
    assert len(file.read_text("utf-8").splitlines()) == 2
    assert [row["evaluation"]["simulations"] for row in kept.of(MATCH)] == [298, 299]


def test_without_evaluations_there_is_nothing(files: MatchFiles) -> None:
    assert KeptEvaluations(files).of(MATCH) == []
