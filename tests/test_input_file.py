"""Files that users name: what is not a regular file, or too large, is refused at once."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import Ggp
from support.toy_rules import NIM

import gdl
from gdl.input_file import RULES, open_input, read_input
from ggp.match.record import RecordError, read_record
from ggp.players import PlayerLoadError, make_player
from ggp.solver.errors import ProofFileError
from ggp.solver.proof_file import read_proof
from ggp.tournament.store import Store, StoreError

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")

ROOT = Path(__file__).parents[1]

KINDS = {
    "pipe": "a named pipe, not a regular file",
    "device": "a device, not a regular file",
    "folder": "Is a directory",
    "loop": "Too many levels of symbolic links",
    "large": "larger than 64 MiB",
    "missing": "No such file or directory",
}


@pytest.fixture(params=KINDS)
def hostile(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """The path of something that is not a file of rules, and the reason why it is refused."""
    path = tmp_path / "game.kif"
    match request.param:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path)
        case "large":
            with path.open("wb") as file:
                file.truncate(RULES + 1)
        case _:
            pass
    return str(path), KINDS[request.param]


def test_rule_files(hostile: tuple[str, str]) -> None:
    path, reason = hostile
    for load in (gdl.Rulesheet.load, gdl.Reasoner.load, gdl.Simulator.load):
        with pytest.raises(gdl.FileError) as error:
            load(path)
        assert str(error.value) == f"{path}: {reason}"


@pytest.mark.parametrize("command", ["show", "fmt", "solve", "play"])
def test_commands(hostile: tuple[str, str], command: str, ggp: Ggp) -> None:
    path, reason = hostile
    done = ggp(command, path)
    assert (done.status, done.out) == (2, "")
    expected = f"{path}: {reason}"
    if command != "fmt" and not Path(path).is_file():  # commands that accept names of games, too
        expected = {
            "Is a directory": f"{path}: a folder, not a rule file",
            "Too many levels of symbolic links": f"unknown-game: no file and no game {path}",
            "No such file or directory": f"unknown-game: no file and no game {path}",
        }.get(reason, expected)
    assert done.err.strip().partition(";")[0] == expected


def test_other_files(hostile: tuple[str, str]) -> None:
    path, reason = hostile
    if "MiB" not in reason:  # their limits are larger
        with pytest.raises(RecordError) as record:
            read_record(path)
        assert record.value.reason == reason
        with pytest.raises(ProofFileError) as proof:
            read_proof(Path(path))
        assert proof.value.reason == reason
    if "pipe" in reason or "device" in reason:
        with pytest.raises(StoreError, match="not a regular file"):
            Store(Path(path))
        player = Path(path).rename(Path(path).with_suffix(".py"))
        with pytest.raises(PlayerLoadError, match="not a regular file"):
            make_player(f"{player}:Player")


def test_files_that_grow_are_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_input(path, 5) == b"12345"
    with open_input(path, 5) as file:
        path.write_bytes(b"123456")
        assert file.read() == b"123456"
    with pytest.raises(OSError, match="larger than 0 MiB"):
        read_input(path, 5)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there is no /dev/fd")
def test_standard_input_and_process_substitution(tmp_path: Path) -> None:
    """Their pipes are open already, so there is somebody who writes."""
    rules = tmp_path / "nim.kif"
    rules.write_text(NIM)
    ggp = f"{shlex.quote(sys.executable)} -m ggp check"
    for command in (f"{ggp} <(sleep 0.2; cat {rules})", f"cat {rules} | {ggp} /dev/stdin"):
        done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_endless_standard_input() -> None:
    with Path("/dev/zero").open("rb") as zeros:
        done = subprocess.run(
            [sys.executable, "-m", "ggp", "fmt", "-"],
            cwd=ROOT,
            stdin=zeros,
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr.strip()) == (2, "<stdin>: larger than 64 MiB")
