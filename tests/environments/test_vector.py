"""The vector environment, as Gymnasium defines it."""

from __future__ import annotations

import copy
import inspect
import itertools
import os
import pickle
import re
import signal
import time
from collections.abc import Iterator
from typing import Any, get_args

import numpy as np
import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

from gymnasium.error import ResetNeeded
from support.checking_player import CheckingPlayer
from support.followed import TOGETHER

import gdl
from gdl.errors import IllegalMoveError, UnknownRoleError
from ggp.environments.evaluation import average_goals
from ggp.environments.game import EnvironmentGame
from ggp.environments.gymnasium import GameEnv
from ggp.environments.observations import DTYPES, OBSERVERS, DtypeName, ObserverName, PerceptsObserver
from ggp.environments.perspective import Perspective, Side
from ggp.environments.pettingzoo import aec_env, parallel_env
from ggp.environments.position import Position
from ggp.environments.rendering import RENDER_MODES, RenderMode
from ggp.environments.rewards import Illegal, IllegalName, Scale, ScaleName
from ggp.environments.states import States
from ggp.environments.vector import VectorGameEnv, one_role
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
    for _ in range(12):
        _, reward, terminated, _, info = env.step(env.sample_actions())
        assert not (terminated & ever).any(), "an end is told once"
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
    for (observation, info), copied in zip(rows, copies, strict=True):
        assert same((observation, info["action_mask"], info["role"]), copied)


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
    ("actions", "error"), [([0, 0, 0], ValueError), ([0.0] * 4, TypeError), ([2**40] * 4, ValueError)]
)
def test_actions_are_checked(actions: list[Any], error: type[Exception]) -> None:
    env = made()
    env.reset(seed=1)
    with pytest.raises(error):
        env.step(np.array(actions))


@pytest.mark.parametrize("illegal", ["raise", "replace", "lose"])
@pytest.mark.parametrize("action", [999, -5, 2**40])
def test_numbers_of_no_action_are_always_errors(illegal: str, action: int) -> None:
    env = made(n=2, illegal=illegal)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=f"from 0 to 9, not {action}"):
        env.step(np.array([0, action]))
    env.step(np.array([0, 0]))
    env = made(n=2, illegal=illegal, role="xplayer", opponents=lambda _, mask: np.full(len(mask), action))
    env.reset(seed=1)
    with pytest.raises(ValueError, match=f"from 0 to 9, not {action}"):
        env.step(np.array([0, 0]))


def test_an_opponent_must_choose_whole_numbers() -> None:
    env = made(n=2, role="xplayer", opponents=lambda _, mask: np.full(len(mask), 1.5))
    env.reset(seed=1)
    with pytest.raises(TypeError, match="integers, not float64"):
        env.step(np.array([0, 0]))


def test_actions_where_a_match_is_over_are_ignored() -> None:
    env = made(n=2, autoreset_mode="Disabled", max_plies=1)
    env.reset(seed=1)
    assert env.step(env.sample_actions())[3].all()
    assert env.step(np.array([999, -1]))[4]["role"].tolist() == [-1, -1]


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8, ">i4"])
def test_actions_may_lie_in_any_memory(kind: Any) -> None:
    """Such as that of JAX, which cannot be written to, or of a file, which need not be aligned."""
    one, other = made(n=4), made(n=4)
    one.reset(seed=1)
    other.reset(seed=1)
    actions = one.sample_actions()
    memory = actions.astype(kind).tobytes()
    given = np.frombuffer(b" " + memory, kind, 4, offset=1)
    assert not given.flags.writeable
    assert same(one.step(actions)[:2], other.step(given)[:2])


@pytest.mark.parametrize(
    "out", [np.zeros(4, np.int64), np.zeros(3, np.int32), np.frombuffer(bytes(16), np.int32), [0] * 4]
)
def test_actions_are_not_sampled_into_unsuitable_arrays(out: Any) -> None:
    env = made(n=4)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="out must be a contiguous, writeable array of int32"):
        env.sample_actions(out)


def test_arrays_are_aligned_so_that_jax_need_not_copy_them() -> None:
    env = made(n=3, illegal="replace")
    env.reset(seed=1)
    for _ in range(8):
        actions = env.sample_actions()
        observation, reward, terminated, truncated, info = env.step(actions)
        for array in (actions, observation, reward, terminated, truncated, *info.values()):
            assert array.ctypes.data % 64 == 0
            assert array.flags.carray


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("perspective", ["fixed", "mover"])
@pytest.mark.parametrize("role", [None, "xplayer", "oplayer"])
def test_a_truncated_match_keeps_its_last_mask_and_mover(mode: str, perspective: str, role: str | None) -> None:
    """They are those that the same match has if it goes on: of the mover, or of the only role that learns."""
    game = EnvironmentGame("tic_tac_toe", perspective=perspective)
    cut = made(game, 5, max_plies=3, role=role, autoreset_mode=mode)
    goes_on = made(game, 5)
    cut.reset(seed=1)
    goes_on.reset(seed=1)
    truncated = np.zeros(5, np.bool_)
    while not truncated.any():
        actions = cut.sample_actions()
        observation, _, _, truncated, info = cut.step(actions)
        if role is None:
            expected = goes_on.step(actions)
    assert truncated.all()
    last = info["final_info"] if mode == "SameStep" else info
    assert last["role"].tolist() == [1 if role is None else game.agent(role)] * 5
    if role is None:
        assert same(last["action_mask"], expected[4]["action_mask"])
        assert same(info["final_obs"] if mode == "SameStep" else observation, expected[0])
    else:
        assert last["action_mask"].sum(axis=1).tolist() == [1 if role == "xplayer" else 6] * 5
    if mode == "Disabled":
        _, _, terminated, truncated, info = cut.step(np.zeros(5, np.int32))
        assert not (terminated | truncated).any()
        assert (info["role"] == -1).all()
        assert not info["action_mask"].any()


def test_a_step_before_the_first_reset_is_refused() -> None:
    with pytest.raises(ResetNeeded):
        made().step(np.zeros(4, np.int32))
    with pytest.raises(ResetNeeded):
        made().sample_actions()


def test_seeds_and_options_of_a_reset() -> None:
    env = made()
    env.reset(seed=np.int64(5))
    assert env.np_random_seed == 5
    for seed in ([1, 2, 3, 4], 1.5):
        with pytest.raises(TypeError, match="one whole number for all matches"):
            env.reset(seed=seed)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no option 'mask': there are only 'reset_mask' and 'states'"):
        env.reset(options={"mask": np.ones(4, np.bool_)})
    drawn = made(n=50)
    drawn.reset()
    again = made(n=50)
    again.reset(seed=drawn.np_random_seed)
    assert same(drawn.sample_actions(), again.sample_actions())


def first_legal(_observation: Any, mask: np.ndarray) -> np.ndarray:
    return mask.argmax(axis=1)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"threads": 2, "autoreset_mode": "SameStep", "dtype": "bits", "copy": False},
        {"role": "oplayer", "illegal": "lose", "rewards": "centered", "perspective": "mover"},
        {"role": "oplayer", "opponents": first_legal},
        {"n": 3, "role": "oplayer", "opponents": "support.checking_player:CheckingPlayer"},
    ],
    ids=["all roles", "threads", "one role", "function", "player"],
)
def test_copies_go_on_as_the_matches_would(copied: Any, options: dict[str, Any]) -> None:
    env = made(**{"n": 600, **options})
    env.reset(seed=1)
    for _ in range(2):
        env.step(env.sample_actions())
    other = copied(env)
    for _ in range(12):
        actions = env.sample_actions()
        assert same(actions, other.sample_actions())
        one = [np.array(part) for part in env.step(actions)[:4]]
        assert same(one, list(other.step(actions)[:4]))
    before = other._role().copy()
    env.step(env.sample_actions())
    assert same(before, other._role()), "it has memory of its own"


def test_matches_of_a_game_that_is_compiled_in_another_way_are_not_continued() -> None:
    saved = made()._parts[0][1].saved()
    with pytest.raises(ValueError, match="compiled in another way"):
        made("connect_four")._parts[0][1].restore(saved)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_has_threads_of_its_own() -> None:
    env = made(n=1200, threads=2)
    env.reset(seed=1)
    env.step(env.sample_actions())
    child = os.fork()
    if not child:
        env.step(env.sample_actions())
        env.close()
        os._exit(7)
    ended = 0, 0
    for _ in range(200):
        ended = os.waitpid(child, os.WNOHANG)
        if ended[0]:
            break
        time.sleep(0.05)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(ended[1]) == 7
    env.step(env.sample_actions())


@pytest.mark.parametrize("options", [{"perspective": "mover"}, {"rewards": "centered"}, {}], ids=str)
def test_average_goals_are_of_the_perspective_and_not_of_the_rewards(options: dict[str, Any]) -> None:
    def policy(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Its choice depends on its observation."""
        weights = np.random.default_rng(1).random((observation.shape[1], mask.shape[1]))
        return np.where(mask, observation @ weights, -1).argmax(axis=1)

    game = EnvironmentGame("tic_tac_toe", perspective=options.get("perspective", "fixed"))
    expected = average_goals(game, policy, matches=200)
    assert average_goals("tic_tac_toe", policy, matches=200, **options) == expected
    other = EnvironmentGame("tic_tac_toe", perspective="mover" if game.perspective == "fixed" else "fixed")
    assert average_goals(other, policy, matches=200) != expected


@pytest.mark.parametrize("make", [VectorGameEnv, GameEnv, aec_env, parallel_env, one_role])
def test_a_game_keeps_its_perspective(make: Any) -> None:
    game = EnvironmentGame("tic_tac_toe", perspective="mover")
    assert make(game).game is make(game, perspective="mover").game is game
    with pytest.raises(ValueError, match="made with the perspective 'mover', which it keeps"):
        make(game, perspective="fixed")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"render_mode": "ansi"}, ValueError),
        ({"out": {"rewards": [1]}}, ValueError),
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


#: Two roles choose at once, and see in their own words what the other did.
BOTH_HIDDEN = gdl.Rulesheet("""(role a) (role b) (init (step 1)) (legal a x) (legal a y) (legal b x) (legal b y)
(<= (sees a ?m) (does b ?m)) (<= (sees b (other ?m)) (does a ?m)) (<= terminal (true (step 3)))
(<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2))) (goal a 50) (goal b 50)""")


def joint_moves(position: Position, role: int | None, action: int) -> Iterator[dict[int, int]]:
    """All joint moves in which a role does an action, with those of chance."""
    roles = range(len(position.game.roles))
    for joint in itertools.product(*(position.legal(one) for one in roles)):
        if role is None or joint[role] == action:
            yield dict(zip(roles, joint, strict=True))


@pytest.mark.parametrize("dtype", ["int8", "bits"])
@pytest.mark.parametrize(
    "rules", ["kuhn_poker", "kriegspiel_tic_tac_toe", BOTH_HIDDEN], ids=["poker", "kriegspiel", "both"]
)
def test_roles_of_hidden_games_see_their_percepts_and_their_own_moves(rules: Any, dtype: DtypeName) -> None:
    game = EnvironmentGame(rules)
    observer = PerceptsObserver(game)

    def seen(position: Position, agent: int) -> bytes:
        one = observer.observe(position, agent)
        return (np.packbits(one, bitorder="little") if dtype == "bits" else one).tobytes()

    for role in game.agent_roles:
        env = made(game, 6, role=role, dtype=dtype, autoreset_mode="Disabled", max_plies=30)
        number = game.agent(role)
        observation, _ = env.reset(seed=3)
        positions = [Position(game) for _ in range(6)]
        assert all(row.tobytes() == seen(positions[0], number) for row in observation)
        informed = False
        while (live := np.flatnonzero(env.states.role >= 0)).size:
            actions = env.sample_actions()
            observation, _, _, _, _ = env.step(actions)
            after = env.states.packed()
            for lane in live:
                found = []
                for joint in joint_moves(positions[lane], number, int(actions[lane])):
                    position = copy.copy(positions[lane])
                    position.advance(joint, np.random.default_rng(1))
                    if position.state == after[lane]:
                        found.append(position)
                same = [one for one in found if seen(one, number) == observation[lane].tobytes()]
                assert same
                positions[lane] = same[0]
                informed |= any(positions[lane].percepts[number])
        assert informed


def test_all_roles_of_a_hidden_game_are_asked_at_every_ply_without_seeing_each_other() -> None:
    env = made(BOTH_HIDDEN, 8)
    observation, info = env.reset(seed=1)
    game, begun = env.game, observation
    assert set(info["role"]) == {game.agents[0]}
    observation, _, _, _, info = env.step(env.sample_actions())
    assert set(info["role"]) == {game.agents[1]}
    assert (observation == begun).all()


@pytest.mark.parametrize("role", ["a", "b"])
def test_opponents_of_hidden_games_see_the_ply_before(role: str) -> None:
    """Also where they are asked before the learner, and nothing of the match before."""
    seen: list[int] = []

    def opponent(observation: Any, mask: Any) -> Any:
        seen.append(int(observation[0].sum()))
        return mask.argmax(axis=1)

    env = made(BOTH_HIDDEN, 1, role=role, opponents=opponent)
    env.reset(seed=1)
    for _ in range(8):
        env.step(env.sample_actions())
    # What the other did, and what it did itself, after the first ply of each match.
    assert seen[:6] == [0, 2, 0, 2, 0, 2]
    with pytest.raises(ValueError, match="unknown observation"):
        made(BOTH_HIDDEN, observation="smell")


def test_players_by_name_do_not_play_hidden_games_in_lanes() -> None:
    with pytest.raises(ValueError, match="hides its states"):
        made("kuhn_poker", role=EnvironmentGame("kuhn_poker").agent_roles[0], opponents="greedy")


#: Options with a few values each, and their names.
NAMES = {
    "perspective": (Side, Perspective),
    "rewards": (ScaleName, Scale),
    "illegal": (IllegalName, Illegal),
    "observation": (ObserverName, OBSERVERS),
    "dtype": (DtypeName, DTYPES),
    "render_mode": (RenderMode, RENDER_MODES),
}


@pytest.mark.parametrize("make", [VectorGameEnv, GameEnv, aec_env, parallel_env, average_goals])
def test_type_checkers_know_the_values_of_options(make: Any) -> None:
    parameters = inspect.signature(make).parameters
    for option in parameters.keys() & NAMES.keys():
        assert "str" not in re.findall(r"\w+", parameters[option].annotation), option
    for kind, values in NAMES.values():
        literal = next((part for part in get_args(kind) if get_args(part)), kind)
        assert list(get_args(literal)) == list(values)


@pytest.mark.parametrize("rules", ["connect_four", TOGETHER], ids=["connect_four", "together"])
def test_states_are_taken_out_and_put_back(rules: str) -> None:
    game = EnvironmentGame(gdl.compile(rules, cache=False) if "(" in rules else rules)
    env = made(game, n=1100, threads=2)
    env.reset(seed=1)
    for _ in range(9):
        env.step(env.sample_actions())
    states = env.states
    role, mask = env.step(env.sample_actions())[4]["role"], env.states.legal()
    other = made(game, n=1100, threads=3)
    other.reset(seed=5)
    open_ = ~states.over
    _, info = other.reset(options={"states": states[open_], "reset_mask": open_})
    assert (other.states == states)[open_].all()
    assert (info["role"][open_] == states.role[open_]).all()
    assert (info["action_mask"][open_] == states.legal()[open_]).all()
    assert (other.states.role[~open_] == 0).all()
    # Both go on in the same way.
    begun = env.states
    env.reset(options={"states": states[np.flatnonzero(open_)[:1]][np.zeros(1100, np.int64)]})
    assert (env.states == states[int(open_.argmax())]).all()
    assert (begun.role == role).all()
    assert (begun.legal() == mask).all()


def test_matches_that_begin_in_states_go_on_as_these() -> None:
    env = made("connect_four", n=700)
    env.reset(seed=1)
    for _ in range(6):
        env.step(env.sample_actions())
    states = env.states
    env.reset(options={"states": states})
    actions = env.sample_actions()
    observation, _, _, _, info = env.step(actions)
    step = states.step(actions)
    assert same(observation, step.states.observe())
    assert same(info["action_mask"], step.mask)
    assert (env.states.plies == 1).all()
    players = made("connect_four", n=2, role="red", opponents="greedy")
    players.reset(seed=1, options={"states": states[:2]})
    assert (players.states.plies == 0).all()
    players.step(players.sample_actions())
    assert (players.states.plies == 2).all()


def test_states_in_which_no_match_begins_are_refused() -> None:
    together = EnvironmentGame(gdl.compile(TOGETHER, cache=False))
    chosen = together.states(2).step([1, 2]).states
    env = made(together, n=2, role="b")
    env.reset(seed=1)
    ttt = EnvironmentGame("tic_tac_toe")
    for wrong, error, words in (
        (chosen, ValueError, "has chosen already"),
        (together.states(3), ValueError, "must be 2 of"),
        (ttt.states(2), ValueError, "must be 2 of"),
        (together.states(2).rows, TypeError, "must be `States`"),
        (together.states(2, max_plies=1).step([1, 1]).states.step([1, 1]).states, ValueError, "it is over"),
    ):
        with pytest.raises(error, match=words):
            env.reset(options={"states": wrong})


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("role", [None, "oplayer"])
def test_potentials_change_only_the_time_of_rewards(role: str | None, mode: Any) -> None:
    def centre(states: States) -> np.ndarray:
        held = states.legal("xplayer")[:, 4] + states.legal("oplayer")[:, 4]
        return np.stack([1.0 - held, 0.5 * held], axis=1)

    def run(potential: Any) -> tuple[np.ndarray, np.ndarray, list[Any]]:
        env = made(n=300, role=role, autoreset_mode=mode, potential=potential)
        env.reset(seed=3)
        first = centre(env.states)
        rows: list[Any] = []
        total, alive = np.zeros((300, 2)), np.ones(300, np.bool_)
        for _ in range(6):
            asked = env.states.role
            _, own, terminated, _, info = env.step(env.sample_actions())
            rows.append((own.copy(), terminated, info["rewards"].copy(), asked))
            total[alive] += info["rewards"][alive]
            alive &= ~terminated
        return first, total, rows

    first, plain, rows = run(None)
    _, shaped, shaped_rows = run(centre)
    ended = np.any([row[1] for row in rows], axis=0)
    assert ended.sum() > 30
    # Over a match, the rewards are those of the rules, less the potential of the first state.
    assert shaped[ended] == pytest.approx((plain - first)[ended])
    assert any((np.abs(row[2][~row[1]]) > 0).any() for row in shaped_rows)
    for own, _, rewards, asked in shaped_rows:
        playing = np.flatnonzero(asked >= 0)
        assert (own[playing] == rewards[playing, asked[playing] if role is None else 1]).all()


def test_goals_before_the_end_are_rewards_on_demand() -> None:
    rules = """(role r) (init (at 0)) (step 0 1) (step 1 2) (step 2 3) (<= (legal r a) (true (at ?n)))
    (<= (legal r b) (true (at ?n))) (<= (next (at ?m)) (true (at ?n)) (step ?n ?m)) (<= terminal (true (at 3)))
    (<= (goal r 0) (true (at 0))) (<= (goal r 40) (true (at 1))) (<= (goal r 30) (true (at 2)))
    (<= (goal r 90) (true (at 3)))"""
    game = EnvironmentGame(gdl.compile(rules, cache=False))
    env = made(game, n=2, potential="goals", discount=0.5)
    env.reset(seed=1)
    rewards = [env.step(env.sample_actions())[1].tolist() for _ in range(5)]
    assert np.array(rewards)[:, 0] == pytest.approx([0.2, 0.15 - 0.4, 0.9 - 0.3, 0, 0.2])
    with pytest.raises(ValueError, match="potential must be 'goals'"):
        made(potential="best")


def test_a_lane_has_a_picture() -> None:
    env = made(n=600)
    env.reset(seed=1)
    env.step(np.arange(600) % 9)
    assert env.picture(514).count("x") == env.picture(0).count("x") == 1
    assert env.picture(514) != env.picture(0)
    assert env.picture(0, "svg").startswith("<svg")
    with pytest.raises(IndexError):
        env.picture(600)
