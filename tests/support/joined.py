"""`ggp join` as a process of its own."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from support.served import Served
from support.toy_files import start


@contextmanager
def joined(*options: object) -> Iterator[tuple[Served, subprocess.Popen[str]]]:
    """A process that listens, and is killed at the end."""
    process = start("join", "--port", "0", *options)
    try:
        assert process.stdout is not None
        found = re.search(
            r"is listening on http://127\.0\.0\.1:(\d+); searches have .* threads?; press Ctrl-C to stop",
            process.stdout.readline(),
        )
        assert found
        yield Served(int(found[1])), process
    finally:
        process.kill()
        process.communicate()
