"""Swiss rounds: no pair twice, byes and seats in turn, equal points first, always the same from the same outcomes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples
from support.tournaments import NIM, SOLO, ended

from ggp.tournament.format import Format
from ggp.tournament.outcome import Outcome
from ggp.tournament.plan import Fixture, Plan, PlanError
from ggp.tournament.standings import tables
from ggp.tournament.store import Store
from ggp.tournament.swiss import Card, can_be_paired, draw_round, most_rounds

RESULTS = ((100, 0), (50, 50), (0, 100))


def swiss(players: int, rounds: int, games: int = 1) -> Plan:
    names = tuple(f"p{number}" for number in range(players))
    return Plan((NIM,), names, games=games, seed=1, format=Format.SWISS, rounds=rounds)


def played(plan: Plan, seed: int) -> tuple[list[Fixture], list[Outcome]]:
    """All matches of a tournament with random results, round by round."""
    random = Random(seed)
    outcomes: list[Outcome] = []
    while len(fixtures := plan.fixtures(outcomes)) > len(outcomes):
        outcomes += [ended(one.number, *random.choice(RESULTS)) for one in fixtures[len(outcomes) :]]
    return list(fixtures), outcomes


@examples(60)
@given(players=st.integers(2, 17), games=st.integers(1, 2), seed=st.integers(0, 10**6), data=st.data())
def test_nobody_meets_the_same_player_twice_and_byes_are_shared(
    players: int, games: int, seed: int, data: st.DataObject
) -> None:
    plan = swiss(players, data.draw(st.integers(1, most_rounds(players))), games)
    fixtures, _ = played(plan, seed)
    assert [one.number for one in fixtures] == list(range(plan.total))
    meetings = Counter((one.round, frozenset(one.players)) for one in fixtures)
    assert set(meetings.values()) == {games}
    assert max(Counter(pair for _, pair in meetings).values()) == 1
    for number in range(1, plan.rounds + 1):
        there = Counter(player for round_, pair in meetings if round_ == number for player in pair)
        assert set(there.values()) == {1}
        assert len(there) == players // 2 * 2
    byes = [number // games for number in plan.byes(fixtures).values()]
    assert sum(byes) == plan.rounds * (players % 2)
    assert max(byes) <= 1


@examples(40)
@given(players=st.integers(2, 13), seed=st.integers(0, 10**6))
def test_the_first_seat_goes_to_the_player_that_had_it_less_often(players: int, seed: int) -> None:
    plan = swiss(players, most_rounds(players))
    fixtures, _ = played(plan, seed)
    lean: Counter[str] = Counter()
    for one in fixtures:
        first, second = one.lineup
        assert lean[first] <= lean[second]
        lean[first] += 1
        lean[second] -= 1


def test_with_two_matches_each_player_has_each_seat() -> None:
    fixtures, _ = played(swiss(6, 3, games=2), 4)
    assert set(Counter((one.round, one.lineup[0]) for one in fixtures).values()) == {1}


def test_the_winners_meet_in_the_next_round() -> None:
    plan = swiss(8, 3)
    first = plan.fixtures()
    # Of each group, the upper half meets the lower half.
    assert [set(one.players) for one in first] == [{f"p{one}", f"p{one + 4}"} for one in range(4)]
    outcomes = [ended(one.number, *((100, 0) if one.lineup[0] < "p4" else (0, 100))) for one in first]
    second = plan.fixtures(outcomes)[4:]
    assert [set(one.players) for one in second] == [{"p0", "p2"}, {"p1", "p3"}, {"p4", "p6"}, {"p5", "p7"}]


def test_rounds_are_known_when_the_round_before_is_complete() -> None:
    plan = swiss(4, 2)
    assert len(plan.fixtures()) == 2
    assert len(plan.fixtures([ended(1, 100, 0)])) == 2
    outcomes = [ended(0, 100, 0), ended(1, 100, 0)]
    assert len(plan.fixtures(outcomes)) == 4
    assert plan.fixtures(outcomes) == plan.fixtures(outcomes[::-1])


def test_a_bye_counts_as_a_win_and_goes_to_the_last() -> None:
    plan = swiss(3, 2)
    assert plan.byes(plan.fixtures()) == {"p0": 0, "p1": 0, "p2": 1}
    (first,) = plan.fixtures()
    outcomes = [ended(0, *((100, 0) if first.lineup[0] == "p0" else (0, 100)))]
    assert plan.byes(plan.fixtures(outcomes)) == {"p0": 0, "p1": 1, "p2": 1}
    (table,) = tables(plan, outcomes)
    assert [(line.player, line.points, line.byes) for line in table.lines] == [("p0", 1, 0), ("p2", 1, 1), ("p1", 1, 1)]


def test_a_store_has_the_outcomes_of_all_rounds_again() -> None:
    plan = swiss(7, 4)
    fixtures, outcomes = played(plan, 3)
    with Store() as store:
        store.begin(plan.identity())
        for fixture, outcome in zip(fixtures, outcomes, strict=True):
            store.add(fixture, outcome)
        assert store.outcomes(plan.fixtures) == outcomes


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rounds": 0}, "the number of rounds of 8 players must be from 1 to 4, not 0"),
        ({"rounds": 5}, "must be from 1 to 4, not 5; in the format round-robin all of them meet"),
        ({"contests": (SOLO,)}, "solo has one role"),
        ({"format": Format.ROUND_ROBIN}, "only the format swiss has a number of rounds"),
    ],
)
def test_impossible_tournaments(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(PlanError, match=reason):
        replace(swiss(8, 4), **changes)  # type: ignore[arg-type]


def test_no_round_is_drawn_when_somebody_has_met_everybody() -> None:
    cards = {name: Card(met=set("abcd") - {name}) for name in "abcd"}
    assert not can_be_paired("abcd", cards)
    with pytest.raises(ValueError, match="no round"):
        draw_round("abcd", cards)


def test_pairs_that_leave_others_without_an_opponent_are_not_made() -> None:
    # The first would meet the second by points; then the others, who have met, would be left.
    cards = {
        "a": Card(points=2.0),
        "b": Card(points=2.0),
        "c": Card(points=0.0, met={"d"}),
        "d": Card(points=0.0, met={"c"}),
    }
    assert {frozenset(pair) for pair in draw_round("abcd", cards).pairs} == {frozenset("ac"), frozenset("bd")}
