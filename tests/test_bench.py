"""Random playouts, counted."""

from __future__ import annotations

import random

import pytest
from toy_games import Endless, Nim, OneRound

from gdl.errors import GoalError, NoLegalMoveError
from ggp.bench import Speed, measure, playout


def test_a_playout_is_counted_by_its_plies() -> None:
    class Counting(Nim):
        steps = 0

        def next_state(self, state, moves):  # type: ignore[no-untyped-def]
            self.steps += 1
            return super().next_state(state, moves)

    game = Counting(20)
    plies, finished = playout(game, random.Random(1), 500)
    assert finished
    assert plies == game.steps
    assert 7 <= plies <= 20


def test_a_playout_is_cut_at_the_limit_and_not_before() -> None:
    assert playout(Endless(), random.Random(1), 7) == (7, False)
    one_by_one = Nim(1)
    assert playout(one_by_one, random.Random(1), 1) == (1, True)
    assert playout(one_by_one, random.Random(1), 0) == (0, False)


def test_rules_at_fault_are_reported() -> None:
    with pytest.raises(NoLegalMoveError):
        playout(Endless(fault="no move"), random.Random(1), 500)
    with pytest.raises(GoalError):
        playout(Endless(fault="no goal"), random.Random(1), 500)


@pytest.mark.parametrize("chance", ["random", "RANDOM"])
def test_chance_needs_no_goal(chance: str) -> None:
    game = OneRound(("a", chance), {("p", "x"): (50, None)})
    assert playout(game, random.Random(1), 500) == (1, True)


def test_at_least_one_playout_is_measured() -> None:
    speed = measure(Nim(20), seconds=1e-9, seed=1, max_plies=500)
    assert speed.playouts == 1
    assert speed.transitions >= 7
    assert speed.cut == 0
    assert speed.seconds > 0


def test_playouts_follow_the_seed() -> None:
    def transitions(seed: int) -> int:
        return measure(Nim(200), seconds=1e-9, seed=seed, max_plies=500).transitions

    assert transitions(1) == transitions(1)
    assert len({transitions(seed) for seed in range(10)}) > 1


def test_cut_playouts_are_counted() -> None:
    speed = measure(Endless(), seconds=0.01, seed=1, max_plies=3)
    assert speed.cut == speed.playouts
    assert speed.mean_length == 3


def test_rates() -> None:
    speed = Speed(playouts=10, transitions=400, seconds=2.0, cut=0)
    assert (speed.playouts_per_second, speed.transitions_per_second, speed.mean_length) == (5, 200, 40)
