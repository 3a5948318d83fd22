"""Compiled games are kept on disk: used again, never trusted, and never needed."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import pytest
from support.processes import descendants, is_running, soon
from support.profiles import first_few
from support.toy_files import ROOT
from support.toy_rules import COIN, NIM

import gdl
import gdl.circuit.pipeline
import gdl.simulator.cache
import gdl.simulator.compiler
from gdl.simulator.cache import Cache, default_folder, without_layout

pytest.importorskip("llvmlite")
from support.cached import use


def entries(folder: Path) -> list[Path]:
    """The files in a cache's folder, sorted; nothing is left of those that are being written."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    assert not [path for path in found if path.name.startswith(".")]
    return found


@pytest.fixture
def nothing_is_made() -> Iterator[None]:
    """Neither grounding nor code generation is allowed."""

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("made again")

    with patch.object(gdl.circuit.pipeline, "ground", fail), patch.object(gdl.simulator.compiler, "compiled", fail):
        yield


# What is kept is used


def test_the_second_time_nothing_is_made(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    first = use(NIM, tmp_path)
    kept = {path: path.stat().st_mtime_ns for path in entries(tmp_path)}
    assert kept
    request.getfixturevalue("nothing_is_made")
    assert use(NIM, tmp_path) == first
    assert use(NIM, str(tmp_path)) == first
    assert {path: path.stat().st_mtime_ns for path in entries(tmp_path)} == kept
    with pytest.raises(AssertionError, match="made again"):
        use(COIN, tmp_path)


def test_comments_and_line_breaks_make_no_difference(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    first = use(NIM, tmp_path)
    request.getfixturevalue("nothing_is_made")
    assert use("; (role nobody)\n" + NIM.replace("(", "\n ( ").replace(")", " ); )\n"), tmp_path) == first
    assert use(" ".join(line.partition(";")[0] for line in NIM.splitlines()), tmp_path) == first


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("(p a)(q)", "\t(p  a ) ; (r)\n( q )\n", True),
        ("p q", "p;\nq", True),
        ("(p ab)", "(p a b)", False),
        ("(p a)", "(p a))", False),
        ("(p a)", "(p ;a)\n)", False),
        ("(p a)", "(p \x00a)", False),
    ],
)
def test_only_blanks_and_comments_are_left_out(text: str, other: str, same: bool) -> None:
    assert (without_layout(text) == without_layout(other)) is same


def test_functions_of_all_games_are_compiled_once(tmp_path: Path) -> None:
    machine_code, made = gdl.simulator.compiler.compiled, []

    def counted(assembly: str, *rest: Any) -> bytes:
        made.append("define void @gather(" in assembly)
        return machine_code(assembly, *rest)

    def end(rules: str) -> str:
        game = gdl.compile(rules, cache=tmp_path)
        states = game.arrays.pack([game.initial_state()] * 2)
        return str(game.arrays.playouts(states, seed=1))

    tools = gdl.simulator.compiler._SHARED
    with patch.object(gdl.simulator.compiler, "compiled", counted), patch.dict(tools, clear=True):
        found = end(NIM)
        assert made.count(True) == 1
        end(COIN)
        assert (made.count(True), made.count(False)) == (1, 4)
        tools.clear()  # as in another process
        assert end(NIM) == found
        assert (made.count(True), made.count(False)) == (1, 4)


def test_reading_tells_no_progress(tmp_path: Path) -> None:
    use(NIM, tmp_path)
    told: list[str] = []
    gdl.compile(NIM, cache=tmp_path, progress=told.append).playouts(1)
    assert told == []


def test_mistakes_of_rules_are_found_each_time(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(gdl.RulesheetError):
            gdl.compile("(role a) (<= (p ?x) (q ?y))", cache=tmp_path)
    assert entries(tmp_path) == []


def test_the_folder_that_is_named_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "own"))
    use(NIM, True)
    assert entries(tmp_path / "own")
    monkeypatch.setenv("GDL_CACHE", "~/own")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / "own"
    monkeypatch.delenv("GDL_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_folder() == tmp_path / "xdg" / "gdl"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_folder() == tmp_path / ".cache" / "gdl"


def test_no_folder_no_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GDL_CACHE", "")
    assert default_folder() is None
    expected = use(NIM, True)
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "never"))
    assert use(NIM, False) == expected
    assert entries(tmp_path) == []


def test_what_is_no_file_is_made_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path, "key")
    cache.write("entry", b"content")
    assert cache.folder is not None
    entry = cache.folder / "entry"
    for make in (
        os.mkfifo,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: (path / "inner").mkdir(parents=True),
    ):
        entry.unlink()
        make(entry)
        assert cache.read("entry") is None
        cache.write("entry", b"content")
        assert cache.read("entry") == b"content"


def test_entries_of_another_version_are_not_used(tmp_path: Path) -> None:
    expected = use(NIM, tmp_path)
    mine = entries(tmp_path)
    with patch.object(gdl.simulator.cache, "fingerprint", lambda: "another version"):
        assert use(NIM, tmp_path) == expected
    assert len(entries(tmp_path)) == 2 * len(mine)


def test_the_fingerprint_is_of_all_that_the_package_says() -> None:
    gdl.simulator.cache.fingerprint.cache_clear()
    mine = gdl.simulator.cache.fingerprint()
    path = Path(gdl.__file__).parent / "language" / "kif.lark"
    read = Path.read_bytes

    def changed(self: Path) -> bytes:
        return read(self) + b" " * (self == path)

    with patch.object(Path, "read_bytes", changed):
        gdl.simulator.cache.fingerprint.cache_clear()
        assert gdl.simulator.cache.fingerprint() != mine
    gdl.simulator.cache.fingerprint.cache_clear()
    assert gdl.simulator.cache.fingerprint() == mine


# What is kept is not trusted


def damages(data: bytes) -> dict[str, bytes]:
    """The damage that a file may suffer."""
    middle = len(data) // 2
    return {
        "empty": b"",
        "one byte": data[:1],
        "truncated": data[:middle],
        "without the last byte": data[:-1],
        "longer": data + b"\0",
        "a bit changed": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
        "the first bit changed": bytes([data[0] ^ 1]) + data[1:],
        "zeros": bytes(len(data)),
        "text": b"(role a)",
    }


@pytest.mark.parametrize("damage", first_few(list(damages(b"0123456789" * 5)), 5))
def test_damaged_entries_are_made_again(tmp_path: Path, damage: str) -> None:
    expected = use(NIM, tmp_path)
    for path in entries(tmp_path):
        path.write_bytes(damages(path.read_bytes())[damage])
    assert use(NIM, tmp_path) == expected
    # They have been mended.
    with patch.object(gdl.circuit.pipeline, "ground", side_effect=AssertionError):
        assert use(NIM, tmp_path) == expected


def test_each_damaged_entry_is_made_again_alone(tmp_path: Path) -> None:
    expected = use(NIM, tmp_path)
    for path in entries(tmp_path):
        path.write_bytes(path.read_bytes()[:-1])
        assert use(NIM, tmp_path) == expected
        path.unlink()
        assert use(NIM, tmp_path) == expected


def test_entries_in_the_place_of_others_are_made_again(tmp_path: Path) -> None:
    """Whole entries, but of another name or another game."""
    expected = use(NIM, tmp_path)
    kept = {path: path.read_bytes() for path in entries(tmp_path)}
    contents = list(kept.values())
    for path, content in zip(kept, contents[1:] + contents[:1], strict=True):
        path.write_bytes(content)
    assert use(NIM, tmp_path) == expected
    (tmp_path / "other").mkdir()
    use(COIN, tmp_path / "other")
    others = {path.name: path.read_bytes() for path in entries(tmp_path / "other")}
    for path in kept:
        if path.name in others:
            path.write_bytes(others[path.name])
    assert use(NIM, tmp_path) == expected


def test_folders_in_the_place_of_entries(tmp_path: Path) -> None:
    expected = use(NIM, tmp_path)
    for path in entries(tmp_path):
        path.unlink()
        path.mkdir()
    assert use(NIM, tmp_path) == expected


# What is kept is not needed


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    expected = use(NIM, False)
    for impossible in (file, file / "below", Path("/proc/nowhere"), Path("x" * 5000)):
        assert use(NIM, impossible) == expected
    assert file.read_text() == "no folder"


def test_a_folder_that_is_read_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        # Whoever may write everywhere has to be told otherwise.
        refused = OSError(errno.EROFS, "Read-only file system")
        with new_files(Mock(side_effect=refused)), patch.object(Path, "mkdir", side_effect=refused):
            assert use(NIM, tmp_path) == use(NIM, False)
        assert entries(tmp_path) == []
    finally:
        tmp_path.chmod(0o700)


@contextmanager
def new_files(opened: Callable[[Path], Any]) -> Iterator[None]:
    """Let `opened` open files that are created."""
    with patch("gdl.system.files._created", lambda path, _: opened(path)):
        yield


class Full:
    """A file on a full disk: it takes a few bytes, then fails."""

    def __init__(self, path: Path) -> None:
        self.handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)

    def __enter__(self) -> Full:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.handle)

    def write(self, data: bytes) -> None:
        os.write(self.handle, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk(tmp_path: Path) -> None:
    with new_files(Full):
        assert use(NIM, tmp_path) == use(NIM, False)
    assert entries(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_disk_that_the_system_says_is_full(tmp_path: Path) -> None:
    with new_files(lambda _: os.fdopen(os.open("/dev/full", os.O_WRONLY), "wb")):
        assert use(NIM, tmp_path) == use(NIM, False)
    assert entries(tmp_path) == []


def test_what_is_interrupted_while_it_is_written_is_not_there(tmp_path: Path) -> None:
    with patch.object(Path, "replace", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        gdl.compile(NIM, cache=tmp_path)
    assert entries(tmp_path) == []


def test_entries_are_bytes_of_any_kind(tmp_path: Path) -> None:
    cache = Cache(tmp_path, "one", "two")
    for content in (b"", b"\0", bytes(range(256)) * 100):
        cache.write("entry", content)
        assert cache.read("entry") == content
    assert cache.read("nothing") is None
    assert Cache(tmp_path, "onetwo").read("entry") is None
    assert Cache(None, "one").read("entry") is None


# Several processes

#: A process that compiles Nim and plays.
WORK = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests")!r})
from support.cached import use
from support.toy_rules import NIM
print(use(NIM, sys.argv[1]))
"""


def process(code: str, *arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_at_once(tmp_path: Path) -> None:
    workers = [process(WORK, tmp_path) for _ in range(2)]
    outputs = [worker.communicate() for worker in workers]
    assert outputs == [(use(NIM, False) + "\n", "")] * 2
    with patch.object(gdl.circuit.pipeline, "ground", side_effect=AssertionError):
        assert use(NIM, tmp_path) + "\n" == outputs[0][0]


def test_a_process_that_is_killed_while_it_writes(tmp_path: Path) -> None:
    """A file that nobody finished stays behind, and is never taken for an entry."""
    code = f"""
import os, pathlib, signal, sys
sys.path.insert(0, {str(ROOT / "tests")!r})
from support.toy_rules import NIM
import gdl
pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
gdl.compile(NIM, cache=sys.argv[1])
"""
    worker = process(code, tmp_path)
    worker.communicate()
    assert worker.returncode == -signal.SIGKILL
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name[0] for path in left] == ["."]
    left[0].write_bytes(left[0].read_bytes()[:20])
    assert use(NIM, tmp_path) == use(NIM, False)


def test_entries_that_vanish_between_reads(tmp_path: Path) -> None:
    """Another process may remove everything at any time."""
    simulator = gdl.compile(NIM, cache=tmp_path)
    for path in entries(tmp_path):
        path.unlink()
    for path in sorted(tmp_path.rglob("*"), reverse=True):
        path.rmdir()
    tmp_path.rmdir()
    assert simulator.playouts(10).playouts == 10
    assert entries(tmp_path)


# Interrupts


#: Rules that take long: to ground, to make code for, to play.
SQUARES = "".join(f"(n {i})" for i in range(60))
LONG_GROUNDING = f"""(role r) (init (at 0 0 0)) (legal r m) {SQUARES} (<= terminal (true end))
(<= (next (at ?x ?y ?z)) (n ?x) (n ?y) (n ?z) (n ?w) (n ?v) (not (true (at ?x ?y ?w))) (not (true (at ?z ?v ?w))))"""
LONG_CODE = (ROOT / "games" / "knights_and_pawns.kif").read_text()
LONG_PLAYOUTS = "(role r) (init x) (legal r m) (legal r n) (<= (next x) (does r m)) (<= (next y) (does r n)) "
LONG_PLAYOUTS += "(<= terminal (true never)) (<= (next never) (true never)) (init z) (<= (next z) (true z))"

#: The process says when it has come to the stage, and whether it was interrupted there.
INTERRUPTED = """
import sys, gdl
text, folder, stage = open(sys.argv[1]).read(), sys.argv[2], sys.argv[3]
def tell(now):
    if now == stage:
        print("here", flush=True)
try:
    simulator = gdl.compile(text, cache=folder, progress=tell)
    if stage == "playouts":
        simulator.playouts(1)
        print("here", flush=True)
    simulator.playouts(10**12, max_plies=10**9)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="there is no /proc")
@pytest.mark.parametrize(
    ("rules", "stage"),
    [
        (LONG_GROUNDING, "grounding"),
        pytest.param(LONG_CODE, "generating code", marks=pytest.mark.slow),
        (LONG_PLAYOUTS, "playouts"),
    ],
    ids=["grounding", "generating code", "playouts"],
)
def test_an_interrupt_ends_all_at_once(tmp_path: Path, rules: str, stage: str) -> None:
    file = tmp_path / "game.kif"
    file.write_text(rules)
    worker = process(INTERRUPTED, file, tmp_path / "cache", stage)
    assert worker.stdout is not None
    try:
        assert worker.stdout.readline() == "here\n"
        if stage == "grounding":
            assert soon(lambda: bool(descendants(worker.pid)))
        else:
            time.sleep(0.3)  # so that it is in the middle of it
        children = descendants(worker.pid)
        worker.send_signal(signal.SIGINT)
        out, err = worker.communicate(timeout=60)
    finally:
        worker.kill()
        worker.communicate()
    assert (out, err) == ("interrupted\n", "")
    assert bool(children) == (stage == "grounding")
    assert not [child for child in children if is_running(child)]
    # What is kept is whole; no half of a file is left.
    for path in entries(tmp_path / "cache") if (tmp_path / "cache").exists() else []:
        assert path.stat().st_size > 32


# Memory


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="there is no /proc")
def test_games_that_are_dropped_take_no_memory(tmp_path: Path) -> None:
    code = """
import gc, pathlib, sys, gdl
sys.path.insert(0, sys.argv[1])
from support.toy_rules import NIM

def size():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

def compile_all():
    for number in range(50):
        simulator = gdl.compile(NIM + f"(variant {number})", cache=sys.argv[2])
        simulator.playouts(1000)
        simulator.next_state(simulator.initial_state(), "(take one) noop")
    del simulator
    gc.collect()

sizes = []
for _ in range(4):
    compile_all()
    sizes.append(size())
print(*sizes)
"""
    worker = process(code, ROOT / "tests", tmp_path)
    out, err = worker.communicate()
    assert err == ""
    sizes = [int(size) for size in out.split()]
    # Fifty games more may take what is lost to fragments, not what fifty games are.
    assert sizes[-1] - sizes[1] < 4_000_000, sizes


def test_what_was_not_used_for_longest_goes_when_there_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gdl.simulator.cache, "LIMIT", 10_000)
    other = tmp_path / "ab" / "photographs"
    other.mkdir(parents=True)
    (other / "one").write_bytes(bytes(50_000))
    caches = [Cache(tmp_path, str(number)) for number in range(12)]
    for number, cache in enumerate(caches[:9]):
        cache.write("entry", bytes(1_000))
        assert cache.folder is not None
        os.utime(cache.folder, (number, number))
    assert all(cache.read("entry") for cache in caches[:9])  # nine thousand and some bytes
    for number in (0, 2, 1, 3, 4, 5, 6, 7, 8):
        folder = caches[number].folder
        assert folder is not None
        os.utime(folder, (100 + number, 100 + number))
    assert caches[0].read("entry") is not None  # the last one that was used
    caches[9].write("entry", bytes(1_000))
    # Down to eight thousand.
    assert [number for number, cache in enumerate(caches) if cache.read("entry")] == [0, 4, 5, 6, 7, 8, 9]
    assert (other / "one").exists()
    # What is larger than all that is kept stays, alone.
    caches[10].write("entry", bytes(20_000))
    assert [number for number, cache in enumerate(caches) if cache.read("entry")] == [10]


def test_findings_belong_to_a_circuit(tmp_path: Path) -> None:
    """Another budget may make a circuit with other facts."""
    game = gdl.compile(NIM, cache=tmp_path)
    game.entries("some", "finding").write("name", b"content")
    assert gdl.compile(NIM, cache=tmp_path).entries("some", "finding").read("name") == b"content"
    assert game.entries("some", "other").read("name") is None
    other = gdl.compile(NIM, cache=tmp_path, budget=gdl.CompileBudget(seconds=30))
    assert other.entries("some", "finding").read("name") is None
    uncached = gdl.compile(NIM, cache=False).entries("some", "finding")
    uncached.write("name", b"content")
    assert uncached.read("name") is None
