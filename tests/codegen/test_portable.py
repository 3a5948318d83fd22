"""Games as WebAssembly and as C: the same answers as the Reasoner's, along random matches."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import tomllib
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

#: The number of ways to make 0, 1, 2, ... plies.
Counts = list[int]


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


def asked(game: PortableGame, matches: list[list[Joint]], counts: Counts) -> dict[str, Any]:
    module = wasm_module(game)
    code = base64.b64encode(module.code).decode()
    return {"about": module.about, "code": code, "matches": matches, "playouts": 64, "plies": len(counts)}


def answered(answer: Any, counts: Counts) -> Any:
    assert answer["ways"] == counts
    return answer["found"], [end["goals"] for end in answer["ends"] if end["over"]]


def in_node(game: PortableGame, matches: list[list[Joint]], _folder: Path, counts: Counts) -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    given = json.dumps(asked(game, matches, counts) | {"engine": ENGINE.as_uri()})
    run = subprocess.run([node, HERE / "portable.mjs"], input=given, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return answered(json.loads(run.stdout), counts)


def in_chromium(game: PortableGame, matches: list[list[Joint]], _folder: Path, counts: Counts) -> Any:
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (extra: browser)")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with playwright.sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no browser: {str(error).splitlines()[0]}")
        script = """async ({ sources, given }) => {
            const module = (source) => URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
            const { answer } = await import(module(sources[0]));
            return answer({ ...given, engine: module(sources[1]) });
        }"""
        sources = [file.read_text(encoding="utf-8") for file in (HERE / "portable.mjs", ENGINE)]
        given = {"sources": sources, "given": asked(game, matches, counts)}
        return answered(browser.new_page().evaluate(script, given), counts)


def in_c(game: PortableGame, matches: list[list[Joint]], folder: Path, _counts: Counts) -> Any:
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
    given = "\n".join(line or "-1" for line in lines)
    run = subprocess.run([folder / "walk"], input=given, capture_output=True, text=True, check=True)
    answer = json.loads(run.stdout)
    assert answer["over"] == 64
    return answer["found"][:-1], answer["ends"]


def check(rules: gdl.Rulesheet, run: Callable[..., Any], folder: Path, matches: int, counts: Counts) -> None:
    reasoner, random = gdl.Reasoner(rules), Random(3)
    simulator = gdl.compile(rules, cache=False)
    assert isinstance(simulator, gdl.Simulator)
    walks = [walk(reasoner, random) for _ in range(matches)]
    found, ends = run(portable(simulator.circuit), [joints for joints, _ in walks], folder, counts)
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
        check(gdl.Rulesheet(TOYS[name]), run, tmp_path, 5, [1])


def check_shipped(name: str, run: Callable[..., Any], folder: Path, matches: int) -> None:
    path = ROOT / "games" / f"{name}.kif"
    counts = tomllib.loads(path.with_suffix(".expect.toml").read_text(encoding="utf-8")).get("perft", [1])
    check(gdl.Rulesheet.load(path), run, folder, matches, counts)


@pytest.mark.slow
@pytest.mark.parametrize("run", [in_c, in_node, in_chromium])
@pytest.mark.parametrize("name", ["classics/tic_tac_toe", "hidden/kuhn_poker"])
def test_shipped_games_play_elsewhere_as_in_the_reasoner(name: str, run: Callable[..., Any], tmp_path: Path) -> None:
    check_shipped(name, run, tmp_path, 5 if run is in_c else 1000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["battle", "wolf_sheep", "classics/breakthrough", "gallery/pig", "gallery/towers", "hidden/leduc_poker"]
)
def test_more_games_in_chromium(name: str, tmp_path: Path) -> None:
    """They have several pieces of code, simultaneous moves, chance, and many goals."""
    check_shipped(name, in_chromium, tmp_path, 10)


def test_names_in_c() -> None:
    assert identifier("Fox Game (2)") == "fox_game_2"
    assert identifier("3-mans morris") == "game_3_mans_morris"
    assert identifier("?") == "game"
