"""A stand-in for OpenSpiel's module `pyspiel`."""

from __future__ import annotations

from typing import Any


class FakeSpiel:
    """Enough of pyspiel to count with: every game is a heap of Nim, and a search is worth 0.25."""

    __version__ = "1.6.10"

    def __init__(self, **heaps: int) -> None:
        self._heaps = heaps
        self.searches: list[dict[str, Any]] = []

    def load_game(self, name: str) -> Any:
        return FakeGame(self._heaps[name])

    def RandomRolloutEvaluator(self, n_rollouts: int, seed: int) -> Any:  # noqa: N802
        return {"rollouts": n_rollouts, "evaluator seed": seed}

    def MCTSBot(self, game: Any, evaluator: Any, **settings: Any) -> Any:  # noqa: N802, ARG002
        searches = self.searches

        class Bot:
            def mcts_search(self, state: Any) -> Any:
                searches.append({**evaluator, **settings, "state": state})
                return type("Node", (), {"total_reward": 0.25})

        return Bot()

    def make_uniform_random_bot(self, player: int, seed: int) -> Any:
        return player, seed

    def evaluate_bots(self, state: Any, bots: Any, seed: int) -> list[float]:  # noqa: ARG002
        state.played = True
        return [0.0, 0.0]


class FakeGame:
    def __init__(self, heap: int) -> None:
        self._heap = heap

    def new_initial_state(self) -> FakeState:
        return FakeState(self._heap, 0)

    def max_game_length(self) -> int:
        return self._heap


class FakeState:
    def __init__(self, heap: int, plies: int) -> None:
        self._heap = heap
        self._plies = plies
        self.played = False

    def legal_actions(self) -> list[int]:
        return list(range(1, min(3, self._heap) + 1))

    def child(self, action: int) -> FakeState:
        return FakeState(self._heap - action, self._plies + 1)

    def is_terminal(self) -> bool:
        return self._heap == 0

    def returns(self) -> list[float]:
        outcome = 1.0 if self._plies % 2 else -1.0
        return [outcome, -outcome]

    def move_number(self) -> int:
        assert self.played
        return 6 if self._heap == 12 else 5

    def __str__(self) -> str:
        return f"{self._heap} left"
