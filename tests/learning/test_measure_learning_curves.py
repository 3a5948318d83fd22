"""The script that measures learning curves: what is known is not done again, and the picture shows it."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest
from support.toy_files import ROOT

from ggp.learning.chart import Point, curves_chart, elo
from ggp.players.learned_values.value import read_value
from ggp.tournament.ratings import wilson

SCRIPT = ROOT / "docs" / "benchmarks" / "learning_curves.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measure_learning_curves", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_results_are_kept_but_for_a_line_that_was_not_completed(script: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    step = script.Step("toy.kif", "0123", 7, 0.5)
    results = script.Results(path)
    results.add(step, None, 90.0)
    for number, points in enumerate([1.0, 0.5, 1.0]):
        results.add(step, ("learned", "mcts", number), points)
    tasks = [script.Task(step, "learned", "mcts", number) for number in range(3)]
    assert script.Results(path).seconds == {step: 90.0}
    assert script.Results(path).points == dict(zip(tasks, [1.0, 0.5, 1.0], strict=True))
    path.write_text(path.read_text(encoding="utf-8")[:-4], encoding="utf-8")
    again = script.Results(path)
    assert list(again.points) == tasks[:2]
    again.add(step, ("learned", "mcts", 2), 0.0)
    assert script.Results(path).points[tasks[2]] == 0.0
    # A match against another rival is another match.
    assert script.Task(step, "learned", "random", 0) not in script.Results(path).points


def test_curves_are_ratings_over_the_time_of_all_steps(script: ModuleType, tmp_path: Path) -> None:
    results = script.Results(tmp_path / "results.jsonl")
    steps = [script.Step("games/toy.kif", "0123", 7, minutes) for minutes in (0.5, 1.0, 2.0)]
    for step, seconds in zip(steps, [30.0, 0.0, 60.0], strict=True):
        results.add(step, None, seconds)
    tasks = [script.Task(step, "learned", "mcts", number) for step in (steps[0], steps[2]) for number in range(4)]
    for task, points in zip(tasks, [1.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.0, 0.0], strict=True):
        results.add(task.step, task[1:], points)
    low, high = wilson(3, 4)
    found = script.curves([steps], tasks, results)
    assert found.keys() == {"toy"}
    first, second = found["toy"]["seed 7"]
    assert (first.minutes, first.value) == (0.5, 0)
    assert first.low == pytest.approx(-first.high)
    assert second == Point(1.5, pytest.approx(190.85, abs=0.1), elo(low, 4), elo(high, 4))


def test_the_picture_has_a_panel_for_each_game_and_a_line_for_each_seed() -> None:
    line = [Point(0.4, -50, -150, 60), Point(3.1, 120, 20, 240)]
    panels = {"one < two": {"seed 0": line, "seed 1": line[:1]}, "three": {"seed 1": line}, "empty": {}}
    root = ET.fromstring(curves_chart(panels, "curves", "minutes"))
    texts = list(root.itertext())
    assert {"one < two", "three", "empty", "seed 0", "minutes", "0.25", "4"} <= set(texts)
    assert texts.count("seed 1") == 2
    circles = [node for node in root.iter() if node.tag.endswith("circle")]
    assert len(circles) == 5
    colours = [node.get("fill") for node in circles]
    assert colours[2] == colours[3] == colours[4] != colours[0] == colours[1]
    # The scale is logarithmic: from a quarter of a minute to four, the middle is one minute.
    across = {text: float(node.get("x", "nan")) for node in root.iter() if (text := node.text) in ("0.25", "1", "4")}
    assert across["1"] == (across["0.25"] + across["4"]) / 2
    assert "Elo" in "".join(ET.fromstring(curves_chart({}, "Elo", "minutes")).itertext())


@pytest.mark.slow
def test_a_whole_measurement(tmp_path: Path) -> None:
    def measure(*options: str) -> tuple[str, str]:
        command = [sys.executable, str(SCRIPT), "tic_tac_toe", "--seeds", "3", "--simulations", "20", *options]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True)
        return ended.stdout, ended.stderr

    options = ("--steps", "0.02", "0.2", "--rival", "random", "--matches", "2")
    table, progress = measure(*options)
    assert "up to 0.2 minutes" in progress
    assert "| tic_tac_toe | seed 3 | " in table
    folder = tmp_path / "learning-curves"
    lines = [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    own = [step for step, match, value in lines if match is None and value > 0]
    assert sum(match is not None for _, match, _ in lines) == 2 * len(own)
    rounds = [read_value(path).made["rounds"] for path in sorted(folder.glob("*.learned"), key=len_of)]
    assert rounds == sorted(rounds)
    assert ET.parse(folder / "curves.svg").getroot().tag.endswith("svg")
    assert measure(*options)[0] == table
    assert len((folder / "results.jsonl").read_text(encoding="utf-8").splitlines()) == len(lines)


def len_of(path: Path) -> int:
    """Sort 0.02 before 0.2."""
    return -len(path.name)
