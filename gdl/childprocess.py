"""What processes that this package starts have in common: `python -m MODULE`, which answers over its streams."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path


def start_child(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A process that runs a module; its standard input and output are pipes of bytes."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=_environment(),
        # Ctrl-C at a terminal reaches this process only, which then stops the others.
        start_new_session=True,
    )


def own_streams() -> tuple[int, int]:
    """In such a process: the descriptors of what is asked and what is answered, kept from all code that it runs.

    What that prints goes to standard error, and there is nothing for it to read.
    """
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    # Ctrl-C is for who started this, and ends it in good order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return requests, answers


def _environment() -> dict[str, str]:
    """The environment of a process: it finds the modules that this one does, and computes on one core."""
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    return {"OMP_NUM_THREADS": "1", **os.environ, "PYTHONPATH": paths}
