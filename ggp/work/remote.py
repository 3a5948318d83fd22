"""The work of a node of a cluster: a job is done in a process as on any machine.

A worker process of the cluster keeps one such process for each module, and its games stay loaded for the next job.
Nothing here imports the library of the cluster.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, final

import ggp
from gdl.compile_budget import CompileBudget
from gdl.errors import Source
from gdl.simulator.cache import CIRCUIT, Cache, circuit_entries, default_folder, fingerprint
from ggp.work.job import Job, WorkerDiedError, WorkError, digest_of
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


@final
@dataclass(frozen=True, slots=True)
class Game:
    """A game as it is sent to a node: its rules, and its circuit if that is in the cache of the sender.

    A circuit is the same for every processor; each node makes its own machine code from it.
    """

    rules: Source
    circuit: bytes | None


def game_of(rules: Source) -> Game:
    """Return rules with their circuit, if it is in the cache of this machine."""
    return Game(rules, _entries(rules).read(CIRCUIT))


def do_on_node(module: str, arguments: tuple[str, ...], code: str, job: Job, game: Game | None) -> Mapping[str, Any]:
    """Do a job in a process that runs a module, and return one entry: the kind of the reply and its content.

    `code` is the `code_digest` of who asks. The job itself comes without its rules, as these are sent to a node once.
    """
    here = socket.gethostname()
    if code != code_digest():
        return {UNFIT: f"the node {here} has another version of ggp, under {Path(ggp.__file__).parent}"}
    if game is not None:
        _keep(game)
    try:
        return {ANSWER: _worker(module, *arguments).do(replace(job, rules=game and game.rules))}
    except WorkerDiedError as error:
        return {DIED: f"on {here}, {error}"}
    except WorkError as error:
        return {FAILED: str(error)}


def _keep(game: Game) -> None:
    """Write the circuit of a game to the cache of this node, unless it has one."""
    digest = digest_of(game.rules)
    if digest in _kept:
        return
    _kept.add(digest)
    entries = _entries(game.rules)
    if game.circuit is not None and entries.read(CIRCUIT) is None:
        entries.write(CIRCUIT, game.circuit)


#: The digests of the rules whose circuits are in the cache of this node.
_kept: set[str] = set()


def _entries(rules: Source) -> Cache:
    return circuit_entries(default_folder(), rules.text, CompileBudget().seconds)


@cache
def _worker(module: str, *arguments: str) -> Worker:
    return Worker(module, *arguments)
