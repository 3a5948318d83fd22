"""Pages without a server: their positions, boards and records are those of the server."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gdl
import ggp.server
from gdl.engine import is_nature
from ggp.board.wishes import wishes_beside
from ggp.match.record import from_json
from ggp.players.mcts.search import Search
from ggp.players.mcts.world import LanesWorld
from ggp.rules.shipped_games import find_game
from ggp.server.export.page import Page, page
from ggp.server.export.wrapped import module_of
from ggp.server.game.table import Table
from ggp.server.messages import standing

HERE = Path(__file__).parent
STATIC = Path(ggp.server.__file__).parent / "static"

#: Drawings with single pieces, several on a cell, pieces of several cells, hands, stacks, lines and hexagons.
SOME = ["tic_tac_toe", "sliding_pieces", "crossing"]
OTHERS = [
    *("battle", "breakthrough", "connect_four", "othello", "knights_and_pawns", "wolf_sheep", "harvest", "honeycomb"),
    *("leapfrog", "lights_out", "odd_one_out", "pig", "towers", "treasure", "tricks", "goofspiel_4", "leduc_poker"),
]


@cache
def exported(name: str) -> tuple[Path, Table, gdl.Simulator, Page]:
    path = find_game(name)
    simulator = gdl.Simulator.load(path)
    assert isinstance(simulator, gdl.Simulator)
    table = Table(path.read_text(encoding="utf-8"), path.name, wishes_beside(path))
    return path, table, simulator, page(path, simulator, module_of(simulator))


def block(text: str, name: str) -> str:
    """Return the contents of an element of a page, without decompressing them."""
    found = re.search(f'<script type="text/plain" id="{name}">([^<]*)</script>', text)
    assert found
    return found[1]


def unpacked(text: str, name: str) -> bytes:
    return gzip.decompress(base64.b64decode(block(text, name)))


def in_node(name: str, matches: list[list[list[str]]], folder: Path, simulations: int = 0) -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    _, _, _, made = exported(name)
    folder.mkdir(exist_ok=True)
    shutil.copytree(STATIC / "offline", folder / "offline")
    (folder / "package.json").write_text('{"type": "module"}')
    code = base64.b64encode(unpacked(made.text, "code")).decode()
    asked = {
        "pack": json.loads(unpacked(made.text, "pack")),
        "code": code,
        "matches": matches,
        "simulations": simulations,
    }
    command = [node, HERE / "offline.mjs", (folder / "offline").as_uri()]
    run = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    return answer["searched"] if simulations else answer["found"]


def random_match(table: Table, random: Random, most: int) -> tuple[list[list[str]], list[Any]]:
    """A random match, and its positions as the server sends them."""
    game = table.game
    state, before = game.initial_state(), None
    moves: list[list[str]] = []
    counts: list[int] = []
    positions = []
    while True:
        positions.append(table.shown(state, len(moves), moves[-1] if moves else (), before, (), counts))
        if game.is_terminal(state) or len(moves) == most:
            return moves, json.loads(json.dumps(positions))
        legal = [game.legal_moves(state, role) for role in game.roles]
        joint = [random.choice(own).text for own in legal]
        counts = [len(own) for own in legal]
        moves.append(joint)
        before, state = state, game.next_state(state, joint)


def simplified(element: Any) -> Any:
    """An element whose numbers are numbers, and whose labels of parts are in order."""
    if isinstance(element, str):
        return [
            round(float(part), 1) if re.fullmatch(r"-?[\d.]+", part) else part
            for part in re.split(r"([ (),])", element)
        ]
    if isinstance(element, list) and element and element[0] == "g" and "joined" in element[1].get("class", ""):
        return [*map(simplified, element[1:3]), sorted(map(str, map(simplified, element[3:])))]
    if isinstance(element, list):
        return list(map(simplified, element))
    return {key: simplified(value) for key, value in element.items()} if isinstance(element, dict) else element


@pytest.mark.parametrize("name", [*SOME, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_positions_are_those_of_the_server(name: str, tmp_path: Path) -> None:
    path, table, _, _ = exported(name)
    random = Random(1)
    played = [random_match(table, random, 40) for _ in range(2)]
    found = in_node(name, [moves for moves, _ in played], tmp_path)
    for (moves, expected), answer in zip(played, found, strict=True):
        for position, own in zip(expected, answer["positions"], strict=True):
            for part in ("under", "pieces", "over"):
                assert simplified(own.pop(part)) == simplified(position.pop(part)), (position["ply"], part)
            assert own == position
        record = from_json(answer["record"])
        assert [list(ply.moves) for ply in record.plies] == moves
        assert record.rules == path.read_text(encoding="utf-8")
        if expected[-1]["terminal"]:
            shown = answer["state"]
            assert {key: shown[key] for key in standing(record)} == json.loads(json.dumps(standing(record)))


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",
        pytest.param("kriegspiel_tic_tac_toe", marks=pytest.mark.slow),
        pytest.param("blind_breakthrough_6x6", marks=pytest.mark.slow),
        pytest.param("leduc_poker", marks=pytest.mark.slow),
    ],
)
def test_what_a_role_sees_is_that_of_the_server(name: str, tmp_path: Path) -> None:
    _, table, _, _ = exported(name)
    moves, _ = random_match(table, Random(2), 20)
    [answer] = in_node(name, [moves], tmp_path)
    record = from_json(answer["record"])
    for role, found in zip(table.about()["roles"], answer["own"], strict=True):
        for ply, own in enumerate(found):
            expected = json.loads(json.dumps(table.own_position(record, ply, role)))
            for part in ("under", "pieces", "over"):
                assert simplified(own.pop(part)) == simplified(expected.pop(part)), (ply, role, part)
            assert expected.pop("errors") in ([], [""] * len(expected["moves"]), [""] * len(record.roles))
            assert {**own, "errors": None} == {**expected, "errors": None}
    for kept in answer["worlds"]:
        assert all(0 < count <= 1024 and alike for count, alike in kept)


@pytest.mark.parametrize(
    ("name", "simulations"),
    [
        ("tic_tac_toe", 2000),
        ("goofspiel_4", 300),
        *(pytest.param(name, 1000, marks=pytest.mark.slow) for name in [*OTHERS, *SOME]),
    ],
)
def test_programs_play_the_same_moves_as_in_python(name: str, simulations: int, tmp_path: Path) -> None:
    """They also search the same number of nodes, so all of their numbers are the same."""
    _, _, game, _ = exported(name)
    searches = {}
    for number, role in enumerate(game.roles):
        if not is_nature(role):
            search = Search(LanesWorld(game, number + 1), number + 1)
            search.advance(game.initial_state())
            search.warm_up()
            search.run(simulations=64)
            searches[role] = search
    state, expected = game.initial_state(), []
    while not game.is_terminal(state):
        joint = []
        for number, role in enumerate(game.roles):
            legal = game.legal_moves(state, role)
            move = min(legal, key=lambda one: one.text)
            if role in searches and len(legal) > 1:
                searches[role].advance(state)
                searches[role].run(simulations=simulations)
                move = searches[role].best_move(number)
            joint.append(move)
        counts = [searches[role].simulations if role in searches else 0 for role in game.roles]
        expected.append([[move.text for move in joint], counts])
        state = game.next_state(state, joint)
    assert in_node(name, [], tmp_path, simulations) == expected
