"""The processes that play a tournament: they crash, hang and are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from support.tournament_players import players_in
from support.toy_files import rule_file
from support.toy_rules import NIM

from gdl.errors import Source
from gdl.language.parser import read_source
from ggp.tournament import pool as match_pools
from ggp.tournament.outcome import Outcome
from ggp.tournament.plan import Task
from ggp.tournament.pool import LostMatch, MatchPool
from ggp.work import pool as pools
from ggp.work.job import ATTEMPTS, Job, Lost, WorkerDiedError, WorkError
from ggp.work.worker import Worker


def pool_of(jobs: int, logs: Path) -> MatchPool:
    return MatchPool(jobs, memory=None, logs=logs / "logs")


def play(task: Task, jobs: int = 1) -> Outcome | LostMatch:
    with pool_of(jobs, Path(task.rules.name).parent) as pool:
        (result,) = pool.play([task])
    return result


@pytest.fixture
def task(tmp_path: Path) -> Callable[..., Task]:
    file = rule_file(tmp_path, NIM, "nim.kif")

    def make(*lineup: str, number: int = 0, clock: float | None = None) -> Task:
        return Task(number, read_source(file), "nim", lineup, 1, 500, clock, clock)

    return make


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.txt"


@pytest.fixture
def player(tmp_path: Path, log: Path) -> Callable[[str], str]:
    return players_in(tmp_path, log)


class TestPool:
    def test_matches_are_played_by_one_process_each_that_stays(
        self, task: Callable[..., Task], player: Callable[[str], str], log: Path
    ) -> None:
        tasks = [task(player("Slow"), "random", number=number) for number in range(6)]
        with pool_of(2, log.parent) as pool:
            results = list(pool.play(tasks))
        assert sorted(result.number for result in results if isinstance(result, Outcome)) == list(range(6))
        assert len({line.split()[1] for line in log.read_text().splitlines()}) == 2

    def test_a_process_that_dies_loses_only_its_match_which_is_played_again(
        self, task: Callable[..., Task], player: Callable[[str], str], log: Path
    ) -> None:
        result = play(task("random", player("KillerOnce")))
        assert isinstance(result, Outcome)
        assert result.conduct[1].crashes == 0
        assert log.read_text() == "killed\n"

    @pytest.mark.slow
    def test_a_match_that_kills_every_process_is_given_up(
        self, task: Callable[..., Task], player: Callable[[str], str], log: Path
    ) -> None:
        with pool_of(1, log.parent) as pool:
            lost, after = pool.play([task("random", player("Killer")), task("random", "legal", number=1)])
        assert isinstance(lost, Lost)
        assert lost.reason == f"the process ended with signal SIGKILL, {ATTEMPTS} times"
        assert log.read_text() == "killed\n" * ATTEMPTS
        assert isinstance(after, Outcome)

    @pytest.mark.slow
    def test_a_player_that_dies_is_charged_with_it(
        self, task: Callable[..., Task], player: Callable[[str], str], log: Path
    ) -> None:
        result = play(task("legal", player("Deadly")))
        assert isinstance(result, Outcome)
        deaths = len(log.read_text().splitlines())
        assert deaths > 0
        assert [conduct.crashes for conduct in result.conduct] == [0, deaths]
        assert result.errors[1] == "ply 2, right: CE exit status 7"

    @pytest.mark.slow
    def test_a_player_that_hangs_is_left_behind_with_its_process(
        self, task: Callable[..., Task], player: Callable[[str], str], log: Path
    ) -> None:
        with pool_of(1, log.parent) as pool:
            first, second = pool.play([task(player("Hanging"), "legal", clock=0.1), task("legal", "legal", number=1)])
        assert isinstance(first, Outcome)
        assert first.conduct[0].late > 0
        assert first.conduct[1].late == 0
        assert isinstance(second, Outcome)

    @pytest.mark.slow
    def test_a_process_that_holds_everything_up_is_killed(
        self, task: Callable[..., Task], player: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(match_pools, "match_limit", lambda _: 1.5)
        monkeypatch.setattr(pools, "ATTEMPTS", 1)
        result = play(task(player("Hanging"), "legal"))
        assert isinstance(result, Lost)
        assert "signal SIGKILL" in result.reason

    @pytest.mark.slow
    def test_what_players_print_and_read_harms_nothing(
        self, task: Callable[..., Task], player: Callable[[str], str]
    ) -> None:
        result = play(task(player("Loud"), player("Loud")))
        assert isinstance(result, Outcome)
        assert [conduct.crashes for conduct in result.conduct] == [0, 0]

    def test_errors_of_a_request_are_told(self, tmp_path: Path) -> None:
        worker = Worker("ggp.tournament.match_process", "0", str(tmp_path))
        try:
            with pytest.raises(WorkError, match="unknown-player: no player nobody"):
                worker.ask({"do": "check", "player": "nobody"})
            with pytest.raises(WorkError, match=r"nim\.kif"):
                worker.do(Job("load", {}, Source("nim.kif", "(role")))
            with pytest.raises(WorkError, match="KeyError"):
                worker.ask({"do": "load", "rules": "none"})
            with pytest.raises(WorkError, match="TypeError"):
                worker.ask({"do": "check"})
            with pytest.raises(WorkError, match="KeyError"):
                worker.ask({"do": "nothing"})
            assert worker.ask({"do": "check", "player": "legal"}) == {}
        finally:
            worker.kill()
            worker.stop()
        with pytest.raises(WorkerDiedError):
            worker.ask({"do": "check", "player": "legal"})


def test_sigint_is_left_to_who_started_the_processes(tmp_path: Path) -> None:
    worker = Worker("ggp.tournament.match_process", "0", str(tmp_path))
    try:
        assert worker.ask({"do": "check", "player": "legal"}) == {}
        assert worker._child is not None
        os.kill(worker._child.pid, signal.SIGINT)
        assert worker.ask({"do": "check", "player": "legal"}) == {}
    finally:
        worker.stop()
