"""The reserve of a clock: it follows the delays of the process, within limits, on a clock that stands until told."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import pytest

from ggp.players.clock import NEVER, Deadline
from ggp.players.margin import Margin


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


def think(margin: Margin, clock: Clock, seconds: float, slices: Callable[[int], float]) -> float:
    """Search on a clock of so many seconds, in slices of this length each; return the seconds left at the end."""
    deadline = Deadline.after(seconds)
    margin.begin(deadline, 0.01)
    number = 0
    while margin.look() > 0:
        clock.now += slices(number)
        number += 1
    margin.end()
    return deadline.left()


def test_on_an_idle_machine_the_reserve_is_small(clock: Clock) -> None:
    margin = Margin()
    for _ in range(30):
        assert 0.007 < think(margin, clock, 1.0, lambda _: 0.002) < 0.015


def test_on_a_busy_core_it_covers_the_delays(clock: Clock) -> None:
    """Now and then, a slice takes 40 ms instead of 2: the first answer may be late, but no later one."""
    margin = Margin()
    lefts = [think(margin, clock, 0.5, lambda n: 0.04 if n % 5 == 4 else 0.002) for _ in range(30)]
    assert min(lefts[2:]) > 0
    # The reserve is given back when the core is idle again.
    for _ in range(20):
        left = think(margin, clock, 0.5, lambda _: 0.002)
    assert left < 0.015


def test_one_stop_changes_nothing(clock: Clock) -> None:
    margin = Margin()
    for _ in range(3):
        think(margin, clock, 1.0, lambda _: 0.002)
    assert think(margin, clock, 1.0, lambda n: 4.5 if n == 100 else 0.002) < -3
    assert think(margin, clock, 1.0, lambda _: 0.002) < 0.015


def test_most_of_the_clock_is_for_thinking_whatever_happens(clock: Clock) -> None:
    margin = Margin()
    for _ in range(20):
        think(margin, clock, 1.0, lambda _: 5.0)
    assert margin.delay(1.0) == 0.25
    assert 0.23 < think(margin, clock, 1.0, lambda _: 0.002) < 0.27
    assert margin.delay(-1.0) == 0


def test_a_search_that_does_not_look_counts_what_it_overruns(clock: Clock) -> None:
    """As with steps that may be long, and only matter if they end too late."""
    margin = Margin()
    for _ in range(3):
        until = margin.begin(Deadline.after(1.0), 0.01)
        clock.now += until.left() + 0.03
        margin.end()
    assert margin.delay(1.0) == pytest.approx(1.2 * 0.03)


def test_without_a_clock_there_is_no_reserve(clock: Clock) -> None:
    margin = Margin()
    assert margin.begin(NEVER, 0.01) is NEVER
    clock.now += 5.0
    assert margin.look() == inf
    margin.end()
    assert margin.delay(1.0) == 0
