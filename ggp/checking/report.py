"""What was found in a rule file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from gdl.checker import Diagnostic, check_reading
from gdl.errors import Source
from gdl.reading import read
from ggp.checking.options import Options
from ggp.checking.verdict import Verdict


@final
@dataclass(frozen=True, slots=True)
class FileReport:
    """What was found in a file, in its order, and what became of each property that was looked at."""

    file: str
    diagnostics: tuple[Diagnostic, ...]
    verdicts: tuple[Verdict, ...] = ()

    @property
    def errors(self) -> int:
        return sum(diagnostic.severity == "error" for diagnostic in self.diagnostics)

    @property
    def warnings(self) -> int:
        return len(self.diagnostics) - self.errors


def check_source(source: Source, options: Options) -> FileReport:
    """Check a text, and play it if that is wanted and it can be played."""
    found = check_reading(read(source))
    told = tuple(one for one in found if _is_told(one, options))
    return FileReport(source.name, told)


def _is_told(diagnostic: Diagnostic, options: Options) -> bool:
    return diagnostic.code not in options.ignored and (diagnostic.severity == "error" or not options.errors_only)
