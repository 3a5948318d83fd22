"""A decided game is finished: of two sure wins, players prefer the shorter one."""

from __future__ import annotations

from functools import cache

import pytest

import gdl
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.players.finishing import soonest
from ggp.players.mcts.move_statistics import MoveStatistics, winning_alike
from ggp.rules.shipped_games import find_game

#: The runner wins at the end of the track, and only loses if it waits six times in a row. Ten steps are needed: a short
#: search cannot prove the win, and all moves seem to win.
TRACK = """
(role runner) (role watcher) (init (at 4)) (init (control runner)) (init (waited 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
(succ 10 11) (succ 11 12) (succ 12 13) (succ 13 14)
(<= (legal runner forward) (true (control runner))) (<= (legal runner wait) (true (control runner)))
(<= (legal runner back) (true (control runner))) (<= (legal runner noop) (true (control watcher)))
(<= (legal watcher look) (true (control watcher))) (<= (legal watcher blink) (true (control watcher)))
(<= (legal watcher noop) (true (control runner)))
(<= (next (control watcher)) (true (control runner))) (<= (next (control runner)) (true (control watcher)))
(<= (next (at ?m)) (does runner forward) (true (at ?n)) (succ ?n ?m))
(<= (next (at ?m)) (does runner back) (true (at ?n)) (succ ?m ?n))
(<= (next (at 0)) (does runner back) (true (at 0)))
(<= (next (at ?n)) (does runner wait) (true (at ?n))) (<= (next (at ?n)) (does runner noop) (true (at ?n)))
(<= (next (waited ?m)) (does runner wait) (true (waited ?n)) (succ ?n ?m))
(<= (next (waited ?n)) (does runner noop) (true (waited ?n)))
(<= (next (waited 0)) (does runner forward)) (<= (next (waited 0)) (does runner back))
(<= lost (true (waited 6))) (<= terminal lost) (<= terminal (true (at 14)))
(<= (goal runner 100) (not lost)) (<= (goal runner 0) lost) (<= (goal watcher 0) (not lost))
(<= (goal watcher 100) lost)
"""


@cache
def track() -> gdl.Simulator:
    return gdl.compile(TRACK)


def test_alphabeta_brings_a_sure_win_home() -> None:
    players = {"runner": make_player("alphabeta(nodes=400)"), "watcher": make_player("random")}
    record = play_match(track(), players, Settings(seed=2, max_plies=100))
    assert len(record.plies) == 19  # the shortest; it took more than 200 plies before


@pytest.mark.slow
def test_mcts_brings_a_sure_win_home() -> None:
    game = gdl.Simulator.load(find_game("wolf_sheep"))
    players = {"wolf": make_player("mcts(simulations=100)"), "sheep": make_player("random")}
    record = play_match(game, players, Settings(seed=1, max_plies=100))
    assert len(record.plies) == 13  # the shortest; it took 35 plies before


def test_the_state_nearest_to_the_end_wins() -> None:
    game = track()
    states = [game.state(f"(at {place}) (control watcher) (waited 0)") for place in (4, 9, 6)]
    assert soonest(game, states, "runner", 1, 0.0, 1.0) == 1
    assert soonest(game, states, "runner", 1, 1.0, 1.0) == 0  # no time


def statistics(*moves: tuple[float, int, bool]) -> list[MoveStatistics]:
    term = gdl.parse_term("m")
    return [MoveStatistics(term, visits, goal, proven, 0) for goal, visits, proven in moves]


@pytest.mark.parametrize(
    ("moves", "alike"),
    [
        ([(99.0, 100, False), (98.0, 60, False), (97.0, 90, False), (90.0, 99, False), (99.0, 20, False)], 3),
        ([(94.0, 100, False), (94.0, 100, False)], 0),  # no sure win
        ([(100.0, 9, True), (99.0, 100, False), (99.0, 100, False)], 0),  # a proved one
        ([(99.0, 100, False), (50.0, 100, False)], 0),  # nothing to choose
        ([(0.0, 0, False), (0.0, 0, False)], 0),  # no search
    ],
)
def test_which_moves_win_alike(moves: list[tuple[float, int, bool]], alike: int) -> None:
    assert len(winning_alike(statistics(*moves), 0.0, 100.0)) == alike
