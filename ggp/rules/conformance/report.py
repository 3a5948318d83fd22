"""All checks of a rule file, and a report on them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gdl.errors import GdlError
from ggp.rules.conformance.checks import Settings, checks, load_game
from ggp.rules.conformance.expectation_file import load_expectations
from ggp.rules.conformance.expectations import expectations_path
from ggp.rules.conformance.playouts import Playouts
from ggp.rules.report_text import number_and_noun

PASSED: Final = 0
FAILED: Final = 1
REFUSED: Final = 2

_RESULTS: Final = ("passed", "failed", "refused")


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result of testing one rule file: its status, a text for each failure, and how much was done.

    `checks` counts the checks that were made, and `failed` those of them that failed; a refused file has none.
    """

    file: str
    status: int
    failures: tuple[str, ...] = ()
    checks: int = 0
    failed: int = 0
    playouts: tuple[Playouts, ...] = ()
    seconds: float = 0.0

    @property
    def warnings(self) -> tuple[str, ...]:
        """Findings that are unusual, but no failures."""
        return tuple(text for one in self.playouts for text in one.warnings())

    @property
    def summary(self) -> str:
        """One line for people."""
        if self.status == REFUSED:
            return f"{self.file}: refused"
        checks = number_and_noun(self.checks, "check")
        result = f"{self.failed} of {checks} failed" if self.failed else f"{checks} passed"
        amount = ", ".join([*map(_played, self.playouts), f"{self.seconds:.1f} s"])
        return f"{self.file}: {result} ({amount})"

    def as_json(self) -> dict[str, Any]:
        """The report as a JSON object."""
        return {
            "file": self.file,
            "result": _RESULTS[self.status],
            "checks": self.checks,
            "failed": self.failed,
            "failures": self.failures,
            "warnings": self.warnings,
            "playouts": sum(one.playouts for one in self.playouts),
            "plies": sum(one.plies for one in self.playouts),
            "cut_off": sum(one.cut for one in self.playouts),
            "seconds": self.seconds,
        }


def examine(file: Path, settings: Settings, tell: Callable[[str], None] = lambda _: None) -> FileReport:
    """Run all checks of a rule file. If a file is refused, its errors are the whole result."""
    began = time.perf_counter()
    tell("reading")
    try:
        game = load_game(file, str(file))
        expectations = load_expectations(file, game)
    except GdlError as error:
        return FileReport(str(file), REFUSED, (str(error),))
    findings = [check.run() for check in checks(game, expectations, settings, tell)]
    failed = sum(bool(finding.failures) for finding in findings)
    return FileReport(
        str(file),
        FAILED if failed else PASSED,
        failures=tuple(failure for finding in findings for failure in finding.failures),
        checks=len(findings) + 1 + expectations_path(file).exists(),
        failed=failed,
        playouts=tuple(finding.playouts for finding in findings if finding.playouts),
        seconds=time.perf_counter() - began,
    )


def _played(playouts: Playouts) -> str:
    cut = f", {playouts.cut} cut off at {playouts.max_plies}" if playouts.cut else ""
    return f"{number_and_noun(playouts.playouts, 'playout')}, {number_and_noun(playouts.plies, 'ply', 'plies')}{cut}"
