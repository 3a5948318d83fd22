"""Games of several roles, moves at the same time and chance: what is chosen in them, and what is learned from them."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from support.toy_rules import NIM

import gdl
from ggp.learning.joint_choice import ROWS, choose, set_targets
from ggp.learning.role_games import Played, RoleGames, RolePlan
from ggp.learning.tuples import find_tuples
from ggp.players.learned_values.network import Network, unpacked
from ggp.players.learned_values.role_networks import RoleNetworks, networks_of, stacked
from ggp.players.mcts.learned_goals import LearnedGoals
from ggp.players.mcts.world import LanesWorld
from ggp.rules.shipped_games import find_game

#: Larger than any number of plies.
NEVER = 1 << 40


@cache
def game(name: str) -> gdl.Simulator:
    return gdl.compile(find_game(name))


def networks(simulator: gdl.Simulator, roles: int, seed: int = 1) -> list[Network]:
    """Networks with weights at random, and values around 0.5."""
    random = np.random.default_rng(seed)
    tuples = find_tuples(simulator, 1)
    made = [Network(len(simulator.all_facts), seed + role, tuples) for role in range(roles)]
    for network in made:
        network.entries[:] = np.rint(random.normal(0, 60, len(network.entries))) / 3200
        network.weights[:, -1] = random.normal(0, 0.05, len(network.weights))
        network.heads[:16] = random.normal(0, 0.1, 16)
        network.heads[-1] = 0.5
    return made


@pytest.mark.parametrize(
    ("name", "roles"),
    [("odd_one_out", 3), *(pytest.param(name, 2, marks=pytest.mark.slow) for name in ("pig", "harvest"))],
)
def test_values_are_those_of_each_network(name: str, roles: int) -> None:
    """Of states in the order in which games reach them, whose sums are made from those before, and of single ones."""
    simulator = game(name)
    states, _ = RoleGames(simulator).playouts(200, 3)
    made = networks(simulator, roles)
    holds = unpacked(states, len(simulator.all_facts))
    expected = np.clip(np.stack([network.values(holds) for network in made], axis=1), 0, 1)
    together = RoleNetworks(made, states.shape[1])
    assert np.allclose(together.values(states), expected, atol=1e-5)
    order = np.argsort(states[:, 0], kind="stable")
    assert np.allclose(together.values(states[order]), expected[order], atol=1e-5)
    assert np.allclose(together.values(states[5:6]), expected[5:6], atol=1e-5)
    again = networks_of(stacked(made), roles)
    assert np.allclose(RoleNetworks(again, states.shape[1]).values(states), expected, atol=1e-5)
    assert 0.1 < expected.std() < 0.4


def chosen(moves: list[list[int]], values: list[list[float]], nature: int = -1, draws: int = 1) -> tuple[Any, Any]:
    """The moves chosen in a state with these joint moves, and what they are worth; for each of some draws."""
    rows, worth = np.array(moves, np.int32), np.array(values, np.float32)
    roles, count = rows.shape[1], int(rows.max()) + 1
    offsets = np.arange(draws + 1) * len(rows)
    found, said = np.zeros((draws, roles), np.int32), np.zeros((draws, roles), np.float32)
    random = np.random.default_rng(1).random((draws, roles))
    memory = np.zeros((roles, count), np.int32), np.zeros(roles, np.int64), np.full(count, -1, np.int64)
    choose(
        offsets,
        np.tile(rows, (draws, 1)),
        np.tile(worth, (draws, 1)),
        nature,
        random,
        *memory,
        np.zeros((ROWS, count)),
        found,
        said,
    )
    return found, said


def test_one_role_takes_the_move_that_is_best_on_average_over_chance() -> None:
    moves = [[0, 4], [0, 5], [1, 4], [1, 5], [2, 4], [2, 5]]
    values = [[0.9, 0.5], [0.1, 0.5], [0.6, 0.5], [0.7, 0.5], [1.0, 0.5], [0.0, 0.5]]
    found, said = chosen(moves, values, nature=1, draws=400)
    assert (found[:, 0] == 1).all()
    assert np.allclose(said, [0.65, 0.5])
    assert 0.4 < (found[:, 1] == 4).mean() < 0.6


def test_equal_moves_are_drawn() -> None:
    found, said = chosen([[0, 3], [1, 3], [2, 3]], [[0.5, 0.5], [0.7, 0.3], [0.7, 0.3]], draws=400)
    assert set(found[:, 0]) == {1, 2}
    assert 0.4 < (found[:, 0] == 1).mean() < 0.6
    assert np.allclose(said, [0.7, 0.3])


def test_moves_at_the_same_time_are_mixed() -> None:
    """A game whose only equilibrium is known: the first role plays its first move in 2 of 5 cases, and gets 0.6."""
    gains = {(0, 2): 0.9, (0, 3): 0.15, (1, 2): 0.4, (1, 3): 0.9}
    moves = [list(pair) for pair in gains]
    found, said = chosen(moves, [[gain, 1 - gain] for gain in gains.values()], draws=2000)
    assert np.allclose(said, [0.6, 0.4], atol=0.02)
    assert (found[:, 0] == 0).mean() == pytest.approx(0.4, abs=0.05)
    assert (found[:, 1] == 2).mean() == pytest.approx(0.6, abs=0.05)


def test_a_move_that_is_always_better_is_played() -> None:
    """The prisoners' dilemma."""
    values = [[0.6, 0.6], [0.0, 1.0], [1.0, 0.0], [0.2, 0.2]]
    found, said = chosen([[0, 2], [0, 3], [1, 2], [1, 3]], values, draws=100)
    assert (found == [1, 3]).mean() > 0.95
    assert np.allclose(said, 0.2, atol=0.05)


def test_targets_mix_what_was_said_later_with_the_end() -> None:
    """Two games side by side: states 0, 2, 4 and 1, 3; the move in state 2 was random."""
    said = np.array([[0.1], [0.2], [0.3], [0.4], [0.5]], np.float32)
    final = np.array([[0], [0], [0], [1], [1]], np.float32)
    targets = np.zeros_like(said)
    following, wild = np.array([2, 3, 4, -1, -1], np.int32), np.array([0, 0, 1, 0, 0], np.bool_)
    set_targets(following, wild, said, final, np.float32(0.75), targets)
    assert np.allclose(targets[:, 0], [0.25 * 0.3 + 0.75 * 0.3, 0.25 * 0.4 + 0.75 * 1, 0.3, 1, 1])


def played(name: str, roles: int, plan: RolePlan, rival: int = 0, room: int = 600, games: int = 0) -> Played:
    simulator = game(name)
    own = LearnedGoals(simulator, networks(simulator, roles))
    other = LearnedGoals(simulator, networks(simulator, roles, rival)) if rival else None
    return RoleGames(simulator).play(room, plan, own, other, games)


@pytest.mark.parametrize(("name", "roles"), [("odd_one_out", 3), ("pig", 2), ("harvest", 2), ("lights_out", 1)])
def test_games_are_those_of_the_rules(name: str, roles: int) -> None:
    """Their states, as the Reasoner knows them, can follow each other; ends have the goals of the rules."""
    simulator = game(name)
    # With all the weight on the ends, and without random moves, each state of a game has its goals as targets.
    found = played(name, roles, RolePlan(5, 0, NEVER, 256), room=0, games=1)
    reasoner = gdl.Reasoner.load(find_game(name))
    state = reasoner.initial_state()
    states = [frozenset(one) for one in simulator.arrays.unpack(found.states)]
    assert states[0] == frozenset(state)
    players = [role for role in simulator.roles if role.lower() != "random"]
    for number, following in enumerate([*states[1:], None]):
        successors = all_successors(reasoner, state)
        if following is None:
            ends = [one for one in successors if reasoner.is_terminal(one)]
            assert tuple(found.goals[0]) in {tuple(reasoner.goal(one, role) for role in players) for one in ends}
            assert np.allclose(found.targets[: number + 1], found.goals[0])
        else:
            matching = [one for one in successors if frozenset(one) == following]
            assert len(matching) == 1
            state = matching[0]


def all_successors(reasoner: gdl.Reasoner, state: gdl.State) -> set[gdl.State]:
    legal = [reasoner.legal_moves(state, role) for role in reasoner.roles]
    return {reasoner.next_state(state, joint) for joint in product(*legal)}


def test_the_seed_determines_the_games() -> None:
    plan = RolePlan(5, 8, 16, 200)
    one, same = (played("harvest", 2, plan) for _ in range(2))
    other = played("harvest", 2, plan._replace(seed=6))
    assert np.array_equal(one.states, same.states)
    assert np.array_equal(one.targets, same.targets)
    assert not np.array_equal(one.states[:600], other.states[:600])
    assert 600 <= len(one.states) < 2000
    assert len(one.goals) >= 600 // 32


def test_a_rival_plays_its_roles_only() -> None:
    plan = RolePlan(5, 0, NEVER, 256, 0)
    alone = played("odd_one_out", 3, plan)
    assert np.array_equal(alone.states, played("odd_one_out", 3, plan, rival=7).states)
    assert np.array_equal(alone.states, played("odd_one_out", 3, plan._replace(rivals=0b010), rival=1).states)
    against = played("odd_one_out", 3, plan._replace(rivals=0b010), rival=7)
    assert not np.array_equal(alone.states[:600], against.states[:600])


def test_too_many_joint_moves_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as are examined; the games go on all the same, to ends of the rules."""
    plan = RolePlan(5, 0, NEVER, 0)
    simulator = game("harvest")
    own = LearnedGoals(simulator, networks(simulator, 2))
    games = RoleGames(simulator)
    whole = games.play(0, plan, own, None, 2)
    monkeypatch.setattr("ggp.learning.role_games._JOINT", 3)
    drawn = games.play(0, plan, own, None, 2)
    assert whole.examined > 4 * len(whole.states)
    assert drawn.examined <= 3 * len(drawn.states)
    assert {tuple(goals) for goals in drawn.goals} <= {(100, 0), (0, 100), (50, 50)}


def test_a_world_mixes_learned_goals_with_playouts() -> None:
    simulator = game("pig")
    states, _ = RoleGames(simulator).playouts(100, 3)
    made = networks(simulator, 2)
    plain = LanesWorld(simulator, 4).playouts(states, 3)
    none, half, all_ = (
        LanesWorld(simulator, 4, LearnedGoals(simulator, made, weight)).playouts(states, 3) for weight in (0, 0.5, 1)
    )
    learned = RoleNetworks(made, states.shape[1]).values(states)
    assert np.allclose(none, plain)
    assert np.allclose(all_[:, :2], learned)
    assert np.allclose(half, (plain + all_) / 2, atol=1e-6)
    assert simulator.roles[2] == "random"
    assert np.allclose(all_[:, 2], 0.5)


def test_playouts_have_the_goals_of_the_game() -> None:
    simulator = gdl.compile(NIM)
    states, values = RoleGames(simulator).playouts(2000, 1)
    assert values.shape == (2000, 2)
    assert np.allclose(values.sum(axis=1), 100, atol=0.01)
    assert len(np.unique(states, axis=0)) > 3
