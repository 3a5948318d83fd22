"""Sample matches, and their turning points in words, from what players are made to expect."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.toy_games import Nim

from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.study.ladder import SEEN
from ggp.study.samples import sample_matches
from ggp.study.strong_play import Played, StrongPlay, Task

Row = tuple[float | None, float | None]


def strong(*expected: Sequence[Row]) -> StrongPlay:
    """Matches of nim, with what the players are made to expect at each ply."""
    found = StrongPlay(("left", "right"), 100)
    for turn, rows in enumerate(expected):
        record = play_match(Nim(), {role: make_player("legal") for role in found.roles}, Settings(seed=turn))
        goals = tuple(record.goals)
        choices = tuple(ply.choices for ply in record.plies)
        task = Task(SEEN.itself, turn, SEEN.itself, turn)
        found.played[SEEN.itself, turn] = Played(task, goals, choices, tuple(rows), (), record)
    return found


@pytest.mark.parametrize(
    ("expected", "turning"),
    [
        ([(90.0, None), (None, 10.0), (95.0, None)], "{} was ahead from the beginning"),
        ([(None, None), (90.0, None), (None, 10.0)], "{} was ahead as soon as the players had a choice to judge, "),
        ([(50.0, None), (None, 50.0), (90.0, None)], "{} was ahead for good after ply 2"),
        ([(51.0, None), (None, 51.0), (52.0, None)], ""),
    ],
)
def test_turning_points(expected: list[Row], turning: str) -> None:
    probe = strong(expected).watched()[0]
    winner = probe.goals.index(100)
    own = expected if winner == 0 else [(other, one) for one, other in expected]
    (sample,) = sample_matches(strong(own))
    assert sample.turning.startswith(turning.format(("left", "right")[winner]))
    assert bool(sample.turning) == bool(turning)


def test_titles_say_what_a_match_is_an_example_of() -> None:
    level = [(50.0, None), (None, 50.0), (50.0, None)]
    found = sample_matches(strong(level, level, level, level))
    assert [sample.title for sample in found] == ["a match of typical length", "another match", "another match"]
