"""Set-up for all tests: Hypothesis profiles, and folders of their own in place of the user's."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from support.commands import Ggp, runner
from support.profiles import register_profiles

register_profiles()

_FOLDER = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled games and saved matches in a folder for this run.

    This happens before collection, because test modules may compile games when they are imported. Worker processes and
    the processes that tests start inherit the folder, so that each game is compiled once.
    """
    if hasattr(config, "workerinput"):
        return
    folder = config.stash[_FOLDER] = Path(tempfile.mkdtemp(prefix="ggp-tests-"))
    os.environ["GDL_CACHE"] = str(folder / "cache")
    os.environ["XDG_DATA_HOME"] = str(folder / "data")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder."""
    if _FOLDER in config.stash:
        shutil.rmtree(config.stash[_FOLDER], ignore_errors=True)


@pytest.fixture
def ggp(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ggp:
    """Runs the command in this process."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return runner(capsys)
