"""Deadlines: moved, and called off."""

from __future__ import annotations

import time
from math import inf
from threading import Event

from ggp.players.clock import NEVER, Deadline


def test_a_deadline_passes() -> None:
    assert Deadline.after(-1.0).left() < 0 < Deadline.after(1000.0).left() <= 1000
    assert NEVER.left() == inf


def test_once_called_off_no_time_is_left() -> None:
    called_off = Event()
    deadline = Deadline(time.monotonic() + 1000, called_off)
    derived = (deadline, deadline.earlier(1.0), deadline.until(deadline.at or 0), Deadline(None, called_off))
    assert all(one.left() > 900 for one in derived)
    called_off.set()
    assert all(one.left() == 0 for one in derived)
    assert Deadline(time.monotonic() - 5, called_off).left() < 0


def test_a_deadline_is_moved() -> None:
    assert Deadline(10.0).earlier(2.0) == Deadline(8.0)
    assert Deadline(10.0).until(9.0) == Deadline(9.0)
    assert Deadline(10.0).until(11.0) == Deadline(10.0)
    assert NEVER.earlier(2.0) == NEVER
    assert NEVER.until(3.0) == Deadline(3.0)
