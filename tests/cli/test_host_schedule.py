"""`ggp host SCHEDULE.toml`: whole tournaments, killed ones that continue, and what it refuses."""

from __future__ import annotations

import json
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.request import urlopen

import pytest
from support.commands import Ggp
from support.joined import joined
from support.remote_players import DUEL, honest, in_play, server
from support.schedules import schedule, slow_player, stored
from support.toy_files import rule_file, start

from ggp.match.record import Result, read_record

FOUR = {"ann": "greedy", "bob": "random", "carl": "legal", "dora": "random"}


def records(folder: Path) -> dict[str, str]:
    """The identifiers of the matches by file."""
    return {file.name: read_record(file).match_id for file in sorted(folder.glob("match-*.json"))}


def test_a_swiss_tournament(ggp: Ggp, tmp_path: Path) -> None:
    file = schedule(tmp_path, FOUR, 'format = "swiss"', "rounds = 2", "at_once = 2")
    run = ggp("host", file)
    assert run.status == 0, run.err
    assert run.lines[0].startswith("tic_tac_toe   swiss, 2 rounds   seed 1   start clock 10 s")
    assert run.lines[2] == "tic_tac_toe"
    assert run.lines[3].split()[:3] == ["player", "points", "matches"]
    assert [line.partition("  ")[0] for line in run.err.splitlines()] == [f"{number} of 8" for number in range(1, 9)]
    assert len(stored(tmp_path / "cup")) == 8
    assert all(read_record(path).completed for path in (tmp_path / "cup").glob("match-*.json"))
    again = ggp("host", file)
    assert again.status == 0
    assert again.err == ""
    assert again.lines[0].endswith("8 matches   8 of them kept")
    assert again.lines[1:] == run.lines[1:]


def test_the_names_of_the_schedule_are_those_of_the_records(ggp: Ggp, tmp_path: Path) -> None:
    ggp("host", schedule(tmp_path, {"ann": "legal", "bob": "random"}, "matches = 1"))
    assert read_record(tmp_path / "cup" / "match-0000.json").players == ("ann", "bob")


def test_json(ggp: Ggp, tmp_path: Path) -> None:
    run = ggp("host", schedule(tmp_path, {"ann": "legal", "bob": "random"}), "--json")
    first, second, last = map(json.loads, run.lines)
    assert (first["event"], first["match"], first["players"]) == ("match", 0, {"xplayer": "ann", "oplayer": "bob"})
    assert second["players"] == {"xplayer": "bob", "oplayer": "ann"}
    assert (last["command"], last["event"], last["played"], last["format"]) == ("host", "tournament", 2, "round-robin")
    assert {line["player"] for line in last["tables"][0]["lines"]} == {"ann", "bob"}


def test_players_elsewhere_play_one_match_at_a_time(ggp: Ggp, tmp_path: Path) -> None:
    duel = rule_file(tmp_path, DUEL, "duel.kif")
    with ExitStack() as opened:
        servers = [opened.enter_context(server(honest)) for _ in range(4)]
        players = {f"p{number}": one.url for number, one in enumerate(servers)}
        file = schedule(tmp_path, players, "at_once = 4", "matches = 1", games=json.dumps([str(duel)]))
        run = ggp("host", file)
    assert run.status == 0, run.err
    assert len(stored(tmp_path / "cup")) == 6
    for one in servers:
        kinds = [message.split()[0] for message in one.heard if "INFO" not in message]
        assert kinds == ["(START", *["(PLAY"] * 4, "(STOP"] * 3


@pytest.mark.slow
def test_a_killed_tournament_continues_and_plays_nothing_twice(tmp_path: Path) -> None:
    slow = slow_player(tmp_path, 0.05)
    with joined("--player", "random", "--seed", "1") as (one, _), joined("--player", "legal") as (other, _):
        players = {"ann": slow, "bob": f"127.0.0.1:{one.port}/", "carl": f"http://127.0.0.1:{other.port}", "dora": slow}
        file = schedule(tmp_path, players, 'format = "swiss"', "rounds = 2", "at_once = 2")
        before: dict[str, str] = {}
        kept: set[int] = set()
        for kill in (True, False, True):  # kill -9, Ctrl-C, kill -9
            process = start("host", file)
            until = time.monotonic() + 60
            while not (tmp_path / "cup").is_dir() or len(records(tmp_path / "cup")) <= len(before):
                assert process.poll() is None, process.communicate()
                assert time.monotonic() < until
                time.sleep(0.02)
            time.sleep(0.2)  # in the middle of a match
            process.send_signal(signal.SIGKILL if kill else signal.SIGINT)
            _, err = process.communicate(timeout=60)
            assert kill or "run the same command again to continue" in err
            now, found = records(tmp_path / "cup"), stored(tmp_path / "cup")
            assert before.items() <= now.items()  # interrupted matches are the same ones
            assert kept <= found.keys()
            before, kept = now, set(found)
        process = start("host", file)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    now = records(tmp_path / "cup")
    assert before.items() <= now.items()
    assert sorted(stored(tmp_path / "cup")) == list(range(8))
    assert f"{len(kept)} of them kept" in out or not kept
    for path in (tmp_path / "cup").glob("match-*.json"):
        record = read_record(path)
        assert record.result is Result.FINISHED
        assert not any(error for row in record.error_rows for error in row), path


def test_a_finished_match_whose_outcome_was_not_stored_is_not_played_again(ggp: Ggp, tmp_path: Path) -> None:
    file = schedule(tmp_path, {"ann": "legal", "bob": "random"})
    ggp("host", file)
    before = records(tmp_path / "cup")
    (tmp_path / "cup" / "tournament.sqlite").unlink()  # as if killed before the store was written
    run = ggp("host", file)
    assert run.status == 0
    assert records(tmp_path / "cup") == before
    assert len(stored(tmp_path / "cup")) == 2


def test_a_finished_tournament_is_still_shown_to_who_comes(ggp: Ggp, tmp_path: Path) -> None:
    file = schedule(tmp_path, {"ann": "legal", "bob": "random"})
    ggp("host", file)
    process = start("host", file, "--port", "0", "--linger", "30")
    try:
        assert process.stderr is not None
        where = process.stderr.readline().removeprefix("spectators: ").strip()
        assert process.stderr.readline().startswith("serving spectators for up to 30 s more")
        for _ in range(2):
            with urlopen(where, timeout=30) as response:
                news = json.load(response)
            assert news["over"]
            time.sleep(0.2)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_player_may_have_moved(ggp: Ggp, tmp_path: Path) -> None:
    duel = rule_file(tmp_path, DUEL, "duel.kif")
    games = json.dumps([str(duel)])
    with server(in_play(lambda talk: talk.say("a"))) as first:
        ggp("host", schedule(tmp_path, {"ann": first.url, "bob": "legal"}, games=games))
    with server(honest) as second:
        run = ggp("host", schedule(tmp_path, {"ann": second.url, "bob": "legal"}, games=games))
    assert run.status == 0, run.err
    assert "2 of them kept" in run.out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--seed", "1"), "--seed is not an option of schedules; its place in the schedule is seed"),
        (("--player", "legal"), "its place in the schedule is [players]"),
        (("--fsync",), "--fsync is not an option of schedules"),
    ],
)
def test_options_that_are_in_the_schedule(ggp: Ggp, arguments: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    run = ggp("host", schedule(tmp_path, FOUR), *arguments)
    assert run.status == 2
    assert reason in " ".join(run.err.split())


def test_what_it_refuses(ggp: Ggp, tmp_path: Path) -> None:
    missing = ggp("host", tmp_path / "none.toml")
    assert (missing.status, "No such file" in missing.err) == (2, True)
    wrong = ggp("host", schedule(tmp_path, {"ann": "gredy"}))
    assert wrong.status == 2
    assert f"{tmp_path / 'cup.toml'}:6:1: unknown-player: players, ann: no player gredy" in wrong.err
    alone = ggp("host", schedule(tmp_path, {"ann": "greedy"}))
    assert alone.status == 2
    assert "needs at least two players" in alone.err
    ggp("host", schedule(tmp_path, {"ann": "legal", "bob": "random"}))
    other = ggp("host", schedule(tmp_path, {"ann": "legal", "bob": "random"}, "matches = 4"))
    assert other.status == 2
    assert "contains a tournament with other settings: matches is 2 there, but 4 now" in other.err
    assert "Traceback" not in wrong.err + alone.err + other.err


def test_players_elsewhere_cannot_share_the_roles_of_a_match(ggp: Ggp, tmp_path: Path) -> None:
    rules = (
        "".join(f"(role r{n}) (legal r{n} go) (goal r{n} 50)\n" for n in range(3))
        + "(init (now)) (<= terminal (true (done)))"
    )
    three = rule_file(tmp_path, rules, "three.kif")
    file = schedule(tmp_path, {"ann": "h:1", "bob": "legal"}, games=json.dumps([str(three)]))
    run = ggp("host", file)
    assert run.status == 2
    assert "three has 3 roles, which two players share" in run.err
