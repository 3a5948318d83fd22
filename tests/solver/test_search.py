"""The search by depth: what it proves, held against naive answers, and its budgets."""

from __future__ import annotations

import time

import pytest
from support.toy_files import ROOT
from support.toy_graphs import UNEVEN, ZERO_SUM, GraphGame, random_game

import gdl
from ggp.solver.bounds import Bounds, unknown
from ggp.solver.budget import SolverBudget, Stop
from ggp.solver.descriptions import bounds_text
from ggp.solver.errors import NotSolvableError
from ggp.solver.goals import declared_goals
from ggp.solver.line import position_after
from ggp.solver.search import DepthSearch

#: Games of three roles too; each is about its own goal then.
THREE = ((100, 0, 0), (0, 100, 50), (20, 30, 100))


def search(game: gdl.Simulator, moves: str = "", seconds: float | None = None) -> DepthSearch:
    root, _ = position_after(game, moves)
    deadline = None if seconds is None else time.monotonic() + seconds
    return DepthSearch(game, root, SolverBudget(deadline, 1 << 24))


def searched(game: gdl.Simulator, moves: str = "", seconds: float | None = None) -> tuple[Bounds, Stop | None]:
    return search(game, moves, seconds).run(unknown(game.roles, declared_goals(game)))


@pytest.mark.parametrize("goals", [ZERO_SUM, UNEVEN, THREE], ids=["zero-sum", "uneven", "three roles"])
def test_random_graphs(goals: tuple[tuple[int, ...], ...]) -> None:
    toy = random_game(3, goals, nodes=24)
    game = gdl.compile(toy.text)
    nothing = unknown(game.roles, declared_goals(game))
    for node in [node for node in toy.reachable() if node in toy.owner]:
        root = game.state([f"(at {node})"])
        bounds, stop = DepthSearch(game, root, SolverBudget(None, 1 << 22)).run(nothing)
        assert bounds.closed == (stop is None)
        for role, best in enumerate(bounds.best):
            about, below = bounds.about(role)
            sign = -1 if below else 1
            everything = len(toy.owner) + 1
            for value in bounds.values[role][1:]:
                can = node in toy.forced(role, value, everything, sign, about)
                said = best is not None and sign * best.value >= sign * value
                assert said == can or (bounds.closed and bounds.zero_sum)
                assert can or not said
            if best is not None and best.plies is not None:
                assert node in toy.forced(role, best.value, best.plies, sign, about)
                assert node not in toy.forced(role, best.value, best.plies - 1, sign, about)


def test_tic_tac_toe_is_a_draw_after_any_first_move() -> None:
    game = gdl.compile(ROOT / "games/classics/tic_tac_toe.kif")
    for move in ("(mark 1 1)", "(mark 2 2)"):
        bounds, stop = searched(game, move)
        assert stop is None
        assert (bounds.least(0), bounds.least(1)) == (50, 50)
        assert next(bounds_text(bounds)).startswith("draw")


def test_a_win_is_found_with_its_line() -> None:
    game = gdl.compile(ROOT / "games/variants/wolf_sheep_diagonal.kif")
    # A sheep has gone astray.
    moves = "(move c4 c8 c3 c7) (move c1 c1 c2 c2) (move c3 c7 c4 c6) (move c2 c2 c1 c3)"
    work = search(game, moves)
    bounds, stop = work.run(unknown(game.roles, declared_goals(game)))
    assert stop is None
    best = bounds.best[0]
    assert best is not None
    assert best.plies is not None
    assert (best.value, bounds.best[1]) == (100, None)
    state, _ = position_after(game, moves)
    line = work.line(0, best.plies, 100)
    assert len(line) == best.plies
    for joint in line:
        assert not game.is_terminal(state)
        state = game.next_state(state, joint)
    assert game.is_terminal(state)
    assert game.goal(state, "wolf") == 100


@pytest.mark.parametrize("goals", [ZERO_SUM, UNEVEN, THREE], ids=["zero-sum", "uneven", "three roles"])
def test_the_value_alone_is_the_same(goals: tuple[tuple[int, ...], ...]) -> None:
    toy = random_game(5, goals, nodes=24)
    game = gdl.compile(toy.text)
    nothing = unknown(game.roles, declared_goals(game))
    for node in [node for node in toy.reachable() if node in toy.owner]:
        root = game.state([f"(at {node})"])
        bounds, stop = DepthSearch(game, root, SolverBudget(None, 1 << 22)).run(nothing, only_value=True)
        slow, slow_stop = DepthSearch(game, root, SolverBudget(None, 1 << 22)).run(nothing)
        assert stop == slow_stop
        least = range(len(game.roles))
        assert [bounds.least(role) for role in least] == [slow.least(role) for role in least]
        assert all(best is None or best.plies is None for best in bounds.best)


def test_the_value_alone_in_connect_four() -> None:
    game = gdl.compile(ROOT / "games/classics/connect_four.kif")
    columns = (7, 7, 2, 6, 6, 7, 6, 7, 3, 5, 7, 2, 6, 2, 7, 3, 3, 6, 4, 1, 1, 2, 2, 1)
    moves = " ".join(f"(drop {column})" for column in columns)
    work = search(game, moves)
    bounds, stop = work.run(unknown(game.roles, declared_goals(game)), only_value=True)
    assert stop is None
    assert (bounds.least(0), bounds.least(1)) == (100, 100)
    # It is not over soon: some thousand positions are visited.
    assert 1_000 < work.nodes < 1_000_000
    state, _ = position_after(game, moves)
    assert work.can_force(state, 0, 100)
    assert not work.can_force(state, 1, 50)


def test_the_time_is_kept() -> None:
    game = gdl.compile(ROOT / "games/classics/connect_four.kif")
    bounds, stop = searched(game, seconds=0.2)
    assert stop is Stop.TIME
    assert bounds.depth > 0
    first, second = bounds_text(bounds)
    assert first == "red gets at least 0 and at most 100"
    assert second.startswith("nothing can be forced within ")


def test_an_interrupt_keeps_what_is_proved() -> None:
    game = gdl.compile(ROOT / "games/classics/connect_four.kif")
    told = 0

    def progress(_: str) -> None:
        nonlocal told
        told += 1
        if told > 12:
            raise KeyboardInterrupt

    work = DepthSearch(game, game.initial_state(), SolverBudget(None, 1 << 24, progress))
    bounds, stop = work.run(unknown(game.roles, declared_goals(game)))
    assert stop is Stop.INTERRUPTED
    assert bounds.depth > 1


def test_a_search_without_an_end_ends() -> None:
    """Two step aside for ever; the search stops when lines get too long."""
    toy = GraphGame(("left", "right"), {0: 0, 1: 1}, {0: (1, 2), 1: (0, 3)}, {2: (0, 100), 3: (100, 0)})
    bounds, stop = searched(gdl.compile(toy.text))
    assert stop is Stop.DEPTH
    assert bounds.best == (None, None)


def test_two_that_move_at_once_are_refused_wherever_they_are() -> None:
    rules = """
        (role left) (role right) (init (at 0)) (step 0 1) (step 1 2)
        (<= (next (at ?b)) (true (at ?a)) (step ?a ?b))
        (<= (legal ?r stay) (role ?r)) (<= (legal left (go ?n)) (true (at ?n)) (step ?n ?m))
        (<= (legal right hop) (true (at 1)))
        (<= terminal (true (at 2)))
        (<= (goal left 100) (true (at 2))) (<= (goal right 0) (true (at 2)))
        (<= (goal left 0) (true (at 3))) (<= (goal right 100) (true (at 3)))
    """
    game = gdl.compile(rules)
    with pytest.raises(NotSolvableError, match=r"in the state \(at 1\)"):
        searched(game)
