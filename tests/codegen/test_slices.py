"""Netlists that are cut into slices: the same bits as from the whole netlists."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from codegen.test_interpreter import (
    GAMES,
    Call,
    Outcome,
    begun,
    interpreted_playouts,
    joined,
    parted,
    pointers,
    rows,
    targets,
)
from support.profiles import first_few
from support.random_games import random_game

import gdl
from gdl import Rulesheet
from gdl.circuit.build.ground_program import build
from gdl.circuit.game import GameCircuit
from gdl.codegen import playout_netlist as playout_netlists
from gdl.codegen import slices
from gdl.codegen.cutting import Loop, Straight
from gdl.codegen.interface import Target
from gdl.codegen.llvm.machine_code import Library, compiled, host
from gdl.codegen.llvm.playout_loop import assembled, playout_pieces
from gdl.codegen.playout_netlist import once_netlist, playout_netlist
from gdl.codegen.playout_parts import PlayoutNetlist
from gdl.grounder import ground

PLIES = 14

#: Cells are painted until the picture is one that was seen before. What was seen may be forgotten.
PICTURES = f"""
(role painter) (role critic)
(cell 1) (cell 2) (cell 3) (cell 4) (cell 5) (cell 6) (other red blue) (other blue red)
(<= (init (is ?x red)) (cell ?x)) (init (step 0))
{" ".join(f"(succ {n} {n + 1})" for n in range(PLIES))}
(<= (legal painter (paint ?x)) (cell ?x))
(legal critic look) (legal critic yawn)
(<= (legal critic forget) (true (is 1 blue)))
(<= changed (does critic forget))
(<= (painted ?x) (does painter (paint ?x)))
(<= (next (is ?x ?c)) (true (is ?x ?c)) (not (painted ?x)))
(<= (next (is ?x ?d)) (true (is ?x ?c)) (painted ?x) (other ?c ?d))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (seen ?n)) (true (step ?n)) (not changed))
(<= (next (seen ?n)) (true (seen ?n)) (not changed))
(<= (known ?n) (true (step ?n)))
(<= (known ?n) (true (seen ?n)))
(<= (next (differs ?n ?x)) (true (differs ?n ?x)) (not (painted ?x)) (not changed))
(<= (next (differs ?n ?x)) (known ?n) (painted ?x) (not (true (differs ?n ?x))) (not changed))
(<= (another ?n) (true (differs ?n ?x)))
(<= repeated (true (seen ?n)) (not (another ?n)))
(<= terminal repeated) (<= terminal (true (step {PLIES})))
(<= (goal ?r 100) (role ?r) repeated (true (is 2 red))) (<= (goal ?r 40) (role ?r) repeated (true (is 2 blue)))
(<= (goal ?r 0) (role ?r) (not repeated))
"""


#: What was painted in each of the last plies: a shift register, in which each block of facts becomes the next one.
TRACES = f"""
(role painter) (cell 1) (cell 2) (cell 3) (cell 4) (cell 5) (cell 6) (init (step 0))
{" ".join(f"(succ {n} {n + 1})" for n in range(30))}
(legal painter rest) (<= (legal painter (paint ?x)) (cell ?x))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (wet 1 ?x)) (does painter (paint ?x)))
(legal painter wipe)
(<= (next (wet ?m ?x)) (true (wet ?n ?x)) (succ ?n ?m) (before ?m) (not (does painter wipe)))
{" ".join(f"(before {n})" for n in range(13))}
(<= (painted ?n) (true (wet ?n ?x)))
(<= (idle ?n) (before ?n) (true (step ?s)) (not (painted ?n)))
(<= pause (idle 3) (idle 4) (true (step ?n)) (succ 11 ?n))
(<= terminal pause) (<= terminal (true (step 30)))
(<= (goal painter 100) (not (idle 12))) (<= (goal painter 50) (idle 12) (idle 7))
(<= (goal painter 0) (idle 12) (not (idle 7)))
"""


@pytest.fixture
def cutting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut small netlists, too."""
    monkeypatch.setattr(slices, "_SMALLEST", 0)
    monkeypatch.setattr(slices, "_SHARE", 0.2)


def pictures() -> GameCircuit:
    return build(ground(Rulesheet(PICTURES)))


def sliced_playouts(game: GameCircuit, playout: PlayoutNetlist, call: Call, target: Target) -> tuple[Outcome, set[int]]:
    """The outcome, and the marks of blocks of facts in the end."""
    import ctypes

    text, layout = assembled(playout_pieces(playout, target), target)
    pointer, long = ctypes.c_void_p, ctypes.c_long
    function = Library(compiled(text, host())).function(
        "run", long, pointer, pointer, pointer, long, long, long, ctypes.c_bool
    )
    state, named = (parted(each, target) for each in begun(game, playout, layout, 63))
    other, base = rows(*state.shape), rows(len(state), layout.rows, target.words)
    base[:, : named.shape[1]] = named
    other = state if layout.in_place else other
    done = function(*pointers(state, other, base), len(base), *call)
    marks = {int(mark) for part in base for mark in part[layout.marks :].view(np.uint8).flat[: len(layout.blocks)]}
    kept = joined(base)[: named.shape[1]]
    kept[layout.marks : layout.counters] = 0
    return (done, joined(other if done % 2 else state), kept), marks


@pytest.mark.usefixtures("cutting")
@pytest.mark.parametrize("given_state", first_few([True, False], 1))
def test_slices_compute_what_the_whole_netlist_does(given_state: bool) -> None:
    game = pictures()
    playout = playout_netlist(game, tries=2, age_bits=6, given=given_state, resting=True)
    pieces = playout_pieces(playout, host().vector)
    for part in pieces.parts:
        assert [type(piece) for piece in part] in ([Straight, Loop, Straight], [Straight, Loop, Loop, Straight])
    assert pieces.operations < sum(len(part.netlist) for part in playout.parts)
    for call in [(1, 1, False), (3, 3, False), (40, 4, False), (10_000, 2, True)]:
        expected = interpreted_playouts(game, playout, 63, call)
        for target in targets():
            found, _ = sliced_playouts(game, playout, call, target)
            assert found[0] == expected[0]
            for left, right in zip(found[1:], expected[1:], strict=True):
                np.testing.assert_array_equal(left, right)


@pytest.mark.usefixtures("cutting")
def test_blocks_that_others_write_are_not_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "_SHARE", 0.05)
    game = build(ground(Rulesheet(TRACES)))
    playout = playout_netlist(game, tries=2, age_bits=6, resting=True)
    parts = playout_pieces(playout, host().vector).parts
    loops = [piece for part in parts for piece in part if isinstance(piece, Loop)]
    assert loops
    for call in [(4, 3, False), (10_000, 5, True)]:
        expected = interpreted_playouts(game, playout, 63, call)
        found, _ = sliced_playouts(game, playout, call, host().vector)
        assert found[0] == expected[0]
        for left, right in zip(found[1:], expected[1:], strict=True):
            np.testing.assert_array_equal(left, right)


@pytest.mark.usefixtures("cutting")
def test_slices_that_no_lane_needs_are_skipped() -> None:
    game = pictures()
    playout = playout_netlist(game, tries=3, age_bits=6, resting=True)
    parts = playout_pieces(playout, host().vector).parts
    loops = [piece for part in parts for piece in part if isinstance(piece, Loop)]
    assert all(loop.guards is not None for loop in loops)
    assert max(len(loop.skipped) for loop in loops) < min(len(loop.netlist) for loop in loops)
    _, marks = sliced_playouts(game, playout, (1, 3, False), host().vector)
    assert {0, 2} <= marks


def test_results_do_not_depend_on_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = gdl.compile(PICTURES, cache=False)
    expected = [whole.playouts(n, seed=n) for n in (100, 5_000)]
    # Blocks that the first 512 states do not need are not zero in the states that follow.
    first = whole.initial_state()
    facts = [*map(str, first), *(f"(differs {n} {x})" for n in range(4, 10) for x in (1, 2, 3))]
    last = [fact if fact != "(step 0)" else f"(step {PLIES - 1})" for fact in map(str, first)]
    states = whole.arrays.pack([whole.state(last)] * 512 + [whole.state(facts), first] * 300)
    goals = whole.arrays.playouts(states, seed=3)
    monkeypatch.setattr(slices, "_SMALLEST", 0)
    monkeypatch.setattr(slices, "_SHARE", 0.2)
    cut = gdl.compile(PICTURES, cache=False)
    found = [cut.playouts(n, seed=n) for n in (100, 5_000)]
    assert [replace(each, seconds=0.0) for each in found] == [replace(each, seconds=0.0) for each in expected]
    np.testing.assert_array_equal(cut.arrays.playouts(states, seed=3), goals)


@pytest.mark.usefixtures("cutting")
def test_playouts_that_do_not_begin_again_are_cut_too() -> None:
    pieces = playout_pieces(once_netlist(pictures()), host().vector)
    assert any(isinstance(piece, Loop) for piece in pieces.parts[0])


def test_small_netlists_stay_whole() -> None:
    assert playout_netlist(pictures(), age_bits=6).family is None  # too few operations


def check_cut(source: str | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare playouts of a game with those of its netlists cut wherever that is possible."""
    results = []
    for smallest, share, fewest in ((10**9, 1.0, 8), (0, 0.0, 2)):
        monkeypatch.setattr(slices, "_SMALLEST", smallest)
        monkeypatch.setattr(slices, "_SHARE", share)
        monkeypatch.setattr(slices, "_FEWEST", fewest)
        results.append(replace(gdl.compile(source, cache=False).playouts(700, seed=3, max_plies=60), seconds=0.0))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    "name",
    [
        "classics/connect_four",
        pytest.param("knights_and_pawns", marks=pytest.mark.slow),
    ],
)
def test_games_cut_as_often_as_possible(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_cut(GAMES / f"{name}.kif", monkeypatch)


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 20), marks=pytest.mark.slow)], ids=["few", "many"])
def test_random_games_cut_as_often_as_possible(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playout_netlists, "_LONG", -1)
    for seed in seeds:
        with suppress(gdl.GdlError):
            check_cut(random_game(Random(seed)), monkeypatch)
