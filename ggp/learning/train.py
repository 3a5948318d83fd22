"""A whole training: it begins or goes on, writes its files, and reports how far it is."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, final

from gdl.system.files import alone, write_whole
from ggp import __version__
from ggp.learning import measuring
from ggp.learning.checkpoint import SUFFIX, read_checkpoint, write_checkpoint
from ggp.learning.errors import CheckpointError, NotTrainableError
from ggp.learning.measuring import SHARE, Measuring, Score, final_scores, search_scores
from ggp.learning.trainer import TASKS, Trainer
from ggp.players.learned_values.array_file import ArrayFileError, packed
from ggp.players.learned_values.measured import MEASURED, Measured
from ggp.players.learned_values.value import (
    ALPHABETA,
    MCTS,
    LearnedValue,
    facts_of,
    players_of,
    read_value,
    rules_hash,
)

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.work.job import Executor

#: The module of the processes that play the games.
MODULE: Final = "ggp.learning.self_play_process"

#: Seconds between reports, and between files: what a kill can cost, besides a round.
_REPORTS: Final = 5.0
_FILES: Final = 20.0


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a training run.

    It ends after `minutes` in all, or `rounds`, whichever comes first. `tasks` is the number of jobs of a round. `seed`
    and `tasks` None stand for those of a training run that goes on, or else for 0 and `TASKS`. `restart` begins anew,
    even if a training run could go on. `search` is the search that the values of a duel are meant for. None stands for
    the one that wins more matches at the end; without `measure`, for that of the file before, or else alpha-beta.
    `exploration` is that of `mcts` beside the priors that the values give to moves, None for that of the file before.
    """

    minutes: float = 30.0
    rounds: int | None = None
    tasks: int | None = None
    seed: int | None = None
    restart: bool = False
    measure: bool = True
    search: str | None = None
    exploration: float | None = None


@final
@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a training run so far.

    `seconds` is the time of training in all, `pace` the states learned from per second. `error` is the root of the mean
    squared error, in points. `expected` is the goal that the first role may expect at the start. `earlier` and `auto`
    are scores while it goes on. At its end, `mcts` is the score of this search against alpha-beta, if one of them is to
    be chosen, and `final` that of the values against `auto`.
    """

    rounds: int
    states: int
    nodes: int
    seconds: float
    pace: float
    depth: int
    error: float
    expected: float
    earlier: Score | None
    auto: Score | None
    mcts: Score | None = None
    final: Score | None = None


def train(simulator: Simulator, output: Path, settings: Settings, executor: Executor) -> Iterator[Report]:
    """Train until the end of the settings, and write the learned values to `output`; yield reports now and then.

    The executor of `self_play_process` plays the games: see `open_executor`.

    Beside it, the state of the training run is kept in a file, from which it goes on if it is started again. Ending the
    iterator early costs no more than what was done since the last file was written.
    Raises FileInUseError, NotTrainableError, CompileError, CheckpointError, WorkError, OSError.
    """
    with alone(output):
        path = output.with_name(output.name + SUFFIX)
        known = path.exists() and not settings.restart
        tasks = settings.tasks or TASKS
        with Trainer(simulator, settings.seed or 0, executor, tasks, goes_on=known) as trainer:
            before = read_checkpoint(path, trainer, settings.seed, settings.tasks) if known else 0.0
            earlier = _earlier(output) if known else None
            trainer.search = _search(trainer, settings.search, earlier)
            kept = earlier.exploration if earlier is not None else 0.0
            trainer.exploration = kept if settings.exploration is None else settings.exploration
            with Measuring(trainer) as scores:
                report = yield from _rounds(trainer, output, path, settings, scores, before)
            if settings.measure and len(players_of(simulator)) > 1:  # auto uses no values if there is one role
                choosing = settings.search is None and not trainer.method.roles
                yield from _final(
                    trainer, output, report, executor, SHARE * (report.seconds - before), choosing=choosing
                )


def _final(
    trainer: Trainer, output: Path, report: Report, executor: Executor, seconds: float, *, choosing: bool
) -> Iterator[Report]:
    """Choose the search by matches, if it is not given, play others against `auto`, and add the scores to the file."""
    if choosing:
        for score in search_scores(trainer, value_of(trainer), executor, seconds):
            report = replace(report, mcts=score)
            yield report
        trainer.search = MCTS if score.share > 0.5 else ALPHABETA
        # Now, as the matches that follow may be interrupted.
        write_whole(output, packed(value_of(trainer, report).file(), level=9))
    for score in final_scores(trainer, value_of(trainer), executor, seconds):
        report = replace(report, final=score)
        yield report
    write_whole(output, packed(value_of(trainer, report).file(), level=9))


def _earlier(output: Path) -> LearnedValue | None:
    """Return the header of the values of a training run so far; None if there are none."""
    if output.exists():
        with suppress(ArrayFileError):
            return read_value(output, header=True)
    return None


def _search(trainer: Trainer, wanted: str | None, earlier: LearnedValue | None) -> str:
    """Return the search that values are meant for: the one that is wanted, or that of the training run so far.

    Raises NotTrainableError.
    """
    if trainer.method.roles:
        if wanted == ALPHABETA:
            reason = "alphabeta cannot play with the values of this game"
            raise NotTrainableError(reason, "it needs two roles that take turns; leave out --search for mcts")
        return MCTS
    if wanted is None and earlier is not None:
        return earlier.search
    return wanted or ALPHABETA


def _rounds(
    trainer: Trainer, output: Path, path: Path, settings: Settings, scores: Measuring, before: float
) -> Generator[Report, None, Report]:
    """Do the rounds of a training run that has taken `before` seconds, and return the last report."""
    progress = trainer.progress
    limit = settings.rounds or inf
    if progress.rounds >= limit or before >= 60 * settings.minutes:
        done = f"it has had {progress.rounds:,} rounds in {before / 60:.1f} minutes already; ask for more"
        raise CheckpointError(str(path), done)
    began = written = reported = monotonic()
    states = progress.states
    while True:
        trainer.round()
        now = monotonic()
        seconds = before + now - began
        over = progress.rounds >= limit or seconds >= 60 * settings.minutes
        first = reported == began
        if over or first or now - reported >= _REPORTS:
            reported = now
            pace = (progress.states - states) / max(now - began, 1e-9)
            report = _report(trainer, scores, seconds, pace, measure=settings.measure)
            yield report
        if over or first or now - written >= _FILES:
            written = now
            # First the state: a kill between the two leaves values that are a little older.
            write_checkpoint(path, trainer, seconds)
            write_whole(output, packed(value_of(trainer, report).file(), level=9))
        if over:
            return report


def _report(trainer: Trainer, scores: Measuring, seconds: float, pace: float, *, measure: bool) -> Report:
    progress = trainer.progress
    return Report(
        rounds=progress.rounds,
        states=progress.states,
        nodes=progress.nodes,
        seconds=seconds,
        pace=pace,
        depth=progress.depth,
        error=progress.error,
        expected=scores.expected(),
        earlier=scores.against_earlier() if measure else None,
        auto=scores.against_auto(value_of(trainer)) if measure else None,
    )


def value_of(trainer: Trainer, report: Report | None = None) -> LearnedValue:
    """Return what a training run has learned so far, with the figures of a report."""
    made: dict[str, Any] = {"program": f"ggp {__version__}", **asdict(trainer.progress)}
    if report is not None:
        made |= {"seconds": round(report.seconds, 1), "expected": round(report.expected, 2)}
        made |= {"earlier": score_fields(report.earlier), "auto": score_fields(report.auto)}
        if report.mcts is not None:
            made["mcts"] = score_fields(report.mcts)
        if (score := report.final) is not None:
            made[MEASURED] = Measured(score.points, score.games, *score.interval, measuring.NODES).fields()
    rules, facts = rules_hash(trainer.simulator.rulesheet), facts_of(trainer.simulator)
    return LearnedValue(rules, facts, made, trainer.arrays(), trainer.method.roles, trainer.search, trainer.exploration)


def score_fields(score: Score | None) -> dict[str, Any] | None:
    """Return a score in its JSON form."""
    if score is None:
        return None
    low, high = score.interval
    return {"points": score.points, "games": score.games, "interval": [low, high], "rounds": score.rounds or None}
