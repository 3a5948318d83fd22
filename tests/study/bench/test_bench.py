"""Random playouts, counted; engines compared."""

from __future__ import annotations

import random
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
from support.fake_runner import FakeRunner
from support.toy_games import Endless, Nim, OneRound
from support.toy_rules import ENDLESS, NIM, STUCK

import gdl
from gdl.errors import GoalError, NoLegalMoveError
from ggp.study.bench.playouts import (
    LANES,
    Comparison,
    FaultyRulesError,
    InLanes,
    Measurement,
    OneByOne,
    Speed,
    Stopwatch,
    playout,
)


def one_by_one(game: Any, max_plies: int = 500) -> OneByOne:
    return OneByOne(lambda: game, max_plies=max_plies)


class TestPlayouts:
    def test_a_playout_is_counted_by_its_plies(self) -> None:
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

    def test_a_playout_is_cut_at_the_limit_and_not_before(self) -> None:
        assert playout(Endless(), random.Random(1), 7) == (7, False)
        one_by_one = Nim(1)
        assert playout(one_by_one, random.Random(1), 1) == (1, True)
        assert playout(one_by_one, random.Random(1), 0) == (0, False)

    def test_rules_at_fault_are_reported(self) -> None:
        with pytest.raises(NoLegalMoveError):
            playout(Endless(fault="no move"), random.Random(1), 500)
        with pytest.raises(GoalError):
            playout(Endless(fault="no goal"), random.Random(1), 500)

    @pytest.mark.parametrize("chance", ["random", "RANDOM"])
    def test_chance_needs_no_goal(self, chance: str) -> None:
        game = OneRound(("a", chance), {("p", "x"): (50, None)})
        assert playout(game, random.Random(1), 500) == (1, True)


class TestOneByOne:
    def test_at_least_one_playout_is_measured(self) -> None:
        speed = one_by_one(Nim(20)).run(1e-9, seed=1)
        assert speed.playouts == 1
        assert speed.transitions >= 7
        assert speed.cut == 0
        assert speed.seconds > 0
        assert speed.wall_seconds > 0

    def test_playouts_follow_the_seed(self) -> None:
        def transitions(seed: int) -> int:
            return one_by_one(Nim(200)).run(1e-9, seed).transitions

        assert transitions(1) == transitions(1)
        assert len({transitions(seed) for seed in range(10)}) > 1

    def test_cut_playouts_are_counted(self) -> None:
        speed = one_by_one(Endless(), max_plies=3).run(0.01, seed=1)
        assert speed.cut == speed.playouts
        assert speed.mean_length == 3

    def test_a_first_playout_belongs_to_the_setup(self) -> None:
        with pytest.raises(NoLegalMoveError):
            one_by_one(Endless(fault="no move"))
        assert one_by_one(Nim(200)).setup_seconds > 0


class FakeSimulator:
    """Count the playouts requested; a call with too many of them makes new code once."""

    def __init__(self, new_code_at: int | None = None) -> None:
        self.setup_seconds = 1.0
        self.asked: list[tuple[int, int, int]] = []
        self._new_code_at = new_code_at

    def playouts(self, n: int, *, seed: int = 0, max_plies: int, threads: int) -> Any:
        assert threads == 1
        self.asked.append((n, seed, max_plies))
        if self._new_code_at is not None and n >= self._new_code_at:
            self._new_code_at = None
            self.setup_seconds += 100
        watch = Stopwatch()
        while watch.seconds < n * 1e-6:
            pass
        return SimpleNamespace(playouts=n, transitions=7 * n, cut=n // 2, stuck=0, undefined={"left": 0, "random": 5})


class TestInLanes:
    def test_one_playout_belongs_to_the_setup(self) -> None:
        fake = FakeSimulator()
        InLanes(lambda: cast(Any, fake), max_plies=30)
        assert fake.asked == [(1, 0, 30)]

    def test_what_was_played_is_counted(self) -> None:
        fake = FakeSimulator()
        speed = InLanes(lambda: cast(Any, fake), max_plies=30).run(0.01, seed=4)
        playouts, seed, max_plies = fake.asked[-1]
        assert (seed, max_plies) == (4, 30)
        assert (speed.playouts, speed.transitions, speed.cut) == (playouts, 7 * playouts, playouts // 2)

    def test_how_many_fit_is_tried_once(self) -> None:
        fake = FakeSimulator()
        runner = InLanes(lambda: cast(Any, fake), max_plies=30)
        runner.run(0.01, seed=1)
        tries = [n for n, *_ in fake.asked[1:]]
        assert tries[0] == LANES
        assert all(later == 4 * earlier for earlier, later in pairwise(tries[:-1]))
        runner.run(0.01, seed=2)
        assert fake.asked[-1] == (tries[-1], 2, 30)
        assert len(fake.asked) == len(tries) + 2

    def test_every_lane_plays_at_least_once(self) -> None:
        fake = FakeSimulator()
        assert InLanes(lambda: cast(Any, fake), max_plies=30).run(1e-6, seed=1).playouts == LANES

    def test_a_run_that_had_to_make_code_is_made_again(self) -> None:
        fake = FakeSimulator(new_code_at=4 * LANES)
        InLanes(lambda: cast(Any, fake), max_plies=30).run(0.01, seed=1)
        assert [n for n, *_ in fake.asked].count(4 * LANES) == 2

    def test_rules_at_fault_are_reported(self) -> None:
        with pytest.raises(FaultyRulesError, match="no-legal-move: 1 of 1 playouts leave a role without a legal move"):
            InLanes(lambda: gdl.compile(STUCK), max_plies=500)
        no_goal = "(role r) (init (s 0)) (legal r go) (next (s 1)) (<= terminal (true (s 1)))"
        with pytest.raises(FaultyRulesError, match="goal-value: 1 of 1 playouts end without one goal value for r"):
            InLanes(lambda: gdl.compile(no_goal), max_plies=500)

    def test_a_game_that_is_compiled(self) -> None:
        speed = InLanes(lambda: gdl.compile(NIM), max_plies=500).run(0.001, seed=1)
        assert speed.playouts >= LANES
        assert 2 <= speed.mean_length <= 4
        assert speed.cut == 0
        cut = InLanes(lambda: gdl.compile(ENDLESS), max_plies=5).run(0.001, seed=1)
        assert cut.cut == cut.playouts
        assert cut.mean_length == 5


class TestComparison:
    def test_engines_play_in_turn_with_other_seeds(self) -> None:
        log: list[tuple[str, int]] = []
        Comparison([FakeRunner("a", log), FakeRunner("b", log)]).run(seconds=1, repeat=2, seed=7)
        assert log == [("a", 7), ("b", 7), ("a", 8), ("b", 8)]

    def test_what_was_measured_before_an_interrupt_is_kept(self) -> None:
        log: list[tuple[str, int]] = []
        comparison = Comparison([FakeRunner("a", log), FakeRunner("b", log, fails_at=1), FakeRunner("c", log)])
        with pytest.raises(KeyboardInterrupt):
            comparison.run(seconds=1, repeat=3, seed=0)
        assert [(one.engine, len(one.speeds)) for one in comparison.measurements] == [("a", 2), ("b", 1), ("c", 1)]

    def test_who_has_not_played_is_left_out(self) -> None:
        comparison = Comparison([FakeRunner("a", []), FakeRunner("b", [], fails_at=0)])
        with pytest.raises(KeyboardInterrupt):
            comparison.run(seconds=1, repeat=3, seed=0)
        assert [one.engine for one in comparison.measurements] == ["a"]


class TestMeasurement:
    def speeds(self, *playouts: int) -> Measurement:
        return Measurement("a", 0.5, tuple(Speed(n, 40 * n, 1, 2.0, 3.0) for n in playouts))

    def test_rates(self) -> None:
        speed = Speed(playouts=10, transitions=400, cut=0, seconds=2.0, wall_seconds=4.0)
        assert (speed.playouts_per_second, speed.transitions_per_second, speed.mean_length) == (5, 200, 40)

    def test_medians_and_spread(self) -> None:
        measured = self.speeds(10, 90, 20)
        assert measured.playouts_per_second == 10
        assert measured.transitions_per_second == 400
        assert measured.spread == 4

    def test_totals(self) -> None:
        assert self.speeds(10, 90, 20).total == Speed(120, 4800, 3, 6.0, 9.0)

    def test_ratios(self) -> None:
        assert self.speeds(10, 90, 20).times(self.speeds(5)) == 4


def test_the_stopwatch_counts_computing_and_not_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([10.0, 12.5])
    clocks = iter([100.0, 107.0])
    monkeypatch.setattr("time.process_time", lambda: next(times))
    monkeypatch.setattr("time.perf_counter", lambda: next(clocks))
    assert Stopwatch().speed(5, 50, 1) == Speed(5, 50, 1, 2.5, 7.0)
