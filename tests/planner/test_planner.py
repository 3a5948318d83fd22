"""Plans are compared with a search by the Reasoner that remembers nothing and shares nothing: every course of play."""

from __future__ import annotations

import runpy
import sys
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from support.puzzles import CLOSED, COLOURS, DEAD, FAR, LATE, LOCK, MOMENT, SUCC, SWITCHES, TOKENS, WALK
from support.toy_files import ROOT

import gdl
from ggp.solver.planner import NotOneRoleError, Plan, Values, plan
from ggp.solver.planner.beam import LOOKS, beam, looks_for
from ggp.solver.planner.breadth import Breadth
from ggp.solver.planner.effects import Effects
from ggp.solver.planner.plain_search import Plain
from ggp.solver.planner.portfolio import Portfolio
from ggp.solver.planner.puzzle import Puzzle
from ggp.solver.planner.unrolling import Layers, Unrolled

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOYS = {
    "walk": WALK,
    "far": FAR,
    "late": LATE,
    "moment": MOMENT,
    "closed": CLOSED,
    "lock": LOCK,
    "tokens": TOKENS,
    "dead": DEAD,
    "colours": COLOURS,
}


@pytest.fixture(params=sorted(TOYS), scope="module")
def toy(request: pytest.FixtureRequest) -> gdl.Simulator:
    return gdl.compile(TOYS[request.param])


def best_by_hand(game: gdl.Reasoner, state: gdl.State) -> tuple[int, int]:
    """The highest goal that can be reached, and the fewest moves to it; -1 and 0 if there is none."""
    found: dict[int, int] = {}
    level, seen, depth = {state}, {state}, 0
    while level:
        following: set[gdl.State] = set()
        for one in level:
            if game.is_terminal(one):
                try:
                    found.setdefault(game.goal(one, "r"), depth)
                except gdl.GoalError:
                    continue
            else:
                following.update(game.next_state(one, [move]) for move in game.legal_moves(one, "r"))
        level = following - seen
        seen |= level
        depth += 1
    goal = max(found, default=-1)
    return goal, found.get(goal, 0)


def played(game: gdl.Simulator, state: gdl.PackedState, found: Plan) -> bool:
    """Return True if a plan can be played, and leads where it says."""
    for move in found.moves:
        assert not game.is_terminal(state)
        state = game.next_state(state, [move])
    return game.is_terminal(state) and game.goal(state, "r") == found.goal


def states_of(game: gdl.Simulator, count: int, seed: int = 0) -> list[gdl.PackedState]:
    """Some different states that can be reached, the initial one first."""
    random, found = Random(seed), {game.initial_state(): None}
    for _ in range(20 * count):
        state = game.initial_state()
        while not game.is_terminal(state) and len(found) < count and random.random() < 0.8:
            state = game.next_state(state, [random.choice(game.legal_moves(state, "r"))])
            found[state] = None
    return list(found)


def test_plans_are_the_best_and_the_shortest(toy: gdl.Simulator) -> None:
    for state in states_of(toy, 12):
        goal, length = best_by_hand(toy.reasoner, toy.reasoner.state(state))
        found = plan(toy, state, seconds=20, memory=1 << 26)
        assert found.proven
        if goal < 0:
            assert found.goal is None
            assert not found.moves
            continue
        assert played(toy, state, found)
        assert found.goal == goal
        assert len(found.moves) >= length
        # Of a goal that is the lowest of all no shorter plan is looked for.
        assert found.shortest or goal == Puzzle(toy).lowest
        if found.shortest:
            assert len(found.moves) == length


@pytest.mark.parametrize("alike", [True, False])
def test_breadth_first_alone(toy: gdl.Simulator, alike: bool) -> None:
    """With and without interchangeable objects, and with every state kept once a ply, which is always right."""
    for state in states_of(toy, 6, seed=1):
        goal, length = best_by_hand(toy.reasoner, toy.reasoner.state(state))
        puzzle = Puzzle(toy, state)
        whole = puzzle.times.limit if puzzle.times.limit is not None else puzzle.times.settled
        search = Breadth(puzzle, memory=1 << 24, fresh=whole, alike=alike)
        assert search.advance(time.monotonic() + 20)
        assert search.found.complete
        assert (search.found.goal, len(search.found.moves)) == (goal, length)


def test_clingo_agrees_ply_by_ply(toy: gdl.Simulator) -> None:
    """There is a plan of a goal within the fewest plies that the Reasoner found, and none within one less."""
    state = toy.initial_state()
    goal, length = best_by_hand(toy.reasoner, toy.reasoner.state(state))
    unrolled = Unrolled(Puzzle(toy))
    answer = unrolled.solve(goal, length, time.monotonic() + 20)
    assert answer is not None
    assert answer.moves is not None
    for moves in answer.moves:
        for move in moves:
            state = toy.next_state(state, [toy.all_moves("r")[move]])
    assert toy.is_terminal(state)
    assert toy.goal(state, "r") == goal
    fewer = unrolled.solve(goal, length - 1, time.monotonic() + 20)
    assert fewer is not None
    assert fewer.moves is None


@pytest.mark.parametrize("look", LOOKS)
def test_beams_find_plans_that_can_be_played(look: str) -> None:
    for text in (COLOURS,) if look == "playouts" else (TOKENS, LOCK, COLOURS):  # code for playouts takes long to make
        game = gdl.compile(text)
        puzzle = Puzzle(game, values=lambda states: np.arange(len(states), dtype=np.float32))
        course = beam(puzzle, look, 64, deadline=time.monotonic() + 20, memory=1 << 24, seed=1)
        moves = tuple(game.all_moves("r")[number] for number in course.moves)
        found = Plan(moves, course.goal, False, False, course.states, 0.0, look)
        assert played(game, game.initial_state(), found)
        assert course.goal == 100


#: Eight times left or right; all have to be right.
FORKS = f"""
(role r) (init (at 0)) (legal r left) (legal r right) {SUCC}
(<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
(<= (next (right ?n)) (does r right) (true (at ?n))) (<= (next (right ?n)) (true (right ?n)))
(<= astray (succ ?n ?m) (not (true (right ?n)))) (<= terminal (true (at 8)))
(<= (goal r 100) (not astray)) (<= (goal r 0) astray)
"""


def test_beams_follow_learned_values() -> None:
    """Of 256 ends, one is good. A beam of one state finds it if values count what is right."""
    game = gdl.compile(FORKS)
    mask = np.zeros(game.layout.state_words, np.uint64)
    for number, fact in enumerate(game.all_facts):
        if fact.text.startswith("(right "):
            mask[number // 64] |= np.uint64(1 << number % 64)

    def values(states: NDArray[np.uint64]) -> NDArray[np.float32]:
        return np.bitwise_count(states & mask).sum(axis=1).astype(np.float32)

    def found(look: str, values: Values | None) -> int:
        puzzle = Puzzle(game, values=values)
        return beam(puzzle, look, 1, deadline=time.monotonic() + 20, memory=1 << 24, seed=1).goal

    assert found("learned", values) == 100
    assert found("learned", lambda states: -values(states)) == 0
    assert found("random", None) == 0
    assert looks_for(Puzzle(game)) == ("playouts", "few", "many", "goal", "random")
    assert looks_for(Puzzle(game, values=values))[0] == "learned"


@pytest.mark.parametrize("sign", [1, -1])
def test_values_change_nothing_in_what_is_proved(sign: int) -> None:
    for text in (TOKENS, LOCK, COLOURS):
        game = gdl.compile(text)
        without = plan(game, seconds=20)

        def values(states: NDArray[np.uint64]) -> NDArray[np.float32]:
            return sign * np.bitwise_count(states).sum(axis=1).astype(np.float32)

        found = plan(game, seconds=20, values=values)
        assert (found.goal, found.proven, found.shortest) == (without.goal, without.proven, without.shortest)
        assert len(found.moves) == len(without.moves)
        assert played(game, game.initial_state(), found)


def test_layers_hold_moves_whose_order_does_not_matter() -> None:
    game = gdl.compile(COLOURS)
    puzzle = Puzzle(game)
    effects = Effects(puzzle, time.monotonic() + 20)
    names = [move.text for move in game.all_moves("r")]
    conflicts = {frozenset((names[one], names[other])) for one, other in effects.conflicts}
    # The same place, or neighbours with one colour; b and d are no neighbours.
    assert frozenset(("(paint a red)", "(paint a blue)")) in conflicts
    assert frozenset(("(paint a red)", "(paint b red)")) in conflicts
    assert frozenset(("(paint a red)", "(paint b blue)")) not in conflicts
    assert frozenset(("(paint b red)", "(paint d red)")) not in conflicts
    layers = Layers(puzzle, effects, last=False)
    assert layers.extend(1, time.monotonic() + 20)
    answer = layers.solve(100, time.monotonic() + 20)
    assert answer is not None
    assert answer.moves is not None
    assert [len(layer) for layer in answer.moves] == [4]


def test_memory_that_is_used_up_ends_the_search_and_proves_nothing() -> None:
    puzzle = Puzzle(gdl.compile(SWITCHES))
    search = Breadth(puzzle, memory=1, alike=False)
    assert search.advance(time.monotonic() + 20)
    assert search.full
    assert not search.found.complete
    # 4096 states without, 13 with the knowledge that switches are interchangeable.
    search = Breadth(puzzle, memory=1)
    assert search.advance(time.monotonic() + 20)
    assert (search.found.goal, len(search.found.moves), search.found.states) == (100, 12, 13)


def test_a_search_that_has_no_time_still_answers() -> None:
    search = Portfolio(Puzzle(gdl.compile(TOKENS)), memory=1 << 24)
    search.run(time.monotonic() - 1)
    assert not search.highest
    assert search.goal == -1


def test_a_game_that_is_over_needs_no_moves() -> None:
    game = gdl.compile(WALK)
    state = game.initial_state()
    for _ in range(3):
        state = game.next_state(state, ["right"])
    found = plan(game, state, seconds=5)
    assert (found.moves, found.goal, found.proven, found.shortest) == ((), 100, True, True)


def test_progress_and_better_plans_are_told() -> None:
    told: list[str] = []
    better: list[Plan] = []
    found = plan(gdl.compile(TOKENS), seconds=20, progress=told.append, improved=better.append)
    assert any("breadth-first" in text for text in told)
    assert better[-1].moves == found.moves


def test_a_plan_is_for_one_role() -> None:
    game = gdl.compile("(role a) (role b) (legal a m) (legal b m) terminal (goal a 0) (goal b 0)")
    with pytest.raises(NotOneRoleError, match="a, b"):
        plan(game)


@pytest.mark.parametrize("name", ["walk", "late", "tokens", "dead", "colours"])
def test_the_reasoner_plans_too(name: str) -> None:
    game = gdl.Reasoner(TOYS[name])
    goal, _ = best_by_hand(game, game.initial_state())
    course = Plain(game, game.initial_state(), 0, None).run(time.monotonic() + 20)
    state = game.initial_state()
    for move in course.moves:
        state = game.next_state(state, [move])
    assert game.is_terminal(state)
    assert game.goal(state, "r") == course.goal
    # Where the clock tells states apart that it leaves out, only random playouts find what is late.
    assert course.goal == goal or name == "late"


def test_the_search_without_compiled_code_ends_when_told_and_goes_on() -> None:
    game = gdl.Reasoner(TOYS["far"])
    search = Plain(game, game.initial_state(), 0, None)
    asked = iter([False] * 5)
    deadline = time.monotonic() + 20
    course = search.run(deadline, enough=lambda: next(asked, True))
    assert time.monotonic() < deadline - 10
    assert not course.over
    goal, _ = best_by_hand(game, game.initial_state())
    assert search.run(deadline).goal == goal


@pytest.mark.slow
def test_sliding_pieces_takes_80_moves_and_no_fewer() -> None:
    found = plan(gdl.Simulator.load("games/sliding_pieces.kif"), seconds=60)
    assert (found.goal, len(found.moves), found.proven, found.shortest) == (100, 80, True, True)


@pytest.mark.slow
def test_the_classic_pieces_cannot_be_solved_in_time() -> None:
    found = plan(gdl.Simulator.load("games/variants/sliding_pieces_classic.kif"), seconds=60)
    assert (found.goal, found.proven) == (0, True)


def test_puzzles_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, rules in {"tokens": TOKENS, "two": "(role a) (role b) terminal", "wrong": "(role a"}.items():
        (tmp_path / f"{name}.kif").write_text(rules, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["puzzles.py", str(tmp_path), "--start-clock", "20", "--play-clock", "5"])
    runpy.run_path(str(ROOT / "docs" / "benchmarks" / "puzzles.py"), run_name="__main__")
    out, err = capsys.readouterr()
    assert [line.split("|")[1:3] for line in out.splitlines()[2:]] == [[" tokens ", " 100 "]]
    assert err.startswith("wrong: ")
