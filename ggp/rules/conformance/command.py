"""The `ggp test` command: run the checks of some rule files, and report on each."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gdl.errors import GdlError
from ggp.rules.conformance.checks import Settings, checks, load_game
from ggp.rules.conformance.expectation_file import load_expectations
from ggp.rules.conformance.expectations import expectations_path
from ggp.rules.conformance.playouts import Playouts
from ggp.rules.printable import without_controls
from ggp.rules.wording import number_and_noun

PASSED: Final = 0
FAILED: Final = 1
REFUSED: Final = 2


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result for one rule file: a status, a summary line, and a text for each failure."""

    status: int
    summary: str
    failures: tuple[str, ...] = ()


def run_command(files: Sequence[Path], *, playouts: int, seed: int, max_plies: int | None, quiet: bool) -> int:
    """Check rule files and print a report on each; `quiet` leaves out files that passed.

    The exit status is 0 if all passed, 2 if a file could not be read or was refused, and 1 otherwise.
    """
    settings = Settings(playouts, seed, max_plies)
    status = PASSED
    for file in files:
        with _progress(file.name) as tell:
            report = examine(file, settings, tell)
        if report.status != PASSED or not quiet:
            _print(report.summary)
        for failure in report.failures:
            _print("\n".join(f"  {line}" for line in failure.split("\n")))
        status = max(status, report.status)
    return status


def examine(file: Path, settings: Settings, tell: Callable[[str], None]) -> FileReport:
    """Run all checks of a rule file. If a file is refused, its errors are the whole result."""
    began = time.perf_counter()
    tell("reading")
    try:
        game = load_game(file, str(file))
        expectations = load_expectations(file, game)
    except GdlError as error:
        return FileReport(REFUSED, f"{file}: refused", (str(error),))
    findings = [check.run() for check in checks(game, expectations, settings, tell)]
    total = len(findings) + 1 + expectations_path(file).exists()
    failures = tuple(failure for finding in findings for failure in finding.failures)
    failed = sum(bool(finding.failures) for finding in findings)
    counted = number_and_noun(total, "check")
    result = f"{failed} of {counted} failed" if failed else f"{counted} passed"
    played = [_played(finding.playouts) for finding in findings if finding.playouts]
    amount = ", ".join([*played, f"{time.perf_counter() - began:.1f} s"])
    return FileReport(FAILED if failed else PASSED, f"{file}: {result} ({amount})", failures)


def _played(playouts: Playouts) -> str:
    cut = f", {playouts.cut} cut off at {playouts.max_plies}" if playouts.cut else ""
    return f"{number_and_noun(playouts.playouts, 'playout')}, {number_and_noun(playouts.plies, 'ply', 'plies')}{cut}"


@contextmanager
def _progress(title: str) -> Iterator[Callable[[str], None]]:
    """Show the current step on standard error while it runs, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(title)) as status:
        yield lambda step: status.update(Text(f"{title}: {step}"))


def _print(text: str) -> None:
    """Print text; unencodable characters are escaped, and control characters replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    print(without_controls(text).encode(encoding, "backslashreplace").decode(encoding))
