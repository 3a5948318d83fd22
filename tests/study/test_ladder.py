"""Rungs of the ladder of skill, from matches made by hand."""

from __future__ import annotations

from ggp.study.ladder import RUNGS, short_name
from ggp.study.strong_play import Played, StrongPlay, Task
from ggp.tournament.plan import lineup

LOWEST = RUNGS[0]


def strong(turns: int) -> StrongPlay:
    """Matches of the lowest rung, which the first role always wins."""
    found = StrongPlay(("left", "right"), 100)
    for turn in range(turns):
        task = Task(LOWEST, turn, lineup(LOWEST, 2, turn), 0)
        found.played[LOWEST, turn] = Played(task, (100, 0), ((2, 1), (1, 2)), (), (), None)
    return found


def test_matches_count_in_twos_with_exchanged_roles() -> None:
    assert strong(1).ladder() == []
    for turns, counted in ((2, 2), (3, 2), (4, 4), (5, 4)):
        (rung,) = strong(turns).ladder()
        assert (rung.player, rung.other) == tuple(map(short_name, LOWEST))
        assert rung.points.count == counted
        assert rung.points.value == 0.5
        assert not rung.won
