"""Steps per second of environments: what is counted, and the peers."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support.commands import Ggp
from support.toy_files import ROOT

import gdl
from ggp.study.bench.environments import EnvironmentPeer, MissingPeerError, NoPeerError, VectorSteps, peer_runner

pytest.importorskip("gymnasium")

TIC_TAC_TOE = ROOT / "games" / "classics" / "tic_tac_toe.kif"


@pytest.fixture(scope="module")
def simulator() -> gdl.Simulator:
    return gdl.Simulator.load(TIC_TAC_TOE)


def test_steps_of_all_matches_are_counted(simulator: gdl.Simulator) -> None:
    speed = VectorSteps(simulator, 100).run(0.05, seed=1)
    assert speed.seconds >= 0.05
    assert speed.transitions % 1000 == 0
    # A match takes 5 to 8 actions, as the ninth is forced, and one step more to begin again.
    assert speed.transitions / 9 - 100 <= speed.playouts <= speed.transitions / 6 + 100


class Counting:
    """An environment of PettingZoo in which two agents count to six."""

    def __init__(self) -> None:
        self.seeds: list[int] = []
        self.chosen: list[int] = []

    def env(self) -> Counting:
        return self

    def reset(self, seed: int) -> None:
        self.seeds.append(seed)
        self.count = 0

    def agent_iter(self) -> Any:
        while self.count < 6:
            yield "ab"[self.count % 2]
        yield from "ab"

    def last(self) -> tuple[Any, ...]:
        return {"action_mask": np.array([0, 1, 0], np.int8)}, 0.0, self.count >= 6, False, {}

    def action_space(self, _agent: str) -> Counting:
        return self

    def sample(self, mask: np.ndarray) -> int:
        return int(mask.argmax())

    def step(self, action: int | None) -> None:
        if action is None:
            assert self.count == 6
        else:
            assert action == 1
            self.count += 1


def test_steps_of_pettingzoo_are_counted(simulator: gdl.Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    fake: Any = ModuleType("pettingzoo.classic.tictactoe_v3")
    counting = fake.env = Counting()
    fake.env = counting.env
    for name in ("pettingzoo", "pettingzoo.classic"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, fake.__name__, fake)
    speed = peer_runner(EnvironmentPeer.PETTINGZOO, simulator, TIC_TAC_TOE, 1).run(0.01, seed=5)
    assert speed.transitions == 6 * speed.playouts > 0
    assert counting.seeds[1:4] == [5, 6, 7]


def test_steps_of_openspiel_are_counted(simulator: gdl.Simulator) -> None:
    pytest.importorskip("pyspiel")
    speed = peer_runner(EnvironmentPeer.OPENSPIEL, simulator, TIC_TAC_TOE, 1).run(0.05, seed=1)
    assert 5 * speed.playouts <= speed.transitions <= 9 * speed.playouts


def test_steps_of_pgx_are_counted(simulator: gdl.Simulator) -> None:
    pytest.importorskip("pgx")
    speed = peer_runner(EnvironmentPeer.PGX, simulator, TIC_TAC_TOE, 10).run(0.05, seed=1)
    assert speed.transitions % 100 == 0
    assert speed.transitions > 0


@pytest.mark.parametrize("peer", [EnvironmentPeer.PGX, EnvironmentPeer.PETTINGZOO])
def test_other_games_have_no_peer(simulator: gdl.Simulator, peer: EnvironmentPeer) -> None:
    with pytest.raises(NoPeerError, match=f"{peer} has no environment that is known to be other"):
        peer_runner(peer, simulator, ROOT / "other.kif", 10)


def test_missing_libraries_are_named(simulator: gdl.Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pgx", None)
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(MissingPeerError, match=r"is not installed; `pip install 'pgx'` installs it"):
        peer_runner(EnvironmentPeer.PGX, simulator, TIC_TAC_TOE, 10)


def test_the_command_shows_a_table(ggp: Ggp) -> None:
    done = ggp("bench", "environments", "tic_tac_toe", "--states", "64", "--seconds", "0.02", "--repeat", "1")
    assert done.status == 0
    assert done.lines[0].split() == ["game", "environment", "steps/s", "spread", "matches", "setup", "s", "times"]
    assert done.lines[-1].split()[:2] == ["tic_tac_toe", "ggp"]
    assert done.lines[-1].split()[4] == "64"
