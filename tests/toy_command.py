"""The command, run in the process of the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ggp.cli import build


@dataclass(frozen=True, slots=True)
class Outcome:
    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Ggp = Callable[..., Outcome]


def runner(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ggp:
    """Runs the command with some arguments, its output in plain text."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str | Path) -> Outcome:
        try:
            build()([str(argument) for argument in arguments])
            status: object = 0
        except SystemExit as end:
            status = end.code or 0
        captured = capsys.readouterr()
        assert isinstance(status, int)
        return Outcome(status, captured.out, captured.err)

    return run
