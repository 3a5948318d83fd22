"""Bulk playouts: very many random playouts of one game, as jobs for several processes or a cluster.

The playouts are cut into jobs of a fixed size, each with a seed derived from the seed of all and its number. The sums
are whole numbers, so the result is the same, bit for bit, wherever the jobs are done, and in which order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Final, final

from gdl.errors import Source
from gdl.simulator.seeds import derive
from ggp.work.job import Job, Lost, Note
from ggp.work.pool import open_executor

if TYPE_CHECKING:
    from gdl.simulator.playouts import PlayoutResult

#: The number of playouts of a job. The result depends on it, as each job has its own seed. Even in the shortest games,
#: these take longer than sending the job and its result.
SIZE: Final = 1 << 24


@final
@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over random playouts: see `gdl.simulator.playouts.PlayoutResult`.

    `counts[role][value]` is the number of playouts that ended with a goal value for a role. Values are text, as in
    JSON.
    """

    playouts: int = 0
    transitions: int = 0
    max_length: int = 0
    cut: int = 0
    stuck: int = 0
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    undefined: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Sums) -> Sums:
        """Return the sums over the playouts of both."""
        roles = dict.fromkeys((*self.counts, *other.counts))
        return Sums(
            self.playouts + other.playouts,
            self.transitions + other.transitions,
            max(self.max_length, other.max_length),
            self.cut + other.cut,
            self.stuck + other.stuck,
            {role: _added(self.counts.get(role, {}), other.counts.get(role, {})) for role in roles},
            _added(self.undefined, other.undefined),
        )

    @property
    def mean_length(self) -> float:
        """Plies per playout; NaN without playouts."""
        return self.transitions / self.playouts if self.playouts else float("nan")

    @property
    def goals(self) -> dict[str, float]:
        """The mean goal of each role over the playouts that have one; NaN if none has."""
        return {
            role: sum(int(value) * count for value, count in own.items()) / total
            if (total := sum(own.values()))
            else float("nan")
            for role, own in self.counts.items()
        }


def _added(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    """Return the sums of two mappings, sorted by key, so that equal sums are equal as JSON, too."""
    return {key: first.get(key, 0) + second.get(key, 0) for key in sorted({*first, *second})}


def sums_of(result: PlayoutResult) -> Sums:
    """Return the sums of playouts that were made at once."""
    counts = {
        role: _added({str(value): count for value, count in own.items()}, {}) for role, own in result.counts.items()
    }
    return Sums(
        result.playouts,
        result.transitions,
        result.max_length,
        result.cut,
        result.stuck,
        counts,
        dict(result.undefined),
    )


def playout_jobs(rules: Source, playouts: int, seed: int, max_plies: int, *, size: int = SIZE) -> Iterator[Job]:
    """Yield the jobs for a number of random playouts from the initial state."""
    for number, first in enumerate(range(0, playouts, size)):
        settings = {
            "count": min(size, playouts - first),
            "seed": derive(seed, "playouts", str(number)),
            "max_plies": max_plies,
        }
        yield Job("playouts", settings, rules, label=f"playouts {first:,} to {first + settings['count']:,}")


@final
class BulkPlayouts:
    """Bulk playouts under way; a context manager that leaves no process behind.

    `sums` are those of the jobs that are done, `lost` the reasons of those that failed, and `progress` their state.
    """

    def __init__(
        self,
        rules: Source,
        playouts: int,
        *,
        seed: int = 0,
        max_plies: int = 500,
        size: int = SIZE,
        jobs: int | None = None,
        ray: str | None = None,
        note: Note = lambda _: None,
    ) -> None:
        """Start no process yet. `jobs`, `ray` and `note` as for `open_executor`. Raises WorkError."""
        self._rules = rules
        self._jobs = list(playout_jobs(rules, playouts, seed, max_plies, size=size))
        self._executor = open_executor("ggp.study.bench.playouts_process", jobs=jobs, ray=ray, note=note)
        self.progress = self._executor.progress
        self.sums = Sums()
        self.lost: list[str] = []

    def __enter__(self) -> BulkPlayouts:
        """Return itself."""
        self._executor.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all processes; unfinished jobs are lost."""
        self._executor.__exit__(kind, error, trace)

    def run(self) -> Iterator[Sums]:
        """Compile the game here once, play, and yield the sums so far whenever a job is done. Raises WorkError."""
        self._executor.ask(Job("compile", {}, self._rules))
        for result in self._executor.run(self._jobs, lambda job: job):
            if isinstance(result, Lost):
                self.lost.append(f"{result.task.label}: {result.reason}")
            else:
                self.sums += Sums(**result.answer)
            yield self.sums
