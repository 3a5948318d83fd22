"""Policies as players: functions see what they would see in an environment, and files play as their functions do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.commands import Ggp
from support.environments import small
from support.networks import Linear
from support.toy_games import Nim

from ggp.environments.game import EnvironmentGame
from ggp.environments.observations import ObserverName, observer_of
from ggp.environments.perspective import Side
from ggp.match.match import Match, play_match
from ggp.match.record import MatchRecord
from ggp.match.settings import Settings
from ggp.players import Player, from_policy, make_player
from ggp.players.traits import thought_of

#: What a policy has seen: observations and masks.
Seen = list[tuple[NDArray[np.int8], NDArray[np.int8]]]


def needs_onnx() -> None:
    for library in ("onnxruntime", "onnx"):
        pytest.importorskip(library, reason=f"{library} is not installed")


def last_action(seen: Seen) -> Callable[[NDArray[np.int8], NDArray[np.int8]], int]:
    def last_action(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> int:
        seen.append((observation, mask))
        return int(np.flatnonzero(mask)[-1])

    return last_action


def match(game: EnvironmentGame, *players: Player, max_plies: int = 500) -> MatchRecord:
    settings = Settings(seed=3, max_plies=max_plies)
    record = play_match(game.simulator, dict(zip(game.agent_roles, players, strict=True)), settings)
    assert not any(any(ply.errors) for ply in record.plies), record.plies
    return record


class TestFunctions:
    @pytest.mark.parametrize("name", ["pennies", "cards", "dice", "connect_four"])
    def test_a_match_shows_what_an_environment_shows(self, name: str) -> None:
        pytest.importorskip("gymnasium")
        from ggp.environments.gymnasium import GameEnv

        game = EnvironmentGame(name) if name == "connect_four" else small(name)
        role, *others = game.agent_roles
        shown: Seen = []
        seen: Seen = []
        env = GameEnv(game, role, opponents="legal")
        observation, info = env.reset(seed=1)
        over = False
        while not over:
            action = last_action(shown)(observation, info["action_mask"])
            observation, _, over, _, info = env.step(action)
        match(game, from_policy(last_action(seen)), *(make_player("legal") for _ in others))
        assert [mask.tolist() for _, mask in seen] == [mask.tolist() for _, mask in shown]
        observed, expected = ([one.tolist() for one, _ in each] for each in (seen, shown))
        chance = name in ("cards", "dice")  # which does not choose the same
        assert (observed[:1] if chance else observed) == (expected[:1] if chance else expected)

    def test_a_role_with_hidden_states_sees_its_percepts_and_its_own_action(self) -> None:
        game = small("cards")
        legend = observer_of(game).legend
        seen: Seen = []
        match(game, from_policy(last_action(seen)), make_player("random"))
        texts = [{text for text, one in zip(legend, observation, strict=True) if one} for observation, _ in seen]
        assert texts[0] == set()
        assert {text.partition(" ")[0] for text in texts[1]} == {"sees", "did"}
        assert "did wait" in texts[1]

    def test_from_the_movers_side_both_roles_see_the_same_at_first(self) -> None:
        game = EnvironmentGame("breakthrough")
        seen: Seen = []
        players = [from_policy(last_action(seen), perspective="mover") for _ in range(2)]
        record = match(game, *players)
        assert np.array_equal(seen[0][1], seen[1][1])
        mover = EnvironmentGame(game.simulator, perspective="mover")
        action = int(np.flatnonzero(seen[1][1])[-1])
        assert record.plies[1].moves[1] == mover.move(action, 1).text

    def test_planes(self) -> None:
        game = EnvironmentGame("tic_tac_toe")
        seen: Seen = []
        match(game, from_policy(last_action(seen), observation="planes"), make_player("legal"))
        assert {one.shape for one, _ in seen} == {observer_of(game, "planes").shape}

    def test_logits_become_probabilities_and_a_value_a_goal(self) -> None:
        game = EnvironmentGame("tic_tac_toe")
        logits = np.log(np.arange(1.0, len(game.actions) + 1))
        player = from_policy(lambda *_: (logits, np.array([[-0.5]])), rewards="centered")
        match(game, player, make_player("legal"), max_plies=1)
        thought = thought_of(player)
        assert thought is not None
        assert thought.expected == 25
        moves, probabilities = zip(*thought.probabilities, strict=True)
        assert list(probabilities) == pytest.approx([one / 45 for one in range(9, 0, -1)])
        assert moves[0] == game.actions[8].text

    def test_a_temperature_draws_by_the_seed(self) -> None:
        game = EnvironmentGame("tic_tac_toe")

        def first_moves(temperature: float) -> set[str]:
            policy = from_policy(lambda _, mask: np.zeros(len(mask)), temperature=temperature)
            players = {"xplayer": policy, "oplayer": make_player("legal")}
            records = [play_match(game.simulator, players, Settings(seed=i, max_plies=1)) for i in range(30)]
            return {record.plies[0].moves[0] for record in records}

        assert len(first_moves(0)) == 1
        assert len(first_moves(1)) > 5
        assert first_moves(1) == first_moves(1)

    @pytest.mark.parametrize(
        ("answer", "error"),
        [
            (99, "action 99"),
            (-1, "action -1"),
            (9, "noop"),  # an action, but not legal now
            (1.5, "TypeError"),
            ("mark", "TypeError"),
            (np.zeros(3), "logits of the shape (3,), not (10,)"),
            (np.full(10, np.nan), "no finite logit"),
            (np.full(10, -np.inf), "no finite logit"),
        ],
        ids=str,
    )
    def test_wrong_answers_are_errors_of_the_player(self, answer: Any, error: str) -> None:
        game = EnvironmentGame("tic_tac_toe")
        players = {"xplayer": from_policy(lambda *_: answer), "oplayer": make_player("legal")}
        record = play_match(game.simulator, players, Settings(seed=1, max_plies=1))
        assert error in record.plies[0].errors[0]

    def test_unknown_options(self) -> None:
        for wrong in ({"observation": "pixels"}, {"perspective": "side"}, {"rewards": "big"}, {"temperature": -1}):
            with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
                from_policy(lambda *_: 0, **wrong)  # type: ignore[arg-type]

    def test_a_game_that_cannot_be_compiled_is_an_error_of_the_player(self) -> None:
        players = {"left": from_policy(lambda *_: 0), "right": make_player("legal")}
        record = play_match(Nim(), players, Settings(seed=1, max_plies=1))
        assert "NotCompiledError" in record.initial_errors[0]
        assert "NotCompiledError" in record.plies[0].errors[0]


class TestFiles:
    @pytest.mark.parametrize(
        ("observation", "perspective", "temperature"), [("facts", "fixed", 0.7), ("planes", "mover", 0.0)]
    )
    def test_a_file_plays_the_moves_of_its_function(
        self, observation: ObserverName, perspective: Side, temperature: float, tmp_path: Path
    ) -> None:
        needs_onnx()
        game = EnvironmentGame("connect_four")
        shape = observer_of(game, observation).shape
        network = Linear(shape, len(game.actions), mask=True, metadata={"perspective": str(perspective)})
        file = network.save(tmp_path / "policy.onnx")
        for seed in range(3):
            records = []
            for policy in (
                make_player(f"{file}(temperature={temperature})"),
                from_policy(
                    network.function, observation=observation, perspective=perspective, temperature=temperature
                ),
            ):
                players = {"red": policy, "yellow": make_player("random")}
                with Match(game.simulator, players, Settings(seed=seed)) as match:
                    found = [(ply.moves, thought_of(policy)) for ply in match.plies()]
                assert not any(any(ply.errors) for ply in match.record.plies)
                records.append(found)
            for (moves, thought), (expected_moves, expected) in zip(*records, strict=True):
                assert moves == expected_moves
                assert (thought is None) == (expected is None) == (moves[0] == "noop")
                if thought is not None and expected is not None:
                    assert thought.expected == pytest.approx(expected.expected, abs=1e-3)
                    assert dict(thought.probabilities) == pytest.approx(dict(expected.probabilities), abs=1e-5)

    def test_the_command_plays_it(self, ggp: Ggp, tmp_path: Path) -> None:
        needs_onnx()
        game = EnvironmentGame("tic_tac_toe")
        file = Linear(observer_of(game).shape, len(game.actions)).save(tmp_path / "policy.onnx")
        for name in (f"{file}", f"onnx({file},mover=0)", f"{file}(temperature=0.5,centered=1)"):
            outcome = ggp("play", "tic_tac_toe", "--player", f"xplayer={name}", "--player", "oplayer=random", "-q")
            assert outcome.status == 0, outcome.err
            assert "policy.onnx" in outcome.out
            assert "error" not in outcome.out
        outcome = ggp("tournament", "tic_tac_toe", "--players", f"{file},random", "--games", "2", "--jobs", "1")
        assert outcome.status == 0
        assert str(file) in outcome.out

    @pytest.mark.parametrize(
        ("network", "reason"),
        [
            (
                Linear((86,), 10),
                "the input observation has the shape (batch, 86), but observations of ",
            ),
            (Linear((29,), 8), "it returns 8 logits, but tic_tac_toe has 10 actions"),
            (Linear((29,), 8, mask=True), "the input mask has the shape (batch, 8), but masks of tic_tac_toe have"),
            (Linear((3, 3), 10), "the input observation has the shape (batch, 3, 3), but an observation has 2 axes"),
            (
                Linear((29,), 10, metadata={"perspective": "up"}),
                "its metadata has perspective = 'up', not fixed",
            ),
            ("hello", "not an ONNX file that can be run: "),
            ("", "not an ONNX file that can be run: "),
        ],
        ids=lambda one: one if isinstance(one, str) and len(one) > 9 else "",
    )
    def test_files_that_do_not_fit_are_refused(
        self, network: Linear | str, reason: str, ggp: Ggp, tmp_path: Path
    ) -> None:
        needs_onnx()
        file = tmp_path / "policy.onnx"
        if isinstance(network, Linear):
            network.save(file)
        else:
            file.write_text(network)
        outcome = ggp("play", "tic_tac_toe", "--player", file)
        assert outcome.status == 2
        assert f"{file}: onnx-file: " in outcome.err
        assert reason in outcome.err
        assert len(outcome.err.splitlines()) == 1

    def test_files_that_are_not_there_and_packages_that_are_missing(
        self, ggp: Ggp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for file, reason in ((tmp_path / "no.onnx", "no such file"), (tmp_path, "no player")):
            outcome = ggp("play", "tic_tac_toe", "--player", file)
            assert (outcome.status, reason in outcome.err) == (2, True)
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
        (tmp_path / "policy.onnx").touch()
        outcome = ggp("play", "tic_tac_toe", "--player", tmp_path / "policy.onnx")
        assert outcome.status == 2
        assert "onnxruntime is not installed; `pip install 'ggp[onnx]'` installs it" in outcome.err
