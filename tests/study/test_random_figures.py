"""Random play and its figures, compared with what is known about small games."""

from __future__ import annotations

from math import inf, log10
from time import monotonic

import numpy as np
import pytest
from support.toy_rules import NIM, STUCK

import gdl
from ggp.rules.shipped_games import find_game
from ggp.study.bench.playouts import FaultyRulesError
from ggp.study.figures import Figure, mean, ratio, share, student
from ggp.study.random_play import play_randomly
from ggp.study.sample import Sample, figures_of, join
from ggp.study.tree_size import Seen

TOGETHER = """\
(role left) (role right) (init start)
(<= (legal ?r (put ?n)) (role ?r) (number ?n))
(number 1) (number 2) (number 3)
(<= (next (put ?r ?n)) (does ?r (put ?n)))
(<= terminal (true (put left ?n)))
(<= (goal left 100) (true (put left ?n)) (true (put right ?n)))
(<= (goal left 0) (true (put left ?n)) (true (put right ?m)) (distinct ?n ?m))
(<= (goal right 50) (true (put right ?n)))
"""

SOLO = """\
(role solo) (init start)
(legal solo a) (legal solo b)
(<= (next took) (does solo a))
(<= (next missed) (does solo b))
(<= terminal (true took)) (<= terminal (true missed))
(<= (goal solo 100) (true took)) (<= (goal solo 0) (not (true took)))
"""


def played(
    game: gdl.Engine, playouts: int, seed: int = 0, max_plies: int = 500, until: float = inf
) -> tuple[Sample, Seen]:
    seen = Seen()
    return join(list(play_randomly(game, playouts, seed, max_plies, until, seen))), seen


def holds(figure: Figure, true: float) -> bool:
    assert figure.low is not None
    assert figure.high is not None
    return figure.low <= true <= figure.high


class TestKnownGames:
    def test_tic_tac_toe(self) -> None:
        """X wins 58.5% of random matches, O 28.8%, and 12.7% are drawn; the mean length is 7.63 plies."""
        sample, seen = played(gdl.Simulator.load(find_game("tic_tac_toe")), 20_000)
        figures = figures_of(sample)
        assert holds(figures["wins of xplayer"], 737_280 / 1_260_000)
        assert holds(figures["wins of oplayer"], 0.288)
        assert holds(figures["draws"], 0.127)
        assert figures["completion"].value == 1
        size = seen.size()
        assert size is not None
        assert size.seen <= 5478
        assert size.states == pytest.approx(5478, abs=30)
        assert size.lines == pytest.approx(log10(255_168), abs=0.02)

    def test_connect_four_favours_the_first_player(self) -> None:
        sample, _ = played(gdl.Simulator.load(find_game("connect_four")), 10_000)
        figures = figures_of(sample)
        assert holds(figures["wins of red"], 0.556)
        assert figures["draws"].value is not None
        assert figures["draws"].value < 0.01


class TestPlayouts:
    def test_the_same_seed_gives_the_same_matches(self) -> None:
        game = gdl.compile(NIM)
        one, other, third = (figures_of(played(game, 300, seed)[0]) for seed in (1, 1, 2))
        assert one == other != third

    def test_both_engines_draw_from_the_same_distribution(self) -> None:
        lanes = figures_of(played(gdl.compile(NIM), 3000)[0])
        single = figures_of(played(gdl.Reasoner(NIM), 400)[0])
        # One or two, until nothing is left of four: the first role wins with probability 1/4 + 1/8 of its own lines.
        for name in ("length", "branching factor", "wins of left"):
            assert lanes[name].value == pytest.approx(single[name].value, abs=0.15), name

    def test_simultaneous_moves_count_joint_moves(self) -> None:
        figures = figures_of(played(gdl.compile(TOGETHER), 3000)[0])
        assert figures["branching factor"].value == 9
        assert figures["decisions"].value == 1
        assert holds(figures["goal of left"], 100 / 3)
        assert holds(figures["share of left"], 1 / 3)
        assert figures["draws"].value == 0

    def test_one_player_has_goals_but_no_shares(self) -> None:
        figures = figures_of(played(gdl.compile(SOLO), 50)[0])
        assert figures["draws"].reason == "the game has one player"
        assert not [name for name in figures if name.startswith(("share", "wins"))]
        assert holds(figures["goal of solo"], 50)

    @pytest.mark.slow
    def test_random_play_hardly_ever_solves_a_puzzle(self) -> None:
        figures = figures_of(played(gdl.Simulator.load(find_game("sliding_pieces")), 50, max_plies=20)[0])
        assert figures["completion"].value == 0
        assert figures["goal of player"].reason == "no match ended with goals"

    def test_matches_that_are_cut_off_have_no_length(self) -> None:
        figures = figures_of(played(gdl.compile(NIM), 20, max_plies=1)[0])
        assert figures["completion"].value == 0
        assert figures["length"].reason == "no match ended before the limit"
        assert figures["wins of left"].value is None

    def test_a_role_without_a_move_is_an_error(self) -> None:
        with pytest.raises(FaultyRulesError, match="without a legal move"):
            played(gdl.compile(STUCK), 10)

    def test_at_least_one_part_is_played(self) -> None:
        sample, _ = played(gdl.compile(NIM), 100_000, until=monotonic())
        assert 0 < len(sample) < 100_000


class TestFigures:
    def test_the_quantiles_of_student(self) -> None:
        known = {1: 12.706, 2: 4.303, 3: 3.182, 5: 2.571, 10: 2.228, 30: 2.042, 1000: 1.962}
        for freedom, value in known.items():
            assert student(freedom) == pytest.approx(value, rel=0.01)

    def test_intervals_contain_the_true_mean_in_95_percent_of_samples(self) -> None:
        draws = np.random.Generator(np.random.PCG64(1))
        values = draws.normal(3.0, 2.0, (4000, 8))
        assert np.mean([holds(mean(row), 3.0) for row in values]) == pytest.approx(0.95, abs=0.012)

    def test_a_ratio_weighs_matches_by_their_plies(self) -> None:
        found = ratio(np.array([2.0, 30.0]), np.array([2.0, 10.0]))
        assert found.value == pytest.approx(32 / 12)

    def test_one_match_has_no_interval(self) -> None:
        assert mean(np.array([4.0])) == Figure(4.0, count=1)

    def test_winners_may_be_several(self) -> None:
        goals = np.array([[100, 100, 0], [100, 0, 0], [50, 50, 50], [0, 100, 100]])
        ones = np.ones(4)
        figures = figures_of(Sample(("a", "b", "c"), ones, ones.astype(np.bool_), goals, ones, ones))
        assert [figures[f"wins of {role}"].value for role in "abc"] == [0.5, 0.5, 0.25]
        assert figures["share of a"].value == pytest.approx((0.5 + 1 + 1 / 3) / 4)
        assert figures["draws"].value == 0.25

    def test_a_share_of_all_points_has_an_interval(self) -> None:
        found = share(10, 10)
        assert found.value == 1
        assert found.high == pytest.approx(1)
        assert found.low == pytest.approx(0.722, abs=0.001)
