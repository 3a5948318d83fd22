"""The plan of a tournament: which matches there are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from support.tournaments import NIM, PLAN, SOLO

from ggp.tournament.plan import Plan, PlanError, lineup, split_players


class TestPlan:
    @pytest.mark.parametrize("roles", range(2, 8))
    def test_after_two_matches_each_has_had_each_role_once(self, roles: int) -> None:
        for turn in range(0, 4 * roles, 2):
            one, other = lineup(("a", "b"), roles, turn), lineup(("a", "b"), roles, turn + 1)
            assert all({*pair} == {"a", "b"} for pair in zip(one, other, strict=True))
            assert abs(one.count("a") - one.count("b")) == roles % 2

    def test_with_more_roles_partners_change(self) -> None:
        assert len({lineup(("a", "b"), 4, turn) for turn in range(8)}) == 4

    def test_every_pair_has_as_many_matches_in_every_game(self) -> None:
        fixtures = replace(PLAN, contests=(NIM, replace(NIM, name="more"))).fixtures()
        assert [fixture.number for fixture in fixtures] == list(range(2 * 3 * 4))
        counts = Counter((fixture.contest.name, fixture.players) for fixture in fixtures)
        assert len(counts) == 6
        assert set(counts.values()) == {4}
        roles = Counter(
            (fixture.contest.name, role, player) for fixture in fixtures for role, player in enumerate(fixture.lineup)
        )
        assert set(roles.values()) == {4}

    def test_those_that_play_alone_have_the_same_seeds(self) -> None:
        fixtures = Plan((SOLO,), ("a", "b"), games=3, seed=1).fixtures()
        assert [fixture.lineup for fixture in fixtures] == [("a",), ("b",)] * 3
        assert [one.seed for one in fixtures[::2]] == [other.seed for other in fixtures[1::2]]
        assert len({fixture.seed for fixture in fixtures}) == 3

    def test_seeds_differ_between_matches_and_follow_the_seed(self) -> None:
        seeds = [fixture.seed for fixture in PLAN.fixtures()]
        assert len(set(seeds)) == len(seeds)
        assert seeds == [fixture.seed for fixture in PLAN.fixtures()]
        assert not set(seeds) & {fixture.seed for fixture in replace(PLAN, seed=2).fixtures()}

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"players": ("a", "b", "a")}, "a is named twice"),
            ({"players": ()}, "no players"),
            ({"players": ("a",)}, "2 roles and needs at least two players"),
            ({"contests": (NIM, SOLO, NIM)}, "two games are called nim"),
            ({"contests": (replace(NIM, roles=()),)}, "no role"),
            ({"games": 0}, "the number of games must be positive, not 0"),
            ({"games": 10**9}, "a tournament has at most 100,000 matches, not 3,000,000,000"),
        ],
    )
    def test_what_is_no_tournament(self, changes: dict[str, object], reason: str) -> None:
        with pytest.raises(PlanError, match=reason):
            replace(PLAN, **changes)  # type: ignore[arg-type]

    def test_clocks_without_sense(self) -> None:
        with pytest.raises(ValueError, match="play clock"):
            replace(PLAN, play_clock=-1.0)

    def test_one_player_alone_needs_no_other(self) -> None:
        assert len(Plan((SOLO,), ("a",), games=3, seed=1).fixtures()) == 3

    def test_commas_within_brackets_belong_to_a_name(self) -> None:
        assert split_players("a, b:x(1,2),c[,]") == ("a", "b:x(1,2)", "c[,]")
        for text in ("", "a,,b", "a,"):
            with pytest.raises(PlanError, match="a name is missing"):
                split_players(text)
