"""Processes of this machine: whether they run, and what they have started."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

#: Nobody waits longer.
PATIENCE = 60.0


def soon(condition: Callable[[], bool], patience: float = PATIENCE) -> bool:
    """Return True once a condition holds, False if it does not in time."""
    until = time.monotonic() + patience
    while not (true := condition()) and time.monotonic() < until:
        time.sleep(0.01)
    return true


def is_running(process: int) -> bool:
    """Return True if a process is there, other than as a zombie."""
    return any(number == process for number, *_ in _listed())


def descendants(ancestor: int) -> dict[int, str]:
    """The command lines of all processes that descend from one, by number."""
    found: dict[int, str] = {}
    listed = _listed()
    parents = {ancestor}
    while parents:
        children = {number: words for number, parent, words in listed if parent in parents}
        found |= children
        parents = set(children)
    return found


def _listed() -> list[tuple[int, int, str]]:
    """The number, the parent and the command line of each process that is not a zombie."""
    rows = subprocess.run(["ps", "-ww", "-eo", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True)
    words = [row.split(None, 3) for row in rows.stdout.splitlines()]
    return [
        (int(number), int(parent), command[0] if command else "")
        for number, parent, state, *command in words
        if not state.startswith("Z")
    ]
