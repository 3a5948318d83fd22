"""Files: hostile ones are refused at once, writing is atomic, and one process works under a lock at a time."""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from support.commands import Ggp
from support.toy_rules import NIM

import gdl
from gdl.system.files import (
    RULES,
    FileInUseError,
    alone,
    clear_drafts,
    locked,
    open_input,
    read_input,
    whole_file,
    write_file,
    write_whole,
)
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


def test_the_new_content_takes_the_place_of_the_old(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_whole(file, "old")
    with whole_file(file) as stream:
        stream.write(b"new")
        assert file.read_bytes() == b"old"
    assert file.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [file]


def test_after_an_error_the_old_content_is_still_there(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_whole(file, "old")
    with pytest.raises(TypeError), whole_file(file) as stream:
        stream.writelines([b"new", "text"])  # type: ignore[list-item]
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("path", [".", "..", "/", "nowhere/file", "x" * 300])
def test_a_path_that_cannot_be_written(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError):  # noqa: PT011 - it differs between systems
        write_whole(Path(path), "new")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_reported_with_the_name_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_file(Path("/dev/full"), "text")
    file = tmp_path / "file"
    with pytest.raises(OSError, match=f"No space left on device: '{file}'"), whole_file(file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert list(tmp_path.iterdir()) == []


def test_several_threads_may_write_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    all_open = threading.Barrier(4)

    def write(letter: bytes) -> None:
        with whole_file(file) as stream:
            all_open.wait()
            stream.write(letter * 100_000)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in (b"a", b"b", b"c", b"d")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    content = file.read_bytes()
    assert content == content[:1] * 100_000
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_the_mode_is_that_of_any_new_file(tmp_path: Path) -> None:
    usual = os.umask(0o027)
    try:
        write_whole(tmp_path / "file", "text")
    finally:
        os.umask(usual)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


pytest.importorskip("fcntl")


@contextmanager
def held(path: Path) -> Iterator[threading.Event]:
    """Another holder of a lock, which lets go of it when the event is set."""
    holding, enough = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(path, 0.0):
            holding.set()
            enough.wait(60.0)

    thread = threading.Thread(target=hold)
    thread.start()
    holding.wait(60.0)
    try:
        yield enough
    finally:
        enough.set()
        thread.join()


def test_it_waits_until_the_other_is_done(tmp_path: Path) -> None:
    told: list[float] = []
    with held(tmp_path) as enough:
        threading.Timer(0.3, enough.set).start()
        before = time.monotonic()
        with locked(tmp_path, 60.0, lambda: told.append(0.0)):
            assert 0.2 < time.monotonic() - before < 30.0
    assert told == [0.0]


def test_it_goes_on_without_the_lock_after_a_while(tmp_path: Path) -> None:
    with held(tmp_path) as enough, locked(tmp_path, 0.2):
        assert not enough.is_set()


def test_nobody_waits_for_a_lock_that_is_free(tmp_path: Path) -> None:
    for _ in range(2):
        with locked(tmp_path, 60.0, lambda: pytest.fail("it waits")):
            pass


def test_where_no_file_is_there_is_no_lock(tmp_path: Path) -> None:
    with locked(tmp_path / "missing", 60.0):
        pass


def test_what_killed_writers_have_left_is_deleted(tmp_path: Path) -> None:
    code = "import os, pathlib\nfrom gdl.system.files import whole_file\n"
    code += "with whole_file(pathlib.Path('file')): os._exit(0)"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    old, new = tmp_path.iterdir()
    os.utime(old, (0, 0))
    (other := tmp_path / ".notes.tmp").touch()
    os.utime(other, (0, 0))
    clear_drafts(tmp_path)
    assert set(tmp_path.iterdir()) == {new, other}


def test_a_file_that_another_writes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    other = tmp_path / "link"
    other.symlink_to(path)
    for _ in range(2):
        with alone(path):
            write_whole(path, "content")
            with pytest.raises(FileInUseError, match="link: file-in-use: another process writes it"), alone(other):
                pass
    assert sorted(tmp_path.iterdir()) == [path, other]


def test_the_lock_of_a_killed_process_locks_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    code = (
        f"import os, pathlib\nfrom gdl.system.files import alone\nwith alone(pathlib.Path({str(path)!r})): os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert [left.name for left in tmp_path.iterdir()] == [".file.lock"]
    with alone(path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_of_many_that_want_a_file_each_has_it_alone(tmp_path: Path) -> None:
    inside, most, entered = 0, 0, 0

    def enter() -> None:
        nonlocal inside, most, entered
        for _ in range(200):
            with suppress(FileInUseError), alone(tmp_path / "file"):
                inside += 1
                most = max(most, inside)
                entered += 1
                inside -= 1

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert entered > 0
    assert most == 1
