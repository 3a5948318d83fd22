"""`ggp tournament`: what it prints, keeps and resumes."""

from __future__ import annotations

import signal
import sqlite3
import time
from collections.abc import Callable
from json import loads
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.remote_players import DUEL, Conversation, honest, server, unused_port
from support.tournament_players import players_in
from support.toy_files import rule_file, start
from support.toy_rules import ENDLESS, NIM
from typer.testing import CliRunner

from ggp.cli import build

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


def tournament(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(build(), ["tournament", *map(str, arguments)], env={"COLUMNS": "200"})
    return result.exit_code, result.stdout, result.stderr


def kept(store: Path) -> dict[int, str]:
    database = sqlite3.connect(store)
    try:
        return dict(database.execute("SELECT number, outcome FROM matches").fetchall())
    finally:
        database.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.txt"


@pytest.fixture
def player(tmp_path: Path, log: Path) -> Callable[[str], str]:
    return players_in(tmp_path, log)


class TestCommand:
    @pytest.mark.slow
    def test_a_tournament(self, tmp_path: Path, player: Callable[[str], str]) -> None:
        nim, solo = rule_file(tmp_path, NIM, "nim.kif"), rule_file(tmp_path, SOLO, "solo.kif")
        plot = tmp_path / "ratings.svg"
        options = ["--players", f"random,legal,{player('Bad')}", "--games", "4", "--seed", "3"]
        options += ["--player-logs", str(tmp_path / "logs"), "--jobs", "2"]
        status, out, err = tournament(nim, solo, *options, "--plot", plot)
        assert (status, err.startswith("24 of 24 matches, ")) == (0, True), err
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
        assert tournament(nim, solo, *options[:-1], "1")[:2] == (status, out)

    @pytest.mark.slow
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
        assert (status, err.startswith("12 of 12 matches, ")) == (0, True), err
        assert f"12 matches   {len(before)} of them kept" in out
        after = kept(store)
        assert sorted(after) == list(range(12))
        assert {number: after[number] for number in before} == before
        assert len(log.read_text().splitlines()) == len(ended) + 12 - len(before)
        status, _, err = tournament(*options, "--games", "14")
        assert status == 2
        settings = "contains a tournament with other settings: --games is 12 there, but 14 now"
        assert err == f"tournament-store: {store}: {settings}\n"

    @pytest.mark.slow
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
        note = f"{store} has the results; run the same command again to continue"
        assert err.splitlines()[-2:] == [note, "interrupted"]
        assert len(kept(store)) >= 2

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            (["--players", "random,nobody"], "unknown-player: no player nobody"),
            (["--players", "random"], "2 roles and needs at least two players"),
            (["--players", "random,random"], "random is named twice"),
            (["--players", "random,,legal"], "a name is missing"),
            (["--players", "random,nowhere.py:Mine"], "nowhere.py:Mine: FileNotFoundError"),
            (["--players", "random,legal", "--play-clock", "-1"], "the play clock must be positive"),
            (["--players", "random,legal", "--games", "0"], "--games"),
            (["--players", "random,legal", "--plot", "nowhere/a.svg"], "the folder for nowhere/a.svg does not exist"),
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

    @pytest.mark.slow
    def test_a_match_that_cannot_be_played_is_told(self, tmp_path: Path, player: Callable[[str], str]) -> None:
        status, out, err = tournament(
            rule_file(tmp_path, NIM), "--players", f"random,{player('Killer')}", "--games", "1", "--seed", "1"
        )
        assert status == 1
        assert err.startswith(f"match 0 of game, random against {player('Killer')}: the process ended")
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


class TestElsewhere:
    """Players on the network, as entries of the line-up."""

    def play(self, folder: Path, *players: str, options: tuple[str, ...] = ()) -> tuple[int, str, str]:
        clocks = ("--start-clock", "5", "--play-clock", "1", "--games", "2")
        return tournament(rule_file(folder, DUEL, "duel.kif"), "--players", ",".join(players), *clocks, *options)

    def test_both_seats_and_errors_told_apart(self, tmp_path: Path) -> None:
        def answers(conversation: Conversation) -> None:
            if conversation.kind != "PLAY":
                honest(conversation)
            elif conversation.message.endswith("NIL)"):
                conversation.wait()  # for longer than the clock
            else:
                conversation.say("c")

        with server(answers) as serving:
            options = ("--json", "--seed", "1", "--store", str(tmp_path / "t.sqlite"))
            first, again = (self.play(tmp_path, "legal", f"remote({serving.url})", options=options) for _ in range(2))
        assert first[0] == 0, first[2]
        assert loads(again[1])["tables"] == loads(first[1])["tables"]
        starts = [message.split()[2] for message in serving.heard if message.startswith("(START")]
        assert sorted(starts) == ["left", "right"]  # what is in the store is not played again
        lines = {line["player"]: line for line in loads(first[1])["tables"][0]["lines"]}
        away = lines[f"remote({serving.url})"]
        assert (away["late"], away["illegal"], away["crashes"]) == (2, 6, 0)
        assert (lines["legal"]["late"], lines["legal"]["illegal"]) == (0, 0)

    def test_a_busy_player_is_waited_for(self, tmp_path: Path) -> None:
        asked: list[str] = []

        def answers(conversation: Conversation) -> None:
            asked.append(conversation.kind)
            if conversation.kind == "INFO" and asked.count("INFO") < 4:
                conversation.say("((name slow) (status busy))")
            else:
                honest(conversation)

        with server(answers) as serving:
            status, out, err = self.play(tmp_path, "legal", f"remote({serving.url})")
        assert status == 0, err
        assert asked[:5] == ["INFO"] * 4 + ["START"]
        assert "crashes" in out

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            (("--jobs", "2"), "one at a time"),
            (("--ray", "auto"), "not by a cluster"),
        ],
    )
    def test_what_is_impossible(self, tmp_path: Path, options: tuple[str, ...], reason: str) -> None:
        status, _, err = self.play(tmp_path, "legal", "remote(127.0.0.1:9)", options=options)
        assert (status, reason in err) == (2, True), err

    def test_a_player_that_is_not_there(self, tmp_path: Path) -> None:
        port = unused_port()
        status, _, err = self.play(tmp_path, "legal", f"remote(127.0.0.1:{port})")
        assert (status, f"remote(127.0.0.1:{port}) cannot be reached: connection refused" in err) == (2, True), err


def test_points_against_par(tmp_path: Path) -> None:
    options = ("--players", "legal,random", "--games", "4", "--seed", "1", "--jobs", "1", "--par", "5")
    status, out, err = tournament(rule_file(tmp_path, NIM, "nim.kif"), *options)
    assert status == 0, err
    table = out.split("\nagainst par\n")[1].splitlines()
    assert table[1].split()[:2] == ["player", "matches"]
    rows = {cells[0]: [float(cell) for cell in cells[1:]] for cells in map(str.split, table[2:4])}
    for matches, points, par, given, taken in rows.values():
        assert (matches, par) == (4, 2)  # one role wins by force
        assert points == par - given + taken
    assert rows["legal"][3] == rows["random"][4]
