"""Many states as one value: every state goes as the Reasoner says."""

from __future__ import annotations

import copy
import pickle
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.followed import TOGETHER, Followed
from support.profiles import examples
from support.strategies import games
from support.toy_rules import COIN, STUCK

import gdl
from gdl.compile_errors import CompileError
from gdl.errors import GoalError, IllegalMoveError, NoLegalMoveError
from ggp.environments.game import EnvironmentGame
from ggp.environments.position import Position
from ggp.environments.states import States, concatenate

SETTINGS: list[dict[str, Any]] = [
    {},
    {"ask_always": True},
    {"ask_chance": True},
    {"ask_always": True, "ask_chance": True, "max_plies": 5},
]


@cache
def game_of(rules: str, **options: Any) -> EnvironmentGame:
    return EnvironmentGame(gdl.compile(rules, cache=False) if "(" in rules else rules, **options)


def follow(game: EnvironmentGame, n: int, steps: int, seed: int = 1, **settings: Any) -> int:
    """Compare each state of random matches with the Reasoner, and return the number of ends."""
    random = np.random.default_rng(seed)
    states = game.states(n, seed=seed, **settings)
    asked = range(len(game.roles)) if settings.get("ask_chance") else game.agents
    always, max_plies = settings.get("ask_always", False), settings.get("max_plies", 500)
    followed = [Followed(game, asked, always, max_plies) for _ in range(n)]
    mask, role, over = states.legal(), states.role, states.over
    rewards = np.zeros((n, len(game.agents)), np.float32)
    fresh = np.zeros(n, np.bool_)  # the end of a match that is over before anybody is asked brings no rewards
    for _ in range(steps):
        packed, plies = states.packed(), states.plies
        for i, one in enumerate(followed):
            one.check(packed[i], int(plies[i]), int(role[i]), mask[i])
            assert over[i] == (role[i] < 0)
            if fresh[i]:
                one.check_rewards(rewards[i])
            else:
                assert not rewards[i].any()
        assert (states.terminal == [one.is_terminal() for one in followed]).all()
        actions = states.sample(random)
        for i in np.flatnonzero(~over):
            followed[i].act(int(role[i]), int(actions[i]))
        before, kept = over, states.rows.copy()
        after, mask, role, rewards, over = states.step(actions)
        assert (states.rows == kept).all()
        assert (after.role == role).all()
        assert (after.over == over).all()
        assert (after.legal() == mask).all()
        assert (after == states)[before].all()
        states, fresh = after, over & ~before
    return int(over.sum())


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("rules", ["tic_tac_toe", TOGETHER, COIN], ids=["tic_tac_toe", "together", "coin"])
def test_states_go_as_the_reasoner_says(rules: str, settings: dict[str, Any]) -> None:
    assert follow(game_of(rules), 5, 11, **settings) > 0


@pytest.mark.slow
@examples(5, thorough=8)
@given(games(), st.sampled_from(SETTINGS))
def test_random_games(rules: str, settings: dict[str, Any]) -> None:
    # That a state has no moves or goals is compared by the tests of arrays.
    with suppress(NoLegalMoveError, GoalError, CompileError):
        follow(game_of.__wrapped__(rules), 3, 10, **{"max_plies": 6, **settings})


def some(rules: str = "tic_tac_toe", n: int = 40, seed: int = 3, steps: int = 3, **settings: Any) -> States:
    """States after some random moves."""
    random = np.random.default_rng(seed)
    states = game_of(rules).states(n, seed=seed, **settings)
    for _ in range(steps):
        states = states.step(states.sample(random)).states
    return states


@pytest.mark.parametrize("perspective", ["fixed", "mover"])
def test_observations_masks_and_goals_are_those_of_positions(perspective: str) -> None:
    game = game_of("connect_four", perspective=perspective)
    random = np.random.default_rng(1)
    states = game.states(1500)  # more than one block, and not whole blocks
    for _ in range(14):
        states = states.step(states.sample(random)).states
    seen, goals = states.observe(), states.goals()
    bits, planes = states.observe(dtype="bits"), states.observe("planes", dtype="float32")
    own = {role: states.observe(role=role) for role in game.roles}
    legal = {role: states.legal(role) for role in game.roles}
    mask, packed = states.legal(), states.packed()
    view = states._stepper.view("facts", "int8").observer
    for i in [*range(30), 511, 512, 1499]:
        position = Position(game, packed[i])
        for number, role in enumerate(game.roles):
            assert (own[role][i] == view.observe(position, number)).all()
            assert (legal[role][i] == position.mask(number)).all()
            assert goals[i, number] == game.simulator.goal(packed[i], role)
        if states.role[i] >= 0:
            assert (seen[i] == own[game.roles[states.role[i]]][i]).all()
            assert (mask[i] == position.mask(int(states.role[i]))).all()
    assert (bits == np.packbits(seen, axis=1, bitorder="little")).all()
    assert planes.shape == (1500, *states._stepper.view("planes", "int8").shape)
    out = np.empty_like(seen)
    assert states.observe(out=out) is out
    assert (out == seen).all()


def test_states_are_indexed_joined_and_replaced_like_arrays() -> None:
    states = some()
    for index in (slice(3, 30, 4), [5, -1, 5], np.arange(40) % 2 == 0, 7, np.int64(-3), np.array([], np.int64)):
        chosen = states[index]
        assert (chosen.rows == states.rows[index]).all()
        assert len(chosen) == np.atleast_2d(states.rows[index]).shape[0]
        assert not chosen.rows.ctypes.data % 64
    joined = concatenate([states[:7], states[7:]])
    assert (joined == states).all()
    copied = states.copy()
    copied[:5] = states[35:]
    copied[9] = states[0]
    assert (copied[:5] == states[35:]).all()
    assert (copied == states)[10:].all()
    assert not np.shares_memory(copied.rows, states.rows)
    assert [one.texts() for one in states] == [[text] for text in states.texts()]
    for index in (40, [0, -41], [True, False], 0.5, "x"):
        with pytest.raises(IndexError):
            states[index]


def test_states_are_equal_if_their_futures_are() -> None:
    states = some(n=400)
    texts = np.array(states.texts())
    equal = np.array([texts == text for text in texts[:50]])
    assert (np.array([states == states[i] for i in range(50)]) == equal).all()
    assert ((states != states[0]) == ~equal[0]).all()
    hashes = states.hashes()
    assert ((hashes[:50, None] == hashes) == equal).all()
    # The first role has chosen, or not: the facts are the same.
    before = some(TOGETHER, 1, steps=0)
    after = before.step([1]).states
    assert before.texts() == after.texts()
    assert not (before == after).any()
    assert after.chosen.tolist() == [[True, False]]
    with pytest.raises(TypeError):
        hash(states)


def test_states_are_made_from_states_text_and_packed_words() -> None:
    states = some()
    game = states.game
    words = np.ascontiguousarray(states.facts)
    words.flags.writeable = False
    for source in (states.texts(), states.packed(), words):
        made = game.states(source)
        assert (made == states).all()
        assert (made.plies == 0).all()
        assert (made.legal() == states.legal()).all()
    assert len(game.states(0).step(np.zeros(0, np.int64)).rewards) == 0
    with pytest.raises(gdl.UnreachableStateError):
        game.states(["(control nobody)"])
    stuck = game_of(STUCK).states(1)
    with pytest.raises(NoLegalMoveError):
        stuck.step([0])


def test_rows_are_shared_without_copies() -> None:
    states = some()
    actions = states.legal().argmax(axis=1)
    readonly = states.rows.copy()
    readonly.flags.writeable = False
    for rows in (states.rows, readonly, states.rows.view(np.uint32), Exported(states.rows)):
        again = states.of(rows)
        assert np.shares_memory(again.rows, getattr(rows, "array", rows))
        assert (again == states).all()
        assert (again.step(Exported(actions)).states == states.step(actions).states).all()
        assert (again[Exported(actions)] == states[actions]).all()
    for array in (*states.step(actions)[1:], states.observe(), states.rows):
        assert not array.ctypes.data % 64
        assert np.shares_memory(np.from_dlpack(array), array)
    with pytest.raises(TypeError, match="uint64, not of int64"):
        states.of(states.rows.view(np.int64))
    with pytest.raises(ValueError, match=r"the shape \(n, 6\)"):
        states.of(states.rows[:, 1:])


class Exported:
    """An array that other libraries see through DLPack alone."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()  # type: ignore[return-value]


def test_chance_repeats_itself_unless_it_is_seeded_anew() -> None:
    states = game_of(COIN).states(200, seed=5)
    assert (states == game_of(COIN).states(200, seed=5)).all()
    assert (states != game_of(COIN).states(200, seed=6)).any()
    tossing = game_of(COIN).states(1, ask_chance=True)[[0] * 400]
    assert tossing.role.tolist() == [0] * 400
    # In a game of dice, copies of a state have the same future, until they get generators of their own.
    rules = """(role random) (role r) (init (at 1)) (init (turn 0)) (side 1) (side 2) (side 3)
    (<= (legal random (roll ?s)) (side ?s)) (<= (legal r a)) (<= (legal r b))
    (<= (next (at ?s)) (does random (roll ?s))) (<= (next (turn 1)) (true (turn 0)))
    (<= terminal (true (turn 1))) (<= (goal r 50))"""
    one = game_of(rules).states(1)[np.zeros(600, np.int64)]
    actions = one.legal().argmax(axis=1)
    assert len(np.unique(one.step(actions).states.hashes())) == 1
    rolled = np.unique(one.reseeded(1).step(actions).states.hashes(), return_counts=True)[1]
    assert len(rolled) == 3
    assert rolled.min() > 150


def test_illegal_actions() -> None:
    states = some(n=1200, steps=1)
    taken = states.step(states.legal().argmax(axis=1))
    wrong = taken.mask.argmin(axis=1)
    fine = taken.mask.argmax(axis=1)
    mixed = np.where(np.arange(1200) == 700, wrong, fine)
    with pytest.raises(IllegalMoveError, match="in lane 700"):
        taken.states.step(mixed)
    lost = taken.states.step(mixed, "lose")
    assert np.flatnonzero(lost.ended).tolist() == [700]
    assert lost.rewards[700].tolist() == [0, 1]
    assert not lost.states.terminal.any()
    assert not taken.states.step(mixed, "replace").ended.any()
    for outside in (99, -1, 2**32 + int(fine[0])):
        assert taken.states.step(np.full(1200, outside), "lose").ended.all()
    for actions, error in ((np.full(1200, 99), ValueError), (mixed[:5], ValueError), (mixed * 1.0, TypeError)):
        with pytest.raises(error):
            taken.states.step(actions)


def test_copies_and_pickles() -> None:
    states = some(COIN, steps=1)
    assert not np.shares_memory(copy.deepcopy(states).rows, states.rows)
    assert (copy.copy(states) == states).all()
    restored = pickle.loads(pickle.dumps(states))
    assert (restored.rows == states.rows).all()
    assert restored.settings == states.settings
    actions = states.legal().argmax(axis=1)
    assert restored.step(actions).states.texts() == states.step(actions).states.texts()


def test_states_of_other_settings_do_not_mix() -> None:
    states, other = some(), some(ask_always=True)
    for mixing in (lambda: concatenate([states, other]), lambda: states == other, lambda: concatenate([])):
        with pytest.raises(ValueError, match=r"different games or settings|at least one"):
            mixing()
