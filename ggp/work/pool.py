"""A pool of processes of this machine that do jobs such as matches, each one job at a time; processes are reused.

`open_executor` chooses between a pool and a cluster.

If a process dies or takes far too long, only its current job is lost, and a new process does that job again.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from math import inf
from types import TracebackType
from typing import Any, Self, TypeVar

from gdl.system.childprocess import usable_cores
from ggp.match.interruptible import take
from ggp.work.job import ATTEMPTS, Done, Executor, Job, Lost, Note, Progress, WorkerDiedError, WorkError
from ggp.work.worker import Worker

T = TypeVar("T")


class Pool:
    """A pool of processes; a context manager that leaves none behind. It is an `Executor`."""

    def __init__(self, jobs: int, module: str, *arguments: str, note: Note = lambda _: None) -> None:
        """Prepare `jobs` processes, which start when they are needed and run a module; see `ggp.work.process`."""
        self.progress = Progress(cores=jobs)
        self._note = note
        self._workers = [Worker(module, *arguments) for _ in range(jobs)]
        self._threads: list[threading.Thread] = []
        self._closing = False

    def __enter__(self) -> Self:
        """Return the pool itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the pool."""
        self.close()

    def close(self) -> None:
        """Stop all processes; unfinished jobs are lost."""
        self._closing = True
        for worker in self._workers:
            worker.kill()
        for thread in self._threads:
            thread.join()
        for worker in self._workers:
            worker.stop()

    def ask(self, job: Job) -> dict[str, Any]:
        """Do a job in the first process, before others begin, and return the answer. Raises WorkError."""
        return self._workers[0].do(job)

    def run(self, tasks: Sequence[T], job: Callable[[T], Job], *, until: float = inf) -> Iterator[Done[T] | Lost[T]]:
        """Do the jobs of tasks, started in this order, and yield each result when it is there, before the next call.

        At `until`, a time of `time.monotonic()`, the iterator ends, whatever is left.
        """
        waiting: queue.SimpleQueue[T] = queue.SimpleQueue()
        finished: queue.SimpleQueue[Done[T] | Lost[T] | str | Exception] = queue.SimpleQueue()
        self.progress.begin(len(tasks))
        for task in tasks:
            waiting.put(task)

        def serve(worker: Worker) -> None:
            try:
                while not self._closing:
                    task = waiting.get_nowait()
                    finished.put(self._done(worker, task, job(task), finished.put))
            except queue.Empty:
                return
            except Exception as error:  # raised by `run`, which would wait for ever
                finished.put(error)

        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for worker in self._workers[: len(tasks)]:
            thread = threading.Thread(target=serve, args=(worker,), daemon=True)
            self._threads.append(thread)
            thread.start()
        left = len(tasks)
        while left:
            try:
                result = take(finished, until)
            except queue.Empty:
                return
            if isinstance(result, Exception):
                raise result
            if isinstance(result, str):
                self.progress.retried += 1
                self._note(result)
                continue
            left -= 1
            self.progress.count(result)
            yield result

    def _done(self, worker: Worker, task: T, job: Job, tell: Note) -> Done[T] | Lost[T]:
        reason = ""
        for attempt in range(ATTEMPTS):
            if self._closing:
                break
            if attempt:
                tell(f"{job.label}: {reason}; it runs again, attempt {attempt + 1} of {ATTEMPTS}")
            try:
                return Done(task, worker.do(job))
            except WorkerDiedError as error:
                reason = str(error)
            except WorkError as error:
                return Lost(task, str(error))
        return Lost(task, f"{reason}, {ATTEMPTS} times")


def open_executor(
    module: str, *arguments: str, jobs: int | None = None, ray: str | None = None, note: Note = lambda _: None
) -> Executor:
    """Return the executor whose processes run a module with these arguments; `note` gets a line for each retry.

    With `ray`, the address of a Ray cluster or `auto`, it is that cluster, and the cluster counts its cores. Without,
    there are `jobs` processes of this machine, by default one for each core. Raises WorkError.
    """
    if ray is None:
        return Pool(jobs or usable_cores(), module, *arguments, note=note)
    from ggp.work.cluster import Cluster

    return Cluster(ray, module, *arguments, note=note)
