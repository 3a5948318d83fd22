"""The findings in a rule file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, final

from gdl.checker import SEVERITIES, Diagnostic, Severity, check_reading, in_order
from gdl.errors import Source
from gdl.language.reading import Reading, read
from gdl.language.rulesheet import Rulesheet
from ggp.rules.checking.options import Options
from ggp.rules.checking.verdict import Simulated, Verdict

#: The number of statements in another notation that people are shown.
_MOST_FOREIGN: Final = 5


@final
@dataclass(frozen=True, slots=True)
class FileReport:
    """The diagnostics of a file, in its order, and the verdicts on the properties that were examined.

    `hidden` is the number of hints left out of the diagnostics. `most` is the number of diagnostics for people to
    read; None for all.
    """

    file: str
    diagnostics: tuple[Diagnostic, ...]
    verdicts: tuple[Verdict, ...] = ()
    hidden: int = 0
    most: int | None = None

    @property
    def errors(self) -> int:
        """The number of errors."""
        return self._count("error")

    @property
    def warnings(self) -> int:
        """The number of warnings."""
        return self._count("warning")

    @property
    def hints(self) -> int:
        """The number of hints shown."""
        return self._count("hint")

    @property
    def failing(self) -> int:
        """The number of required properties that do not hold."""
        return sum(verdict.fails for verdict in self.verdicts)

    @property
    def told(self) -> tuple[Diagnostic, ...]:
        """The diagnostics for people to read, in the order of the file: errors before warnings before hints.

        A few statements in another notation show how all of them are to be written.
        """
        if self.most is None:
            return self.diagnostics
        foreign = [at for at, one in enumerate(self.diagnostics) if one.code == "foreign-notation"]
        shown = sorted(set(range(len(self.diagnostics))).difference(foreign[_MOST_FOREIGN:]))
        worst = sorted(shown, key=lambda at: SEVERITIES.index(self.diagnostics[at].severity))
        return tuple(self.diagnostics[at] for at in sorted(worst[: self.most]))

    def _count(self, severity: Severity) -> int:
        return sum(diagnostic.severity == severity for diagnostic in self.diagnostics)

    def without_hints(self) -> FileReport:
        """Return the report with its hints hidden."""
        told = tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.severity != "hint")
        return replace(self, diagnostics=told, hidden=self.hidden + self.hints)


def check_source(source: Source, options: Options) -> FileReport:
    """Check a text, and simulate the game if the options ask for it and the text has no errors."""
    reading = read(source)
    simulated = Simulated()
    if options.simulation is not None and not reading.mistakes:
        from ggp.rules.checking.simulation import simulate  # imported here, as static checks need no engine

        simulated = simulate(Rulesheet.of_source(source), options.simulation)
    return report_of(reading, simulated, options)


def report_of(reading: Reading, simulated: Simulated, options: Options) -> FileReport:
    """Return the findings in a text that has been read, and perhaps simulated."""
    found = in_order((*check_reading(reading), *simulated.diagnostics))
    told = tuple(one for one in found if _is_told(one, options))
    return FileReport(reading.source.name, told, simulated.verdicts)


def _is_told(diagnostic: Diagnostic, options: Options) -> bool:
    return diagnostic.code not in options.ignored and (diagnostic.severity == "error" or not options.errors_only)
