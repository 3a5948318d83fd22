"""Pools: opponents are drawn by lane and match with the seed, may change meanwhile, and play as they would alone."""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl.errors import IllegalMoveError
from ggp.environments.game import EnvironmentGame
from ggp.environments.pool import Pool
from ggp.players import PlayerLoadError, UnknownPlayerError

pytest.importorskip("gymnasium", reason="needs the extra gymnasium")

from ggp.environments.gymnasium import GameEnv
from ggp.environments.vector import Opponent, VectorGameEnv

GAME = EnvironmentGame("tic_tac_toe")

#: What is seen at each step of a match: the learner's observation, as bytes.
Line = list[bytes]


def first(_: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[Any]:
    return mask.argmax(axis=-1)


def last(_: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[Any]:
    return mask.shape[-1] - 1 - mask[..., ::-1].argmax(axis=-1)


def env_of(pool: Pool | str | Opponent, n: int = 40, role: str = "oplayer", **options: Any) -> VectorGameEnv:
    return VectorGameEnv(GAME, n, role=role, opponents=pool, **options)


def played(env: VectorGameEnv, steps: int, seed: int = 1) -> tuple[dict[int, list[tuple[int, Line]]], list[Any]]:
    """Let the learner play the first legal action.

    Returns, for each lane, who played in each match and what the learner saw, and who played at each step.
    """
    observation, info = env.reset(seed=seed)
    lines: defaultdict[int, list[tuple[int, Line]]] = defaultdict(list)
    seat = 1 - GAME.agents.index(GAME.agent("oplayer" if info["role"].max() == 1 else "xplayer"))
    drawn = []
    fresh = np.ones(env.num_envs, bool)
    for _ in range(steps):
        who = info["opponents"][:, seat] if "opponents" in info else np.zeros(env.num_envs, int)
        drawn.append(who.tolist())
        for lane in np.flatnonzero(info["role"] >= 0).tolist():
            if fresh[lane]:
                lines[lane].append((int(who[lane]), []))
            assert lines[lane][-1][0] == who[lane], "nobody is replaced in a match"
            lines[lane][-1][1].append(observation[lane].tobytes())
            fresh[lane] = False
        observation, _, terminated, _, info = env.step(info["action_mask"].argmax(axis=1))
        fresh |= terminated
    return lines, drawn


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize("role", ["xplayer", "oplayer"])
def test_members_play_as_they_would_alone(mode: Any, role: str) -> None:
    members: dict[str, Any] = {"first": first, "named": "legal", "last": last}
    alone = []
    for member in members.values():
        lines, _ = played(env_of(member, 1, role, autoreset_mode="SameStep"), 20)
        alone.append(lines[0][0][1])
    assert alone[0] == alone[1] != alone[2]
    lines, _ = played(env_of(Pool(members), role=role, autoreset_mode=mode), 30)
    seen = set()
    for matches in lines.values():
        for who, line in matches[:-1]:
            own = alone[who]
            assert line == own
            seen.add(who)
    assert seen == {0, 1, 2}


def test_draws_follow_the_seed_and_the_weights_whatever_the_threads() -> None:
    def pool() -> Pool:
        return Pool({"random": "random", "first": first, "never": last}, {"first": 3, "never": 0})

    runs = [played(env_of(pool(), 1500, threads=threads), 12, seed) for threads, seed in ((1, 5), (2, 5), (1, 6))]
    assert runs[0][1] == runs[1][1] != runs[2][1]
    assert runs[0][0] == runs[1][0]
    counts = np.bincount(np.ravel(runs[0][1]), minlength=3)
    assert counts[2] == 0
    shares = np.bincount(runs[0][1][0], minlength=3) / 1500
    assert shares[1] == pytest.approx(0.75, abs=0.06)  # 5 standard deviations
    assert len({tuple(line) for matches in runs[0][0].values() for who, line in matches if who == 0}) > 50


def test_a_pool_changes_while_matches_run() -> None:
    pool = Pool({"old": first})
    env = env_of(pool, 30, autoreset_mode="SameStep")
    played(env, 3)
    pool.add("new", last)
    pool.weigh("old", 0)
    _, info = env.reset(options={"reset_mask": np.arange(30) < 10})
    assert info["opponents"][:, 0].tolist() == [1] * 10 + [0] * 20
    assert pool.names == ("old", "new")
    assert (info["opponents"][:, 1] == -1).all()  # the learner


def test_the_end_of_a_match_tells_who_played_in_it() -> None:
    env = env_of(Pool({"first": first, "last": last}), 50, autoreset_mode="SameStep")
    _, info = env.reset(seed=2)
    before = info["opponents"].copy()
    while True:
        _, _, terminated, _, info = env.step(info["action_mask"].argmax(axis=1))
        if terminated.any():
            break
    assert np.array_equal(info["final_info"]["opponents"], before)
    assert not np.array_equal(info["opponents"][terminated], before[terminated])
    assert np.array_equal(info["opponents"][~terminated], before[~terminated])


def test_copies_go_on_alike_and_refused_actions_change_nothing() -> None:
    env = env_of(Pool({"first": first, "named": "random", "any": "random"}), 20)
    _, info = env.reset(seed=3)
    other = copy.deepcopy(env)
    wrong = (info["action_mask"] == 0).argmax(axis=1)
    told = []
    for one in (env, other):
        own = info
        if one is other:
            with pytest.raises(IllegalMoveError):
                one.step(wrong)
        for _ in range(15):
            observation, _, _, _, own = one.step(own["action_mask"].argmax(axis=1))
            told.append((observation.tolist(), own["opponents"].tolist()))
    assert told[:15] == told[15:]


def test_a_single_environment_draws_for_each_episode() -> None:
    def episodes(seed: int) -> list[tuple[str, list[list[int]]]]:
        env = GameEnv(GAME, "oplayer", Pool({"first": first, "named": "legal", "last": last}))
        found = []
        for number in range(25):
            observation, info = env.reset(seed=seed if number == 0 else None)
            name, line, over = info["opponents"]["xplayer"], [observation.tolist()], False
            while not over:
                observation, _, over, _, info = env.step(int(info["action_mask"].argmax()))
                assert info["opponents"] == {"xplayer": name}
                line.append(observation.tolist())
            found.append((name, line))
        return found

    found = episodes(4)
    assert found == episodes(4) != episodes(5)
    lines = {name: [line for one, line in found if one == name] for name in ("first", "named", "last")}
    assert all(line == lines["first"][0] for line in lines["first"] + lines["named"])
    assert lines["last"][0] != lines["first"][0]
    assert "opponents" not in GameEnv(GAME, "oplayer", "legal").reset(seed=1)[1]


def test_what_a_pool_refuses() -> None:
    pool = Pool({"a": "legal"})
    for call, error, reason in (
        (lambda: pool.add("a", "random"), ValueError, "has 'a' already"),
        (lambda: pool.add("b", "nobody"), UnknownPlayerError, "nobody"),
        (lambda: pool.add("b", "mcts(x=1)"), PlayerLoadError, "no option x"),
        (lambda: pool.add("b", 3), TypeError, "neither the name of a player nor a function"),  # type: ignore[arg-type]
        (lambda: pool.add("b", first, -1), ValueError, "from 0 on, not -1"),
        (lambda: pool.weigh("a", float("nan")), ValueError, "not nan"),
        (lambda: pool.weigh("c", 1), KeyError, "c"),
    ):
        with pytest.raises(error, match=reason):
            call()
    assert pool.names == ("a",)
    pool.weigh("a", 0)
    for env in (GameEnv(GAME, "oplayer", pool), env_of(pool)):
        with pytest.raises(ValueError, match="no member of the pool has a weight above 0"):
            env.reset(seed=1)
