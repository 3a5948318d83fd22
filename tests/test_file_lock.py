"""One process works under a lock at a time; whoever cannot have it goes on without it after a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gdl.file_lock import locked

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
