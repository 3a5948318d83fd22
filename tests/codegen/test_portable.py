"""Games as WebAssembly and as C: the same answers as the Reasoner's, along random matches."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from support.odd_games import TOYS

import gdl
import gdl.circuit.build.ground_program
import gdl.codegen.portable.programs
import gdl.codegen.portable.wasm
from gdl.codegen.portable.c99 import c_file, identifier
from gdl.codegen.portable.game import PortableGame, portable
from gdl.codegen.portable.wasm import wasm_module

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ENGINE = ROOT / "ggp/server/static/offline/engine.js"

Joint = list[str]


def walk(game: gdl.Reasoner, random: Random) -> tuple[list[Joint], list[dict[str, Any]]]:
    """A random match, and what the Reasoner says of each of its states."""
    state, joints, found = game.initial_state(), [], []
    for _ in range(60):
        terminal = game.is_terminal(state)
        legal = []
        for role in game.roles:
            try:
                legal.append([move.text for move in game.legal_moves(state, role)])
            except gdl.NoLegalMoveError:
                legal.append([])
        goals = []
        for role in game.roles:
            try:
                goals.append(game.goal(state, role))
            except gdl.GoalError:
                goals.append(-1)
        seen: list[list[str]] = []
        joint = [] if terminal or not all(legal) else [random.choice(own) for own in legal]
        here = {"facts": [fact.text for fact in state], "terminal": terminal, "legal": legal, "goals": goals}
        if joint:
            seen = [sorted(one.text for one in own) for own in game.percepts(state, joint).values()]
            state = game.next_state(state, joint)
            joints.append(joint)
        found.append(here | {"seen": seen})
        if not joint:
            break
    return joints, found


def in_node(game: PortableGame, matches: list[list[Joint]], _folder: Path) -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    module = wasm_module(game)
    code = base64.b64encode(module.code).decode()
    asked = {"engine": ENGINE.as_uri(), "about": module.about, "code": code, "matches": matches, "playouts": 64}
    run = subprocess.run(
        [node, HERE / "portable.mjs"], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    return answer["found"], [end["goals"] for end in answer["ends"] if end["over"]]


def in_c(game: PortableGame, matches: list[list[Joint]], folder: Path) -> Any:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (folder / "game.c").write_text(c_file(game, "a game", "a_game"), encoding="utf-8")
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O0", "-fsanitize=address,undefined"]
    made = [
        compiler,
        *strict,
        f'-DSOURCE="{folder}/game.c"',
        "-DNAME=a_game",
        HERE / "portable_walk.c",
        "-o",
        folder / "walk",
    ]
    subprocess.run(made, check=True)
    numbers = {(role, move): number for number, (role, move) in enumerate(game.about()["moves"])}
    lines = [
        " ".join(str(numbers[role, move]) for role, move in enumerate(joint))
        for joints in matches
        for joint in [*joints, []]
    ]
    asked = "\n".join(line or "-1" for line in lines)
    run = subprocess.run([folder / "walk"], input=asked, capture_output=True, text=True, check=True)
    answer = json.loads(run.stdout)
    assert answer["over"] == 64
    return answer["found"][:-1], answer["ends"]


def check(rules: gdl.Rulesheet, run: Callable[..., Any], folder: Path, matches: int) -> None:
    reasoner, random = gdl.Reasoner(rules), Random(3)
    simulator = gdl.compile(rules, cache=False)
    assert isinstance(simulator, gdl.Simulator)
    walks = [walk(reasoner, random) for _ in range(matches)]
    found, ends = run(portable(simulator.circuit), [joints for joints, _ in walks], folder)
    for (_, expected), answers in zip(walks, found, strict=True):
        for one, answer in zip(expected, answers, strict=False):
            assert sorted(answer["facts"]) == sorted(one["facts"])
            assert [sorted(own) for own in answer["legal"]] == [sorted(own) for own in one["legal"]]
            assert answer["terminal"] == one["terminal"]
            assert answer["goals"] == one["goals"]
            if one["seen"]:
                assert [sorted(own) for own in answer["seen"]] == one["seen"]
    played = simulator.playouts(2_000, seed=1)
    for number, role in enumerate(simulator.roles):
        own = [goals[number] for goals in ends]
        assert len(own) == 64
        # Only values that occur, and a mean that is no accident: five standard deviations of it are less than this.
        assert set(own) <= {*played.counts[role], -1}
        if played.counts[role]:
            mean = sum(value * count for value, count in played.counts[role].items()) / sum(
                played.counts[role].values()
            )
            known = [value for value in own if value >= 0]
            assert abs(sum(known) / len(known) - mean) < 32


@pytest.mark.parametrize("run", [in_node, in_c])
@pytest.mark.parametrize("name", ["graph", pytest.param("coin", marks=pytest.mark.slow)])
def test_small_games_play_elsewhere_as_in_the_reasoner(name: str, run: Callable[..., Any], tmp_path: Path) -> None:
    # Some pieces are short, and loops are repeated around them.
    with (
        patch.object(gdl.circuit.build.ground_program, "_UNFOLDED", 0),
        patch.object(gdl.codegen.portable.programs, "_PIECE", 7),
        patch.object(gdl.codegen.portable.wasm, "_DEEP", 2),
    ):
        check(gdl.Rulesheet(TOYS[name]), run, tmp_path, 5)


@pytest.mark.slow
@pytest.mark.parametrize("run", [in_node, in_c])
@pytest.mark.parametrize("name", ["classics/tic_tac_toe", "hidden/kuhn_poker"])
def test_shipped_games_play_elsewhere_as_in_the_reasoner(name: str, run: Callable[..., Any], tmp_path: Path) -> None:
    check(gdl.Rulesheet.load(ROOT / "games" / f"{name}.kif"), run, tmp_path, 5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["battle", "wolf_sheep", "gallery/pig", "gallery/towers", "hidden/leduc_poker"])
def test_more_games_in_node(name: str, tmp_path: Path) -> None:
    """They have several pieces of code, simultaneous moves, chance, and many goals."""
    check(gdl.Rulesheet.load(ROOT / "games" / f"{name}.kif"), in_node, tmp_path, 10)


def test_names_in_c() -> None:
    assert identifier("Fox Game (2)") == "fox_game_2"
    assert identifier("3-mans morris") == "game_3_mans_morris"
    assert identifier("?") == "game"
