"""The Gymnasium environment: Gymnasium's own checks, and random episodes that a Reasoner agrees with."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
import pytest
from support.environments import FILES, SMALL, Seen, public, small
from support.toy_files import SPREAD

import gdl
from ggp.environments.game import EnvironmentGame
from ggp.match.lineup import LineupError
from ggp.players import UnknownPlayerError
from ggp.players.player import End, Start, Turn

gymnasium = pytest.importorskip("gymnasium", reason="needs the extra gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from ggp.environments.gymnasium import NAME, GameEnv  # noqa: E402


def passes_checks(game: EnvironmentGame) -> None:
    """Gymnasium samples actions without a mask, so illegal ones must do no harm."""
    for role in game.agent_roles:
        env = GameEnv(game, role, illegal="replace")
        env.action_space.seed(1)
        check_env(env, skip_render_check=True)


def agrees(game: EnvironmentGame, seed: int, **options: Any) -> None:
    """Play random episodes for each role, with random opponents, and replay them with a Reasoner."""
    for role in game.agent_roles:
        env = GameEnv(game, role, **options)
        seen = Seen(game, Random(seed))
        observation, info = env.reset(seed=seed)
        always = game.hides_states or env.episode.settings.ask_always
        ended, reward = False, 0.0
        while not ended:
            assert observation in env.observation_space
            assert np.array_equal(env.action_masks(), info["action_mask"] == 1)
            action = seen.choose(info["ply"], role, info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(action)
            ended = terminated or truncated
            assert ended or reward == 0
        assert info["action_mask"].any() == truncated
        assert (terminated, truncated) == (env.episode.terminated, env.episode.truncated)
        seen.check(env.episode, {role: float(reward)}, {role}, always)


@pytest.mark.parametrize("name", SMALL)
def test_small_games_pass_gymnasiums_checks(name: str) -> None:
    passes_checks(small(name))


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("options", [{}, {"ask_always": True}, {"max_plies": 2}], ids=str)
def test_episodes_agree_with_a_reasoner(name: str, options: Mapping[str, Any]) -> None:
    for seed in range(5):
        agrees(small(name), seed, **options)


@pytest.mark.slow
@pytest.mark.parametrize("name", [path.stem for path in SPREAD])
def test_shipped_games_pass_checks_and_agree(name: str) -> None:
    game = EnvironmentGame(name)
    passes_checks(game)
    agrees(game, 1)


#: Public files that take long.
LARGE = {"gt_two_thirds_6p", "hanoi_6_disks", "gdl2/blackjack"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.exhaustive if name in LARGE else []) for name in FILES]
)
def test_public_files_pass_checks_and_agree(name: str) -> None:
    game = public(name)
    passes_checks(game)
    agrees(game, 1)


@pytest.mark.parametrize("mode", [None, "ansi", "svg", "rgb_array", "human"])
def test_the_registered_environment_passes_all_checks(mode: str | None) -> None:
    if mode == "rgb_array":
        pytest.importorskip("resvg_py", reason="needs the extra gymnasium")
    env = gymnasium.make(NAME, rules="tic_tac_toe", illegal="replace", render_mode=mode)
    env.reset(seed=1)
    env.step(0)
    check_env(env.unwrapped, skip_render_check=mode is not None)
    shown = env.render() if mode else None
    assert mode in (None, "human") or len(shown) > 0


def test_a_role_may_be_chosen() -> None:
    env = GameEnv("tic_tac_toe", "OPlayer", "legal")
    _, info = env.reset(seed=1)
    assert env.episode.joint_moves[0][0] == env.game.action(gdl.parse_term("(mark 1 1)"))
    assert info["ply"] == 1
    with pytest.raises(gdl.UnknownRoleError):
        GameEnv("tic_tac_toe", "zplayer")
    with pytest.raises(gdl.UnknownRoleError):
        GameEnv(small("dice"), "random")


def episode_of(env: GameEnv, seed: int | None, random: Random) -> list[tuple[int, ...]]:
    _, info = env.reset(seed=seed)
    while not env.episode.over:
        info = env.step(random.choice(np.flatnonzero(info["action_mask"]).tolist()))[-1]
    return env.episode.joint_moves


@pytest.mark.parametrize("opponents", ["random", "greedy", pytest.param("mcts(simulations=5)", marks=pytest.mark.slow)])
def test_a_seed_repeats_episodes(opponents: str) -> None:
    env = GameEnv("tic_tac_toe", opponents=opponents)
    first = [episode_of(env, 3, Random(1)), episode_of(env, None, Random(2))]
    assert first == [episode_of(env, 3, Random(1)), episode_of(env, None, Random(2))]
    assert len({str(episode_of(env, seed, Random(1))) for seed in range(5)}) > 1


def test_chance_is_seeded_and_differs() -> None:
    env = GameEnv(small("dice"))
    assert episode_of(env, 5, Random(1)) == episode_of(env, 5, Random(1))
    assert len({str(episode_of(env, seed, Random(1))) for seed in range(5)}) > 1


def test_an_illegal_action_raises_and_changes_nothing() -> None:
    env = GameEnv("tic_tac_toe")
    env.reset(seed=1)
    noop = env.game.action(gdl.parse_term("noop"))
    with pytest.raises(gdl.IllegalMoveError, match="noop is not legal for xplayer"):
        env.step(noop)
    assert env.episode.joint_moves == []
    env.step(0)
    assert len(env.episode.joint_moves) == 2


@pytest.mark.parametrize("action", [-1, 10, 2**40])
def test_an_action_beyond_the_space_is_refused(action: int) -> None:
    env = GameEnv("tic_tac_toe", illegal="replace")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="from 0 to 9"):
        env.step(action)


def test_an_illegal_action_is_replaced_and_told() -> None:
    env = GameEnv("tic_tac_toe", illegal="replace")
    env.reset(seed=1)
    noop = env.game.action(gdl.parse_term("noop"))
    *_, info = env.step(noop)
    assert info["illegal_action"] == noop
    assert env.episode.joint_moves[0][0] == info["replaced_by"] != noop
    *_, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert "illegal_action" not in info


@pytest.mark.parametrize(("scale", "reward"), [("unit", 0.0), ("centered", -1.0)])
def test_an_illegal_action_loses(scale: str, reward: float) -> None:
    env = GameEnv("tic_tac_toe", illegal="lose", rewards=scale)
    env.reset(seed=1)
    _, got, terminated, truncated, info = env.step(env.game.action(gdl.parse_term("noop")))
    assert (got, terminated, truncated) == (reward, True, False)
    assert info["goals"] == {"xplayer": 0, "oplayer": 100}
    assert env.episode.joint_moves == []
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_an_agent_without_a_choice_is_asked_all_the_same() -> None:
    env = GameEnv(small("watching"), "watcher", "legal", max_plies=4)
    _, info = env.reset(seed=1)
    assert info["ply"] == 0
    assert info["action_mask"].sum() == 1
    for ply in range(1, 5):
        *_, truncated, info = env.step(int(info["action_mask"].argmax()))
        assert (info["ply"], truncated) == (ply, ply == 4)
    assert "goals" not in info


def test_infos_of_hidden_games_tell_only_what_the_role_knows() -> None:
    env = GameEnv(small("cards"), "left", "legal")
    observation, info = env.reset(seed=1)
    assert not observation.any()
    while not env.episode.over:
        assert set(info) == {"action_mask", "ply"}
        observation, *_, info = env.step(int(info["action_mask"].argmax()))
        legend = [env.observer.legend[i] for i in np.flatnonzero(observation)]
        dealt = env.game.actions[env.episode.joint_moves[0][0]]
        assert legend == ([f"sees (your {dealt.args[0]})", "did wait"] if info["ply"] == 1 else ["did fold"])
    assert set(info["goals"]) == {"left"}


class Noting:
    """A player that plays its first legal move, and keeps what it is told."""

    name = "noting"

    def __init__(self) -> None:
        self.told: list[Any] = []

    def start(self, start: Start, _deadline: object) -> None:
        self.told.append(start)

    def move(self, turn: Turn) -> str:
        self.told.append(turn)
        return turn.legal[0].text

    def stop(self, end: End) -> None:
        self.told.append(end)


def test_a_player_object_is_told_what_a_match_tells() -> None:
    player = Noting()
    env = GameEnv("tic_tac_toe", opponents=player)
    joint_moves = episode_of(env, 1, Random(1))
    start, *turns, end = player.told
    assert (start.role, start.hidden, start.game) == ("oplayer", False, env.game.simulator)
    assert [turn.ply for turn in turns] == list(range(1, len(joint_moves) + 1))
    assert turns[0].moves is None
    for turn, joint_move in zip(turns[1:], joint_moves, strict=False):
        assert turn.moves == tuple(env.game.actions[action] for action in joint_move)
        assert turn.own_move == turn.moves[1]
    assert (end.result, end.ply, end.goal) == ("finished", len(joint_moves), env.episode.goals()[1])


def test_players_learn_how_an_episode_ended() -> None:
    player = Noting()
    env = GameEnv("tic_tac_toe", opponents={"oplayer": player}, illegal="lose")
    env.reset(seed=1)
    env.reset()
    env.step(env.game.action(gdl.parse_term("noop")))
    env.close()
    assert [(told.result, told.goal) for told in player.told if isinstance(told, End)] == [
        ("aborted", None),
        ("disqualified", 100),
    ]


def test_opponents_of_hidden_games_get_no_state() -> None:
    player = Noting()
    env = GameEnv(small("cards"), "right", {"left": player})
    episode_of(env, 1, Random(1))
    _, first, second, _ = player.told
    assert (first.state, first.moves, first.percepts) == (None, None, ())
    assert second.state is None
    assert second.moves is None
    assert [percept.text[:5] for percept in second.percepts] == ["(your"]


def test_a_function_may_be_the_opponent_of_several_roles() -> None:
    asked: list[tuple[int, ...]] = []

    def yes(observation: np.ndarray, mask: np.ndarray) -> int:
        asked.append((len(observation), len(mask)))
        return 1

    env = GameEnv(small("three"), "b", yes)
    env.reset(seed=1)
    *_, info = env.step(0)
    assert info["goals"] == {"a": 60, "b": 20, "c": 60}
    assert asked == [(len(env.observer.legend), 2)] * 2


@pytest.mark.parametrize(("answer", "error"), [(9, gdl.IllegalMoveError), (-1, ValueError), (10, ValueError)])
def test_wrong_answers_of_functions_are_errors(answer: int, error: type[Exception]) -> None:
    env = GameEnv("tic_tac_toe", opponents=lambda _observation, mask: 9 if mask[9] else answer)
    env.reset(seed=1)
    with pytest.raises(error) if answer != 9 else pytest.raises(gdl.IllegalMoveError, match="oplayer"):
        env.step(0)


def test_an_illegal_move_of_a_player_is_an_error() -> None:
    class Cheating(Noting):
        def move(self, _turn: Turn) -> str:
            return "(mark 9 9)"

    env = GameEnv("tic_tac_toe", opponents=Cheating())
    env.reset(seed=1)
    with pytest.raises(gdl.IllegalMoveError, match=r"\(mark 9 9\) is not legal for oplayer"):
        env.step(0)
    assert env.reset(seed=1)[1]["ply"] == 0


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"opponents": "nobody"}, UnknownPlayerError),
        ({"opponents": {"zplayer": "random"}}, gdl.UnknownRoleError),
        ({"opponents": {"oplayer": "random", "OPLAYER": "random"}}, LineupError),
        ({"opponents": 7}, TypeError),
        ({"observation": "pictures"}, ValueError),
        ({"rewards": "dollars"}, ValueError),
        ({"illegal": "ignore"}, ValueError),
        ({"max_plies": 0}, ValueError),
        ({"max_plies": 1.5}, TypeError),
        ({"render_mode": "smell"}, ValueError),
    ],
    ids=str,
)
def test_wrong_options_are_refused(options: Mapping[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        GameEnv("tic_tac_toe", **options)


def test_games_that_nobody_can_play_are_refused() -> None:
    with pytest.raises(ValueError, match="no role for an agent"):
        GameEnv(gdl.Rulesheet("(role random) (legal random wait) (init a) (<= terminal (true b)) (next b)"))
    env = GameEnv(gdl.Rulesheet("(role r) (legal r wait) (init a) (<= terminal (true a)) (goal r 100)"))
    with pytest.raises(ValueError, match="over before it has begun"):
        env.reset()


#: A role that has no move after one ply, or no goal value at the end.
STUCK = "(role r) (init (at 0)) (<= (legal r go) (true (at 0))) (<= (next (at 1)) (does r go)) (goal r 100)"


@pytest.mark.parametrize(
    ("rules", "error"),
    [
        (f"{STUCK} (<= terminal (true (at 2)))", gdl.NoLegalMoveError),
        (f"{STUCK} (<= terminal (true (at 1)))".replace("(goal r 100)", ""), gdl.GoalError),
    ],
    ids=["stuck", "without a goal"],
)
def test_faults_of_rules_are_errors_from_which_a_reset_recovers(rules: str, error: type[Exception]) -> None:
    env = GameEnv(gdl.Rulesheet(rules), ask_always=True)
    for _ in range(2):
        _, info = env.reset(seed=1)
        assert info["action_mask"].tolist() == [1]
        with pytest.raises(error):
            env.step(0)


def test_a_step_before_the_first_reset_is_refused() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded):
        GameEnv("tic_tac_toe").step(0)


def test_an_environment_can_be_made_in_other_processes() -> None:
    spec = gymnasium.make(NAME, rules="tic_tac_toe", opponents="greedy").spec
    env = gymnasium.make(pickle.loads(pickle.dumps(spec)))
    assert env.reset(seed=1)[1]["ply"] == 0


@pytest.mark.parametrize("role", [None, "oplayer"])
def test_one_id_is_one_process(role: str | None) -> None:
    one, many = (
        gymnasium.make(NAME, rules="tic_tac_toe", role=role),
        gymnasium.make_vec(NAME, 2, rules="tic_tac_toe", role=role),
    )
    _, info = many.reset(seed=1)
    for _ in range(3):
        assert info["role"].tolist() == [one.unwrapped.agent] * 2
        *_, info = many.step(many.sample_actions())
    with pytest.raises(ValueError, match="no pictures"):
        gymnasium.make_vec(NAME, 2, rules="tic_tac_toe", render_mode="ansi")


def test_a_truncated_episode_keeps_its_last_mask() -> None:
    """The value of the last state can still be asked."""
    env = GameEnv("tic_tac_toe", "oplayer", max_plies=4)
    _, info = env.reset(seed=1)
    ended = False
    while not ended:
        *_, terminated, ended, info = env.step(int(info["action_mask"].argmax()))
    assert not terminated
    assert [str(env.game.actions[i]) for i in np.flatnonzero(info["action_mask"])] == ["noop"]


def test_numbers_of_infos_have_types_of_numpy() -> None:
    """TorchRL makes a tensor of each, and asks for its type."""
    env = GameEnv("tic_tac_toe", illegal="replace")
    infos = [env.reset(seed=1)[1], env.step(9)[-1]]
    assert set(infos[1]) == {"action_mask", "ply", "illegal_action", "replaced_by"}
    assert all(hasattr(value, "dtype") for info in infos for value in info.values())


@pytest.mark.parametrize("action", [1.0, np.float64(3), None, "1", np.array([1])], ids=repr)
def test_what_is_no_number_is_no_action(action: Any) -> None:
    env = GameEnv("tic_tac_toe", illegal="replace")
    env.reset(seed=1)
    with pytest.raises(TypeError, match="an action is a whole number, not"):
        env.step(action)


@pytest.mark.parametrize("action", [-1, 10])
def test_numbers_of_no_action_mean_no_move(action: int) -> None:
    for game in (EnvironmentGame("tic_tac_toe"), EnvironmentGame("tic_tac_toe", perspective="mover")):
        with pytest.raises(ValueError, match="from 0 to 9"):
            game.move(action, 1)


def test_a_reset_has_no_options() -> None:
    env = GameEnv("tic_tac_toe")
    env.reset(seed=5, options={})
    assert env.np_random_seed == 5
    with pytest.raises(ValueError, match="reset has no options, but was given speed"):
        env.reset(options={"speed": 2})


def test_copies_go_on_by_themselves() -> None:
    env = GameEnv("tic_tac_toe", opponents="random")
    env.reset(seed=1)
    env.step(0)
    for copied in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert copied.episode.joint_moves == env.episode.joint_moves
        assert (copied.game is env.game) == (copied.game.simulator is env.game.simulator)
        copied.step(int(copied.action_masks().argmax()))
        assert len(copied.episode.joint_moves) == len(env.episode.joint_moves) + 2
    assert copy.deepcopy(env).game is env.game


def test_several_environments_in_one_vector() -> None:
    envs = gymnasium.make_vec(NAME, num_envs=3, vectorization_mode="sync", rules="tic_tac_toe", illegal="replace")
    _, infos = envs.reset(seed=1)
    assert infos["action_mask"].shape == (3, 10)
    for _ in range(10):
        envs.step(envs.action_space.sample())
    envs.close()
