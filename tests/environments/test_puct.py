"""The example of self-play with PUCT: its search finds what matters, and its network learns tic-tac-toe exactly."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support.toy_files import ROOT

from gdl.language.parser import parse_term
from ggp.environments.game import EnvironmentGame
from ggp.environments.states import concatenate

torch = pytest.importorskip("torch")
pytest.importorskip("gymnasium")


@pytest.fixture(scope="module")
def puct() -> ModuleType:
    spec = importlib.util.spec_from_file_location("puct", ROOT / "docs" / "examples" / "puct.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Ignorant:
    """A network that knows nothing."""

    def judge(self, seen: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return mask / np.maximum(mask.sum(1, keepdims=True), 1), np.zeros((len(seen), 2), np.float32)


def test_search_wins_in_one_and_prevents_a_loss(puct: ModuleType) -> None:
    game = EnvironmentGame("tic_tac_toe")
    empty = "(cell {0} {1} b)"
    cells = {(m, n): "b" for m in (1, 2, 3) for n in (1, 2, 3)}

    def state(x: list[tuple[int, int]], o: list[tuple[int, int]]) -> str:
        held = {**cells, **dict.fromkeys(x, "x"), **dict.fromkeys(o, "o")}
        control = "xplayer" if len(x) == len(o) else "oplayer"
        facts = " ".join(empty.replace("b)", f"{mark})").format(*place) for place, mark in held.items())
        return f"{facts} (control {control})"

    won, open_line = state([(1, 1), (1, 2)], [(2, 1), (2, 2)]), state([(1, 1), (1, 2)], [(3, 3)])
    states = game.states([won, open_line, won], rewards="centered")
    over = states[2].step(np.array([game.action(parse_term("(mark 1 3)"))])).states
    states[2] = over
    visits = puct.search(Ignorant(), states, 100)
    best = [str(game.actions[action]) for action in visits.argmax(axis=1)]
    assert best[:2] == ["(mark 1 3)", "(mark 1 3)"]
    assert visits.sum(axis=1).tolist() == [100, 100, 0]


def losses(puct: ModuleType, network: Any, role: int, simulations: int) -> int:
    """Return how often a search loses in one role, against all replies to its moves."""
    states, lost = EnvironmentGame("tic_tac_toe").states(1, rewards="centered"), 0
    while len(states):
        own, others = states[states.role == role], states[states.role != role]
        number, action = np.nonzero(others.legal())
        own_action = puct.search(network, own, simulations).argmax(axis=1)
        steps = [own.step(own_action), others[number].step(action)]
        lost += sum(int((step.rewards[:, role] < 0).sum()) for step in steps)
        states = concatenate([step.states[~step.ended] for step in steps])
        states = states[np.unique(states.hashes(), return_index=True)[1]]
    return lost


@pytest.mark.slow
def test_tic_tac_toe_is_learnt_exactly(puct: ModuleType) -> None:
    torch.manual_seed(1)
    torch.set_num_threads(1)
    game = EnvironmentGame("tic_tac_toe")
    network = puct.Network(game)
    before = sum(losses(puct, network, role, 20) for role in (0, 1))
    puct.train(network, game, generations=12, matches=192, simulations=50, seed=1)
    assert before > 0
    assert [losses(puct, network, role, 20) for role in (0, 1)] == [0, 0]
