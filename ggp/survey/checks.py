"""Simulations of many rule files, as jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Final

from gdl.errors import Source
from gdl.language.reading import read
from ggp.rules.checking.options import Options
from ggp.rules.checking.report import FileReport, report_of
from ggp.rules.checking.simulated import Simulated
from ggp.work.job import Executor, Job, Lost

#: The module whose processes simulate.
MODULE: Final = "ggp.survey.survey_process"


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
