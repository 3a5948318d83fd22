"""A pool of processes that play matches, each one match at a time; processes are reused.

If a process dies or takes far longer than the clocks allow, only its current match is lost, and a new process plays
that match again.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from gdl.childprocess import JSON_LINES, Child, describe_status
from gdl.errors import GdlError
from ggp.match.channels import DELIVERY
from ggp.match.match import FAREWELL
from ggp.tournament.outcome import Outcome
from ggp.tournament.plan import Task

#: The number of attempts to play a match.
ATTEMPTS: Final = 3

#: Seconds allowed beyond the clocks: for a whole match, including loading the game, and for each ply.
_ROOM: Final = 600.0
_PLY_ROOM: Final = 1.0


class MatchProcessError(GdlError):
    """A process of a tournament reports that a request failed."""

    code = "match-process"

    def __str__(self) -> str:
        """Return the process's message."""
        return str(self.args[0])


class MatchProcessDiedError(MatchProcessError):
    """A process ended without an answer."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A match that could not be played, and the reason."""

    task: Task
    reason: str


class MatchProcess:
    """The parent's side of a process, which starts with the first request."""

    def __init__(self, memory: int | None, logs: Path) -> None:
        """Start no process yet. `memory` limits each player of its own process, whose log is in the folder `logs`."""
        self._arguments = (str(memory or 0), str(logs.absolute()))
        self._child: Child | None = None
        self._lock = threading.Lock()
        self._closed = False

    def ask(self, request: dict[str, Any], limit: float | None = None) -> dict[str, Any]:
        """Return the answer to a request. After `limit` seconds, the process is killed.

        Raises MatchProcessError if the answer is an error, MatchProcessDiedError if there is none.
        """
        child = self._started()
        timer = None if limit is None else threading.Timer(limit, child.kill)
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            child.send(request)
            answer: dict[str, Any] = child.receive()
        except EOFError:
            child.kill()
            status = child.wait()
            self.stop()
            raise MatchProcessDiedError(f"the process playing the match ended with {describe_status(status)}") from None
        finally:
            if timer is not None:
                timer.cancel()
        if "error" in answer:
            raise MatchProcessError(answer["error"])
        return answer

    def stop(self) -> None:
        """End the process, if there is one; the next request starts another. Not allowed during a request."""
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.end()

    def kill(self) -> None:
        """End the process for good. A request in another thread fails with MatchProcessDiedError."""
        with self._lock:
            self._closed = True
            if self._child is not None:
                self._child.kill()

    def _started(self) -> Child:
        with self._lock:
            if self._closed:
                raise MatchProcessDiedError("stopped")
            if self._child is None:
                self._child = Child("ggp.tournament.match_process", *self._arguments, framing=JSON_LINES)
            return self._child


class Pool:
    """A pool of processes; a context manager that leaves none behind."""

    def __init__(self, jobs: int, *, memory: int | None, logs: Path) -> None:
        """Prepare `jobs` processes, which start when they are needed.

        Players that are not part of ggp run in processes of their own: `memory` is their limit in bytes, and `logs` the
        folder for their output.
        """
        self._processes = [MatchProcess(memory, logs) for _ in range(jobs)]
        self._threads: list[threading.Thread] = []
        self._closing = False

    def __enter__(self) -> Pool:
        """Return the pool itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the pool."""
        self.close()

    def close(self) -> None:
        """Stop all processes; unfinished matches are lost."""
        self._closing = True
        for process in self._processes:
            process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            process.stop()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request to the first process, before matches begin. Raises MatchProcessError."""
        return self._processes[0].ask(request)

    def play(self, tasks: Sequence[Task]) -> Iterator[Outcome | Lost]:
        """Play matches, started in this order, and yield each result when it is there, before the next call."""
        waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        finished: queue.SimpleQueue[Outcome | Lost] = queue.SimpleQueue()
        for task in tasks:
            waiting.put(task)
        for process in self._processes[: len(tasks)]:
            thread = threading.Thread(target=self._serve, args=(process, waiting, finished), daemon=True)
            self._threads.append(thread)
            thread.start()
        for _ in tasks:
            yield finished.get()

    def _serve(
        self, process: MatchProcess, waiting: queue.SimpleQueue[Task], finished: queue.SimpleQueue[Outcome | Lost]
    ) -> None:
        while not self._closing:
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                return
            finished.put(self._played(process, task))

    def _played(self, process: MatchProcess, task: Task) -> Outcome | Lost:
        reason = ""
        for _ in range(ATTEMPTS):
            if self._closing:
                break
            try:
                answer = process.ask({"do": "play", **asdict(task)}, _limit(task))
            except MatchProcessDiedError as error:
                reason = str(error)
                continue
            except MatchProcessError as error:
                return Lost(task, str(error))
            if answer["stale"]:
                process.stop()
            return Outcome.from_json(answer["outcome"])
        return Lost(task, f"{reason}, {ATTEMPTS} times")


def _limit(task: Task) -> float | None:
    """Return the seconds after which a match must be hanging; None without both clocks, when it may take any time."""
    if task.start_clock is None or task.play_clock is None:
        return None
    ply = task.play_clock + DELIVERY + _PLY_ROOM
    return _ROOM + task.start_clock + task.max_plies * ply + FAREWELL
