"""The choice of code for single states, and what either kind of code says of whole games."""

from __future__ import annotations

import threading
from contextlib import suppress
from itertools import pairwise
from math import inf
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given
from support.agreement import check_playouts
from support.processors import interpreting
from support.profiles import examples
from support.strategies import games
from support.toy_rules import COIN, NIM

import gdl
from gdl.circuit.game import GameCircuit
from gdl.codegen.activity import activity
from gdl.codegen.evaluation import look, move
from gdl.codegen.llvm.machine_code import Library, compiled, host
from gdl.compile_errors import CompileError
from gdl.simulator import single_states
from gdl.simulator.single_state_speed import fastest
from gdl.simulator.single_states import inputs, single_state_programs
from ggp.rules.shipped_games import find_game

#: One role with one move at a time.
FORCED = """
(role a) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 4) (<= (legal a (go ?y)) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?y)) (does a (go ?y))) (<= terminal (true (at 4))) (goal a 1)
"""

#: One role with two moves at a time.
ONE_OF_TWO = """
(role a) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 4) (legal a stay) (legal a go)
(<= (next (at ?y)) (does a go) (true (at ?x)) (succ ?x ?y)) (<= (next (at ?x)) (does a stay) (true (at ?x)))
(<= terminal (true (at 4))) (goal a 1)
"""

#: Nodes 1 to 6, and edges that a role may take away or put back; `reached` needs a loop, if it is not unfolded.
NODES = range(1, 7)
GRAPH = f"""
(role a) (init (turn 1)) {" ".join(f"(succ {i} {j})" for i, j in pairwise(range(1, 13)))}
{" ".join(f"(node {i})" for i in NODES)} (init (edge 1 2)) (init (edge 2 3)) (init (edge 3 1)) (init (edge 5 6))
(<= (pair ?x ?y) (node ?x) (node ?y) (distinct ?x ?y)) (<= (legal a (flip ?x ?y)) (pair ?x ?y))
(<= (next (edge ?x ?y)) (true (edge ?x ?y)) (not (does a (flip ?x ?y))))
(<= (next (edge ?x ?y)) (does a (flip ?x ?y)) (not (true (edge ?x ?y))))
(<= (next (turn ?j)) (true (turn ?i)) (succ ?i ?j)) (<= terminal (true (turn 12)))
(<= (reached 1)) (<= (reached ?y) (reached ?x) (true (edge ?x ?y)))
(<= (goal a 100) (reached 6)) (<= (goal a 50) (reached 5) (not (reached 6)))
(<= (goal a 0) (not (reached 5)) (not (reached 6)))
"""

#: Another `look`, which counts to a number before it calls the first one.
SLOW = """
define void @look(ptr %state, ptr %out, ptr %work) {
entry:
  br label %wait
wait:
  %i = phi i64 [ 0, %entry ], [ %next, %wait ]
  %next = add i64 %i, 1
  store volatile i64 %next, ptr %out
  %more = icmp ult i64 %next, 20000
  br i1 %more, label %wait, label %done
done:
  call void @fast_look(ptr %state, ptr %out, ptr %work)
  ret void
}
"""


def circuit(name: str) -> GameCircuit:
    return gdl.Simulator.load(find_game(name)).circuit


def follow_changes(game: GameCircuit, largest: float = inf) -> list[bool]:
    """For each program, return whether it follows changes."""
    return ["@look.edges" in text for text, _ in single_state_programs(game, largest)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tic_tac_toe", [False]),
        # Faster without changes on an Intel Xeon (Sapphire Rapids), and with them on an AMD EPYC.
        ("breakthrough", [False, True]),
        pytest.param("othello", [False], marks=pytest.mark.slow),
        pytest.param("battle", [False, True], marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_kinds_that_may_be_the_faster_one(name: str, expected: list[bool]) -> None:
    game = circuit(name)
    assert follow_changes(game) == expected
    assert follow_changes(game, largest=100) == [True]
    with patch.object(single_states, "LARGEST_SINGLE", inputs(game) - 1):
        assert follow_changes(game) == [True]


@pytest.mark.parametrize("others", [0, 61, 62, 63, 64])
def test_each_turn_has_code_of_its_own(others: int) -> None:
    """Wherever the bits of the facts are that say whose turn it is."""
    facts = " ".join(f"(init (a {number}))" for number in range(100, 100 + others))
    rules = NIM + facts + "(<= (next (a ?n)) (true (a ?n)))" * bool(others)
    simulator = gdl.compile(rules, cache=False)
    game = simulator._compiler.game
    looking, moving = look(game), move(game, percepts=True)
    cases, operations, size = single_states._cases(game, looking, moving)
    assert cases is not None
    assert [str(game.facts[number]) for number in cases] == ["(control left)", "(control right)"]
    assert cases == (others, others + 1)
    assert operations == size / 2 < 0.9 * (len(looking.netlist) + len(moving.netlist))
    with patch.object(single_states, "_share", return_value=inf):
        check_playouts(gdl.Reasoner(rules), simulator, 3, 30, 60.0)


CROSSING = Path(find_game("crossing")).read_text()


@pytest.mark.parametrize("rules", [FORCED, ONE_OF_TWO, CROSSING], ids=["forced", "one of two", "loops"])
def test_games_without_turns_have_one_code(rules: str) -> None:
    """Of two moves, exactly one is made, but no state says which; and loops are computed as a whole."""
    game = gdl.compile(rules, cache=False)._compiler.game
    assert single_states._cases(game, look(game), move(game, percepts=True))[0] is None


def test_large_circuits_of_which_little_changes() -> None:
    game = circuit("connect_four")
    shares = [single_states._share(game, operations) for operations in (472, 10_000, 10)]
    assert 1 < shares[0] < 4
    assert shares[1] < 0.25
    assert shares[2] > 4


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_the_fastest_code_is_found(name: str) -> None:
    """The same code is slower if it is called through many more instructions."""
    game = circuit(name)
    (text, facts), *_ = single_state_programs(game)
    slow = f"{text}\n{SLOW}".replace("@look(", "@fast_look(", 1)
    codes = [(Library(compiled(one, host())), facts["work"]) for one in (text, slow, text)]
    assert fastest(game, codes[1:]) == 1
    assert fastest(game, codes[:2]) == 0


def test_the_estimate_is_always_the_same() -> None:
    game = circuit("connect_four")
    found = activity(game)
    assert found is not None
    assert found == activity(game)
    # A disc, whose turn it is, and the moves; each is read by a few gates.
    assert 4 < found.changes < 40
    assert found.changes < found.edges < 100


def test_moves_are_tried_in_their_order() -> None:
    """Most moves have the row of the move before them, so that the marks of a row change seldom."""
    numbers = range(1, 9)
    rules = f"""
    (role p) {" ".join(f"(number {i})" for i in numbers)} (init (marked 1 1))
    (<= (legal p (put ?x ?y)) (number ?x) (number ?y)) (<= terminal (true (column 9)))
    (<= (next (marked ?x ?k)) (number ?k) (does p (put ?x ?y)))
    (<= (next (column ?y)) (does p (put ?x ?y))) (goal p 50)
    """
    found = activity(gdl.compile(rules).circuit)
    assert found is not None
    # The moves themselves, two columns, and in one of eight cases two rows of eight marks: two random moves would
    # nearly always change the rows, which makes 21.
    assert 5 < found.edges < 11


def test_without_a_choice_there_is_no_estimate() -> None:
    assert activity(gdl.compile(FORCED).circuit) is None
    assert single_states._share(gdl.compile(FORCED).circuit, 10**6) == inf


@pytest.mark.parametrize("rules", [NIM, COIN, FORCED, GRAPH], ids=["nim", "coin", "forced", "graph"])
def test_changes_are_followed_as_the_reasoner_says(rules: str) -> None:
    with interpreting():
        check_playouts(gdl.Reasoner(rules), gdl.compile(rules, cache=False), count=10, plies=20)


@pytest.mark.parametrize(
    "name", ["connect_four", *(pytest.param(n, marks=pytest.mark.slow) for n in ("battle", "othello"))]
)
def test_shipped_games(name: str) -> None:
    reasoner = gdl.Reasoner.load(find_game(name))
    with interpreting():
        simulator = gdl.Simulator.load(find_game(name), cache=False)
        check_playouts(reasoner, simulator, count=2, plies=40, seconds=5.0)


@examples(15, thorough=8)
@given(games())
def test_random_games(rules: str) -> None:
    with suppress(CompileError), interpreting():
        check_playouts(gdl.Reasoner(rules), gdl.compile(rules, cache=False), count=4, plies=6)


def test_threads_take_turns() -> None:
    with interpreting():
        game = gdl.compile(find_game("tic_tac_toe"), cache=False)
        assert game.legal_moves(game.initial_state(), "xplayer")
    wrong: list[str] = []

    def play(seed: int) -> None:
        random, alone = Random(seed), gdl.compile(find_game("tic_tac_toe"))
        for _ in range(30):
            state = game.initial_state()
            while not game.is_terminal(state):
                moves = [random.choice(game.legal_moves(state, role)) for role in game.roles]
                other = alone.next_state(alone.state(set(state)), moves)
                state = game.next_state(state, moves)
                if set(other) != set(state):
                    wrong.append(str(state))

    threads = [threading.Thread(target=play, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("cells", [63, 64, 65, 128])
def test_a_loop_all_of_whose_inputs_hold_at_first(cells: int) -> None:
    """The first state that is looked at decides whether a loop is evaluated at all."""
    around = " ".join(f"(next_to {cell} {cell % cells + 1})" for cell in range(1, cells + 1))
    opened = " ".join(f"(init (open {cell}))" for cell in range(1, cells + 1))
    rules = f"""
    (role p) {around} {opened}
    (<= (legal p (close ?x)) (true (open ?x)))
    (<= (next (open ?x)) (true (open ?x)) (not (does p (close ?x))))
    (<= (reached ?x) (true (open 1)) (next_to 1 ?x) (true (open ?x)))
    (<= (reached ?y) (reached ?x) (next_to ?x ?y) (true (open ?y)))
    (<= terminal (not (reached {cells // 2})))
    (<= (goal p 100) (reached {cells // 2})) (<= (goal p 0) (not (reached {cells // 2})))
    """
    with interpreting():
        simulator = gdl.compile(rules, cache=False)
        assert not simulator.is_terminal(simulator.initial_state())
        check_playouts(gdl.Reasoner(rules), simulator, count=2, plies=5)
