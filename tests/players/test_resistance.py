"""Chooses the move that others are likely to answer wrongly, where a role cannot force more."""

from __future__ import annotations

from functools import cache
from threading import Event

import pytest

import gdl
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import End, Start, Turn, make_player
from ggp.players.analyst import Analyst
from ggp.players.clock import NEVER, Deadline
from ggp.players.finishing import Candidates
from ggp.players.mcts.move_statistics import MoveStatistics, resisting
from ggp.players.mcts.world import LanesWorld
from ggp.players.resistance import Others
from ggp.players.traits import thought_of


def doors(kept: int) -> str:
    """Return rules in which `hare` can force `kept` and no more, whether it drags or goes to the doors.

    Behind the first door, the other role has to find one way of 2187; behind each other one, which looks better to
    playouts, `hare` gets 100 if it finds one way of 243.
    """
    return f"""
    (role hare) (role fox) (init (step start))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
    (pick a) (pick b) (pick c) (key 0 b) (key 1 a) (key 2 c) (key 3 b) (key 4 a) (key 5 a) (key 6 c)
    (door 1) (door 2) (door 3) (door 4)
    (<= (legal hare drag) (true (step start))) (<= (legal hare doors) (true (step start)))
    (<= (legal fox (open ?d)) (true (step door)) (door ?d))
    (<= (legal fox (take ?p)) (true (way fox)) (pick ?p)) (<= (legal hare (take ?p)) (true (way hare)) (pick ?p))
    (<= (legal hare noop) (not (true (step start))) (not (true (way hare))))
    (<= (legal fox noop) (not (true (step door))) (not (true (way fox))))
    (<= (next (step door)) (does hare doors)) (<= (next (step 0)) (does hare drag)) (<= (next dragged) (does hare drag))
    (<= (next (step 0)) (does fox (open ?d))) (<= (next (way fox)) (does fox (open 1)))
    (<= (next (way hare)) (does fox (open ?d)) (distinct ?d 1))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= (next (way ?r)) (true (way ?r)))
    (<= (next dragged) (true dragged)) (<= (next (took ?n ?p)) (true (took ?n ?p)))
    (<= (next (took ?n ?p)) (does ?r (take ?p)) (true (step ?n)))
    (<= missed (true (took ?n ?p)) (not (key ?n ?p)))
    (<= terminal (true dragged) (true (step 10))) (<= terminal (true (way fox)) (true (step 7)))
    (<= terminal (true (way hare)) (true (step 5)))
    (<= found (true (way hare)) (not missed)) (<= freed (true (way fox)) missed)
    (<= (goal hare 100) found) (<= (goal hare 100) freed (not found))
    (<= lost (not found) (not freed) (not (true resigned))) (<= (goal hare {kept}) lost) (<= (goal fox 0) found)
    (<= (goal fox 0) freed (not found)) (<= (goal fox {100 - kept}) lost)
    (<= (legal hare resign) (true (step start))) (<= (next resigned) (does hare resign)) (<= terminal (true resigned))
    (<= (goal hare 0) (true resigned)) (<= (goal fox 100) (true resigned))
    """


@cache
def compiled(kept: int) -> gdl.Simulator:
    return gdl.compile(doors(kept))


@pytest.mark.parametrize(
    ("player", "kept", "verdict"),
    [
        ("mcts(simulations=10000)", 0, "lost by force"),
        ("mcts(simulations=10000)", 50, "50 by force"),
        ("alphabeta(nodes=100000)", 0, "lost by force"),
        ("alphabeta(nodes=100000)", 50, "50 by force"),
    ],
)
def test_a_trap_is_better_than_to_drag(player: str, kept: int, verdict: str) -> None:
    game = compiled(kept)
    hare = make_player(player)
    hare.start(Start("trap", game, "hare", 1), NEVER)
    state = game.initial_state()
    move = hare.move(Turn(1, state, game.legal_moves(state, "hare")))
    assert move == gdl.parse_term("doors")
    thought = thought_of(hare)
    assert thought is not None
    assert thought.proven
    assert thought.note == f"{verdict}; 1 reply of 4 keeps it"


def test_the_analysis_shows_it() -> None:
    game = gdl.Reasoner(doors(0))
    *_, found = Analyst(game).evaluate(game.initial_state(), 60.0, Event(), solve=False, patient=True)
    assert found.best["hare"][0].move == "doors"
    assert found.note == "lost by force; 1 reply of 4 keeps it"


def test_the_trap_works() -> None:
    players = {"hare": make_player("mcts(simulations=10000)"), "fox": make_player("mcts(simulations=50)")}
    assert play_match(compiled(0), players, Settings(seed=3)).goals == (100, 0)


@pytest.mark.parametrize(("door", "strength"), [("(open 1)", 256), ("(open 2)", 64)])
def test_the_strength_of_others_is_seen_in_their_moves(door: str, strength: int) -> None:
    game = compiled(0)
    at_doors = game.next_state(game.initial_state(), ["doors", "noop"])
    others = Others(LanesWorld(game, 1), "hare", 1)
    moves = Candidates((gdl.parse_term("drag"), gdl.parse_term("doors")), 0.0, lost=True)
    seen = [(at_doors, (gdl.parse_term("noop"), gdl.parse_term(door)))]
    others.compared(game.initial_state(), moves, seen, NEVER, None)
    assert others.strength == strength
    assert not seen


@pytest.mark.parametrize("player", ["mcts", "alphabeta"])
def test_moves_are_compared_within_the_clock(player: str) -> None:
    game = compiled(0)
    hare = make_player(player)
    hare.start(Start("clock", game, "hare", 1), NEVER)
    state = game.initial_state()
    deadline = Deadline.after(20.0)
    move = hare.move(Turn(1, state, game.legal_moves(state, "hare"), deadline=deadline))
    assert deadline.left() > 0
    hare.stop(End("finished"))
    assert move == gdl.parse_term("doors")


@pytest.mark.parametrize(("sure", "note"), [(0.0, "lost by force"), (0.5, "50 by force"), (None, "seems lost")])
def test_without_time_the_first_move_is_made(sure: float | None, note: str) -> None:
    game = compiled(0)
    others = Others(LanesWorld(game, 1), "hare", 1)
    moves = Candidates((gdl.parse_term("drag"), gdl.parse_term("doors")), sure, lost=not sure)
    found = others.compared(game.initial_state(), moves, [], Deadline.after(0.0), None)
    assert (found.move.text, found.note) == ("drag", note)


def statistics(*moves: tuple[float, int, int]) -> list[MoveStatistics]:
    return [
        MoveStatistics(gdl.parse_term(f"m{number}"), visits, goal, length > 0, length)
        for number, (goal, visits, length) in enumerate(moves)
    ]


@pytest.mark.parametrize(
    ("moves", "alike", "sure"),
    [
        ([(0.0, 9, 4), (0.0, 5, 8), (0.0, 7, 6)], ["m1", "m2", "m0"], 0.0),  # all lose
        ([(0.0, 9, 4), (50.0, 5, 8), (50.0, 7, 6)], ["m1", "m2"], 0.5),  # two draw
        ([(2.0, 90, 0), (1.0, 80, 0), (1.0, 5, 0), (0.0, 7, 6)], ["m0", "m1"], None),  # all seem to lose
        ([(2.0, 90, 0), (1.0, 80, 0), (100.0, 7, 5)], None, None),  # one wins
        ([(2.0, 90, 0), (1.0, 80, 0), (50.0, 7, 5)], None, None),  # one draws
        ([(30.0, 90, 0), (1.0, 80, 0)], None, None),  # one may be better
        ([(100.0, 9, 4), (100.0, 5, 8)], None, None),  # both win
        ([(0.0, 0, 0), (0.0, 0, 0)], None, None),  # no search
    ],
)
def test_which_moves_are_compared(
    moves: list[tuple[float, int, int]], alike: list[str] | None, sure: float | None
) -> None:
    found = resisting(statistics(*moves), 0.0, 100.0)
    assert (None if found is None else [move.text for move in found.moves]) == alike
    assert found is None or found.sure == sure
