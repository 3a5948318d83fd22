"""For all tests: what is compiled is kept for this run only, so that tests neither read nor fill the user's cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands import Ggp, runner


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder for compiled games; processes that tests start inherit it."""
    folder = tmp_path_factory.mktemp("cache")
    if "PYTEST_XDIST_WORKER" in os.environ:
        # Processes that share the tests share what is compiled: their folders are in one.
        folder = tmp_path_factory.getbasetemp().parent / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GDL_CACHE", str(folder))
        yield folder


@pytest.fixture
def ggp(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ggp:
    """Runs the command in this process."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return runner(capsys)
