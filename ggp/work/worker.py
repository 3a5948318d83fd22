"""A process that does jobs one after another, seen from its parent; `ggp.work.process` is the other side.

The process runs a module (`python -m MODULE ARGUMENT...`) that reads one JSON object per line, and writes one in reply
to each: `{"error": ...}` for a failure, and `{..., "stale": true}` if the process should then be replaced.
"""

from __future__ import annotations

import threading
from typing import Any, final

from gdl.errors import Source
from gdl.system.childprocess import JSON_LINES, Child, describe_status
from ggp.work.job import Job, WorkerDiedError, WorkError, digest_of


@final
class Worker:
    """The parent's side of a process, which starts with the first request."""

    def __init__(self, module: str, *arguments: str) -> None:
        """Start no process yet."""
        self._module = module
        self._arguments = arguments
        self._child: Child | None = None
        #: The digests of the rules that the process has.
        self._rules: set[str] = set()
        self._lock = threading.Lock()
        self._closed = False

    def do(self, job: Job) -> dict[str, Any]:
        """Do a job, and return the answer. Raises WorkError if it fails, WorkerDiedError if the process ends."""
        request = {"do": job.kind, **job.settings}
        if job.rules is not None:
            request["rules"] = self.tell(job.rules)
        answer = self.ask(request, job.limit)
        if answer.get("stale"):
            self.stop()
        return answer

    def tell(self, rules: Source) -> str:
        """Send rules to the process, unless it has them, and return their digest. Raises WorkError."""
        digest = digest_of(rules)
        if digest not in self._rules:
            self.ask({"do": "rules", "name": rules.name, "text": rules.text})
            self._rules.add(digest)
        return digest

    def ask(self, request: dict[str, Any], limit: float | None = None) -> dict[str, Any]:
        """Return the answer to a request. After `limit` seconds, the process is killed.

        Raises WorkError if the answer is an error, WorkerDiedError if there is none.
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
            raise WorkerDiedError(f"the process ended with {describe_status(status)}") from None
        finally:
            if timer is not None:
                timer.cancel()
        if "error" in answer:
            raise WorkError(answer["error"])
        return answer

    def stop(self) -> None:
        """End the process, if there is one; the next request starts another. Not allowed during a request."""
        with self._lock:
            child, self._child = self._child, None
            self._rules.clear()
        if child is not None:
            child.end()

    def kill(self) -> None:
        """End the process for good. A request in another thread fails with WorkerDiedError."""
        with self._lock:
            self._closed = True
            if self._child is not None:
                self._child.kill()

    def _started(self) -> Child:
        with self._lock:
            if self._closed:
                raise WorkerDiedError("stopped")
            if self._child is None:
                try:
                    self._child = Child(self._module, *self._arguments, framing=JSON_LINES)
                except OSError as error:
                    raise WorkerDiedError(f"no process could be started: {error}") from None
            return self._child
