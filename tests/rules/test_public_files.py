"""Public rule files, where there are any beside the repository: they load, the Reasoner agrees with recorded games, and
the Simulator with the Reasoner.

The files are in `../shared/rulesheets` (relative to the repository), playouts recorded with another implementation in
`traces` there, one JSON object a state: facts, whether the game is over, goals, legal moves, and the moves played.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support.agreement import check_playouts
from support.phases import check_phases
from support.sides import check_side
from support.toy_files import ROOT

import gdl
from gdl.circuit.phases import phases_of

FOLDER = ROOT.parent / "shared" / "rulesheets"
TRACES = FOLDER / "traces"

#: Files that are rightly refused, with the code of their first mistake. Today none is.
REFUSED: dict[str, str] = {}

#: Quick ones of many kinds, for every run; a third of the others run with `-m slow`.
SAMPLE = [
    *("3pttc", "biddingTicTacToe", "blocksWorldParallel", "breakthroughSmallHoles", "bunk_t", "buttons", "chomp"),
    *("circlesolitaire", "coloredtrails", "connectFour", "doubletoetictac", "eightPuzzle", "factoringGeorgeForman"),
    *("firefighter", "gt_prisoner", "haystack", "kitten_escapes_from_fire", "knightsTour", "lightsOn", "nim4"),
    *("smallest_4player", "tictactoe_3player", "troublemaker01", "urmAdd"),
]


def names(folder: Path, ending: str) -> list[str]:
    return sorted(path.name.removesuffix(ending) for path in folder.glob("*" + ending))


def parameters(found: Iterable[str]) -> list[Any]:
    rare = (pytest.mark.exhaustive if number % 3 else pytest.mark.slow for number in count())
    return [pytest.param(name, marks=[] if name in SAMPLE else [mark]) for name, mark in zip(found, rare, strict=False)]


@pytest.mark.parametrize("name", parameters(sorted({*names(FOLDER, ".kif")}.difference(names(TRACES, ".jsonl.gz")))))
def test_a_public_file_is_read_or_refused_with_the_right_reason(name: str) -> None:
    path = FOLDER / f"{name}.kif"
    if name in REFUSED:
        with pytest.raises(gdl.RulesheetError) as caught:
            gdl.Reasoner.load(path)
        assert caught.value.code == REFUSED[name]
        return
    game = gdl.Reasoner.load(path)
    state = game.initial_state()
    assert game.roles
    assert not game.is_terminal(state)
    assert all(game.legal_moves(state, role) for role in game.roles)


def records(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(TRACES / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def terms(texts: Iterable[str]) -> set[gdl.Term]:
    """As terms, symbols in other cases and `(x)` for `x` make no difference."""
    return set(map(gdl.parse_term, texts))


def goal(game: gdl.Reasoner, state: gdl.State, role: str) -> int | None:
    try:
        return game.goal(state, role)
    except gdl.GoalError:
        return None


def legal(game: gdl.Reasoner, state: gdl.State, role: str) -> tuple[gdl.Term, ...]:
    try:
        return game.legal_moves(state, role)
    except gdl.NoLegalMoveError:
        return ()


@pytest.mark.parametrize("name", parameters(names(TRACES, ".jsonl.gz")))
def test_the_reasoner_agrees_with_recorded_playouts(name: str) -> None:
    game = gdl.Reasoner.load(FOLDER / f"{name}.kif")
    for rule in game.rulesheet.rules:
        assert gdl.parse_term(str(rule))  # whatever a rule file holds prints as KIF
    state = game.initial_state()
    states = 0
    for record in records(name):
        if record["step"] == 0:
            state = game.initial_state()
        place = (record["playout"], record["step"])
        assert set(state) == terms(record["state"]), place
        assert game.is_terminal(state) == record["terminal"], place
        for role, value in record["goals"].items():
            assert goal(game, state, role) == value, (*place, role)
        for role, moves in record["legal"].items():
            found = legal(game, state, role)
            assert set(found) == terms(moves), (*place, role)
            assert len(found) == len(moves), (*place, role)
        if record["joint"]:
            state = game.next_state(state, record["joint"])
        states += 1
    assert states


#: Files that cannot be compiled within the default budget; on slow machines perhaps more than on fast ones.
NOT_COMPILED = ["amazonsTorus"]

#: Of the sample above, what every run compiles.
COMPILED = SAMPLE[1:20:3]


#: What takes most of a minute to compile and to compare, or is hardly another game than one of the others.
HEAVY = {
    *("connectFourLarger", "ticTacHeavenFC", "sudokuGrade3", "sudokuGrade6E", "sudokuGrade6H", "tttcc4", "urmAdd"),
    *("amazonsTorus", "amazonsTorus_10x10", "amazons_8x8", "atariGo_7x7", "blobwars", "blokbox_simple", "brawl"),
    *("checkers", "checkers-cylinder-mustjump", "checkers-mustjump", "checkers-mustjump-torus", "chess_200", "chinook"),
    *(
        "chineseCheckers3",
        "chineseCheckers4",
        "gomoku_11x11",
        "gomoku_swap2_15x15",
        "gt_two_thirds_6p",
        "hallway",
        "hex",
    ),
    *(
        "hex",
        "kalaha6x2x4",
        "kalaha_2009",
        "knightfight",
        "knightwar",
        "linesOfAction",
        "mummymaze1p",
        "pentago",
        "quad",
    ),
    *("queens31lg", "qyshinsu", "racer4", "rubiksCubeSuperflip", "shogi_ctk", "skirmish", "skirmishFinal1"),
    *(
        "skirmishFinal2",
        "skirmishFinal3",
        "skirmishHoles",
        "speedChess",
        "strangeSkirmish",
        "zhadu",
        "zombieAttack1PL6",
    ),
}


def compiled_parameters() -> list[Any]:
    """All files: some of the sample for every run; of the others, an eighth for long ones, without the heavy ones."""
    found = []
    for number, name in enumerate(names(FOLDER, ".kif")):
        rare = pytest.mark.slow if number % 8 == 1 and name not in HEAVY else pytest.mark.exhaustive
        found.append(pytest.param(name, marks=[] if name in COMPILED else [rare]))
    return found


@pytest.mark.parametrize("name", compiled_parameters())
def test_the_simulator_agrees_with_the_reasoner(name: str, request: pytest.FixtureRequest) -> None:
    pytest.importorskip("llvmlite")
    try:
        simulator = gdl.compile(FOLDER / f"{name}.kif").whole()
    except gdl.NotWholeError as error:
        if name not in NOT_COMPILED:
            raise
        pytest.skip(str(error))
    thorough = any(request.node.get_closest_marker(mark) for mark in ("slow", "exhaustive"))
    reasoner = gdl.Reasoner(simulator.rulesheet)
    limits = (20, 1000, 1.0) if thorough else (2, 30, 1.0)
    check_playouts(reasoner, simulator, *limits)
    if (circuit := simulator._compiler.game).side is not None:
        assert check_side(reasoner, circuit, *limits)
    if (phases := phases_of(circuit)) is not None:
        assert check_phases(reasoner, circuit, phases, *limits[:2], 0.5)
    result = simulator.playouts(600, seed=1, max_plies=50)
    assert result.playouts == 600
    assert result.max_length <= 50
