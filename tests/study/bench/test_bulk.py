"""Bulk playouts: sums that do not depend on who plays."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from support.commands import Ggp
from support.toy_files import rule_file
from support.toy_rules import NIM

import gdl
from gdl.errors import Source
from ggp.study.bench.bulk import BulkPlayouts, Sums, playout_jobs, sums_of
from ggp.work.job import WorkError

RULES = Source("nim.kif", NIM)


def played(playouts: int, jobs: int, size: int = 1000) -> Sums:
    with BulkPlayouts(RULES, playouts, seed=7, size=size, jobs=jobs) as running:
        *_, last = running.run()
    assert last == running.sums
    assert not running.lost
    return last


def test_jobs_cover_all_playouts_with_different_seeds() -> None:
    jobs = list(playout_jobs(RULES, 2500, 1, 500, size=1000))
    assert [job.settings["count"] for job in jobs] == [1000, 1000, 500]
    assert len({job.settings["seed"] for job in jobs}) == 3


def test_processes_and_order_do_not_change_the_sums() -> None:
    one = played(5000, 1)
    assert one == played(5000, 2)
    simulator = gdl.compile(NIM)
    alone = Sums()
    for job in reversed(list(playout_jobs(RULES, 5000, 7, 500, size=1000))):
        result = simulator.playouts(job.settings["count"], seed=job.settings["seed"], max_plies=500)
        alone += Sums(**json.loads(json.dumps(asdict(sums_of(result)))))
    assert alone == one
    assert json.dumps(asdict(alone), sort_keys=True) == json.dumps(asdict(one), sort_keys=True)


def test_the_sums_are_those_of_the_simulator() -> None:
    result = gdl.compile(NIM).playouts(3000, seed=3)
    sums = sums_of(result)
    assert (sums.playouts, sums.transitions, sums.max_length) == (3000, result.transitions, result.max_length)
    assert sums.mean_length == result.mean_length
    assert sums.goals == pytest.approx(result.goals)


@pytest.mark.exhaustive  # The compiler tries for a minute.
def test_rules_that_cannot_be_compiled_are_refused() -> None:
    endless = Source(
        "count.kif",
        "(role a) (init (n z)) (<= (next (n (s ?x))) (true (n ?x))) (legal a go) (goal a 0)\n"
        "(<= terminal (true (n nowhere)))",
    )
    with (
        BulkPlayouts(endless, 10, jobs=1) as running,
        pytest.raises(WorkError, match="bulk playouts need the compiled game"),
    ):
        list(running.run())


class TestCommand:
    def test_a_table(self, ggp: Ggp, tmp_path: Path) -> None:
        file = rule_file(tmp_path, NIM, "nim.kif")
        found = ggp("bench", "sums", file, "--playouts", "2000", "--jobs", "1", "--seed", "7")
        assert found.status == 0
        heading, row = found.lines
        assert heading.split()[:3] == ["game", "playouts", "transitions"]
        assert row.split()[:2] == ["nim", "2,000"]
        assert "left " in row

    def test_json(self, ggp: Ggp, tmp_path: Path) -> None:
        file = rule_file(tmp_path, NIM, "nim.kif")
        (line,) = ggp("bench", "sums", file, "--playouts", "2000", "--jobs", "1", "--json").lines
        fields = json.loads(line)
        assert (fields["playouts"], fields["asked"], fields["lost"]) == (2000, 2000, [])
        assert sum(fields["counts"]["left"].values()) == 2000
        assert fields["work"]["done"] == 1
