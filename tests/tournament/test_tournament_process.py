"""Tournaments as they run: processes that crash, hang and are killed, and the command."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable
from json import loads
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.toy_files import rule_file, start
from support.toy_rules import ENDLESS, NIM
from typer.testing import CliRunner

from ggp.cli import build
from ggp.tournament import pool as pools
from ggp.tournament.outcome import Outcome
from ggp.tournament.plan import Task
from ggp.tournament.pool import ATTEMPTS, Lost, MatchProcess, MatchProcessDiedError, MatchProcessError, Pool

#: Players for tests: `{log}` is a file to which a line is added when something happens.
PLAYERS = """\
import os, sys, time
from pathlib import Path

class Legal:
    name = 'legal'
    def start(self, start, deadline): self.seed = start.seed
    def move(self, turn): return turn.legal[0]
    def stop(self, end): pass

class Slow(Legal):
    def move(self, turn):
        time.sleep(0.03)
        return turn.legal[0]
    def stop(self, end):
        with open({log!r}, 'a') as log:
            print(self.seed, os.getpid(), file=log)

class Deadly(Legal):
    def move(self, turn):
        with open({log!r}, 'a') as log:
            print('died', file=log)
        os._exit(7)

class DeadlyOnce(Deadly):
    def move(self, turn):
        return turn.legal[0] if Path({log!r}).exists() else super().move(turn)

class Hanging(Legal):
    def move(self, turn):
        time.sleep(1000)

class Loud(Legal):
    def move(self, turn):
        print('{{"outcome": 1}}')
        assert not sys.stdin.read()
        return turn.legal[0]

class Bad(Legal):
    def start(self, start, deadline):
        raise ValueError('not ready')
    def move(self, turn):
        return 'nonsense' if len(turn.legal) > 1 else turn.legal[0]
"""

SOLO = """\
(role solo)
(init (step 0))
(next_step 0 1) (next_step 1 2) (next_step 2 3)
(legal solo a)
(legal solo b)
(<= (next (step ?n)) (true (step ?m)) (next_step ?m ?n))
(<= (next took) (does solo b))
(<= (next took) (true took))
(<= terminal (true (step 3)))
(<= (goal solo 100) (true took))
(<= (goal solo 0) (not (true took)))
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.txt"


@pytest.fixture
def player(tmp_path: Path, log: Path) -> Callable[[str], str]:
    file = rule_file(tmp_path, PLAYERS.format(log=str(log)), "mine.py")
    return lambda name: f"{file}:{name}"


def play(task: Task, jobs: int = 1) -> Outcome | Lost:
    with Pool(jobs) as pool:
        (result,) = pool.play([task])
    return result


@pytest.fixture
def task(tmp_path: Path) -> Callable[..., Task]:
    file = rule_file(tmp_path, NIM, "nim.kif")

    def make(*lineup: str, number: int = 0, clock: float | None = None) -> Task:
        return Task(number, str(file), "nim", lineup, 1, 500, clock, clock)

    return make


class TestPool:
    def test_matches_are_played_by_one_process_each_that_stays(
        self, task: Callable[..., Task], player: Callable[[str], str], log: Path
    ) -> None:
        tasks = [task(player("Slow"), "random", number=number) for number in range(6)]
        with Pool(2) as pool:
            results = list(pool.play(tasks))
        assert sorted(result.number for result in results if isinstance(result, Outcome)) == list(range(6))
        assert len({line.split()[1] for line in log.read_text().splitlines()}) == 2

    def test_a_process_that_dies_loses_only_its_match_which_is_played_again(
        self, task: Callable[..., Task], player: Callable[[str], str], log: Path
    ) -> None:
        result = play(task("random", player("DeadlyOnce")))
        assert isinstance(result, Outcome)
        assert result.conduct[1].crashes == 0
        assert log.read_text() == "died\n"

    def test_a_match_that_kills_every_process_is_given_up(
        self, task: Callable[..., Task], player: Callable[[str], str], log: Path
    ) -> None:
        with Pool(1) as pool:
            lost, after = pool.play([task("random", player("Deadly")), task("random", "legal", number=1)])
        assert isinstance(lost, Lost)
        assert lost.reason == f"the process that played ended with status 7, {ATTEMPTS} times"
        assert log.read_text() == "died\n" * ATTEMPTS
        assert isinstance(after, Outcome)

    def test_a_player_that_hangs_is_left_behind_with_its_process(
        self, task: Callable[..., Task], player: Callable[[str], str]
    ) -> None:
        with Pool(1) as pool:
            first, second = pool.play([task(player("Hanging"), "legal", clock=0.1), task("legal", "legal", number=1)])
        assert isinstance(first, Outcome)
        assert first.conduct[0].late > 0
        assert first.conduct[1].late == 0
        assert isinstance(second, Outcome)

    def test_a_process_that_holds_everything_up_is_killed(
        self, task: Callable[..., Task], player: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(pools, "_limit", lambda _: 1.5)
        monkeypatch.setattr(pools, "ATTEMPTS", 1)
        result = play(task(player("Hanging"), "legal"))
        assert isinstance(result, Lost)
        assert "status -9" in result.reason

    def test_what_players_print_and_read_harms_nothing(
        self, task: Callable[..., Task], player: Callable[[str], str]
    ) -> None:
        result = play(task(player("Loud"), player("Loud")))
        assert isinstance(result, Outcome)
        assert [conduct.crashes for conduct in result.conduct] == [0, 0]

    def test_errors_of_a_request_are_told(self, tmp_path: Path) -> None:
        process = MatchProcess()
        try:
            with pytest.raises(MatchProcessError, match="unknown-player: no player nobody"):
                process.ask({"do": "check", "player": "nobody"})
            with pytest.raises(MatchProcessError, match="nowhere"):
                process.ask({"do": "load", "path": str(tmp_path / "nowhere.kif")})
            with pytest.raises(MatchProcessError, match="KeyError"):
                process.ask({"do": "check"})
            assert process.ask({"do": "check", "player": "legal"}) == {}
        finally:
            process.kill()
            process.stop()
        with pytest.raises(MatchProcessDiedError):
            process.ask({"do": "check", "player": "legal"})


def tournament(*arguments: str | Path) -> tuple[int, str, str]:
    process = start("tournament", *arguments, COLUMNS="200")
    out, err = process.communicate(timeout=100)
    return process.returncode, out, err


def kept(store: Path) -> dict[int, str]:
    database = sqlite3.connect(store)
    try:
        return dict(database.execute("SELECT number, outcome FROM matches").fetchall())
    finally:
        database.close()


class TestCommand:
    def test_a_tournament(self, tmp_path: Path, player: Callable[[str], str]) -> None:
        nim, solo = rule_file(tmp_path, NIM, "nim.kif"), rule_file(tmp_path, SOLO, "solo.kif")
        plot = tmp_path / "ratings.svg"
        options = ["--players", f"random,legal,{player('Bad')}", "--games", "4", "--seed", "3", "--jobs", "2"]
        status, out, err = tournament(nim, solo, *options, "--plot", plot)
        assert (status, err) == (0, "24 of 24 matches\n")
        assert "2 games   seed 3   24 matches" in out
        for name in ("nim", "solo", "all games"):
            assert f"\n{name}\nplayer" in out
        # Of the last table, but not the pairs.
        lines = out.split("\nall games\n")[1].split("\n\n")[0].splitlines()
        rows = {cells[0]: cells for cells in map(str.split, lines)}
        late, illegal, crashes = map(int, rows[player("Bad")][-3:])
        assert late == 0
        assert illegal > 12
        assert crashes == 12  # at each start
        assert rows["random"][-3:] == rows["legal"][-3:] == ["0", "0", "0"]
        assert f"{player('Bad')}: match" in out
        assert "ValueError: not ready" in out
        ElementTree.parse(plot)
        # The same again, whatever the order in which matches end.
        assert tournament(nim, solo, *options[:-1], "1") == (status, out, err)

    def test_after_a_kill_it_goes_on(self, tmp_path: Path, player: Callable[[str], str], log: Path) -> None:
        nim, store = rule_file(tmp_path, NIM, "nim.kif"), tmp_path / "t.sqlite"
        options = [nim, "--players", f"random,{player('Slow')}", "--games", "12", "--jobs", "2", "--store", store]
        process = start("tournament", *options)
        deadline = time.monotonic() + 60
        while not log.exists() or len(log.read_text().splitlines()) < 4:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        for number in {line.split()[1] for line in log.read_text().splitlines()}:
            while Path(f"/proc/{number}").exists() and Path("/proc/self").exists():
                assert time.monotonic() < deadline, "a process was left behind"
                time.sleep(0.02)
        before, ended = kept(store), log.read_text().splitlines()
        assert 2 <= len(before) < 12

        status, out, err = tournament(*options)
        assert (status, err) == (0, "12 of 12 matches\n")
        assert f"12 matches   {len(before)} of them kept" in out
        after = kept(store)
        assert sorted(after) == list(range(12))
        assert {number: after[number] for number in before} == before
        assert len(log.read_text().splitlines()) == len(ended) + 12 - len(before)
        status, _, err = tournament(*options, "--games", "14")
        assert status == 2
        assert err == (f"tournament-store: {store}: keeps a tournament with other settings: --games 12 there, 14 now\n")

    def test_an_interrupt_shows_what_was_played(self, tmp_path: Path, player: Callable[[str], str], log: Path) -> None:
        nim, store = rule_file(tmp_path, NIM, "nim.kif"), tmp_path / "t.sqlite"
        options = ["--players", f"legal,{player('Slow')}", "--games", "1000", "--jobs", "1", "--store", store]
        process = start("tournament", nim, *options)
        deadline = time.monotonic() + 60
        while not log.exists() or len(log.read_text().splitlines()) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "player" in out
        assert err.splitlines()[-2:] == [f"go on with the same command: {store} keeps all", "interrupted"]
        assert len(kept(store)) >= 2

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            (["--players", "random,nobody"], "unknown-player: no player nobody"),
            (["--players", "random"], "2 roles, which takes two players at least"),
            (["--players", "random,random"], "random is named twice"),
            (["--players", "random,,legal"], "a name is missing"),
            (["--players", "random,nowhere.py:Mine"], "player-load: nowhere.py:Mine"),
            (["--players", "random,legal", "--play-clock", "-1"], "play clock of -1.0 seconds"),
            (["--players", "random,legal", "--games", "0"], "--games"),
            (["--players", "random,legal", "--plot", "nowhere/a.svg"], "no folder for nowhere"),
            (["--players", "random,legal", "--store", "nowhere/a.sqlite"], "unable to open"),
            ([], "--players"),
        ],
    )
    def test_bad_input(self, tmp_path: Path, options: list[str], reason: str) -> None:
        result = CliRunner().invoke(build(), ["tournament", str(rule_file(tmp_path, NIM)), *options])
        assert (result.exit_code, result.stdout) == (2, "")
        assert reason in result.stderr
        assert "Traceback" not in result.stderr

    def test_a_bad_rule_file(self, tmp_path: Path) -> None:
        status, _, err = tournament(rule_file(tmp_path, "(role"), "--players", "random,legal")
        assert status == 2
        assert "game.kif:1" in err

    def test_a_match_that_cannot_be_played_is_told(self, tmp_path: Path, player: Callable[[str], str]) -> None:
        status, out, err = tournament(
            rule_file(tmp_path, NIM), "--players", f"random,{player('Deadly')}", "--games", "1", "--seed", "1"
        )
        assert status == 1
        assert err.startswith(f"match 0 of game, random against {player('Deadly')}: the process that played ended")
        assert "player" not in out.splitlines()[-1]

    def test_matches_without_end_are_draws(self, tmp_path: Path) -> None:
        file = rule_file(tmp_path, ENDLESS.replace("solo", "one") + "(role two) (legal two wait) (goal two 0)")
        status, out, _ = tournament(file, "--players", "random,legal", "--games", "2", "--max-plies", "5")
        assert status == 0
        assert "unfinished" in out
        lines = [line.split() for line in out.splitlines()]
        assert ["random", "2", "0", "2", "0"] in [line[:5] for line in lines]

    def test_outcomes_have_the_moves(self, tmp_path: Path) -> None:
        store = tmp_path / "t.sqlite"
        tournament(rule_file(tmp_path, NIM), "--players", "random,legal", "--games", "1", "--store", store)
        (text,) = kept(store).values()
        moves = loads(text)["moves"]
        assert moves[0][1] == "noop"
        assert all(len(move) == 2 for move in moves)


def test_sigint_is_left_to_who_started_the_processes() -> None:
    process = MatchProcess()
    try:
        assert process.ask({"do": "check", "player": "legal"}) == {}
        assert process._child is not None
        os.kill(process._child.pid, signal.SIGINT)
        assert process.ask({"do": "check", "player": "legal"}) == {}
    finally:
        process.stop()
