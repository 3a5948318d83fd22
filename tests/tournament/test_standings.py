"""Standings: what outcomes add up to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.tournaments import NIM, PLAN, SOLO, ended

from ggp.tournament.chart import rating_chart
from ggp.tournament.outcome import Conduct, Outcome
from ggp.tournament.plan import Plan
from ggp.tournament.standings import Table, tables


class TestStandings:
    def one(self, plan: Plan, outcomes: list[Outcome]) -> Table:
        (table,) = tables(plan, outcomes)
        return table

    def test_wins_draws_and_losses(self) -> None:
        plan = replace(PLAN, players=("a", "b"))  # a is left in matches 0 and 3
        assert [fixture.lineup for fixture in plan.fixtures()] == [("a", "b"), ("b", "a"), ("b", "a"), ("a", "b")]
        table = self.one(plan, [ended(0, 100, 0), ended(1, 30, 70), ended(2, 50, 50), ended(3)])
        first, second = table.lines
        assert (first.player, first.matches, first.wins, first.draws, first.losses) == ("a", 4, 2, 2, 0)
        assert (second.player, second.wins, second.draws, second.losses) == ("b", 0, 2, 2)
        assert (first.unfinished, second.unfinished) == (1, 1)
        assert first.goal == pytest.approx((100 + 70 + 50) / 3)
        assert first.rating is not None
        assert second.rating is not None
        assert first.rating.elo > 0 > second.rating.elo
        (pair,) = table.pairs
        assert (pair.player, pair.other, pair.points, pair.games, pair.share) == ("a", "b", 3, 4, 0.75)
        assert pair.interval[0] < 0.75 < pair.interval[1]

    def test_the_mean_of_a_players_roles_counts(self) -> None:
        plan = Plan((replace(NIM, roles=("x", "y", "z")),), ("a", "b"), games=1, seed=1)
        assert plan.fixtures()[0].lineup == ("a", "a", "b")
        conduct = (Conduct(late=1), Conduct(late=2), Conduct(late=4))
        table = self.one(plan, [Outcome(0, "finished", (100, None, 60), conduct, ())])
        by_player = {line.player: line for line in table.lines}
        assert (by_player["a"].goal, by_player["b"].goal) == (100, 60)
        assert (by_player["a"].conduct.late, by_player["b"].conduct.late) == (3, 4)
        assert by_player["a"].wins == 1

    @pytest.mark.parametrize(("goals", "points"), [((None, 0), 1), ((None, 50), 0.5), ((100, None), 1)])
    def test_an_undefined_goal_counts_as_half(self, goals: tuple[int | None, ...], points: float) -> None:
        table = self.one(replace(PLAN, players=("a", "b"), games=1), [ended(0, *goals)])
        assert table.pairs[0].points == points

    def test_a_match_without_goals_is_a_draw_with_any(self) -> None:
        cut_off = Outcome(0, "unfinished", (), (Conduct(),), ())
        table = self.one(Plan((SOLO,), ("a", "b"), games=1, seed=1), [cut_off, ended(1, 0)])
        assert table.pairs[0].points == 0.5

    def test_those_that_play_alone_are_compared_match_by_match(self) -> None:
        plan = Plan((SOLO,), ("a", "b", "c"), games=2, seed=1)
        goals = [50, 100, 50, 0, 100]  # the first match of a, b, c, the second of a and b
        table = self.one(plan, [ended(number, goal) for number, goal in enumerate(goals)])
        assert [(line.player, line.matches, line.wins, line.draws, line.losses) for line in table.lines] == [
            ("b", 2, 3, 0, 0),
            ("c", 1, 0, 1, 1),
            ("a", 2, 0, 1, 2),
        ]

    def test_one_player_has_no_rating(self) -> None:
        table = self.one(Plan((SOLO,), ("a",), games=2, seed=1), [ended(0, 70)])
        assert table.lines[0].rating is None
        assert table.lines[0].goal == 70
        assert "no rating" not in rating_chart([table], title="t")

    def test_a_table_for_each_game_that_was_played_and_one_over_all(self) -> None:
        plan = Plan((NIM, SOLO, replace(NIM, name="last")), ("a", "b"), games=1, seed=1)
        assert tables(plan, []) == []
        assert [table.name for table in tables(plan, [ended(0, 100, 0)])] == ["nim"]
        both = tables(plan, [ended(0, 100, 0), ended(1, 20), ended(2, 90)])
        assert [table.name for table in both] == ["nim", "solo", "all games"]
        assert [(line.wins, line.losses) for line in both[-1].lines] == [(1, 1), (1, 1)]
