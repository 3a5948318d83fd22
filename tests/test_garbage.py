"""The collection of cyclic garbage is paused while any thread wants it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

#: In a process of its own, where nothing else pauses the collection.
SCRIPT = """
import gc, threading, gdl
from gdl.compile_budget import Watch
from gdl.system.garbage import collection_paused

found = []

def look():
    found.append(gc.isenabled())

look()
with collection_paused:
    look()
    with Watch().running():
        look()
    look()
    began, go_on = threading.Event(), threading.Event()

    def other():
        with collection_paused:
            began.set()
            go_on.wait()

    thread = threading.Thread(target=other)
    thread.start()
    began.wait()
look()
go_on.set()
thread.join()
look()
gc.disable()
with collection_paused:
    pass
look()
print(*map(int, found))
"""


def test_collection_goes_on_when_the_last_thread_is_done() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.split() == ["1", "0", "0", "0", "0", "1", "0"]
