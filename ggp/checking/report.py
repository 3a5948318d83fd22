"""What was found in a rule file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from gdl.checker import Diagnostic, check_reading, in_order
from gdl.errors import Source
from gdl.reading import read
from gdl.rulesheet import Rulesheet
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
    reading = read(source)
    found = check_reading(reading)
    verdicts: tuple[Verdict, ...] = ()
    if options.simulation is not None and not reading.mistakes:
        from ggp.checking.simulation import simulate  # here, as the static checks need no engine

        simulated = simulate(Rulesheet(source.text, source.name), options.simulation)
        found = in_order((*found, *simulated.diagnostics))
        verdicts = simulated.verdicts
    return FileReport(source.name, tuple(one for one in found if _is_told(one, options)), verdicts)


def _is_told(diagnostic: Diagnostic, options: Options) -> bool:
    return diagnostic.code not in options.ignored and (diagnostic.severity == "error" or not options.errors_only)
