"""`ggp join` as a process: found by servers, shows what happens, ends on Ctrl-C."""

from __future__ import annotations

import re
import signal
import socket
from pathlib import Path

import pytest
from support.commands import Ggp
from support.joined import joined
from support.toy_files import rule_file

CRASHES = """
import os
class Crashes:
    name = 'crashes'
    def start(self, start, deadline): self.match_id = start.match_id
    def move(self, turn):
        if self.match_id == 'm' and turn.ply == 1: os.abort()
        return turn.legal[0]
    def stop(self, end): pass
"""


def test_a_match_and_ctrl_c() -> None:
    with joined("--player", "legal", "--name", "second to none") as (player, process):
        assert player.ask("(INFO)") == "((name second_to_none) (status available) (species alien))"
        assert player.start("first") == "ready"
        assert player.ask("(PLAY first NIL)") == "(mark 1 1)"
        assert player.ask("(STOP first ((mark 1 1) noop))") == "done"
        assert player.ask("(PLAY \x1b[31m NIL)") == "busy"
        assert player.start("second") == "ready"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "interrupted\n"
    lines = [re.sub(r"^\d\d:\d\d:\d\d  ", "", line) for line in out.splitlines()]
    # What threads report may come in between.
    first = [line for line in lines if line.startswith("first")]
    assert first[0] == "first  begins: xplayer, start clock 60 s, play clock 60 s"
    assert re.fullmatch(r"first  ready after \d+\.\d\d s; reading the rules \d+\.\d\d s", first[1])
    assert re.fullmatch(r"first  ply 1  \(mark 1 1\)  \d+\.\d\d s", first[2])
    assert first[3:] == ["first  stopped after 1 ply, late moves: 0"]
    assert "second  aborted after 0 plies, late moves: 0" in lines
    assert "\x1b" not in out


def test_a_player_that_crashes_its_process(tmp_path: Path) -> None:
    file = rule_file(tmp_path, CRASHES, "crashes.py")
    with joined("--player", f"{file}:Crashes", "--seed", "1") as (player, process):
        assert player.start("m") == "ready"
        assert player.ask("(PLAY m NIL)").startswith("(mark ")
        assert player.ask("(ABORT m)") == "aborted"
        assert player.start("next") == "ready"
        assert player.ask("(PLAY next NIL)") == "(mark 1 1)"
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert "at random: the player crashed with signal SIGABRT" in out


@pytest.mark.slow
def test_a_screen_that_nobody_reads_holds_up_nothing() -> None:
    with joined("--player", "legal") as (player, process):
        # Many times more than a pipe takes.
        for number in range(600):
            assert player.ask(f"(ABORT {'long' * 100}{number})") == "busy"
        assert player.status() == "available"
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=60) == 141


def test_an_address_that_is_taken(ggp: Ggp) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = ggp("join", "--player", "random", "--port", str(port))
    error = f"address: cannot listen on 127.0.0.1, port {port}: Address already in use\n"
    assert (done.status, done.out, done.err) == (2, "", error)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--player", "nobody"), "unknown-player: no player nobody"),
        (("--player", "random", "--bind", "nowhere.invalid"), "address: cannot listen on nowhere.invalid"),
        (("--matches", "0"), "--matches"),
        (("--port", "70000"), "--port"),
    ],
)
def test_what_cannot_be(ggp: Ggp, options: tuple[str, ...], error: str) -> None:
    done = ggp("join", *options)
    assert (done.status, done.out) == (2, "")
    assert error in done.err
    assert "Traceback" not in done.err
