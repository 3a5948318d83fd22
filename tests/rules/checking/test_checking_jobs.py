"""Simulations as jobs: the same reports as in one process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from support.commands import Ggp
from support.executors import Here
from support.toy_rules import NIM

from gdl.errors import Source
from gdl.language.parser import source_of
from gdl.language.rulesheet import Rulesheet
from ggp.rules.checking import FileReport, Options, Simulation, check_source
from ggp.rules.checking.jobs import actions, check_all
from ggp.rules.checking.simulation import simulate
from ggp.rules.checking.verdict import Simulated
from ggp.work.job import Executor

#: Rules with two goals, which a simulation finds; with a mistake, so that they are not played; and without end,
#: which takes more derivations than are allowed.
WRONG = NIM + "(<= (goal left 30) (true (heap 0)))\n"
BROKEN = "(role a"
ENDLESS = "(role a) (init (n z)) (legal a go) (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n ?x)) (big ?x))"
ENDLESS += " (<= (big ?x) (pair ?x ?y)) (<= (pair ?x (s ?y)) (pair ?x ?y)) (pair z z) (goal a 1)"

OPTIONS = Options(simulation=Simulation(20, 0.0, 1))


def test_results_survive_as_json() -> None:
    source = source_of(WRONG, "wrong.kif")
    found = simulate(Rulesheet.of_source(source), Simulation(20, 2.0, 1))
    assert found.diagnostics
    assert any(diagnostic.notes for diagnostic in found.diagnostics)
    assert any(verdict.moves and verdict.facts for verdict in found.verdicts)
    assert Simulated.from_json(found.as_json(), source) == found


def test_jobs_report_what_one_process_reports() -> None:
    sources = {number: source_of(text, f"{number}.kif") for number, text in enumerate((NIM, WRONG, BROKEN, ENDLESS))}
    found = dict(check_all(sources, OPTIONS, Here(actions)))
    assert found == {number: check_source(source, OPTIONS) for number, source in sources.items()}


def test_a_simulation_that_fails_is_a_reason() -> None:
    def refuse(rules: str, **_: object) -> dict[str, object]:
        raise MemoryError(rules[:0] + "no memory")

    found = dict(check_all({0: source_of(NIM, "nim.kif")}, OPTIONS, Here(lambda _: {"simulate": refuse})))
    assert found == {0: "MemoryError: no memory"}


class TestCommand:
    @pytest.fixture(autouse=True)
    def _files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        for name, text in {"nim": NIM, "wrong": WRONG, "broken": BROKEN}.items():
            Path(f"{name}.kif").write_text(text, encoding="utf-8")

    def test_reports_come_in_the_order_of_the_files(self, ggp: Ggp) -> None:
        options = ("--simulate", "--seconds", "0", "--playouts", "20", "--seed", "1", "--errors-only")
        files = ("wrong.kif", "nim.kif", "broken.kif")
        found = ggp("check", *files, *options, "--jobs", "2")
        assert found.status == 1
        alone = [ggp("check", file, *options).out for file in files]
        assert found.out == "".join(alone)
        assert [line.split(":")[0] for line in found.out.splitlines() if " found" in line] == ["nim.kif"]

    def test_a_file_that_cannot_be_read_does_not_stop_the_others(self, ggp: Ggp) -> None:
        found = ggp("check", "absent.kif", "nim.kif", "--simulate", "--seconds", "0", "--playouts", "5")
        assert found.status == 2
        assert "absent.kif" in found.err
        assert "nim.kif: " in found.out

    def test_options_for_processes_need_simulations(self, ggp: Ggp) -> None:
        for option in (("--jobs", "2"), ("--ray", "auto")):
            found = ggp("check", "nim.kif", *option)
            assert found.status == 2
            assert "need --simulate" in found.err

    def test_an_interrupt_shows_what_is_known(self, ggp: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(
            sources: Mapping[int, Source], options: Options, _: Executor
        ) -> Iterator[tuple[int, FileReport | str]]:
            yield from check_all({0: sources[0]}, options, Here(actions))
            raise KeyboardInterrupt

        monkeypatch.setattr("ggp.rules.checking.jobs.check_all", interrupted)
        found = ggp("check", "nim.kif", "wrong.kif", "--simulate", "--seconds", "0", "--playouts", "5")
        assert found.status == 130
        assert "nim.kif: " in found.out
        assert "wrong.kif" not in found.out
        assert "interrupted" in found.err
