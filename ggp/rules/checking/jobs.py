"""Simulations of many rule files, as jobs; and, as a program, the process that does them.

`ggp.work.process` has the form of the messages. There is one kind of job:

    simulate    `playouts`, `seconds`, `seed`     -> see `ggp.rules.checking.verdict`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from gdl.errors import Source
from gdl.language.reading import read
from gdl.language.rulesheet import Rulesheet
from ggp.rules.checking.options import Options, Simulation
from ggp.rules.checking.report import FileReport, report_of
from ggp.rules.checking.simulation import simulate
from ggp.rules.checking.verdict import Simulated
from ggp.work.job import Executor, Job, Lost
from ggp.work.process import Action, Games, serve

#: The module whose processes simulate.
MODULE: Final = "ggp.rules.checking.jobs"


def check_all(
    sources: Mapping[int, Source], options: Options, executor: Executor
) -> Iterator[tuple[int, FileReport | str]]:
    """Check texts, simulate those without errors, and yield each report when it is there, by the number of its text.

    The options have a simulation, and the executor runs `MODULE`. For a text whose simulation failed, yield the reason
    instead.
    """
    assert options.simulation is not None
    settings = asdict(options.simulation)
    readings = {number: read(source) for number, source in sources.items()}
    for number, reading in readings.items():
        if reading.mistakes:
            yield number, report_of(reading, Simulated(), options)

    def job(number: int) -> Job:
        source = sources[number]
        return Job("simulate", settings, source, label=f"simulation of {source.name}")

    playable = [number for number, reading in readings.items() if not reading.mistakes]

    for result in executor.run(playable, job):
        number = result.task
        if isinstance(result, Lost):
            yield number, result.reason
        else:
            simulated = Simulated.from_json(result.answer, sources[number])
            yield number, report_of(readings[number], simulated, options)


def actions(games: Games) -> Mapping[str, Action]:
    """Return what a process does. Engines are not kept, since each file comes once."""

    def simulated(rules: str, playouts: int, seconds: float, seed: int) -> dict[str, Any]:
        """Play a game, and try to prove its properties. Raises RulesheetError and DerivationLimitError."""
        return simulate(Rulesheet.of_source(games.source(rules)), Simulation(playouts, seconds, seed)).as_json()

    return {"simulate": simulated}


def main() -> None:
    """Answer requests until the input ends."""
    games = Games()
    serve(games, **actions(games))


if __name__ == "__main__":
    main()
