"""Expected goals and equilibria of games with chance, hidden information and choices at the same time."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from support import hidden_games
from support.toy_rules import COIN

import gdl
from ggp.rules.shipped_games import find_game
from ggp.solver.budget import SolverBudget, Stop
from ggp.solver.errors import NotSolvableError
from ggp.solver.extensive import equilibrium
from ggp.solver.extensive.equilibrium import Equilibrium, find_equilibrium, solve_extensive
from ggp.solver.extensive.expectation import Expectation
from ggp.solver.extensive.response import best_response, expected_goals
from ggp.solver.extensive.tree import CHANCE, END, Tree, build_tree

UNLIMITED = SolverBudget(None, 1 << 30)


def solved(game: Any, exploitability: float = 1e-4, **limits: Any) -> Expectation | Equilibrium:
    limits = {"seconds": None, "memory": 4.0} | limits
    root = game.initial_state()
    return solve_extensive(game, root, progress=lambda _: None, exploitability=exploitability, **limits)


def shipped(name: str, exploitability: float = 1e-4) -> Equilibrium:
    found = solved(gdl.Reasoner.load(find_game(name)), exploitability)
    assert isinstance(found, Equilibrium)
    return found


def table(answer: Equilibrium) -> dict[tuple[str, str], dict[str, float]]:
    """The probabilities of moves by role and what it knows."""
    return {
        (answer.tree.players[own.player], own.text()): {
            move.text: probability for move, probability in answer.probabilities(own).items()
        }
        for sets in answer.tree.sets
        for own in sets
    }


def goals_by_hand(tree: Tree, strategies: list[Any]) -> list[float]:
    """The expected goals, by adding up all ends one by one."""
    found = [0.0] * len(tree.players)
    for end, goals in zip(tree.ends, tree.goals, strict=True):
        weight, node = 1.0, int(end)
        while node:
            player = tree.player[tree.parent[node]]
            assert player != END
            weight *= tree.chance[node] if player == CHANCE else strategies[player][tree.slot[node]]
            node = int(tree.parent[node])
        found = [sum_ + weight * goal for sum_, goal in zip(found, goals, strict=True)]
    return found


def pure_strategies(tree: Tree, player: int) -> list[Any]:
    slots = 1 + sum(len(own.moves) for own in tree.sets[player])
    found = []
    for choice in product(*(range(len(own.moves)) for own in tree.sets[player])):
        strategy = np.zeros(slots)
        for own, move in zip(tree.sets[player], choice, strict=True):
            strategy[own.first + move] = 1
        found.append(strategy)
    return found


def test_kuhn_poker() -> None:
    answer = shipped("kuhn_poker", 1e-5)
    assert answer.share < 1e-5
    # Goals are 50 and 25 for each chip; alice loses 1/18 of a chip.
    assert (answer.goals[0] - 50) / 25 == pytest.approx(-1 / 18, abs=1e-4)
    assert sum(answer.goals) == pytest.approx(100)
    assert 100 - answer.best[1] <= 50 - 25 / 18 <= answer.best[0]
    odds = table(answer)
    assert len(odds) == 12
    # Bob's strategy is unique; alice bets the king three times as often as the jack (Kuhn 1950).
    assert odds["bob", "sees jack; sees (did alice check)"]["bet"] == pytest.approx(1 / 3, abs=0.02)
    assert odds["bob", "sees queen; sees (did alice bet)"]["call"] == pytest.approx(1 / 3, abs=0.02)
    assert odds["bob", "sees king; sees (did alice bet)"]["call"] == pytest.approx(1, abs=0.02)
    jack, king = (odds["alice", f"sees {card}"]["bet"] for card in ("jack", "king"))
    assert king == pytest.approx(3 * jack, abs=0.05)
    assert odds["alice", "sees queen"]["bet"] == pytest.approx(0, abs=0.02)


def test_another_wording_of_kuhn_poker_has_the_same_value() -> None:
    for game in (gdl.Reasoner(hidden_games.KUHN), gdl.compile(hidden_games.KUHN)):
        answer = solved(game)
        assert isinstance(answer, Equilibrium)
        assert answer.goals[0] == pytest.approx(50 - 25 / 18, abs=0.02)


@pytest.mark.parametrize(("name", "moves"), [("matching_pennies", 2), ("rock_paper_scissors", 3)])
def test_symmetric_games(name: str, moves: int) -> None:
    answer = shipped(name)
    assert answer.goals == pytest.approx((50, 50))
    assert answer.exploitability == pytest.approx(0, abs=1e-9)
    for odds in table(answer).values():
        assert list(odds.values()) == pytest.approx([1 / moves] * moves)


def test_a_game_of_moves_at_once_without_sees() -> None:
    answer = solved(gdl.Reasoner(hidden_games.PENNIES), 1e-5)
    assert isinstance(answer, Equilibrium)
    assert answer.goals == pytest.approx((100 / 3, 200 / 3), abs=0.01)
    assert table(answer)["odd", "nothing yet"]["heads"] == pytest.approx(1 / 3, abs=0.01)


def test_one_player_against_chance() -> None:
    die = solved(gdl.Reasoner(hidden_games.DIE))
    # A hit at once is worth 100, a miss 50 * 1/4: 1/4 * 100 + 3/4 * 12.5.
    assert isinstance(die, Expectation)
    assert die.goals == (34.375,)
    assert {goal for _, goal in die.moves} == {34.375}
    coin = solved(gdl.Reasoner(hidden_games.COIN))
    assert isinstance(coin, Equilibrium)
    assert coin.goals == (50,)
    assert coin.exploitability == 0


#: A coin before each of two turns: heads gives a point. After the first turn, the mover may end the match.
TURNS = """
(role left) (role right) (role random) (init (turn 1)) (init (points 0)) (succ 0 1) (succ 1 2)
(<= (legal random heads) (true (turn ?t))) (<= (legal random tails) (true (turn ?t)))
(<= (legal left stop) (true (turn 1))) (<= (legal left on) (true (turn 1))) (<= (legal left wait) (true (turn 2)))
(<= (legal right stop) (true (turn 2))) (<= (legal right on) (true (turn 2))) (<= (legal right wait) (true (turn 1)))
(<= (next (turn 2)) (does left on)) (<= (next over) (does left stop)) (<= (next over) (true (turn 2)))
(<= (next (points ?m)) (true (points ?n)) (succ ?n ?m) (does random heads) (not (does right stop)))
(<= (next (points ?n)) (true (points ?n)) (does random tails))
(<= (next (points ?n)) (true (points ?n)) (does random heads) (does right stop))
(<= terminal (true over))
(worth 0 0) (worth 1 60) (worth 2 100)
(<= (goal left ?g) (true (points ?n)) (worth ?n ?g))
(<= (goal right 100) (true (points 0))) (<= (goal right 40) (true (points 1))) (<= (goal right 0) (true (points 2)))
(goal random 0)
"""


def test_turns_with_chance() -> None:
    answer = solved(gdl.Reasoner(TURNS))
    assert isinstance(answer, Expectation)
    # Right stops, so that only the first coin counts.
    assert answer.goals == (30, 70)
    assert answer.mover == "left"
    assert {move.text: goal for move, goal in answer.moves} == {"on": 30, "stop": 30}


def test_best_responses_against_all_pure_strategies() -> None:
    tree = build_tree(gdl.Reasoner.load(find_game("kuhn_poker")), _root("kuhn_poker"), UNLIMITED)
    rng = np.random.default_rng(7)
    for player in range(2):
        strategies = [_random_strategy(tree, other, rng) for other in range(2)]
        assert expected_goals(tree, strategies) == pytest.approx(goals_by_hand(tree, strategies))
        most, strategy = best_response(tree, strategies, player)
        tried = []
        for own in pure_strategies(tree, player):
            strategies[player] = own
            tried.append(goals_by_hand(tree, strategies)[player])
        assert most == pytest.approx(max(tried))
        strategies[player] = strategy
        assert goals_by_hand(tree, strategies)[player] == pytest.approx(most)


def _root(name: str) -> Any:
    return gdl.Reasoner.load(find_game(name)).initial_state()


def _random_strategy(tree: Tree, player: int, rng: np.random.Generator) -> Any:
    strategy = np.zeros(1 + sum(len(own.moves) for own in tree.sets[player]))
    for own in tree.sets[player]:
        strategy[own.first : own.first + len(own.moves)] = rng.dirichlet(np.ones(len(own.moves)))
    return strategy


def test_games_that_are_refused() -> None:
    with pytest.raises(NotSolvableError, match=r"no constant sum: they may be \(0, 0\) or \(100, 100\)"):
        solved(gdl.Reasoner(COIN))
    three = hidden_games.PENNIES.replace("(role even)", "(role even) (role third) (legal third wait) (goal third 0)")
    with pytest.raises(NotSolvableError, match="at most 2 players may have simultaneous moves"):
        solved(gdl.Reasoner(three))
    # After heads, one move is legal that is not after tails; the guesser has not seen the coin.
    unfair = hidden_games.COIN + "(<= (legal guesser pass) (true (step guess)) (true (coin heads)))"
    with pytest.raises(NotSolvableError, match="guesser cannot know its legal moves"):
        solved(gdl.Reasoner(unfair))
    endless = hidden_games.DIE.replace("(<= terminal (true (step end)))", "(<= terminal (true (step never)))")
    endless = endless.replace("(after stopping end)", "(after stopping naming)")
    with pytest.raises(NotSolvableError, match="a position can come again"):
        solved(gdl.Reasoner(endless))
    endless_at_once = hidden_games.PENNIES.replace("(not (true start))", "(true (shown never heads))")
    endless_at_once += "(<= (next start) (true start))"
    with pytest.raises(NotSolvableError, match=r"the game tree is too large: it has more than 10\^15 nodes"):
        solved(gdl.Reasoner(endless_at_once))


def test_limits() -> None:
    game = gdl.Reasoner.load(find_game("kuhn_poker"))
    for wrong in (0, 1, float("nan")):
        with pytest.raises(ValueError, match="exploitability must be between 0 and 1"):
            solved(game, wrong)
    tree = build_tree(game, game.initial_state(), UNLIMITED)
    late = find_equilibrium(tree, 1e-12, SolverBudget(0.0, 1 << 30))
    assert late.stop is Stop.TIME
    assert late.exploitability > 0


def test_a_tree_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.solver.extensive.tree._STRIDE", 1)
    game = gdl.Reasoner.load(find_game("kuhn_poker"))
    with pytest.raises(NotSolvableError, match=r"more than \d+ nodes, too many for the memory limit \(--memory\)"):
        build_tree(game, game.initial_state(), SolverBudget(None, 20_000))
    with pytest.raises(NotSolvableError, match=r"more than \d+ nodes, too many for the time limit \(--time\)"):
        build_tree(game, game.initial_state(), SolverBudget(0.0, 1 << 30))


def test_an_interrupt_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    iterate = equilibrium.RegretSolver.iterate

    def interrupted(solver: Any) -> None:
        if solver.iterations == 20:
            raise KeyboardInterrupt
        iterate(solver)

    monkeypatch.setattr(equilibrium.RegretSolver, "iterate", interrupted)
    answer = shipped("kuhn_poker", 1e-9)
    assert (answer.stop, answer.iterations) == (Stop.INTERRUPTED, 20)


def test_monty_hall() -> None:
    answer = shipped("monty_hall")
    assert answer.goals == pytest.approx((200 / 3,))
    for (_, knows), moves in table(answer).items():
        assert knows == "nothing yet" or moves == {"stay": 0, "switch": 1}


@pytest.mark.slow
def test_leduc_poker() -> None:
    answer = shipped("leduc_poker", 2e-4)
    # Goals are 50 and 3 for each chip; alice loses 0.0856 chips (Southey et al. 2005).
    assert (answer.goals[0] - 50) / 3 == pytest.approx(-0.0856, abs=0.005)
    assert 100 - answer.best[1] <= 50 - 3 * 0.0856 <= answer.best[0]


def test_goofspiel() -> None:
    answer = shipped("goofspiel_4", 1e-3)
    assert answer.goals == pytest.approx((50, 50), abs=0.1)
    assert 100 - answer.best[1] <= 50 <= answer.best[0]


#: Games of OpenSpiel with the same rules, and the goal points that a return of 1 stands for.
OPENSPIEL = [
    pytest.param("kuhn_poker", "kuhn_poker", 25, id="kuhn_poker"),
    pytest.param("goofspiel_4", "goofspiel(imp_info=False,num_cards=4,points_order=descending)", 50, id="goofspiel_4"),
    pytest.param("leduc_poker", "leduc_poker", 3, id="leduc_poker", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "openspiel", "scale"), OPENSPIEL)
def test_values_are_those_of_openspiel(name: str, openspiel: str, scale: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    other = pyspiel.load_game(openspiel)
    if other.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        other = pyspiel.convert_to_turn_based(other)
    solver = pyspiel.CFRPlusSolver(other)
    for _ in range(300):
        solver.evaluate_and_update_policy()
    policy = solver.tabular_average_policy()
    theirs = pyspiel.expected_returns(other.new_initial_state(), policy, -1, True)[0]
    unsure = pyspiel.exploitability(other, policy)
    ours = shipped(name, 1e-3)
    assert (ours.goals[0] - 50) / scale == pytest.approx(theirs, abs=unsure + ours.exploitability / scale + 1e-9)
    assert unsure < 0.01
