"""The vector environment, as Gymnasium defines it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from support.checking_player import CheckingPlayer

from gdl.errors import IllegalMoveError, UnknownRoleError
from ggp.environments.game import EnvironmentGame
from ggp.environments.vector import VectorGameEnv
from ggp.players import PlayerLoadError, UnknownPlayerError


def made(rules: Any = "tic_tac_toe", n: int = 4, **options: Any) -> VectorGameEnv:
    return VectorGameEnv(rules, n, **options)


def played(env: VectorGameEnv, steps: int, seed: int = 1) -> list[tuple[Any, ...]]:
    """What random actions lead to, step by step."""
    observation, info = env.reset(seed=seed)
    rows: list[tuple[Any, ...]] = [(observation.copy(), {key: np.array(value) for key, value in info.items()})]
    for _ in range(steps):
        found = env.step(env.sample_actions())
        rows.append((*(np.array(one) for one in found[:4]), dict(found[4])))
        if env.metadata["autoreset_mode"].name == "DISABLED" and (found[2] | found[3]).any():
            env.reset(options={"reset_mask": found[2] | found[3]})
    return rows


def test_spaces_and_shapes() -> None:
    env = made(n=3)
    observation, info = env.reset(seed=1)
    assert observation.shape == env.observation_space.shape == (3, 29)
    assert env.observation_space.contains(observation)
    assert env.single_action_space.n == 10
    assert info["action_mask"].shape == (3, 10)
    actions = env.sample_actions()
    assert env.action_space.contains(actions.astype(env.action_space.dtype))
    observation, reward, terminated, truncated, info = env.step(actions)
    assert (reward.dtype, terminated.dtype, truncated.dtype) == (np.float32, np.bool_, np.bool_)
    assert reward.shape == terminated.shape == truncated.shape == (3,)
    assert info["rewards"].shape == (3, 2)


def test_masks_are_those_of_the_role_that_is_asked() -> None:
    env = made(n=2)
    _, info = env.reset(seed=1)
    assert info["role"].tolist() == [0, 0]
    assert info["action_mask"].sum(axis=1).tolist() == [9, 9]
    _, _, _, _, info = env.step(info["action_mask"].argmax(axis=1))
    assert info["role"].tolist() == [1, 1]
    assert info["action_mask"].sum(axis=1).tolist() == [8, 8]


def test_the_learner_moves_for_all_roles_and_gets_the_reward_of_the_one_that_moved() -> None:
    env = made(n=600, rewards="centered")
    before = env.reset(seed=2)[1]["role"]
    ends = 0
    for _ in range(9):
        _, reward, terminated, _, info = env.step(env.sample_actions())
        ends += int(terminated.sum())
        assert (reward[~terminated] == 0).all()
        assert (info["rewards"].sum(axis=1) == 0).all()
        chosen = info["rewards"][np.arange(600), np.maximum(before, 0)]
        assert (reward[terminated] == chosen[terminated]).all()
        before = info["role"]
    assert ends > 300


def test_the_next_step_begins_a_new_match() -> None:
    env = made(n=200)
    env.reset(seed=1)
    over = np.zeros(200, np.bool_)
    for _ in range(12):
        _, reward, terminated, truncated, info = env.step(env.sample_actions())
        assert not (terminated & over).any()
        assert (reward[over] == 0).all()
        assert (info["action_mask"][terminated].sum(axis=1) == 0).all()
        assert (info["action_mask"][over].sum(axis=1) == 9).all()
        over = terminated | truncated


def test_the_same_step_begins_a_new_match() -> None:
    env = made(n=200, autoreset_mode="SameStep")
    env.reset(seed=1)
    ends = 0
    for _ in range(12):
        observation, _, terminated, truncated, info = env.step(env.sample_actions())
        over = terminated | truncated
        ends += int(over.sum())
        assert (info["role"] >= 0).all()
        assert (info["action_mask"][over].sum(axis=1) == 9).all()
        if over.any():
            assert (info["_final_obs"] == over).all()
            assert (info["final_obs"][over] != observation[over]).any(axis=1).all()
            assert (info["final_info"]["role"][over] == -1).all()
            assert (info["final_info"]["action_mask"][over] == 0).all()
    assert ends > 100


def test_matches_that_are_over_wait_for_a_reset() -> None:
    env = made(n=50, autoreset_mode="Disabled")
    env.reset(seed=1)
    ever = np.zeros(50, np.bool_)
    for _ in range(9):
        _, reward, terminated, _, info = env.step(env.sample_actions())
        assert (terminated | ~ever).all()
        assert (reward[ever] == 0).all()
        ever |= terminated
    assert ever.all()
    mask = np.arange(50) < 20
    _, info = env.reset(options={"reset_mask": mask})
    assert ((info["role"] >= 0) == mask).all()


@pytest.mark.parametrize(
    ("mask", "error"),
    [(np.zeros(4, np.bool_), ValueError), (np.ones(3, np.bool_), ValueError), (np.ones(4), TypeError)],
)
def test_reset_masks_are_checked(mask: np.ndarray, error: type[Exception]) -> None:
    env = made(autoreset_mode="Disabled")
    env.reset(seed=1)
    with pytest.raises(error, match="reset_mask"):
        env.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_seed_repeats_everything(mode: str, threads: int) -> None:
    first = played(made(n=600, autoreset_mode=mode, role="oplayer"), 15, seed=7)
    again = played(made(n=600, autoreset_mode=mode, role="oplayer", threads=threads), 15, seed=7)
    other = played(made(n=600, autoreset_mode=mode, role="oplayer"), 15, seed=8)
    assert same(first, again)
    assert not same(first, other)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other))


def test_what_was_returned_stays_as_it_is() -> None:
    env = made(n=100)
    rows = [env.reset(seed=1)]
    copies = [(rows[0][0].copy(), rows[0][1]["action_mask"].copy(), rows[0][1]["role"].copy())]
    for _ in range(5):
        observation, *_, info = env.step(env.sample_actions())
        rows.append((observation, info))
        copies.append((observation.copy(), info["action_mask"].copy(), info["role"].copy()))
    for (observation, info), copy in zip(rows, copies, strict=True):
        assert same((observation, info["action_mask"], info["role"]), copy)


def test_arrays_of_the_caller_are_filled() -> None:
    out = {"observation": np.zeros((4, 29), np.float32), "action_mask": np.zeros((4, 10), np.int8)}
    env = made(dtype="float32", out=out)
    observation, info = env.reset(seed=1)
    assert observation is out["observation"]
    assert info["action_mask"] is out["action_mask"]
    first = observation.copy()
    assert env.step(env.sample_actions())[0] is out["observation"]
    assert not same(first, out["observation"])
    shared = np.from_dlpack(observation)  # type: ignore[arg-type]
    assert np.shares_memory(shared, observation)


@pytest.mark.parametrize(
    "out",
    [
        {"observations": np.zeros(1)},
        {"observation": np.zeros((4, 29))},
        {"action_mask": np.zeros((8, 10), np.int8)[::2]},
    ],
)
def test_unsuitable_arrays_are_refused(out: dict[str, np.ndarray]) -> None:
    with pytest.raises(ValueError, match=r"out|contiguous"):
        made(out=out)


@pytest.mark.parametrize(
    "rules", ["tic_tac_toe", "connect_four", "breakthrough", pytest.param("sliding_pieces", marks=pytest.mark.slow)]
)
def test_packed_facts_are_the_same_facts(rules: str) -> None:
    game = EnvironmentGame(rules)
    plain, packed = (played(made(game, 5, dtype=dtype), 20) for dtype in ("int8", "bits"))
    width = plain[0][0].shape[1]
    for one, other in zip(plain, packed, strict=True):
        assert other[0].dtype == np.uint8
        assert other[0].shape == (5, -(-width // 8))
        assert (np.packbits(one[0], axis=1, bitorder="little") == other[0]).all()


def test_planes_are_not_packed() -> None:
    with pytest.raises(ValueError, match="facts"):
        made(observation="planes", dtype="bits")


def test_planes_and_facts_show_the_same() -> None:
    game = EnvironmentGame("tic_tac_toe")
    facts, planes = (played(made(game, observation=name), 6) for name in ("facts", "planes"))
    for one, other in zip(facts, planes, strict=True):
        cells = one[0][:, :27].reshape(4, 9, 3)  # for each cell: blank, o, x
        assert other[0].shape == (4, 5, 3, 3)
        assert (other[0][:, :3].sum(axis=(2, 3)) == cells.sum(axis=1)).all()


@pytest.mark.parametrize("illegal", ["replace", "lose"])
def test_illegal_actions(illegal: str) -> None:
    env = made(n=2, illegal=illegal, rewards="centered")
    env.reset(seed=1)
    chosen = env.sample_actions()
    env.step(chosen)
    _, reward, terminated, _, info = env.step(np.array([chosen[0], next(a for a in range(9) if a != chosen[1])]))
    assert info["illegal"].tolist() == [True, False]
    assert terminated.tolist() == [illegal == "lose", False]
    assert reward.tolist() == [-1 if illegal == "lose" else 0, 0]


def test_illegal_actions_are_errors() -> None:
    env = made(n=2)
    env.reset(seed=1)
    with pytest.raises(IllegalMoveError, match=r"noop in lane 1 is not legal for xplayer"):
        env.step(np.array([0, 9]))


@pytest.mark.parametrize(
    ("actions", "error"), [([0, 0, 0], ValueError), ([0.0] * 4, TypeError), ([2**40] * 4, IllegalMoveError)]
)
def test_actions_are_checked(actions: list[Any], error: type[Exception]) -> None:
    env = made()
    env.reset(seed=1)
    with pytest.raises(error):
        env.step(np.array(actions))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"role": "zplayer"}, UnknownRoleError),
        ({"illegal": "ignore"}, ValueError),
        ({"dtype": "float64"}, ValueError),
        ({"observation": "picture"}, ValueError),
        ({"rewards": "large"}, ValueError),
        ({"opponents": {"oplayer": "random"}}, ValueError),
        ({"role": "xplayer", "opponents": {"xplayer": "random"}}, ValueError),
        ({"role": "xplayer", "opponents": "clever"}, UnknownPlayerError),
        ({"role": "xplayer", "opponents": "greedy(depth=1)"}, PlayerLoadError),
        ({"role": "xplayer", "opponents": 3}, TypeError),
        ({"threads": 0}, ValueError),
        ({"num_envs": 0}, ValueError),
    ],
    ids=str,
)
def test_options_are_checked(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        VectorGameEnv("tic_tac_toe", **{"num_envs": 2, **options})


def test_opponents_get_what_they_need() -> None:
    def first(observation: np.ndarray, masks: np.ndarray) -> np.ndarray:
        assert observation.shape == (len(masks), 29)
        assert masks.any(axis=1).all()
        return masks.argmax(axis=1)

    env = made(n=100, role="oplayer", opponents={"xplayer": first})
    _, info = env.reset(seed=1)
    assert (info["role"] == 1).all()
    assert (info["action_mask"].sum(axis=1) == 8).all()
    assert (info["action_mask"][:, 0] == 0).all()


@pytest.mark.parametrize(
    ("rules", "role"),
    [
        ("tic_tac_toe", "oplayer"),
        pytest.param("battle", "xplayer", marks=pytest.mark.slow),
        pytest.param("wolf_sheep", "sheep", marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_players_are_told_of_every_ply(rules: str, role: str) -> None:
    CheckingPlayer.ends.clear()
    game = EnvironmentGame(rules)
    role = role if role in game.agent_roles else game.agent_roles[0]
    env = made(game, 3, role=role, opponents=f"{CheckingPlayer.__module__}:CheckingPlayer", max_plies=60, threads=2)
    played(env, 70)
    assert {end.result for end in CheckingPlayer.ends} <= {"finished", "unfinished"}
    finished = len(CheckingPlayer.ends)
    assert finished >= 3
    env.close()
    assert all(end.result == "aborted" for end in CheckingPlayer.ends[finished:])


def test_players_hear_of_offences_and_of_matches_that_are_broken_off() -> None:
    CheckingPlayer.ends.clear()
    env = made(n=1, role="oplayer", opponents="support.checking_player:CheckingPlayer", illegal="lose")
    env.reset(seed=1)
    env.reset(seed=1)
    env.step(np.array([9]))
    assert [(end.result, end.goal) for end in CheckingPlayer.ends] == [("aborted", None), ("disqualified", 100)]


@pytest.mark.slow
def test_named_players_repeat_their_moves() -> None:
    rows = [played(made(n=2, role="xplayer", opponents="mcts(simulations=20)"), 8, seed=seed) for seed in (3, 3, 4)]
    assert same(rows[0], rows[1])
    assert not same(rows[0], rows[2])


def test_games_with_hidden_states_are_refused() -> None:
    rules = """(role a) (role random) (init start) (legal a x) (legal a y) (legal random left) (legal random right)
    (<= (sees a ?m) (does random ?m)) (<= (next done) (true start)) (<= terminal (true done)) (goal a 50)"""
    import gdl

    with pytest.raises(ValueError, match="hides its states"):
        made(gdl.Rulesheet(rules))
