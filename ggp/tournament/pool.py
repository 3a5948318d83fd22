"""The processes that play the matches of a tournament, here or on the nodes of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, final

from gdl.errors import Source
from ggp.match.channels import DELIVERY
from ggp.match.match import FAREWELL
from ggp.players import is_foreign
from ggp.tournament.outcome import Outcome
from ggp.tournament.plan import Task
from ggp.work.job import Job, Lost, Note
from ggp.work.pool import open_executor

#: Seconds allowed beyond the clocks: for a whole match, including loading the game, and for each ply.
_ROOM: Final = 600.0
_PLY_ROOM: Final = 1.0

#: A match that could not be played.
LostMatch = Lost[Task]


@final
class MatchPool:
    """Processes that play matches; a context manager that leaves none behind. `executor` does the work."""

    def __init__(
        self,
        jobs: int | None = None,
        *,
        memory: int | None,
        logs: Path | None,
        ray: str | None = None,
        note: Note = lambda _: None,
    ) -> None:
        """Prepare processes, which start when they are needed: see `open_executor`.

        Players that are not part of ggp run in processes of their own: `memory` is their limit in bytes, and `logs` the
        folder for their output, by default a temporary one of the machine on which they run. Raises WorkError.
        """
        arguments = (str(memory or 0), str(logs.absolute()) if logs else "")
        self.executor = open_executor("ggp.tournament.match_process", *arguments, jobs=jobs, ray=ray, note=note)

    def __enter__(self) -> MatchPool:
        """Return the pool itself."""
        self.executor.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all processes; unfinished matches are lost."""
        self.executor.__exit__(kind, error, trace)

    def load(self, rules: Source) -> dict[str, Any]:
        """Compile a game on this machine. Return its `roles`, its `engine`, and a `note` if that is the Reasoner.

        Raises WorkError.
        """
        return self.executor.ask(Job("load", {}, rules))

    def check(self, player: str) -> None:
        """Make a player on this machine. Raises WorkError."""
        self.executor.ask(Job("check", {"player": with_absolute_file(player)}))

    def play(self, tasks: Sequence[Task]) -> Iterator[Outcome | LostMatch]:
        """Play matches, started in this order, and yield each result when it is there, before the next call."""
        for result in self.executor.run(tasks, match_job):
            yield result if isinstance(result, Lost) else Outcome.from_json(result.answer["outcome"])


def match_limit(task: Task) -> float | None:
    """Return the seconds after which a match must be hanging; None without both clocks, when it may take any time."""
    if task.start_clock is None or task.play_clock is None:
        return None
    ply = task.play_clock + DELIVERY + _PLY_ROOM
    return _ROOM + task.start_clock + task.max_plies * ply + FAREWELL


def match_job(task: Task) -> Job:
    """Return a match as a job, whose answer has the `outcome`.

    With a clock, a match keeps a core busy for each role: all players may think at the same time.
    """
    settings = {
        "number": task.number,
        "name": task.name,
        "lineup": tuple(map(with_absolute_file, task.lineup)),
        "seed": task.seed,
        "max_plies": task.max_plies,
        "start_clock": task.start_clock,
        "play_clock": task.play_clock,
        "engine": task.engine,
    }
    label = f"match {task.number} of {task.name}, {' against '.join(task.lineup)}"
    timed = task.start_clock is not None or task.play_clock is not None
    cores = len(task.lineup) if timed else 1
    return Job("match", settings, task.rules, cores, match_limit(task), label)


def with_absolute_file(player: str) -> str:
    """Return the name of a player with the absolute path of its file, if it has one: a node has another folder."""
    file, found, rest = player.partition(".py:")
    return f"{Path(file + '.py').absolute()}:{rest}" if found and is_foreign(player) else player
