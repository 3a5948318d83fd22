"""Jobs: work as values, which can be done in any process of any machine.

An `Executor` does jobs: `ggp.work.pool` in processes of this machine, `ggp.work.cluster` on the nodes of a Ray cluster.
Both start the same processes, which load rules from the content of a job and never from a file, so a result depends on
nothing but the job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import inf
from time import monotonic
from types import TracebackType
from typing import Any, Final, Generic, Protocol, Self, TypeVar

from gdl.errors import GdlError, Source
from ggp.rules.report_text import number_and_noun

#: The number of attempts at a job: one that ends its process as often is set aside.
ATTEMPTS: Final = 3

T = TypeVar("T")

#: Called with a line of text for each attempt that failed and is made again.
Note = Callable[[str], None]


class WorkError(GdlError):
    """A process reports that a request failed, or work cannot be done at all."""

    code = "work"


class WorkerDiedError(WorkError):
    """A process ended without an answer."""


def digest_of(rules: Source) -> str:
    """Return the SHA-256 of the text of rules, in hexadecimal digits."""
    return sha256(rules.text.encode(errors="surrogateescape")).hexdigest()


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work, as a value.

    `kind` is the name of the function that does it, `settings` its arguments as JSON values, such as players and seed,
    and `rules` the text of the game. `cores` are the cores that it keeps busy, `limit` the seconds after which its
    process must be hanging; None if it may take any time. `label` names the job to people. These three do not change
    the result.
    """

    kind: str
    settings: Mapping[str, Any]
    rules: Source | None = field(default=None, repr=False)
    cores: int = 1
    limit: float | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Lost(Generic[T]):
    """A task that could not be done, and the reason."""

    task: T
    reason: str


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """A task that was done, and the answer."""

    task: T
    answer: dict[str, Any]


@dataclass(slots=True)
class Progress:
    """The state of work, for people: numbers of jobs, and the nodes and cores that do them.

    Jobs are `done`, have `failed` for good, or are `waiting` or under way; `retried` counts attempts beyond the first.
    """

    nodes: int = 1
    cores: int = 0
    done: int = 0
    failed: int = 0
    retried: int = 0
    waiting: int = 0
    began: float = field(default_factory=monotonic)
    latest: float = 0.0

    def begin(self, jobs: int) -> None:
        """Add jobs that wait."""
        self.waiting += jobs

    def count(self, result: Done[Any] | Lost[Any]) -> None:
        """Count a job that is over."""
        self.waiting -= 1
        if isinstance(result, Done):
            self.done += 1
        else:
            self.failed += 1
        self.latest = monotonic()

    @property
    def per_second(self) -> float:
        """Jobs done per second since the beginning, up to the latest one."""
        return self.done / max(self.latest - self.began, 1e-9) if self.done else 0.0


class Executor(Protocol):
    """Does jobs, several at a time. A context manager that leaves no process behind."""

    progress: Progress

    def __enter__(self) -> Self:
        """Return the executor itself."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop all work; unfinished jobs are lost."""
        ...

    def ask(self, job: Job) -> dict[str, Any]:
        """Do a job in a process of this machine, before others begin, and return the answer. Raises WorkError."""
        ...

    def run(self, tasks: Sequence[T], job: Callable[[T], Job], *, until: float = inf) -> Iterator[Done[T] | Lost[T]]:
        """Do the jobs of tasks, started in this order, and yield each result when it is there, before the next call.

        At `until`, a time of `time.monotonic()`, the iterator ends, whatever is left. Raises WorkError if no job can be
        done.
        """
        ...


def work_text(work: Progress, unit: str = "") -> str:
    """Return the state of work in a few words; `unit` is the noun of what is done each second."""
    nodes = [number_and_noun(work.nodes, "node")] if work.nodes != 1 else []
    parts = [
        f"{work.per_second:.1f}{unit and f' {unit}'}/s",
        *nodes,
        number_and_noun(work.cores, "core"),
        f"{work.waiting:,} waiting",
    ]
    parts += [f"{work.failed:,} failed"] * bool(work.failed) + [f"{work.retried:,} run again"] * bool(work.retried)
    return ", ".join(parts)


def work_fields(work: Progress) -> dict[str, Any]:
    """Return the state of work as JSON fields."""
    return {
        "nodes": work.nodes,
        "cores": work.cores,
        "done": work.done,
        "failed": work.failed,
        "retried": work.retried,
        "waiting": work.waiting,
        "per_second": round(work.per_second, 3),
    }
