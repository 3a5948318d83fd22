"""Daemon threads at the end of the interpreter."""

from __future__ import annotations

import subprocess
import sys
import time
from textwrap import dedent

from support.toy_files import ROOT


def run(script: str) -> str:
    """Return the output of a script, which ends without an error."""
    done = subprocess.run([sys.executable, "-c", dedent(script)], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_threads_leave_machine_code_before_the_libraries_under_it_are_taken_down() -> None:
    output = run("""
        import atexit, threading
        # Registered first, so it is called last.
        atexit.register(lambda: print(len(computing), "are computing"))

        import numpy as np
        from ggp.match.channels import ThreadChannel
        from ggp.players.background import Background
        from ggp.players.clock import NEVER

        computing = []
        all_begun = threading.Barrier(4)

        def compute():
            numbers = np.ones((300, 300), np.float32)
            computing.append(numbers)
            try:
                all_begun.wait()
                while True:
                    numbers @ numbers
            finally:
                computing.pop()

        work = [Background(compute, "work") for _ in range(2)]
        player = ThreadChannel("left")
        player.send(compute, NEVER)
        all_begun.wait()
    """)
    assert output == "0 are computing\n"


def test_a_thread_that_cannot_be_interrupted_does_not_hold_up_the_end() -> None:
    output = run("""
        import time
        from ggp.players.background import Background
        work = Background(lambda: time.sleep(60), "work")
        print(time.monotonic())
    """)
    assert time.monotonic() - float(output) < 5
