"""Symmetries of environments: doing what they rename is renaming what is done."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from support.followed import TOGETHER
from support.profiles import examples
from support.strategies import games

import gdl
from gdl.compile_errors import CompileError
from gdl.errors import GoalError, NoLegalMoveError
from ggp.environments.game import EnvironmentGame
from ggp.environments.perspective import Side
from ggp.environments.states import States
from ggp.environments.symmetries import Symmetries

#: Two roles choose one of three numbers at once.
FEW = TOGETHER.replace("".join(f"(n {i})" for i in range(70)), "(n 0) (n 1) (n 2)")


@cache
def game_of(rules: str) -> EnvironmentGame:
    return EnvironmentGame(gdl.compile(rules, cache=False) if "(" in rules else rules)


def check(game: EnvironmentGame, symmetries: Symmetries, n: int = 40, plies: int = 4) -> None:
    """Play random matches and their images, and compare observations, masks, rewards and ends after every ply."""
    random = np.random.default_rng(1)
    asked = range(len(game.roles))
    # A ply is as many steps as there are roles.
    states = game.states(n, ask_always=True, ask_chance=True, max_plies=plies + 1)
    images = [image_of(states, symmetries, number) for number in range(len(symmetries))]
    for _ in range(plies):
        legal = [states.legal(role) for role in game.roles]
        goals, joint = states.goals(), []
        for number, image in enumerate(images):
            roles, actions = symmetries.roles[number], symmetries.actions[number]
            seen = image.observe(role=game.roles[game.agents[0]])
            assert (seen == states.observe(role=game.roles[game.agents[0]])[:, symmetries.observations[number]]).all()
            for role in asked:
                mask = image.legal(game.roles[roles[role]])
                assert (mask[:, actions[role]] == legal[role]).all()
            assert (image.goals()[:, roles] == goals).all()
            assert (image.terminal == states.terminal).all()
        for _role in asked:
            joint.append(states.sample(random))
            states, _, _, rewards, ended = states.step(joint[-1])
        for number, image in enumerate(images):
            roles, actions = symmetries.roles[number], symmetries.actions[number]
            for role in asked:
                (source,) = np.flatnonzero(roles == role)
                image, _, _, rewards_of_image, ended_image = image.step(actions[source, joint[source]])
            images[number] = image
            order = [game.agents.index(int(roles[agent])) for agent in game.agents]
            assert (rewards_of_image[:, order] == rewards).all()
            assert (ended_image == ended).all()


def image_of(states: States, symmetries: Symmetries, number: int) -> States:
    """States whose observations are the images of those of other states."""
    game = states.game
    legend = states._stepper.view("facts", "int8").observer.legend
    seen = states.observe()[:, symmetries.observations[number]]
    kept = [[str(fact) for fact in state if str(fact) not in legend] for state in states.packed()]
    texts = [
        " ".join([*fixed, *(legend[place] for place in np.flatnonzero(row))])
        for fixed, row in zip(kept, seen, strict=True)
    ]
    return game.states(texts, ask_always=True, ask_chance=True, max_plies=states.settings.max_plies)


@pytest.mark.parametrize(
    ("rules", "number", "roles"),
    [
        pytest.param("tic_tac_toe", 8, 1, id="tic_tac_toe"),
        pytest.param(FEW, 12, 2, id="together"),
        pytest.param("connect_four", 2, 1, id="connect_four", marks=pytest.mark.slow),
        pytest.param("breakthrough", 2, 1, id="breakthrough", marks=pytest.mark.slow),
    ],
)
def test_every_permutation_commutes_with_steps(rules: str, number: int, roles: int) -> None:
    game = game_of(rules)
    symmetries = game.symmetries()
    assert len(symmetries) == number
    assert len({tuple(one) for one in symmetries.roles.tolist()}) == roles
    assert symmetries.complete
    assert (symmetries.observations[0] == np.arange(symmetries.observations.shape[1])).all()
    check(game, symmetries)


def test_a_game_without_facts_that_change() -> None:
    """Its observations are empty."""
    rules = "(role a) (role b) (init (cell a a)) (<= terminal (true (cell ?x ?x))) (<= (legal ?r noop) (role ?r))"
    symmetries = EnvironmentGame(gdl.compile(f"{rules} (goal a 50) (goal b 50)", cache=False)).symmetries()
    assert symmetries.observations.shape == (2, 0)


@pytest.mark.slow
@examples(10, thorough=6)
@given(games())
def test_random_games(rules: str) -> None:
    with suppress(NoLegalMoveError, GoalError, CompileError):
        game = EnvironmentGame(gdl.compile(rules, cache=False))
        if game.hides_states or not game.agents:
            return
        check(game, game.symmetries(4), 10, 3)


@pytest.mark.parametrize("observation", ["facts", "planes"])
@pytest.mark.parametrize("perspective", ["fixed", pytest.param("mover", marks=pytest.mark.slow)])
def test_positions_are_augmented(observation: str, perspective: Side) -> None:
    game = EnvironmentGame("connect_four", perspective=perspective)
    symmetries = game.symmetries(observation=observation)  # type: ignore[arg-type]
    random = np.random.default_rng(2)
    states, mirrored = game.states(50), game.states(50)
    for _ in range(7):
        seen, mask, role = states.observe(observation), states.legal(), states.role  # type: ignore[arg-type]
        rewards = random.random((50, 2))
        augmented = symmetries.augment(seen, mask, role, rewards)
        assert augmented.observation.shape == (100, *seen.shape[1:])
        assert (augmented.observation[:50] == seen).all()
        assert (augmented.observation[50:] == mirrored.observe(observation)).all()  # type: ignore[arg-type]
        assert (augmented.policy[50:] == mirrored.legal()).all()
        assert (augmented.role == np.tile(role, 2)).all()
        assert augmented.rewards is not None
        assert (augmented.rewards[50:] == rewards).all()
        actions = states.sample(random)
        states = states.step(actions).states
        mirrored = mirrored.step(symmetries.actions[1, np.maximum(role, 0), actions]).states


def test_roles_change_places_with_their_rewards() -> None:
    symmetries = game_of(FEW).symmetries()
    changed = [number for number in range(len(symmetries)) if symmetries.roles[number].tolist() == [1, 0]]
    seen, policy = np.zeros((1, symmetries.observations.shape[1])), np.zeros((1, 3))
    augmented = symmetries.augment(seen, policy, np.array([0]), np.array([[0.25, 0.75]]))
    assert augmented.rewards is not None
    for number in range(len(symmetries)):
        assert augmented.rewards[number].tolist() == ([0.75, 0.25] if number in changed else [0.25, 0.75])
        assert augmented.role[number] == (number in changed)
    assert changed


def test_there_are_generators_where_not_all_are_kept() -> None:
    game = game_of("tic_tac_toe")
    few = game.symmetries(3)
    assert (len(few), few.complete) == (3, False)
    assert few.generators is not None
    # The generators make all eight.
    found = {tuple(range(few.observations.shape[1]))}
    while True:
        more = found | {tuple(np.array(one)[other].tolist()) for one in found for other in few.generators.observations}
        if more == found:
            break
        found = more
    assert len(found) == 8


@pytest.mark.slow
def test_more_symmetries_do_not_keep_the_start() -> None:
    game = game_of("tic_tac_toe")
    assert len(game.symmetries(100, keep_start=False)) == 16
    assert len(game.symmetries(100, keep_start=False, keep_roles=True)) == 8
    none = EnvironmentGame("wolf_sheep").symmetries()
    assert (len(none), none.complete, len(none.generators or ())) == (1, True, 0)


def test_games_that_hide_states_have_no_observations_to_permute() -> None:
    with pytest.raises(ValueError, match="hides its states"):
        EnvironmentGame("kuhn_poker").symmetries()
