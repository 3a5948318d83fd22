"""Jobs as values, and what commands say about clusters that cannot be used."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import Ggp
from support.toy_rules import NIM

import gdl
from gdl.errors import Source
from gdl.simulator.cache import fingerprint
from ggp.tournament.plan import Task
from ggp.tournament.pool import match_job, with_absolute_file
from ggp.work import remote
from ggp.work.job import Done, Job, Lost, Progress, WorkError, digest_of
from ggp.work.pool import Pool, open_executor
from ggp.work.process import Answers, Games
from ggp.work.worker import Worker

RULES = Source("nim.kif", NIM)


def test_text_that_is_not_utf8_has_a_digest() -> None:
    assert digest_of(Source("a.kif", "; \udcff")) != digest_of(Source("a.kif", "; \udcfe"))


class TestMatchJob:
    TASK = Task(0, RULES, "nim", ("random", "mine.py:A(x=1)"), 1, 500, None, None, "simulator")

    def test_only_a_match_with_a_clock_needs_a_core_for_each_player(self) -> None:
        assert match_job(self.TASK).cores == 1
        assert match_job(replace(self.TASK, play_clock=1.0)).cores == 2
        assert match_job(replace(self.TASK, start_clock=1.0)).cores == 2

    def test_files_of_players_are_found_from_any_folder(self) -> None:
        assert with_absolute_file("mine.py:A(x=1)") == f"{Path('mine.py').absolute()}:A(x=1)"
        for name in ("random", "mcts(simulations=5)", "package.module:A"):
            assert with_absolute_file(name) == name


def test_an_error_of_the_caller_is_raised_instead_of_waiting_for_ever() -> None:
    def job(task: int) -> Job:
        raise KeyError(task)

    with Pool(1, "no.module") as pool, pytest.raises(KeyError):
        list(pool.run([1, 2], job))


class TestGames:
    def test_rules_come_by_their_content(self) -> None:
        games = Games()
        answers = Answers(games, size=lambda rules: {"size": len(games.source(rules).text)})
        digest = digest_of(RULES)
        assert "error" in answers.answer({"do": "size", "rules": digest})
        assert answers.answer({"do": "rules", "name": "nim.kif", "text": NIM}) == {}
        assert answers.answer({"do": "size", "rules": digest}) == {"size": len(NIM)}

    def test_the_engine_is_the_one_that_is_asked_for(self) -> None:
        games = Games()
        games.add("nim.kif", NIM)
        digest = digest_of(RULES)
        assert games.load(digest, "reasoner").engine == "reasoner"
        assert games.load(digest).engine == "simulator"
        assert games.load(digest, "simulator") is games.load(digest)

    def test_rules_that_must_be_compiled_but_cannot_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import gdl

        def refuse(*_: object, **__: object) -> None:
            raise MemoryError("no memory")

        monkeypatch.setattr(gdl, "compile", refuse)
        games = Games()
        games.add("nim.kif", NIM)
        assert games.load(digest_of(RULES)).engine == "reasoner"
        with pytest.raises(WorkError, match="cannot be compiled here: no memory"):
            games.load(digest_of(RULES), "simulator")


class TestProgress:
    def test_results_are_counted(self) -> None:
        work = Progress(cores=2)
        assert work.per_second == 0
        work.begin(3)
        work.count(Done(1, {}))
        work.count(Lost(2, "why"))
        assert (work.done, work.failed, work.waiting) == (1, 1, 1)
        assert work.per_second > 0


class TestNode:
    MODULE = "ggp.tournament.match_process"

    @pytest.fixture(autouse=True)
    def _workers(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """New processes for each job, which end with the test."""
        made: list[Worker] = []

        def worker(module: str, *arguments: str) -> Worker:
            made.append(Worker(module, *arguments))
            return made[-1]

        monkeypatch.setattr(remote, "_worker", worker)
        yield
        for one in made:
            one.stop()

    def test_a_job_is_done_or_refused_with_a_reason(self) -> None:
        check = Job("check", {"player": "random"})
        arguments = ("0", "")
        code = remote.code_digest()
        assert remote.do_on_node(self.MODULE, arguments, code, check, None) == {remote.ANSWER: {}}
        ((kind, reason),) = remote.do_on_node(self.MODULE, arguments, "old", check, None).items()
        assert kind == remote.UNFIT
        assert "another version of ggp" in reason
        wrong = replace(check, settings={"player": "nobody"})
        ((kind, reason),) = remote.do_on_node(self.MODULE, arguments, code, wrong, None).items()
        assert kind == remote.FAILED
        assert "unknown-player" in reason
        ((kind, reason),) = remote.do_on_node("ggp.no_such_module", (), code, check, None).items()
        assert kind == remote.DIED
        assert "exit status 1" in reason

    def test_the_circuit_of_a_game_comes_with_its_rules(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is not made again: a node that gets the circuit of another game plays that game."""
        monkeypatch.setenv("GDL_CACHE", str(tmp_path / "here"))
        other = Source("other.kif", NIM.replace("(init (heap 4))", "(init (heap 1))"))
        assert other.text != NIM
        gdl.compile(other.text)
        there = remote.Game(RULES, remote.game_of(other).circuit)
        assert remote.game_of(RULES).circuit is None
        assert there.circuit is not None
        lengths = []
        for name, game in (("there", there), ("alone", remote.game_of(RULES))):
            monkeypatch.setenv("GDL_CACHE", str(tmp_path / name))
            monkeypatch.setattr(remote, "_kept", set())
            job = Job("playouts", {"count": 100, "seed": 1, "max_plies": 50})
            answer = remote.do_on_node("ggp.study.bench.playouts_process", (), remote.code_digest(), job, game)
            lengths.append(answer[remote.ANSWER]["max_length"])
        assert lengths[0] < lengths[1]

    def test_the_digest_covers_both_packages(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text("1")
        before = fingerprint(tmp_path)
        assert before not in remote.code_digest()
        assert fingerprint() in remote.code_digest()


class TestWithoutRay:
    @pytest.fixture(autouse=True)
    def _no_ray(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "ray", None)

    def test_the_extra_is_named(self) -> None:
        with pytest.raises(WorkError, match=r'pip install "ggp\[ray\]"'):
            open_executor("ggp.tournament.match_process", ray="auto")

    def test_processes_of_this_machine_do_not_need_it(self) -> None:
        executor = open_executor("ggp.tournament.match_process", "0", "", jobs=3)
        assert isinstance(executor, Pool)
        assert executor.progress.cores == 3

    def test_commands_say_it_in_one_line(self, ggp: Ggp) -> None:
        found = ggp("tournament", "tic_tac_toe", "--players", "random,legal", "--ray", "auto")
        assert found.status == 2
        assert found.err.strip() == 'Ray is not installed; to work on a cluster, run: pip install "ggp[ray]"'


@pytest.mark.parametrize("command", [("tournament", "tic_tac_toe", "--players", "random,legal"), ("study", "nim")])
def test_options_that_do_not_go_together_are_refused(ggp: Ggp, command: tuple[str, ...]) -> None:
    found = ggp(*command, "--ray", "auto", "--jobs", "2")
    assert found.status == 2
    assert "--jobs is for this machine" in found.err
    assert ggp(*command, "--ray", " ").status == 2
