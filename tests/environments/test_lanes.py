"""Many matches side by side: every lane goes as the Reasoner says."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from support.followed import TOGETHER, Followed
from support.profiles import examples
from support.strategies import games
from support.toy_files import SPREAD
from support.toy_rules import COIN, STUCK

import gdl
from gdl.compile_errors import CompileError
from gdl.errors import GoalError, IllegalMoveError, NoLegalMoveError
from gdl.simulator.packed_state import PackedState
from ggp.environments.game import EnvironmentGame
from ggp.environments.lanes import Lanes
from ggp.environments.rewards import Rewards

UNIT = Rewards(0.0, 100.0)


def lanes_of(rules: str, n: int, asked: Sequence[str] | None = None, **options: Any) -> Lanes:
    game = EnvironmentGame(gdl.compile(rules, cache=False) if "(" in rules else rules)
    numbers = game.agents if asked is None else tuple(map(game.agent, asked))
    return Lanes(game, n, asked=numbers, **{"max_plies": 500, "rewards": UNIT, **options})


def seen(lanes: Lanes, lane: int) -> tuple[PackedState, int, int, np.ndarray]:
    """The answers that `Followed.check` compares."""
    masks = np.full((lanes.n, len(lanes.game.actions)), 7, np.uint8)
    lanes.write_masks(masks)
    return lanes.state(lane), int(lanes.plies[lane]), int(lanes.role[lane]), masks[lane]


class Outcomes:
    """What has come out of a step."""

    def __init__(self, lanes: Lanes, agent: int | None = None) -> None:
        self.rewards = np.full((lanes.n, len(lanes.game.agents)), 9, np.float32)
        self.own = np.full(lanes.n, 9, np.float32)
        self.terminated, self.truncated = np.ones(lanes.n, np.bool_), np.ones(lanes.n, np.bool_)
        lanes.write_outcomes(agent, self.rewards, self.own, self.terminated, self.truncated)


def follow(
    rules: str, n: int, asked: Sequence[str] | None = None, *, seed: int = 1, steps: int = 40, **options: Any
) -> int:
    """Play random matches in lanes, compare every state, and return the number of ends."""
    lanes = lanes_of(rules, n, asked, **options)
    lanes.seed(seed)
    lanes.reset()
    numbers = lanes.game.agents if asked is None else tuple(map(lanes.game.agent, asked))
    always, max_plies = options.get("always", False), options.get("max_plies", 500)
    followed = [Followed(lanes.game, numbers, always, max_plies) for _ in range(n)]
    ends = 0
    outcomes, asked_role = None, lanes.role.copy()
    for _ in range(steps):
        over = np.flatnonzero(lanes.over)
        for lane, one in enumerate(followed):
            one.check(*seen(lanes, lane))
            if outcomes is None:
                continue
            ended = lanes.over[lane] and asked_role[lane] >= 0
            assert (outcomes.terminated[lane] or outcomes.truncated[lane]) == ended
            if ended:
                one.check_rewards(outcomes.rewards[lane])
                assert outcomes.terminated[lane] == one.is_terminal()
                column = lanes.game.agents.index(int(asked_role[lane]))
                assert outcomes.own[lane] == outcomes.rewards[lane, column]
            else:
                assert not outcomes.rewards[lane].any()
                assert not outcomes.own[lane]
        ends += len(over)
        lanes.reset(over)
        for lane in over:
            followed[lane] = Followed(lanes.game, numbers, always, max_plies)
            followed[lane].check(*seen(lanes, lane))
        actions = np.empty(n, np.int32)
        lanes.sample(actions)
        for lane, one in enumerate(followed):
            if lanes.role[lane] >= 0:
                one.act(int(lanes.role[lane]), int(actions[lane]))
        asked_role = lanes.role.copy()
        lanes.step(actions, "raise")
        outcomes = Outcomes(lanes)
    return ends


@pytest.mark.parametrize("options", [{}, {"always": True}, {"max_plies": 5}], ids=str)
def test_every_lane_goes_as_the_reasoner_says(options: dict[str, Any]) -> None:
    assert follow("tic_tac_toe", 7, **options) > 7


def test_roles_that_are_not_asked_choose_at_random() -> None:
    assert follow("tic_tac_toe", 3, ["oplayer"]) > 7


def test_roles_that_choose_at_once_are_asked_one_after_the_other() -> None:
    assert follow(TOGETHER, 3) > 7


def test_chance_chooses_at_random() -> None:
    assert follow(COIN, 5) > 7


@pytest.mark.slow
@pytest.mark.parametrize("path", SPREAD, ids=lambda path: path.stem)
def test_shipped_games(path: Any) -> None:
    follow(str(path), 2, steps=15)


@pytest.mark.slow
@examples(5, thorough=8)  # some games take a minute
@given(games())
def test_random_games(rules: str) -> None:
    # That a state has no moves or goals is compared by the tests of arrays.
    with suppress(NoLegalMoveError, GoalError, CompileError):
        assert follow(rules, 3, max_plies=6, steps=10) >= 0


def test_lanes_of_different_numbers_go_alike() -> None:
    few, many = lanes_of("connect_four", 3), lanes_of("connect_four", 700)
    for lanes in (few, many):
        lanes.seed(5)
        lanes.reset()
    for _ in range(60):
        actions = np.empty(700, np.int32)
        many.sample(actions)
        fewer = np.empty(3, np.int32)
        few.sample(fewer)
        assert (fewer == actions[:3]).all()
        many.step(actions, "raise")
        few.step(fewer, "raise")
        assert (many.states[:3] == few.states).all()
        assert (many.role[:3] == few.role).all()
        many.reset(np.flatnonzero(many.over))
        few.reset(np.flatnonzero(few.over))


def test_random_moves_are_uniform() -> None:
    lanes = lanes_of(TOGETHER, 20_000)
    lanes.seed(3)
    lanes.reset()
    actions = np.empty(lanes.n, np.int32)
    lanes.sample(actions)
    counts = np.bincount(actions, minlength=70)
    assert len(counts) == 70
    # Chi-square with 69 degrees of freedom: above 125 with a probability of 1 in 25,000.
    assert ((counts - lanes.n / 70) ** 2 / (lanes.n / 70)).sum() < 125


def illegal(rules: str = "tic_tac_toe") -> tuple[Lanes, np.ndarray]:
    """Lanes, and actions of which that in lane 1 is illegal, since both marks would be in the same cell."""
    lanes = lanes_of(rules, 3)
    lanes.reset()
    actions = np.empty(3, np.int32)
    lanes.sample(actions)
    lanes.step(actions, "raise")
    again = np.empty(3, np.int32)
    lanes.sample(again)
    again[1] = actions[1]
    return lanes, again


def test_an_illegal_action_changes_nothing() -> None:
    lanes, actions = illegal()
    before = lanes.states.copy(), lanes.role.copy()
    with pytest.raises(IllegalMoveError, match="in lane 1"):
        lanes.step(actions, "raise")
    assert (lanes.states == before[0]).all()
    assert (lanes.role == before[1]).all()
    assert not lanes.illegal.any()
    lanes.sample(actions)
    lanes.step(actions, "raise")
    assert (lanes.plies == 2).all()


@pytest.mark.parametrize("action", [-1, 10, 10**9])
def test_actions_that_do_not_exist_are_illegal(action: int) -> None:
    lanes = lanes_of("tic_tac_toe", 1)
    lanes.reset()
    with pytest.raises(IllegalMoveError, match=f"action {action}"):
        lanes.step(np.array([action], np.int32), "raise")


def test_an_illegal_action_is_replaced() -> None:
    lanes, actions = illegal()
    lanes.step(actions, "replace")
    assert lanes.illegal.tolist() == [False, True, False]
    assert (lanes.plies == 2).all()
    assert len({tuple(row) for row in lanes.states.tolist()}) >= 2


def test_an_illegal_action_loses() -> None:
    lanes, actions = illegal()
    lanes.step(actions, "lose")
    assert lanes.over.tolist() == [False, True, False]
    outcomes = Outcomes(lanes)
    assert outcomes.rewards.tolist() == [[0, 0], [1, 0], [0, 0]]
    assert outcomes.own.tolist() == [0, 0, 0]
    assert outcomes.terminated.tolist() == [False, True, False]
    assert Outcomes(lanes, agent=0).own.tolist() == [0, 1, 0]


def test_a_role_without_moves_is_an_error() -> None:
    with pytest.raises(NoLegalMoveError):
        follow(STUCK, 2)


def test_policies_choose_for_their_roles() -> None:
    asked = []

    def policy(lanes: np.ndarray, _role: int) -> np.ndarray:
        asked.append(len(lanes))
        masks = np.empty((700, 10), np.uint8)
        matches.write_masks(masks)
        return masks[lanes].argmax(axis=1)

    matches = lanes_of("tic_tac_toe", 700, ["xplayer"])
    matches.set_policy(1, policy)
    matches.reset()
    for _ in range(4):
        actions = np.empty(700, np.int32)
        matches.sample(actions)
        matches.step(actions, "raise")
    assert sum(asked) > 1_400
    matches.set_policy(1, lambda lanes, _: np.full(len(lanes), 99))
    matches.reset()
    matches.sample(actions)
    with pytest.raises(ValueError, match="an action is a number from 0 to 9, not 99"):
        matches.step(actions, "raise")
