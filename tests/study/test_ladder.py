"""Rungs of the ladder of skill, from matches made by hand."""

from __future__ import annotations

import pytest

from ggp.study.ladder import HIDDEN, SEEN, Ladder, short_name
from ggp.study.strong_play import Played, StrongPlay, Task, tasks_of
from ggp.tournament.plan import lineup

LOWEST = SEEN.rungs[0]


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


@pytest.mark.parametrize("players", [SEEN, HIDDEN])
def test_each_rung_has_twice_the_effort_of_the_one_below(players: Ladder) -> None:
    assert players.rungs[0][1] == "random"
    assert [high for high, _ in players.rungs] == list(players.searching)
    assert [low for _, low in players.rungs[1:]] == list(players.searching[:-1])
    for simulations, player in zip((32, 64, 128, 256, 512, 1024), players.searching, strict=True):
        assert f"(simulations={simulations})" in short_name(player)


def test_players_that_do_not_see_the_state_search_with_what_they_know() -> None:
    assert all(player.startswith("mcts") for player in SEEN.searching)
    assert all(player.startswith("ismcts") for player in HIDDEN.searching)
    assert "greedy" not in HIDDEN.alone
    assert {task.pair for task in tasks_of(HIDDEN, 2, 1, 0)} == {HIDDEN.itself, *HIDDEN.pairs}
    assert {task.lineup for task in tasks_of(HIDDEN, 1, 1, 0)} == {(player,) for player in HIDDEN.alone}
