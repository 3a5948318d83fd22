"""Processes that stand still for a while, and a game in which nothing else ends the thinking."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from support.processes import descendants

#: A lock that never opens: two of its wheels only turn together, and there are too many states to find that out.
LOCK = """
    (role r) (wheel c) (wheel d) (wheel e) (wheel f) (wheel g) (wheel h) (wheel i) (wheel j) (both a b) (both b a)
    (init (shows a 0)) (init (shows b 1)) (<= (init (shows ?w 0)) (wheel ?w)) (<= (wheels ?w) (wheel ?w))
    (wheels a) (wheels b) (<= (legal r (turn ?w)) (wheels ?w))
    (<= (turned ?w) (does r (turn ?w))) (<= (turned ?w) (does r (turn ?v)) (both ?v ?w))
    (<= (next (shows ?w ?y)) (true (shows ?w ?x)) (turned ?w) (after ?x ?y))
    (<= (next (shows ?w ?x)) (true (shows ?w ?x)) (not (turned ?w)))
    (<= terminal (true (shows a ?x)) (true (shows b ?x)))
    (<= (goal r 100) terminal) (<= (goal r 0) (not terminal))
    (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8) (after 8 9)
    (after 9 0)
"""


def stop_for(process: int, seconds: float) -> None:
    """Stop a process for so many seconds, and all that it has started, such as players and compilers."""
    everything = [process, *descendants(process)]
    for sent, pause in ((signal.SIGSTOP, seconds), (signal.SIGCONT, 0.0)):
        for one in everything:
            with suppress(ProcessLookupError):  # it has ended
                os.kill(one, sent)
        time.sleep(pause)
