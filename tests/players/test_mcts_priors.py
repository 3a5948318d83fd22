"""Priors of moves from learned values: what they are, how they guide the search, and what a new node is worth."""

from __future__ import annotations

from math import exp, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from support.mcts import (
    CHANCE,
    TIC_TAC_TOE,
    TOGETHER,
    TWICE,
    check_claims,
    check_tree,
    compiled,
    root_of,
    search,
    truth,
)

from ggp.players.learned_values.network import Network
from ggp.players.mcts.growth import _HEAT
from ggp.players.mcts.learned_goals import LearnedGoals
from ggp.players.mcts.options import Options
from ggp.players.mcts.search import Search
from ggp.players.mcts.tree import PRIOR_ONE, SEVERAL, Edge, Node
from ggp.players.mcts.world import LanesWorld

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator

PRIOR = 0.6


def learned_search(game: Simulator, exploration: float = 0.0) -> tuple[Search, LearnedGoals]:
    """A search, leaf by leaf, with random values of states and nothing else."""
    options = Options(memory=1 << 24, leaves=1, prior=PRIOR, prior_exploration=exploration)
    network = Network(len(game.all_facts), 1)
    network.weights[:, -1] = np.random.default_rng(2).normal(0, 0.1, len(game.all_facts))
    goals = LearnedGoals(game, [network])
    found = Search(LanesWorld(game, 1, goals), 1, options)
    found.advance(game.initial_state())
    return found, goals


def prior(edge: Edge) -> float:
    assert edge.proof < 0
    return (-1 - edge.proof) / PRIOR_ONE


def child_values(found: Search, goals: LearnedGoals, node: Node) -> list[Any]:
    """The goals of the states after the mover's moves, from the game and the values, in the order of edges."""
    roles = range(len(found.world.roles))
    moves = [
        [edge.move if role == node.mover else node.only_move(role) for role in roles] for edge in node.edges(node.mover)
    ]
    states = np.repeat(node.state[None], len(moves), axis=0)
    return list(goals.goals(found.world.move(states, np.array(moves, np.int32))))


def test_priors_are_the_softmax_of_values() -> None:
    found, goals = learned_search(compiled(TIC_TAC_TOE))
    root = root_of(found.tree)
    values = [float(own[root.mover]) for own in child_values(found, goals, root)]
    shares = [exp(value / float(_HEAT)) for value in values]
    edges = root.edges(root.mover)
    assert [prior(edge) for edge in edges] == pytest.approx([share / sum(shares) for share in shares], abs=1e-4)
    assert max(map(prior, edges)) > 2 * min(map(prior, edges))
    assert [(edge.visits, edge.value) for edge in edges] == [(1, pytest.approx(value, abs=1e-5)) for value in values]


def test_a_new_node_is_worth_its_best_move() -> None:
    found, goals = learned_search(compiled(TIC_TAC_TOE))
    before = root_of(found.tree).edges(0)
    found._workers[0].step(found.tree)
    after = root_of(found.tree).edges(0)
    (number,) = (number for number, edge in enumerate(after) if edge.child >= 0)
    child = Node(found.tree, after[number].child)
    worth = min(float(own[0]) for own in child_values(found, goals, child))
    assert child.mover == 1
    assert after[number].visits == 1 + child.visits == 9
    assert after[number].value == pytest.approx(before[number].value + 8 * worth, abs=1e-3)


@pytest.mark.parametrize("exploration", [0.0, 0.3])
def test_the_search_follows_puct_and_uct(exploration: float) -> None:
    found, _ = learned_search(compiled(TIC_TAC_TOE), exploration)
    for _ in range(300):
        root = root_of(found.tree)
        edges = [edge for edge in root.edges(0) if edge.proof < 0]
        scale = PRIOR * sqrt(root.visits + 1)
        ranks = {
            edge.move: edge.value / edge.visits
            + prior(edge) * scale / (1 + edge.visits)
            + exploration * sqrt(log(root.visits + 1) / edge.visits)
            for edge in edges
        }
        visits = {edge.move: edge.visits for edge in edges}
        found._workers[0].step(found.tree)
        (chosen,) = (edge.move for edge in root_of(found.tree).edges(0) if edge.visits > visits.get(edge.move, 10**9))
        assert ranks[chosen] == pytest.approx(max(ranks.values()), abs=5e-3)
    check_tree(found.tree)


def test_chance_has_no_best_move() -> None:
    found = search(compiled(CHANCE), prior=PRIOR)
    found.run(simulations=2_000)
    risk = next(move for move in found.statistics(0) if move.move.text == "(go risk)")
    assert risk.goal == pytest.approx(75, abs=5)
    assert found.best_move(0) == risk.move


@pytest.mark.parametrize("options", [{}, {"expand": 0}, {"lookahead": 0}], ids=["", "expand", "lookahead"])
def test_proofs_hold(options: dict[str, float]) -> None:
    found = search(compiled(TWICE), prior=PRIOR, **options)
    found.run(simulations=1_500)
    assert check_claims(found, truth(TWICE)) >= 2
    assert found.proven


def test_roles_that_choose_together_are_explored_as_before() -> None:
    searches = [search(compiled(TOGETHER), prior=prior) for prior in (0.0, PRIOR)]
    for found in searches:
        found.run(simulations=2_000)
        assert root_of(found.tree).mover == SEVERAL
    assert searches[0].statistics(0) == searches[1].statistics(0)
