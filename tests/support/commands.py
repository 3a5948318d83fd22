"""The command, run in the process of the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ggp.cli import build


@dataclass(frozen=True, slots=True)
class Outcome:
    """The output of a command and its exit status."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


#: Runs the command with some arguments.
Ggp = Callable[..., Outcome]


def runner(capsys: pytest.CaptureFixture[str]) -> Ggp:
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
