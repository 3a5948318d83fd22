"""Cached code is read only from folders that nobody else can change, and only if the user has sealed it."""

from __future__ import annotations

import os
import pickle
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from support.toy_rules import NIM

import gdl
from gdl.simulator.cache import Cache
from gdl.system import trust

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users have no numbers")

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep the key in a folder of the test, and forget what has been told."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    trust.tell_once.cache_clear()
    yield
    trust.tell_once.cache_clear()


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the lines logged so far, and forget them."""
    lines = [record.getMessage() for record in caplog.records]
    caplog.clear()
    return lines


def unused(reason: str) -> str:
    return f"gdl: a cache is not used, as others could change the code in it: {reason}"


def open_to_others(folder: Path) -> str:
    return f"others can write to {folder} (to change that: chmod go-w)"


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_folders_that_others_can_write_to_are_not_used(
    mode: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = Cache(tmp_path / "cache", "game")
    cache.write("entry", b"code")
    assert cache.read("entry") == b"code"
    with patch.object(trust, "_only_member", lambda _: False):
        assert cache.folder is not None
        cache.folder.chmod(mode)
        assert cache.read("entry") is None
        assert told(caplog) == [unused(open_to_others(cache.folder))]
        cache.write("entry", b"more")
        assert cache.read("entry") is None
        assert told(caplog) == [], "once per process"
    cache.folder.chmod(0o700)
    assert cache.read("entry") == b"code"


def test_folders_above_must_be_trusted_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    above = tmp_path / "above"
    cache = Cache(above / "cache", "game")
    cache.write("entry", b"code")
    above.chmod(0o777)
    assert cache.read("entry") is None
    assert told(caplog) == [unused(open_to_others(above))]
    above.chmod(0o1777)  # sticky, as /tmp
    assert cache.read("entry") == b"code"


def test_folders_of_another_user_are_not_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = Cache(tmp_path / "cache", "game")
    cache.write("entry", b"code")
    with patch("os.geteuid", lambda: os.getuid() + 1):
        assert cache.read("entry") is None
        cache.write("entry", b"more")
    (line,) = told(caplog)
    assert line.startswith(unused(""))
    assert line.endswith(" belongs to another user")
    assert cache.read("entry") == b"code"


def test_groups_with_no_other_member_do_no_harm(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = Cache(tmp_path / "cache", "game")
    cache.write("entry", b"code")
    assert cache.folder is not None
    cache.folder.chmod(0o770)
    with patch.object(trust, "_only_member", lambda _: True):
        assert cache.read("entry") == b"code"
    assert told(caplog) == []


def test_links_are_followed_and_both_ends_checked(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    real, shared = tmp_path / "real", tmp_path / "shared"
    real.mkdir()
    shared.mkdir()
    for target in (real, Path("../shared/../real")):
        link = shared / "link"
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        shared.chmod(0o700)
        cache = Cache(link, "game")
        cache.write("entry", b"code")
        assert cache.read("entry") == b"code"
        shared.chmod(0o777)
        assert cache.read("entry") is None
    assert told(caplog) == [unused(open_to_others(shared))]
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    Cache(loop, "game").write("entry", b"code")
    assert Cache(loop, "game").read("entry") is None


def test_new_folders_and_entries_are_for_the_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        gdl.compile(NIM, cache=tmp_path / "a" / "b")
    finally:
        os.umask(before)
    made = [*(tmp_path / "a").rglob("*"), tmp_path / "a", *(tmp_path / "state").rglob("*"), tmp_path / "state"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_dir()} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_file()} == {0o600}


def test_entries_sealed_with_another_key_are_made_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    Cache(folder, "game").write("entry", b"code")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    cache = Cache(folder, "game")
    assert cache.read("entry") is None
    assert told(caplog) == [
        f"gdl: ignored entries in {folder} that are damaged or not from this user; they are made again"
    ]
    cache.write("entry", b"code")
    assert cache.read("entry") == b"code"


def test_changed_entries_are_not_read(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", "game")
    cache.write("entry", b"code")
    assert cache.folder is not None
    path = cache.folder / "entry"
    data = path.read_bytes()
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert cache.read("entry") is None
    path.write_bytes(data)
    path.rename(cache.folder / "other")
    assert cache.read("other") is None


# The key


def key_file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "gdl" / "cache.key"


def forget_key() -> None:
    trust._key.cache_clear()


@pytest.mark.parametrize("damage", ["readable by others", "link", "pipe", "folder", "folder open to others"])
def test_keys_that_others_may_know_are_not_used(damage: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = Cache(tmp_path / "cache", "game")
    cache.write("entry", b"code")
    key = key_file(tmp_path)
    match damage:
        case "readable by others":
            key.chmod(0o640)
        case "link":
            key.rename(tmp_path / "elsewhere")
            key.symlink_to(tmp_path / "elsewhere")
        case "pipe":
            key.unlink()
            os.mkfifo(key, 0o600)
        case "folder":
            key.unlink()
            key.mkdir()
        case _:
            key.parent.chmod(0o777)
    forget_key()
    cache.write("entry", b"more")
    assert cache.read("entry") is None
    (line,) = told(caplog)
    assert line.startswith(f"gdl: the cache is not used: {key}: ")


def test_a_damaged_key_is_made_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", "game")
    key = key_file(tmp_path)
    for size in (0, 31, 33):
        cache.write("entry", b"code")
        key.write_bytes(bytes(size))
        forget_key()
        assert cache.read("entry") is None
        assert len(key.read_bytes()) == 32


def test_processes_that_make_the_key_at_once_agree(tmp_path: Path) -> None:
    code = "from gdl.system.trust import sealed; print(sealed('name', b'').hex())"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    workers = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    assert len({worker.communicate()[0] for worker in workers}) == 1
    assert [path.name for path in key_file(tmp_path).parent.iterdir()] == ["cache.key"]


def test_without_a_key_nothing_is_cached(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("not a folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(nowhere))
    cache = Cache(tmp_path / "cache", "game")
    cache.write("entry", b"code")
    assert cache.read("entry") is None
    (line,) = told(caplog)
    assert line.startswith("gdl: the cache is not used: ")


# Numba's pickles


class Trap:
    """A pickle that leaves a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.path,)


@pytest.mark.slow
def test_pickles_of_others_are_not_read(tmp_path: Path) -> None:
    """The file with code is replaced by a plain pickle, and by one behind a wrong seal."""
    (tmp_path / "user.py").write_text(
        "from gdl.codegen.compiled_functions import compiled\n"
        "@compiled\ndef result(number: int) -> int:\n    return 2 * number\n"
    )
    folder = tmp_path / "numba"
    folder.mkdir(mode=0o700)
    paths = os.pathsep.join((str(tmp_path), str(ROOT)))
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder)}

    def asked() -> tuple[str, str]:
        code = "import user; print(user.result(10), sum(user.result.stats.cache_hits.values()))"
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip(), done.stderr

    assert asked() == ("20 0", "")
    trap = pickle.dumps(Trap(tmp_path / "sprung"))
    (file,) = (path for path in folder.rglob("*") if path.is_file())
    for seal in (b"", bytes(32)):
        file.write_bytes(seal + trap)
        line = f"gdl: ignored files of Numba in {file.parent} that are damaged or not from this user; "
        assert asked() == ("20 0", f"{line}they are made again\n")
        assert not (tmp_path / "sprung").exists()
    folder.chmod(0o777)
    assert asked() == ("20 0", unused(open_to_others(folder)) + "\n")
