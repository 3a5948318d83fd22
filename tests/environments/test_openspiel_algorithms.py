"""Algorithms of OpenSpiel, unchanged, on rule files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.conformance import HEAP
from support.hidden_games import COIN, DIE, KUHN, PENNIES

import gdl
import ggp

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
openspiel = pytest.importorskip("ggp.environments.openspiel")


def algorithm(name: str) -> Any:
    return pytest.importorskip(f"open_spiel.python.{name}")


def game_of(rules: str) -> Any:
    return openspiel.load(gdl.Rulesheet(rules))


def solved(game: Any) -> float:
    value, _ = algorithm("algorithms.minimax").alpha_beta_search(game, maximizing_player_id=0, maximum_depth=20)
    return float(value)


def test_the_value_of_a_heap() -> None:
    # Three are left, and whoever takes the last wins: the second player does.
    assert solved(game_of(HEAP)) == -1
    assert ggp.solve(gdl.Rulesheet(HEAP)).goals == {"left": 0, "right": 100}


@pytest.mark.slow
def test_the_value_of_tic_tac_toe() -> None:
    assert solved(openspiel.load("tic_tac_toe")) == 0
    assert ggp.solve("tic_tac_toe").goals == {"xplayer": 50, "oplayer": 50}


def test_positions_of_tic_tac_toe_agree_with_the_solver() -> None:
    game = openspiel.load("tic_tac_toe")
    lines = ["(mark 1 1) (mark 1 2) (mark 2 1) (mark 3 1)", "(mark 2 2) (mark 1 1) (mark 1 2) (mark 3 2)"]
    for line in [*lines, "(mark 1 1) (mark 1 2) (mark 1 3) (mark 2 2) (mark 3 3)"]:
        state = game.new_initial_state()
        for move in line.replace(") (", ")\n(").split("\n"):
            state.apply_action(state.string_to_action(move))
        value, _ = algorithm("algorithms.minimax").alpha_beta_search(
            game, state=state, maximizing_player_id=0, maximum_depth=9
        )
        assert 50 + 50 * value == ggp.solve("tic_tac_toe", line).goals["xplayer"]


def test_chance_has_the_expected_value() -> None:
    # A number is right with 1/4; only if it was wrong, which is seen, another one for half is tried.
    value, _ = algorithm("algorithms.minimax").expectiminimax(
        game_of(DIE).new_initial_state(), 10, None, maximizing_player_id=0
    )
    assert value == pytest.approx(1 / 4 + 3 / 4 * 1 / 4 * 1 / 2)


def matched(game: Any, bots: list[Any]) -> list[float]:
    state = game.new_initial_state()
    while not state.is_terminal():
        action = bots[state.current_player()].step(state)
        for bot_number, bot in enumerate(bots):
            if bot_number != state.current_player():
                bot.inform_action(state, state.current_player(), action)
        state.apply_action(action)
    return list(state.returns())


def test_tree_search_plays() -> None:
    mcts = algorithm("algorithms.mcts")
    random = algorithm("bots.uniform_random")
    game = game_of(HEAP.replace("(init (heap 3))", "(init (heap 2))"))
    rng = np.random.RandomState(0)
    searcher = mcts.MCTSBot(game, 1.4, 50, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    assert all(matched(game, [searcher, random.UniformRandomBot(1, rng)]) == [1, -1] for _ in range(5))


def test_a_q_learner_learns() -> None:
    environment = algorithm("rl_environment")
    learner = algorithm("algorithms.tabular_qlearner")
    random = algorithm("algorithms.random_agent")
    np.random.seed(0)
    game = game_of(
        HEAP.replace("(init (heap 3))", "(init (heap 4))").replace(
            "(take two 3 1)", "(take two 3 1) (take one 4 3) (take two 4 2)"
        )
    )
    env = environment.Environment(game)
    actions = env.action_spec()["num_actions"]
    agents = [learner.QLearner(player_id=0, num_actions=actions), random.RandomAgent(1, actions)]

    def episode(evaluate: bool) -> float:
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.observations["current_player"]].step(step, is_evaluation=evaluate).action])
        for agent in agents:
            agent.step(step, is_evaluation=evaluate)
        return float(step.rewards[0])

    for _ in range(150):
        episode(evaluate=False)
    # Taking one leaves three, from which the second player loses only with best play of the first.
    assert all(episode(evaluate=True) == 1 for _ in range(20))


def test_random_agents_play_games_with_choices_at_once() -> None:
    env = algorithm("rl_environment").Environment(game_of(PENNIES))
    random = algorithm("algorithms.random_agent")
    agents = [random.RandomAgent(player, env.action_spec()["num_actions"]) for player in range(2)]
    step = env.reset()
    while not step.last():
        step = env.step([agent.step(step).action for agent in agents])
    assert sum(step.rewards) == 0


def test_cfr_finds_the_equilibrium_of_kuhn_poker() -> None:
    cfr, exploitability = algorithm("algorithms.cfr"), algorithm("algorithms.exploitability")
    value = algorithm("algorithms.expected_game_score")
    game = game_of(KUHN)
    solver = cfr.CFRPlusSolver(game)
    left = []
    for _ in range(2):
        for _ in range(30):
            solver.evaluate_and_update_policy()
        left.append(exploitability.exploitability(game, solver.average_policy()))
    assert left[1] < left[0] < 0.02
    assert left[1] < 0.006
    policy = solver.average_policy()
    score = value.policy_value(game.new_initial_state(), [policy, policy])
    # A chip is half a point of utility.
    assert score == pytest.approx([-1 / 36, 1 / 36], abs=0.003)


@pytest.mark.slow
def test_sampling_cfr_runs() -> None:
    np.random.seed(0)
    solver = algorithm("algorithms.external_sampling_mccfr").ExternalSamplingSolver(game := game_of(KUHN))
    exploitability = algorithm("algorithms.exploitability")
    left = []
    for iterations in (20, 1000):
        for _ in range(iterations):
            solver.iteration()
        left.append(exploitability.exploitability(game, solver.average_policy()))
    assert left[1] < min(left[0], 0.05)


def test_cfr_on_choices_at_once_in_turns() -> None:
    cfr, value = algorithm("algorithms.cfr"), algorithm("algorithms.expected_game_score")
    game = pyspiel.convert_to_turn_based(game_of(PENNIES))
    solver = cfr.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    root = game.new_initial_state()
    chances = solver.average_policy().action_probabilities(root)
    heads = next(action for action in root.legal_actions() if "heads" in root.action_to_string(action))
    assert chances[heads] == pytest.approx(1 / 3, abs=0.02)
    # In goals, 33 1/3 for the first player.
    score = value.policy_value(root, [solver.average_policy()] * 2)
    assert score == pytest.approx([-1 / 3, 1 / 3], abs=0.01)


def test_nobody_knows_a_coin_that_they_cannot_see() -> None:
    # Following the rules for `sees`, a player cannot do better than half; with the state, it would win always.
    cfr = algorithm("algorithms.cfr")
    value = algorithm("algorithms.expected_game_score")
    game = game_of(COIN)
    solver = cfr.CFRSolver(game)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    score = value.policy_value(game.new_initial_state(), [solver.average_policy()])
    assert score == pytest.approx([0.5])
