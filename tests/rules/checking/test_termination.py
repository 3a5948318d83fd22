"""The longest way through a graph."""

from __future__ import annotations

from ggp.rules.checking.termination import _longest


def test_the_longest_way() -> None:
    assert _longest({1: {2, 3}, 2: {3}, 3: set()}, 1) == 2
    assert _longest({1: {2}, 2: {1}}, 1) is None
    assert _longest({1: {1}}, 1) is None
    assert _longest({1: set(), 2: {2}}, 1) == 0
