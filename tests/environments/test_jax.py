"""Games as pure functions of JAX."""

from __future__ import annotations

import numpy as np
import pytest
from support.toy_rules import COIN

import gdl
from ggp.environments.game import EnvironmentGame

jax = pytest.importorskip("jax")

from jax import numpy as jnp  # noqa: E402

from ggp.environments.jax import JaxGame, State  # noqa: E402


@pytest.fixture(scope="module")
def game() -> JaxGame:
    return JaxGame("tic_tac_toe", rewards="centered")


def begun(game: JaxGame, n: int) -> State:
    return jax.vmap(game.init)(jax.random.split(jax.random.key(1), n))


def equal(one: State, other: State) -> bool:
    return all(bool((a == b).all()) for a, b in zip(one, other, strict=True))


def test_it_goes_as_states_do(game: JaxGame) -> None:
    state, states = begun(game, 30), game.game.states(30, rewards="centered")
    random = np.random.default_rng(1)
    step = jax.jit(game.step)
    for _ in range(11):
        actions = states.sample(random)
        expected = states.step(actions)
        states = expected.states
        state = step(state, actions)
        assert (game.states(state) == states).all()
        assert (np.asarray(state.mask) == expected.mask).all()
        assert (np.asarray(state.role) == expected.role).all()
        assert (np.asarray(state.rewards) == expected.rewards).all()
        assert (np.asarray(state.ended) == expected.ended).all()
        assert (np.asarray(game.observe(state)) == states.observe(dtype="float32")).all()
    assert (game.states(game.of(states)).rows == states.rows).all()
    assert states.over.all()
    other = EnvironmentGame("tic_tac_toe")
    with pytest.raises(ValueError, match="another game, or with other settings"):
        game.of(other.states(2))


def test_batches_are_the_same_as_single_states(game: JaxGame) -> None:
    state = begun(game, 6)
    actions = jnp.arange(6)
    whole = game.step(state, actions)
    assert equal(whole, jax.vmap(game.step)(state, actions))
    single = [game.step(State(*(one[i] for one in state)), actions[i]) for i in range(6)]
    assert equal(whole, jax.tree.map(lambda *rows: jnp.stack(rows), *single))
    folded = State(*(one.reshape(2, 3, *one.shape[1:]) for one in state))
    assert equal(State(*(one.reshape(6, *one.shape[2:]) for one in game.step(folded, actions.reshape(2, 3)))), whole)
    assert (jax.vmap(game.observe)(whole) == game.observe(whole)).all()


def test_a_match_is_a_scan(game: JaxGame) -> None:
    @jax.jit
    def played(key: jax.Array) -> tuple[jax.Array, State]:
        def ply(carry: tuple[State, jax.Array], key: jax.Array) -> tuple[tuple[State, jax.Array], None]:
            state, total = carry
            action = jax.random.categorical(key, jnp.where(state.mask, 0.0, -jnp.inf))
            state = game.step(state, action)
            return (state, total + state.rewards), None

        state = jax.vmap(game.init)(jax.random.split(key, 200))
        (state, total), _ = jax.lax.scan(ply, (state, jnp.zeros((200, 2))), jax.random.split(key, 9))
        return total, state

    total, state = played(jax.random.key(3))
    assert state.ended.all()
    assert (total.sum(axis=1) == 0).all()
    assert (total[:, 0] == 1).sum() > (total[:, 0] == -1).sum() > 20


def test_keys_seed_chance() -> None:
    game = JaxGame(gdl.compile(COIN.replace("(<= (sees guesser (coin ?s)) (does random (toss ?s)))", ""), cache=False))
    state = begun(game, 100)
    heads = np.array(["heads" in text for text in game.states(state).texts()])
    assert 25 < heads.sum() < 75
    assert equal(begun(game, 100), state)
    single = [game.init(key).rows for key in jax.random.split(jax.random.key(1), 100)[:7]]
    assert (jnp.stack(single) == state.rows[:7]).all()


def test_mctx_finds_a_win(game: JaxGame) -> None:
    mctx = pytest.importorskip("mctx")

    def text(x: list[str], o: list[str], control: str) -> str:
        marks = {f"{m} {n}": "b" for m in (1, 2, 3) for n in (1, 2, 3)} | dict.fromkeys(x, "x") | dict.fromkeys(o, "o")
        return " ".join(f"(cell {place} {mark})" for place, mark in marks.items()) + f"(control {control})"

    rows = [
        text(["1 1", "1 2"], ["2 1", "2 2"], "xplayer"),
        text(["1 1", "1 2", "3 1"], ["2 1", "2 2"], "oplayer"),
    ]
    states = game.game.states(rows, rewards="centered")
    state = game.of(states)

    def judged(state: State) -> tuple[jax.Array, jax.Array]:
        return jnp.where(state.mask, 0.0, -1e9), jnp.zeros(state.role.shape)

    def recurrent(_params: None, _key: jax.Array, action: jax.Array, before: State) -> tuple[object, State]:
        state = game.step(before, action)
        logits, value = judged(state)
        reward = jnp.take_along_axis(state.rewards, before.role[:, None], axis=1)[:, 0]
        discount = jnp.where(state.ended, 0.0, jnp.where(state.role == before.role, 1.0, -1.0))
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), state

    logits, value = judged(state)
    found = jax.jit(
        lambda key: mctx.gumbel_muzero_policy(
            None, key, mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state), recurrent, 64, ~state.mask
        )
    )(jax.random.key(1))
    assert [str(game.game.actions[action]) for action in found.action] == ["(mark 1 3)", "(mark 2 3)"]
