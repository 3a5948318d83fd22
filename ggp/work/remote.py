"""The work of a node of a cluster: a job is done in a process as on any machine.

A worker process of the cluster keeps one such process for each module, and its games stay loaded for the next job.
Nothing here imports the library of the cluster.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import ggp
from gdl.errors import Source
from gdl.simulator.cache import fingerprint
from ggp.work.job import Job, WorkerDiedError, WorkError
from ggp.work.worker import Worker

#: The kinds of a reply: the answer, the message of a failure, why the process died, and what is wrong with the node.
ANSWER: Final = "answer"
FAILED: Final = "failed"
DIED: Final = "died"
UNFIT: Final = "unfit"


@cache
def code_digest() -> str:
    """Return a hash of the code of `gdl` and `ggp`: results are only the same where the code is."""
    return fingerprint() + fingerprint(Path(ggp.__file__).parent)


def do_on_node(module: str, arguments: tuple[str, ...], code: str, job: Job, rules: Source | None) -> Mapping[str, Any]:
    """Do a job in a process that runs a module, and return one entry: the kind of the reply and its content.

    `code` is the `code_digest` of who asks. The job itself comes without its rules, as these are sent to a node once.
    """
    here = socket.gethostname()
    if code != code_digest():
        return {UNFIT: f"the node {here} has another version of ggp, under {Path(ggp.__file__).parent}"}
    try:
        return {ANSWER: _worker(module, *arguments).do(replace(job, rules=rules))}
    except WorkerDiedError as error:
        return {DIED: f"on {here}, {error}"}
    except WorkError as error:
        return {FAILED: str(error)}


@cache
def _worker(module: str, *arguments: str) -> Worker:
    return Worker(module, *arguments)
