"""The examples that train agents: they run from the command line, and what they train gets better."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.toy_files import ROOT

from ggp.environments.datasets import Matches, write_dataset
from ggp.environments.game import EnvironmentGame
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import make_player

EXAMPLES = ROOT / "docs" / "examples"

pytestmark = pytest.mark.slow


def run(folder: Path, name: str, *arguments: str, needs: tuple[str, ...]) -> str:
    """The output of an example, run in a folder."""
    for library in needs:
        pytest.importorskip(library, reason=f"{library} is not installed")
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    return subprocess.run(command, cwd=folder, check=True, text=True, stdout=subprocess.PIPE, timeout=300).stdout


def curve_of(path: Path) -> dict[str, list[float]]:
    """The average goal values of each role, in a file that an example has written."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        role: [float(row["average_goal"]) for row in rows if row["role"] == role] for role in {r["role"] for r in rows}
    }


@pytest.mark.parametrize(
    ("name", "steps", "needs", "least"),
    [("ppo.py", "220000", ("torch",), 80), ("maskable_ppo.py", "50000", ("torch", "sb3_contrib"), 68)],
)
def test_agents_learn_tic_tac_toe(name: str, steps: str, needs: tuple[str, ...], least: int, tmp_path: Path) -> None:
    options = ("--steps", steps, "--curve", "curve.csv", "--save", "model")
    output = run(tmp_path, name, "tic_tac_toe", *options, needs=needs)
    assert "average goals: xplayer" in output
    curve = curve_of(tmp_path / "curve.csv")
    assert curve.keys() == {"xplayer", "oplayer"}
    assert all(goals[0] < goals[-1] >= least for goals in curve.values())
    assert list(tmp_path.glob("model*"))


def test_what_is_trained_plays_as_an_onnx_file(tmp_path: Path) -> None:
    needs = ("torch", "onnxscript", "onnxruntime")
    run(tmp_path, "ppo.py", "tic_tac_toe", "--steps", "100000", "--onnx", "policy.onnx", needs=needs)
    game = EnvironmentGame("tic_tac_toe")
    goals = []
    for seed in range(40):
        players = {"xplayer": make_player(str(tmp_path / "policy.onnx")), "oplayer": make_player("random")}
        record = play_match(game.simulator, players, Settings(seed=seed))
        assert not any(any(ply.errors) for ply in record.plies)
        goals.append(record.goals[0] or 0)
    assert sum(goals) / len(goals) >= 75  # random play has 65


def test_a_league_writes_players(tmp_path: Path) -> None:
    needs = ("torch", "onnxscript", "onnxruntime")
    told = run(tmp_path, "league.py", "tic_tac_toe", "--steps", "40000", "--matches", "64", needs=needs)
    files = sorted((tmp_path / "league").glob("*.onnx"))
    assert files
    assert "members; each is drawn" in told.splitlines()[-1]
    assert make_player(str(files[-1])).name == files[-1].name


def test_a_data_set_becomes_one_of_minari(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari", reason="minari is not installed")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    game, file = EnvironmentGame("tic_tac_toe"), tmp_path / "games.npz"
    write_dataset(file, game, Matches(30, {"xplayer": "random", "oplayer": "legal"}, 1, 500), make_player)
    run(tmp_path, "to_minari.py", "games.npz", "oplayer", "tic_tac_toe/oplayer-v0", needs=("minari",))
    episodes = list(minari.load_dataset("tic_tac_toe/oplayer-v0"))
    with np.load(file) as columns:
        own = columns["role"] == 1
        assert sum(len(one.actions) for one in episodes) == own.sum()
        assert np.concatenate([one.actions for one in episodes]).tolist() == columns["action"][own].tolist()
    assert all(one.terminations[-1] and not one.truncations[-1] for one in episodes)
    assert {float(one.rewards[-1]) for one in episodes} <= {0.0, 0.5, 1.0}


def test_curves_are_drawn(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("seconds,steps,role,average_goal\n0,1,x,50\n9,20,x,90\n0,1,o,40\n9,20,o,80\n")
    run(tmp_path, "plot_curves.py", "a.csv", "-o", "curves.svg", needs=("matplotlib",))
    assert "<svg" in (tmp_path / "curves.svg").read_text()


@pytest.mark.parametrize("rules", ["connect_four", "battle"])
def test_torchrl_plays_any_rules(rules: str, tmp_path: Path) -> None:
    output = run(tmp_path, "torchrl_rollout.py", rules, "--matches", "3", needs=("torchrl", "pettingzoo"))
    assert output.count("in 3 matches") == 2
