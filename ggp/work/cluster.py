"""Jobs on the nodes of a Ray cluster (https://docs.ray.io), which only has to run: this module starts no node.

Each job is a task of Ray, which chooses the node and counts cores. Repetition is decided here rather than by Ray's
`max_retries`, for two reasons: each repetition is told, and a job is set aside only if it ends its own processes. It is
not to blame for the death of a node.
"""

from __future__ import annotations

import os
import queue
import signal
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from time import monotonic, sleep
from types import ModuleType, TracebackType
from typing import Any, Final, Generic, Self, TypeVar, final

from ggp.match.interruptible import take
from ggp.players.daemon import DaemonThread
from ggp.work import remote
from ggp.work.job import ATTEMPTS, Done, Job, Lost, Note, Progress, WorkError, digest_of
from ggp.work.worker import Worker

T = TypeVar("T")

#: The number of nodes that may die under a job before it is set aside.
MOST_NODES: Final = 20

#: Tasks that wait in the cluster, for each core: a core that becomes free has work at once.
_AHEAD: Final = 2

#: Whatever `log_to_driver` says, Ray prints the messages of nodes on standard output, which belongs to the command. It
#: reads these variables, which make it skip every line, when it is imported. What dies is told by `note`.
_SILENCE: Final = {"RAY_DEDUP_LOGS": "1", "RAY_DEDUP_LOGS_SKIP_REGEX": ".*"}

#: Seconds in which the head has to be reached.
_REACHING: Final = 10.0

#: Seconds in which a node of the cluster has to answer then: Ray itself waits for many minutes, or for ever.
CONNECTING: Final = 60.0

#: Seconds after which the size of the cluster is asked again.
_PULSE: Final = 1.0

#: Seconds in which a head that does not answer may come back, as one that stores its state elsewhere can, or some node
#: after all have died. After 60 without a head, Ray itself would end this process.
_HEAD_BACK: Final = 20.0


#: The end of a command whose own node has died.
_NODE_DIED: Final = "the node of the cluster on this machine has died: unfinished jobs are lost"


@dataclass(slots=True)
class _Attempt(Generic[T]):
    """A job in the cluster, the deaths that it has seen so far: of processes, and of nodes."""

    task: T
    job: Job
    deaths: int = 0
    nodes: int = 0


@final
class Cluster:
    """The cores of a Ray cluster; a context manager that leaves no process behind. It is an `Executor`."""

    def __init__(self, address: str, module: str, *arguments: str, note: Note = lambda _: None) -> None:
        """Connect to a cluster, whose processes run a module; see `ggp.work.process`.

        `address` is that of its head, HOST:PORT, or `auto`: the environment variable RAY_ADDRESS, else the cluster of
        this machine. If this process is connected to a cluster already, that one is used. Raises WorkError.
        """
        self.progress = Progress()
        self._note = note
        self._module = module
        self._arguments = arguments
        self._here = Worker(module, *arguments)
        self._ray = _ray()
        self._connected = not self._ray.is_initialized()
        if self._connected:
            _connect(self._ray, address)
        self._do = self._ray.remote(max_retries=0)(remote.do_on_node)
        #: The references to games in the cluster, by the digests of their rules.
        self._games: dict[str, Any] = {}
        #: The address of the head; empty for Ray's client (`ray://`), which cannot reach it.
        context = self._ray.get_runtime_context()
        self._head: str = "" if address.startswith("ray://") else context.gcs_address
        #: The node through which this process speaks to the cluster.
        self._node: str = context.get_node_id()
        #: The times at which the head was first found not to answer, and no node to be alive; None while all is well.
        self._silent: float | None = None
        self._deserted: float | None = None
        self._measure()

    def __enter__(self) -> Self:
        """Return the cluster itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Disconnect; the cluster then ends all processes that worked for this one, and unfinished jobs are lost."""
        self._here.kill()
        self._here.stop()
        self._games.clear()
        if self._connected:
            self._ray.shutdown()

    def ask(self, job: Job) -> dict[str, Any]:
        """Do a job in a process of this machine, before others begin, and return the answer. Raises WorkError."""
        return self._here.do(job)

    def run(self, tasks: Sequence[T], job: Callable[[T], Job], *, until: float = inf) -> Iterator[Done[T] | Lost[T]]:
        """Do the jobs of tasks, started in this order, and yield each result when it is there, before the next call.

        At `until`, a time of `time.monotonic()`, the iterator ends, whatever is left. Jobs wait while no node has cores
        for them. Raises WorkError if a node has another version of ggp, or none, or if the head of the cluster is gone.
        """
        self._here.stop()  # its core is needed now
        waiting = deque(_Attempt(task, job(task)) for task in tasks)
        finished: queue.SimpleQueue[tuple[_Attempt[T], Any, Future[Any]]] = queue.SimpleQueue()
        running: set[Any] = set()
        self.progress.begin(len(waiting))
        self._warn(waiting)
        try:
            while waiting or running:
                while waiting and len(running) < max(1, _AHEAD * self.progress.cores // waiting[0].job.cores):
                    attempt = waiting.popleft()
                    reference = self._submit(attempt.job)
                    running.add(reference)
                    self._listen(attempt, reference, finished)
                try:
                    attempt, reference, future = finished.get(timeout=max(0.0, min(_PULSE, until - monotonic())))
                except queue.Empty:
                    if monotonic() >= until:
                        return
                    if self._head_answers():
                        self._measure()
                    continue
                running.discard(reference)
                result = self._judge(attempt, future)
                if result is None:
                    self.progress.retried += 1
                    waiting.appendleft(attempt)
                else:
                    self.progress.count(result)
                    yield result
        finally:
            for reference in running:
                with suppress(Exception):  # the task may be over, or the cluster gone
                    self._ray.cancel(reference, force=True)

    def _submit(self, job: Job) -> Any:
        game = None
        if job.rules is not None:
            digest = digest_of(job.rules)
            if digest not in self._games:
                self._games[digest] = self._ray.put(remote.game_of(job.rules))
            game = self._games[digest]
        task = self._do.options(num_cpus=job.cores, name=job.label or job.kind)
        return task.remote(self._module, self._arguments, remote.code_digest(), replace(job, rules=None), game)

    @staticmethod
    def _listen(
        attempt: _Attempt[T], reference: Any, finished: queue.SimpleQueue[tuple[_Attempt[T], Any, Future[Any]]]
    ) -> None:
        reference.future().add_done_callback(lambda future: finished.put((attempt, reference, future)))

    def _judge(self, attempt: _Attempt[T], future: Future[Any]) -> Done[T] | Lost[T] | None:
        """Return the result of an attempt, or None if there has to be another. Raises WorkError."""
        errors = self._ray.exceptions
        error = future.exception()
        if error is None:
            ((kind, content),) = future.result().items()
            if kind == remote.ANSWER:
                return Done(attempt.task, content)
            if kind == remote.FAILED:
                return Lost(attempt.task, content)
            if kind == remote.UNFIT:
                raise WorkError(content)
            return self._died(attempt, content)
        if isinstance(error, errors.LocalRayletDiedError):
            raise WorkError(_NODE_DIED)
        if isinstance(error, (errors.NodeDiedError, errors.ObjectLostError)):
            attempt.nodes += self._some_node_lives()
            if attempt.nodes == MOST_NODES:
                return Lost(attempt.task, f"its nodes died, {MOST_NODES} times")
            self._note(f"{attempt.job.label}: its node died; it runs again")
            return None
        if isinstance(error, (errors.WorkerCrashedError, errors.OutOfMemoryError)):
            return self._died(attempt, _first_line(error))
        raise WorkError(f"a node cannot work: {_last_line(error)}") from None

    def _died(self, attempt: _Attempt[T], reason: str) -> Lost[T] | None:
        """Count the death of a process that did a job."""
        attempt.deaths += 1
        if attempt.deaths == ATTEMPTS:
            return Lost(attempt.task, f"{reason}, {ATTEMPTS} times")
        self._note(f"{attempt.job.label}: {reason}; it runs again, attempt {attempt.deaths + 1} of {ATTEMPTS}")
        return None

    def _head_answers(self) -> bool:
        """Return True if the head of the cluster answers. Raises WorkError if it has not for too long."""
        try:
            _reach(self._head, _PULSE)
        except OSError as error:
            if self._silent is None:
                self._silent = monotonic()
                self._note(f"the head of the cluster, {self._head}, does not answer: {error}; waiting for it")
            if monotonic() - self._silent < _HEAD_BACK:
                return False
            raise WorkError(f"the head of the cluster, {self._head}, is gone: unfinished jobs are lost") from None
        self._silent = None
        return True

    def _some_node_lives(self) -> bool:
        """Return True if a node is alive; else wait a moment for one. Raises WorkError if there was none for long."""
        self._measure()
        if self.progress.nodes:
            self._deserted = None
            return True
        self._deserted = self._deserted or monotonic()
        if monotonic() - self._deserted > _HEAD_BACK:
            raise WorkError("no node of the cluster is alive: unfinished jobs are lost")
        sleep(_PULSE)
        return False

    def _measure(self) -> None:
        """Ask for the number of nodes and cores. The last known ones count while the cluster does not answer.

        Raises WorkError if the node of this process has died: after a while, Ray would end the process without a word.
        """
        nodes = []
        with suppress(Exception):
            nodes = self._ray.nodes()
            alive = [node["Resources"] for node in nodes if node["Alive"]]
            self.progress.nodes = len(alive)
            self.progress.cores = int(sum(resources.get("CPU", 0) for resources in alive))
        if any(node["NodeID"] == self._node and not node["Alive"] for node in nodes):
            raise WorkError(_NODE_DIED)

    def _warn(self, waiting: deque[_Attempt[T]]) -> None:
        """Say if no node has the cores of a job: it then waits for one that has."""
        need = max((attempt.job.cores for attempt in waiting), default=0)
        most = max((node["Resources"].get("CPU", 0) for node in self._ray.nodes() if node["Alive"]), default=0)
        if need > most:
            self._note(f"no node of the cluster has {need} cores, as jobs need; waiting for one")


def _ray() -> ModuleType:
    """Return the library. Raises WorkError if it is not installed."""
    if "ray" not in sys.modules:
        os.environ |= _SILENCE
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise WorkError('Ray is not installed; to work on a cluster, run: pip install "ggp[ray]"') from None
    found: ModuleType = ray
    return found


def _connect(ray: ModuleType, address: str) -> None:
    """Connect this process to a cluster. Raises WorkError."""
    settings: Mapping[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    # ray.init() takes SIGTERM for itself.
    terminated = signal.getsignal(signal.SIGTERM)
    answer: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

    def connect() -> None:
        try:
            ray.init(address=address, **settings)
        except BaseException as error:  # raised where it is waited for
            answer.put(error)
        else:
            answer.put(None)

    try:
        _reach(address)
        DaemonThread(connect, name="connecting").start()
        error = take(answer, monotonic() + CONNECTING)
        if error is not None:
            raise error
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, terminated)
    except queue.Empty:
        reason = f"it answers, but its node does not within {CONNECTING:g} s"
        raise WorkError(f"no Ray cluster at {address}: {reason}") from None
    except (ConnectionError, RuntimeError, ValueError, OSError, OverflowError) as error:
        hint = "; start one with: ray start --head" if address == "auto" else ""
        raise WorkError(f"no Ray cluster at {address}: {_first_line(error)}{hint}") from None


def _reach(address: str, seconds: float = _REACHING) -> None:
    """Raise an OSError soon if nothing listens at an address: Ray itself tries for minutes."""
    named = os.environ.get("RAY_ADDRESS") or address if address == "auto" else address
    host, _, port = named.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), seconds).close()


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


def _last_line(error: BaseException) -> str:
    return str(error).strip().rpartition("\n")[2] or type(error).__name__
