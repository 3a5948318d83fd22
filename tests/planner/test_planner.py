"""Plans are compared with a search by the Reasoner that remembers nothing and shares nothing: every course of play."""

from __future__ import annotations

import time
from random import Random

import pytest

import gdl
from ggp.planner import NotOneRoleError, Plan, plan
from ggp.planner.beam import LOOKS, beam
from ggp.planner.breadth import Breadth
from ggp.planner.effects import Effects
from ggp.planner.plain_search import plain_plan
from ggp.planner.portfolio import Portfolio
from ggp.planner.puzzle import Puzzle
from ggp.planner.unrolling import Layers, Unrolled

SUCC = "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)"
COUNT = f"(init (step 0)) (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b)) {SUCC}"

#: A walk along a line; the counter only limits it.
WALK = f"""
(role r) (init (at 3)) {COUNT}
(<= (legal r left) (true (at ?x)) (succ ?y ?x)) (<= (legal r right) (true (at ?x)) (succ ?x ?y)) (legal r stay)
(<= (next (at ?y)) (does r left) (true (at ?x)) (succ ?y ?x))
(<= (next (at ?y)) (does r right) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?x)) (does r stay) (true (at ?x)))
(<= terminal (true (at 6))) (<= terminal (true (at 0))) (<= terminal (true (step 5)))
(<= (goal r 100) (true (at 6))) (<= (goal r 40) (true (at 0)))
(<= (goal r 10) (not (true (at 6))) (not (true (at 0))))
"""

#: The same, but too far: the far end is two plies beyond the limit.
FAR = WALK.replace("(step 5)", "(step 2)")

#: Who is on the way when time is over counts: a state that was seen early may have to be come back to.
LATE = """
(role r) (init (at 0)) (init (step 0))
(<= (legal r ?m) (edge ?x ?m ?y) (true (at ?x)))
(<= (next (at ?y)) (does r ?m) (true (at ?x)) (edge ?x ?m ?y))
(<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
(edge 0 a 1) (edge 0 b 2) (edge 1 a 0) (edge 1 b 3) (edge 2 a 3) (edge 3 a 3) (edge 2 b 0)
(<= terminal (true (step 6)))
(<= (goal r ?g) (true (at ?x)) (worth ?x ?g)) (worth 0 70) (worth 1 80) (worth 2 90) (worth 3 20)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
"""

#: The end is worth most at one moment.
MOMENT = f"""
(role r) (init (at 0)) {COUNT}
(<= (legal r go) (true (at ?x))) (<= (legal r wait) (true (at ?x)))
(<= (next (at ?y)) (does r go) (true (at ?x)) (succ ?x ?y)) (<= (next (at ?x)) (does r wait) (true (at ?x)))
(<= terminal (true (at 3))) (<= terminal (true (step 7)))
(<= (goal r 100) (true (at 3)) (true (step 5))) (<= (goal r 60) (true (at 3)) (not (true (step 5))))
(<= (goal r 0) (not (true (at 3))))
"""

#: A legal move depends on the counter: it is none.
CLOSED = f"""
(role r) (init (at 0)) {COUNT}
(<= (legal r go) (true (at ?x)) (true (step ?s)) (open ?s)) (legal r wait) (open 2) (open 3) (open 6)
(<= (next (at ?y)) (does r go) (true (at ?x)) (succ ?x ?y)) (<= (next (at ?x)) (does r wait) (true (at ?x)))
(<= terminal (true (at 3))) (<= terminal (true (step 8)))
(<= (goal r 100) (true (at 3))) (<= (goal r 0) (not (true (at 3))))
"""

#: No counter, and no need to come to an end: a lock of three wheels.
LOCK = """
(role r) (init (wheel a 0)) (init (wheel b 1)) (init (wheel c 2))
(<= (legal r (turn ?w)) (true (wheel ?w ?x)))
(<= (next (wheel ?w ?y)) (does r (turn ?w)) (true (wheel ?w ?x)) (after ?x ?y))
(<= (next (wheel ?w ?y)) (does r (turn ?v)) (linked ?v ?w) (true (wheel ?w ?x)) (after ?x ?y))
(<= (next (wheel ?w ?x)) (true (wheel ?w ?x)) (does r (turn ?v)) (distinct ?v ?w) (not (linked ?v ?w)))
(linked a b) (linked b c) (after 0 1) (after 1 2) (after 2 3) (after 3 0)
(<= terminal open) (<= (goal r 100) open) (<= (goal r 0) (not open))
(<= open (true (wheel a 2)) (true (wheel b 2)) (true (wheel c 0)))
"""

#: Four tokens, of which the rules name one; some on a ring of five places, one a place.
TOKENS = f"""
(role r) (init (on p1 t1)) (init (on p2 t2)) (init (on p3 t3)) (init (on p4 t4)) {COUNT}
(<= (legal r (shift ?t)) (true (on ?p ?t)) (ring ?p ?q) (not (taken ?q)))
(<= (legal r (jump ?t)) (true (on ?p ?t)) (ring ?p ?q) (ring ?q ?s) (not (taken ?s)))
(<= (taken ?p) (true (on ?p ?t)))
(<= (next (on ?q ?t)) (does r (shift ?t)) (true (on ?p ?t)) (ring ?p ?q))
(<= (next (on ?s ?t)) (does r (jump ?t)) (true (on ?p ?t)) (ring ?p ?q) (ring ?q ?s))
(<= (next (on ?p ?t)) (true (on ?p ?t)) (not (moved ?t)))
(<= (moved ?t) (does r (shift ?t))) (<= (moved ?t) (does r (jump ?t)))
(ring p1 p2) (ring p2 p3) (ring p3 p4) (ring p4 p5) (ring p5 p1)
(<= terminal home) (<= terminal (true (step 8))) (<= (goal r 100) home) (<= (goal r 0) (not home))
(<= home (true (on p5 t2)) (not (taken p2)))
"""

#: Some ways end where nothing is worth anything, and one never ends.
DEAD = """
(role r) (init (at a))
(<= (legal r (to ?y)) (true (at ?x)) (way ?x ?y)) (<= (next (at ?y)) (does r (to ?y)))
(way a b) (way b c) (way c b) (way a d) (way d e) (way e f) (way b f)
(<= terminal (true (at f))) (<= terminal (true (at d)))
(<= (goal r 25) (true (at f))) (<= (goal r 50) (true (at d))) (<= (goal r 100) (true (at nowhere)))
"""

#: Each place gets one of three colours, neighbours different ones; the order does not matter.
COLOURS = """
(role r)
(<= (init (free ?x)) (place ?x)) (place a) (place b) (place c) (place d)
(<= (legal r (paint ?x ?c)) (true (free ?x)) (colour ?c) (not (near ?x ?c)))
(<= (near ?x ?c) (next_to ?x ?y) (true (painted ?y ?c))) (<= (near ?x ?c) (next_to ?y ?x) (true (painted ?y ?c)))
(next_to a b) (next_to b c) (next_to c d) (next_to d a) (next_to a c) (colour red) (colour green) (colour blue)
(<= (next (painted ?x ?c)) (does r (paint ?x ?c))) (<= (next (painted ?x ?c)) (true (painted ?x ?c)))
(<= (next (free ?x)) (true (free ?x)) (not (done ?x))) (<= (done ?x) (does r (paint ?x ?c)))
(<= terminal (not possible)) (<= possible (legal r ?m)) (<= unfinished (true (free ?x)))
(<= (goal r 100) (not unfinished)) (<= (goal r 0) unfinished)
"""

#: Twelve switches have to be on.
SWITCHES = """
(role r) (<= (legal r (flip ?s)) (switch ?s))
(<= (next (on ?s)) (does r (flip ?s)) (not (true (on ?s))))
(<= (next (on ?s)) (true (on ?s)) (does r (flip ?t)) (distinct ?s ?t))
(<= off (switch ?s) (not (true (on ?s))))
(<= terminal (not off)) (<= (goal r 100) (not off)) (<= (goal r 0) off)
(switch a) (switch b) (switch c) (switch d) (switch e) (switch f)
(switch g) (switch h) (switch i) (switch j) (switch k) (switch l)
"""

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
    """Whether a plan can be played, and leads where it says."""
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
        puzzle = Puzzle(game)
        course = beam(puzzle, look, 64, deadline=time.monotonic() + 20, memory=1 << 24, seed=1)
        moves = tuple(game.all_moves("r")[number] for number in course.moves)
        found = Plan(moves, course.goal, False, False, course.states, 0.0, look)
        assert played(game, game.initial_state(), found)
        assert course.goal == 100


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
    course = plain_plan(game, game.initial_state(), deadline=time.monotonic() + 20)
    state = game.initial_state()
    for move in course.moves:
        state = game.next_state(state, [move])
    assert game.is_terminal(state)
    assert game.goal(state, "r") == course.goal
    # Where the clock tells states apart that it leaves out, only random playouts find what is late.
    assert course.goal == goal or name == "late"


def test_sliding_pieces_takes_80_moves_and_no_fewer() -> None:
    found = plan(gdl.Simulator.load("games/sliding_pieces.kif"), seconds=60)
    assert (found.goal, len(found.moves), found.proven, found.shortest) == (100, 80, True, True)


@pytest.mark.slow
def test_the_classic_pieces_cannot_be_solved_in_time() -> None:
    found = plan(gdl.Simulator.load("games/variants/sliding_pieces_classic.kif"), seconds=60)
    assert (found.goal, found.proven) == (0, True)
