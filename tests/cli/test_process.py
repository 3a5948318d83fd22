"""The command as a process: what it loads, interrupts, pipes, and output that it cannot write."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.toy_files import ROOT, rule_file, start
from support.toy_rules import ENDLESS

from ggp import __version__
from ggp.match.record import Result, read_record


def test_version_and_help() -> None:
    out, err = start("--version").communicate()
    assert (out, err) == (f"ggp {__version__}\n", "")
    out, _ = start("--help").communicate()
    for command in ("play", "show", "games", "test", "bench"):
        assert f"  {command} " in out


def test_help_loads_nothing_heavy() -> None:
    heavy = "'gdl', 'lark', 'numpy', 'asyncio', 'ggp.match.match', 'ggp.players.player', 'ggp.board'"
    code = (
        "import sys\n"
        "sys.argv = ['ggp', '--help']\n"
        "from ggp.cli import main\n"
        "try: main()\n"
        f"except SystemExit: print(sorted(set(sys.modules) & {{{heavy}}}))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("clock", [[], ["--play-clock", "60"]], ids=["direct", "threads"])
def test_an_interrupt_leaves_a_whole_record(tmp_path: Path, clock: list[str]) -> None:
    file = rule_file(tmp_path, ENDLESS)
    slow = rule_file(
        tmp_path,
        "import time\n"
        "class Slow:\n"
        "    name = 'slow'\n"
        "    def start(self, start, deadline): pass\n"
        "    def move(self, turn):\n"
        "        time.sleep(0 if turn.ply < 3 else 1000)\n"
        "        return turn.legal[0]\n"
        "    def stop(self, end): pass\n",
        "slow.py",
    )
    record = tmp_path / "match.json"
    process = start("play", file, "--player", f"{slow}:Slow", "--record", record, *clock, PYTHONUNBUFFERED="1")
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("  2  solo"):
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines() == [f"to continue the match: ggp replay --resume {record}", "interrupted"]
    assert "aborted after 2 plies" in out
    assert "failed" not in out
    written = read_record(record)
    assert written.result is Result.ABORTED
    assert len(written.plies) == 2
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    file = rule_file(tmp_path, ENDLESS)
    record = tmp_path / "match.json"
    with start("play", file, "--player", "random", "--max-plies", "100000", "--record", record) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=60) == 141
        assert process.stderr.read() == ""
    assert read_record(record).result is Result.ABORTED


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told_in_a_line() -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "ggp", "games"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert run.returncode == 1
    assert run.stderr.endswith("standard output: No space left on device\n")
    assert len(run.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes streams")
def test_output_may_be_closed() -> None:
    command = f'"{sys.executable}" -m ggp play tic_tac_toe --player random --seed 1'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    out = subprocess.run(f"{command} >&-", shell=True, cwd=ROOT, env=environment, capture_output=True, check=True)
    assert out.stderr == b""
    refused = subprocess.run(f"{command} --player nobody 2>&-", shell=True, cwd=ROOT, env=environment, check=False)
    assert refused.returncode == 2


@pytest.mark.slow
def test_symbols_that_the_output_cannot_show_are_escaped(tmp_path: Path) -> None:
    file = tmp_path / "caf\udce9.kif"
    file.write_text(ENDLESS.replace("wait", "w\N{LATIN SMALL LETTER A WITH DIAERESIS}it"), encoding="utf-8")
    out, err = start("play", file, "--max-plies", "1", PYTHONIOENCODING="ascii").communicate()
    assert err == ""
    assert "caf\\udce9   seed" in out
    assert "  1  solo  w\\xe4it" in out


@pytest.mark.slow
def test_a_terminal_gets_colour_only_if_it_wants_it() -> None:
    arguments = ("play", "wolf_sheep", "--max-plies", "1", "--seed", "1")
    plain, _ = start(*arguments).communicate()
    coloured, _ = start(*arguments, FORCE_COLOR="1", TERM="xterm-256color").communicate()
    assert "\x1b[" not in plain
    assert "\x1b[" in coloured
