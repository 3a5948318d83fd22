"""Atomic writing of files."""

from __future__ import annotations

import errno
import os
import sys
import threading
from pathlib import Path

import pytest

from gdl.whole_file import whole_file, write_file, write_whole


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
