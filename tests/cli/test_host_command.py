"""`ggp host` as a process: matches on the screen and in lines, spectators, and what it refuses."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.request import urlopen

import pytest
from support.commands import Ggp
from support.remote_players import DUEL, Server, honest, in_play, server, unused_port
from support.toy_files import rule_file, start

from ggp.cli.hosting import MatchNetwork
from ggp.match.record import Result, read_record


@pytest.fixture
def duel(tmp_path: Path) -> Path:
    return rule_file(tmp_path, DUEL, "duel.kif")


def test_a_match_between_a_player_elsewhere_and_one_here(ggp: Ggp, duel: Path, tmp_path: Path) -> None:
    with server() as left:
        run = ggp(
            *("host", duel, "--player", f"left={left.url}", "--player", "right=legal"),
            *("--seed", "4", "--record", tmp_path / "match.json", "--game-url", "http://games.example/duel/"),
        )
    assert run.status == 0, run.err
    lines = run.out.splitlines()
    assert lines[:3] == ["duel   seed 4   start clock 10 s   play clock 5 s", "  left   honest", "  right  legal"]
    assert lines[-3:] == ["finished after 4 plies", "  left   honest  50", "  right  legal   50"]
    record = read_record(tmp_path / "match.json")
    assert record.players == ("honest", "legal")
    assert record.game_url == "http://games.example/duel/"
    assert ggp("replay", tmp_path / "match.json", "-q").out.endswith("the record agrees with the rules: 4 plies\n")


def test_several_matches_a_line_each(ggp: Ggp, duel: Path, tmp_path: Path) -> None:
    with server(in_play(lambda talk: talk.say("nonsense"))) as left, server() as right:
        run = ggp(
            *("host", duel, "--player", f"left={left.url}", "--player", f"right={right.url}"),
            *("--matches", "5", "--at-once", "3", "--record", tmp_path / "records"),
        )
    assert run.status == 0, run.err
    lines = run.out.splitlines()
    assert len(lines) == 8
    assert re.fullmatch(r"   1  duel\.\S+  finished after 4 plies  left 50, right 50  left errors: 4 illegal", lines[0])
    assert lines[5] == "5 matches, mean goals"
    assert lines[6] == "  left   honest  50.0  errors in 5 of 5 matches"
    assert lines[7] == "  right  honest  50.0"
    records = [read_record(path) for path in (tmp_path / "records").iterdir()]
    assert len(records) == 5
    assert len({record.seed for record in records}) == 5


@pytest.mark.parametrize("matches", ["1", "2"])
def test_no_match_is_played_without_a_player(ggp: Ggp, duel: Path, matches: str) -> None:
    address = f"http://127.0.0.1:{unused_port()}"
    run = ggp(
        *("host", duel, "--player", f"left={address}", "--player", "right=legal", "--matches", matches, "--wait", "0.2")
    )
    assert (run.status, run.out) == (1, "")
    assert run.err.splitlines() == [
        f"waiting up to 0.2 s for {address}",
        f"{address} cannot be reached: connection refused",
        "no match was begun: start all players first, or wait longer (--wait)",
    ]


def test_a_player_that_comes_later_is_waited_for(ggp: Ggp, duel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    port = unused_port()
    late: list[Server] = []
    ask = MatchNetwork._ask

    def ask_and_begin(network: MatchNetwork, names: Sequence[str], games: Sequence[str]) -> dict[str, str]:
        unreached = ask(network, names, games)
        if not late:
            late.append(Server(honest, port))
        return unreached

    monkeypatch.setattr(MatchNetwork, "_ask", ask_and_begin)
    run = ggp("host", duel, "--player", f"left=http://127.0.0.1:{port}", "--player", "right=legal")
    for one in late:
        one.close()
    assert run.status == 0, run.err
    assert run.err.splitlines() == [f"waiting up to 60 s for http://127.0.0.1:{port}"]
    assert "  left   honest  50" in run.out.splitlines()


@pytest.mark.parametrize(
    ("end", "status", "reason"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_spectators_and_an_interrupt(end: signal.Signals, status: int, reason: str, duel: Path, tmp_path: Path) -> None:
    with server(in_play(lambda talk: talk.wait())) as left:
        process = start(
            *("host", duel, "--player", f"left={left.url}", "--player", "right=legal", "--play-clock", "1000"),
            *("--port", "0", "--record", tmp_path / "match.json"),
        )
        assert process.stderr is not None
        where = process.stderr.readline().removeprefix("spectators: ").strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", where)
        while not any("PLAY" in message for message in left.heard):
            assert process.poll() is None
            time.sleep(0.01)
        with urlopen(f"{where}matches", timeout=30) as response:
            [match] = json.load(response)
        assert (match["result"], match["plies"]) == ("running", 0)
        process.send_signal(end)
        out, err = process.communicate(timeout=60)
        assert left.heard[-1] == f"(ABORT {match['matchId']})"
    assert process.returncode == status
    assert err == f"to continue the match: ggp replay --resume {tmp_path / 'match.json'}\n{reason}\n"
    assert "aborted after 0 plies" in out
    assert read_record(tmp_path / "match.json").result is Result.ABORTED


def test_a_warning_if_other_machines_can_watch(ggp: Ggp, duel: Path) -> None:
    warning = "other machines can reach 0.0.0.0: anyone on the network can send requests to this server"
    run = ggp("host", duel, "--player", "legal", "--port", "0", "--bind", "0.0.0.0")
    assert [line for line in run.err.splitlines() if "spectators" not in line] == [warning]
    assert ggp("host", duel, "--player", "legal", "--port", "0").err.count("\n") == 1


def test_a_match_is_resumed_with_players_elsewhere(ggp: Ggp, duel: Path, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    with server() as left:
        arguments = ("--player", f"left={left.url}", "--player", "right=legal")
        ggp("host", duel, *arguments, "--max-plies", "2", "--record", file)
        assert read_record(file).result is Result.UNFINISHED
        run = ggp("replay", file, "--resume", *arguments, "--max-plies", "10")
    assert run.status == 0, run.err
    record = read_record(file)
    assert record.result is Result.FINISHED
    assert [message.split()[0] for message in left.heard[-6:]] == ["(START", *["(PLAY"] * 4, "(STOP"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--player", "left=http://x:y"], "address: http://x:y: "),
        (
            ["--player", "left=ftp://x"],
            "address: ftp://x: it does not begin with http:// or https://; players are at http://HOST",
        ),
        (["--player", "center=legal"], "unknown-role: no role center"),
        (["--player", "nobody"], "unknown-player: no player nobody"),
        (["--play-clock", "0"], "the play clock must be positive"),
        (["--player", "legal", "--matches", "2", "--record", "/dev/null/x"], "match-record: /dev/null/x: "),
    ],
)
def test_what_it_refuses(ggp: Ggp, arguments: list[str], reason: str, duel: Path) -> None:
    run = ggp("host", duel, *arguments)
    assert run.status == 2
    assert reason in run.err
    assert "Traceback" not in run.err


def test_a_port_that_is_taken(ggp: Ggp, duel: Path) -> None:
    with server(honest) as taken:
        run = ggp("host", duel, "--player", "legal", "--port", str(taken.port))
    assert run.status == 1
    assert "address already in use" in run.err.lower()
    assert "Traceback" not in run.err


def hosted(duel: Path, *options: str) -> tuple[subprocess.Popen[str], str]:
    """A host of thirty matches, and the address for its spectators."""
    process = start("host", duel, "--player", "legal", "--matches", "30", "--port", "0", *options)
    assert process.stderr is not None
    return process, process.stderr.readline().removeprefix("spectators: ").strip()


def result_at(address: str) -> str:
    with urlopen(address, timeout=30) as response:
        return str(json.load(response)["result"])


@pytest.mark.slow
def test_the_port_stays_open_until_spectators_know_the_end(duel: Path) -> None:
    process, where = hosted(duel)
    try:
        matches: list[dict[str, object]] = []
        while not matches:
            with urlopen(f"{where}matches", timeout=30) as response:
                matches = json.load(response)
        out = process.stdout
        assert out is not None
        while "mean goals" not in out.readline():
            pass
        time.sleep(1)  # longer than anything else needs, shorter than a spectator may be silent
        assert result_at(f"{where}matches/{matches[0]['matchId']}") == "finished"
        began = time.monotonic()
        _, err = process.communicate(timeout=60)
        assert 2 < time.monotonic() - began < 20
        assert err == "serving spectators for up to 60 s more; Ctrl-C ends this\n"
        assert process.returncode == 0
    finally:
        process.kill()


@pytest.mark.slow
def test_the_port_closes_at_once_without_spectators_or_on_request(duel: Path) -> None:
    for ask, options in ((False, ()), (True, ("--linger", "0"))):
        process, where = hosted(duel, *options)
        if ask:
            with urlopen(where, timeout=30):
                pass
        _, err = process.communicate(timeout=60)
        assert err == ""
        assert process.returncode == 0


@pytest.mark.slow
def test_ctrl_c_while_lingering_keeps_the_result(duel: Path) -> None:
    process, where = hosted(duel)
    with urlopen(where, timeout=30):
        pass
    assert process.stderr is not None
    assert process.stderr.readline().startswith("serving spectators")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert "mean goals" in out
    assert process.returncode == 0
