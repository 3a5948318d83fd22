"""Simulations of many rule files, as jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Final

from gdl.errors import Source
from gdl.language.reading import Reading, read
from ggp.rules.checking.options import Options, Simulation
from ggp.rules.checking.report import FileReport, report_of
from ggp.rules.checking.simulated import Simulated
from ggp.work.job import Executor, Job, Lost

#: The module whose processes simulate.
MODULE: Final = "ggp.survey.survey_process"


def check_all(
    sources: Mapping[int, Source], options: Options, executor: Executor
) -> Iterator[tuple[int, FileReport | str]]:
    """Check texts, simulate those without errors, and yield each report when it is there, by the number of its text.

    The executor runs `MODULE`. For a text whose simulation failed, yield the reason instead.
    """
    readings = {number: read(source) for number, source in sources.items()}
    playable = [number for number, reading in readings.items() if options.simulation and not reading.mistakes]
    for number in sorted(readings.keys() - set(playable)):
        yield number, report_of(readings[number], Simulated(), options)

    def job(number: int) -> Job:
        return simulation_job(readings[number], options.simulation or Simulation())

    for result in executor.run(playable, job):
        number = result.task
        if isinstance(result, Lost):
            yield number, result.reason
        else:
            simulated = Simulated.from_json(result.answer, sources[number])
            yield number, report_of(readings[number], simulated, options)


def simulation_job(reading: Reading, simulation: Simulation) -> Job:
    """Return the simulation of a text as a job, whose answer is `Simulated` in its JSON form."""
    return Job("simulate", asdict(simulation), reading.source, label=f"simulation of {reading.source.name}")
