"""Many packed states at once: what arrays say is what is said of each state alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray
from support.processors import interpreting, narrow
from support.profiles import examples
from support.strategies import games
from support.toy_files import ROOT, SPREAD
from support.toy_rules import COIN, ENDLESS, NIM, STUCK

import gdl
from gdl.simulator.arrays import NO_GOAL, Arrays

SHIPPED = sorted((ROOT / "games").rglob("*.kif"))
#: Quick to compile.
QUICK = {"tic_tac_toe", "connect_four"}

#: No fact ever holds, so that nothing ever changes.
NO_FACTS = "(role a) (role b) (legal a x) (legal a y) (legal b z) (<= terminal (legal a q)) (goal a 50)"
#: The game is over before it begins.
OVER = "(role a) (legal a x) (init (s 1)) (<= terminal (true (s 1))) (goal a 70)"
#: No role ever has a goal.
NO_GOALS = "(role a) (role b) (init on) (legal a x) (legal a y) (legal b z) (<= terminal (not (true on)))"
#: Goals that are none: several at a time, words, too large, negative ones.
ODD_GOALS = """
(role a) (role b) (role c) (role d) (role e) (init (at 0)) (step 0 1) (step 1 2) (step 2 3)
(<= (legal ?r stay) (role ?r)) (legal a go)
(<= (next (at ?m)) (true (at ?n)) (step ?n ?m) (does a go)) (<= (next (at ?n)) (true (at ?n)) (does a stay))
(<= terminal (true (at 3)))
(<= (goal a 10) (true (at 1))) (<= (goal a 20) (true (at 1))) (<= (goal a 30) (true (at 1)))
(<= (goal a 40) (true (at 2)))
(goal b many) (<= (goal c 99999) (true (at 0))) (<= (goal c -2) (true (at 1))) (<= (goal c -300) (true (at 2)))
(<= (goal d -2) (true (at 2))) (<= (goal d 5) (true (at 2))) (goal e 007)
"""
#: One of 70 moves, and after one of these 70 for each role; goals say which was done.
MANY = (
    "(role a) (role b) (init start)"
    + "".join(f"(n {i})" for i in range(70))
    + """(<= (legal a (choose ?i)) (n ?i)) (<= (legal b (choose ?i)) (n ?i) (true (chose a 3))) (legal b noop)
    (<= (next (chose ?r ?i)) (does ?r (choose ?i))) (<= terminal (not (true start)) (not (true (chose a 3))))
    (<= (goal ?r ?i) (true (chose ?r ?i)))"""
)
#: Only some roles get stuck, and only after some moves.
SOMETIMES_STUCK = """
(role a) (role b) (init (at 0)) (step 0 1) (step 1 2) (step 2 3)
(legal a go) (legal a stay) (<= (legal b noop) (not (true (at 2)))) (<= (legal b off) (true (at 1)))
(<= (next (at ?m)) (true (at ?n)) (step ?n ?m) (does a go)) (<= (next (at ?n)) (true (at ?n)) (does a stay))
(<= terminal (true (at 3))) (<= (next over) (does b off)) (<= terminal (true over))
(<= (goal ?r 50) (role ?r))
"""
TOYS = {
    "nim": NIM,
    "coin": COIN,
    "stuck": STUCK,
    "endless": ENDLESS,
    "no facts": NO_FACTS,
    "over": OVER,
    "no goals": NO_GOALS,
    "odd goals": ODD_GOALS,
    "many": MANY,
    "sometimes stuck": SOMETIMES_STUCK,
}


@cache
def compiled(rules: str) -> gdl.Simulator:
    return gdl.compile(rules)


def legal(game: gdl.Simulator, state: gdl.PackedState, role: str) -> tuple[gdl.Term, ...]:
    try:
        return game.legal_moves(state, role)
    except gdl.NoLegalMoveError:
        return ()


def goals(game: gdl.Simulator, state: gdl.PackedState) -> list[int]:
    values = []
    for role in game.roles:
        try:
            value = game.goal(state, role)
        except gdl.GoalError:
            value = NO_GOAL
        values.append(value)
    return values


def reached(game: gdl.Simulator, count: int, seed: int = 1, most: int = 60) -> list[gdl.PackedState]:
    """So many different states of random playouts, as far as there are so many."""
    random, states = Random(seed), dict.fromkeys([game.initial_state()])
    for _ in range(20 * count):
        state = game.initial_state()
        for _ in range(random.randrange(1, most)):
            moves = [legal(game, state, role) for role in game.roles]
            if game.is_terminal(state) or not all(moves):
                break
            state = game.next_state(state, [random.choice(own) for own in moves])
            states[state] = None
            if len(states) >= count:
                return list(states)
    return list(states)


def number(game: gdl.Simulator, moves: Sequence[gdl.Term]) -> list[int]:
    """The numbers of a joint move."""
    first = game.arrays.first_moves
    return [first[i] + game.all_moves(role).index(moves[i]) for i, role in enumerate(game.roles)]


def repeated(states: Sequence[gdl.PackedState], count: int) -> list[gdl.PackedState]:
    return [states[i % len(states)] for i in range(count)]


def check(game: gdl.Simulator, states: Sequence[gdl.PackedState], alone: gdl.Simulator | None = None) -> None:
    """All answers about some states, against those about each state alone."""
    arrays, alone = game.arrays, alone or game
    packed = arrays.pack(states)
    assert packed.shape == (len(states), arrays.state_words)
    assert packed.dtype == np.uint64
    assert arrays.unpack(packed) == list(states)
    looked = arrays.look(packed)
    assert looked.shape == (len(states), arrays.look_words)
    # What is beyond these words has no meaning.
    mask = (1 << 64 * arrays.look_words) - 1
    assert [int.from_bytes(row.tobytes(), "little") for row in looked] == [alone._look(s) & mask for s in states]
    assert arrays.terminal(looked).tolist() == [alone.is_terminal(state) for state in states]
    held = [{game.all_facts[i] for i in np.flatnonzero(row)} for row in arrays.facts(packed)]
    assert held == [set(state) for state in states]
    for role in game.roles:
        terms = game.all_moves(role)
        found = [tuple(terms[i] for i in np.flatnonzero(row)) for row in arrays.legal(looked, role)]
        assert found == [legal(alone, state, role) for state in states]
    assert arrays.goal_values(looked).tolist() == [goals(alone, state) for state in states]
    parents, moves = arrays.joint_moves(looked)
    assert [str(parents.dtype), str(moves.dtype)] == ["int64", "int32"]
    check_joint_moves(game, alone, states, parents.tolist(), moves.tolist())
    check_next(game, alone, states, arrays.move(packed[parents], moves), parents.tolist(), moves.tolist())


def check_joint_moves(
    game: gdl.Simulator,
    alone: gdl.Simulator,
    states: Sequence[gdl.PackedState],
    parents: list[int],
    moves: list[list[int]],
) -> None:
    expected = [
        (i, number(game, joint))
        for i, state in enumerate(states)
        if not alone.is_terminal(state)
        for joint in product(*(legal(alone, state, role) for role in game.roles))
    ]
    assert list(zip(parents, moves, strict=True)) == expected


def check_next(
    game: gdl.Simulator,
    alone: gdl.Simulator,
    states: Sequence[gdl.PackedState],
    following: NDArray[np.uint64],
    parents: list[int],
    moves: list[list[int]],
) -> None:
    terms = [term for role in game.roles for term in game.all_moves(role)]
    assert following.shape == (len(parents), game.arrays.state_words)
    # Of very many, some.
    for i in range(0, len(parents), max(1, len(parents) // 3000)):
        joint = [terms[move] for move in moves[i]]
        assert following[i].tobytes() == alone.next_state(states[parents[i]], joint).bits


@pytest.mark.parametrize("name", TOYS)
def test_toy_games(name: str) -> None:
    game = compiled(TOYS[name])
    check(game, repeated(reached(game, 25), 30))


@pytest.mark.parametrize(
    "path",
    [
        p if p.stem in QUICK else pytest.param(p, marks=pytest.mark.slow)
        for p in SHIPPED
        if p in SPREAD or p.stem in QUICK
    ],
    ids=lambda p: p.stem,
)
def test_shipped_games(path: Path) -> None:
    game = gdl.compile(path)
    check(game, reached(game, 60))


@examples(3)
@given(games())
def test_random_games(rules: str) -> None:
    try:
        game = gdl.compile(rules, cache=False)
    except gdl.GdlError:
        return
    check(game, reached(game, 20, most=6))


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 1500])
def test_any_number_of_states(count: int) -> None:
    game = compiled(NIM)
    check(game, repeated(reached(game, 30), count))


def test_states_are_as_the_reasoner_has_them() -> None:
    game = compiled(SOMETIMES_STUCK)
    reasoner, arrays = gdl.Reasoner(SOMETIMES_STUCK), game.arrays
    states = [game.state(reasoner.state(state)) for state in reached(game, 20)]
    looked = arrays.look(arrays.pack(states))
    for i, state in enumerate(states):
        assert bool(arrays.terminal(looked)[i]) == reasoner.is_terminal(reasoner.state(state))
    parents, moves = arrays.joint_moves(looked)
    terms = [term for role in game.roles for term in game.all_moves(role)]
    following = arrays.unpack(arrays.move(arrays.pack(states)[parents], moves))
    for parent, joint, after in zip(parents, moves, following, strict=True):
        before = reasoner.state(states[parent])
        assert reasoner.state(after) == reasoner.next_state(before, [terms[move] for move in joint])


def test_states_of_other_memory_layouts() -> None:
    """Slices, steps and columns of larger arrays are states too."""
    game = compiled(NIM)
    arrays, states = game.arrays, reached(game, 10)
    packed = arrays.pack(states)
    wide = np.zeros((512, 3), np.uint64, order="F")
    wide[:, 1] = np.resize(packed[:, 0], 512)
    assert (arrays.look(wide[:, 1:2]) == arrays.look(np.resize(packed, (512, 1)))).all()
    assert (arrays.look(packed[::-2]) == arrays.look(packed)[::-2]).all()


def test_states_of_another_engine_and_of_a_copy() -> None:
    game = compiled(NIM)
    other = gdl.compile(NIM, cache=False)
    state, reasoner = game.initial_state(), gdl.Reasoner(NIM)
    assert (game.arrays.pack([other.initial_state()]) == game.arrays.pack([state])).all()
    assert game.arrays.unpack(game.arrays.pack([game.state(reasoner.initial_state())])) == [state]
    with pytest.raises(TypeError, match="expected a state of this game"):
        game.arrays.pack(["(heap 4)"])  # type: ignore[list-item]


# However the code is made


class Expected:
    """The answers of a game; asked before the machine is another, as code is made for one machine."""

    def __init__(self, game: gdl.Simulator) -> None:
        self.game = game
        self.states = repeated(reached(game, 40), 700)
        self.packed = game.arrays.pack(self.states)
        self.looked = game.arrays.look(self.packed)
        self.ends = {most: game.arrays.playouts(self.packed, 7, most) for most in (1, 3, 40)}

    def check(self, other: gdl.Simulator) -> None:
        assert type(other.arrays) is Arrays
        own = [other.state(state) for state in self.states]
        check(other, own[:40], self.game)
        packed = other.arrays.pack(own)
        assert (packed == self.packed).all()
        assert (other.arrays.look(packed) == self.looked).all()
        for most, ends in self.ends.items():
            assert (other.arrays.playouts(packed, 7, most) == ends).all()


WAYS = [
    "nim",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("no facts", "many", "sometimes stuck", "no goals")),
]


@pytest.mark.parametrize("name", WAYS)
def test_interpreted_code_gives_the_same(name: str) -> None:
    expected = Expected(compiled(TOYS[name]))
    with interpreting():
        expected.check(gdl.compile(TOYS[name], cache=False))


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize(
    "vectors", [pytest.param("sse2", marks=pytest.mark.slow), pytest.param("avx", marks=pytest.mark.slow), "avx2"]
)
def test_the_width_of_vectors_does_not_matter(name: str, vectors: str) -> None:
    expected = Expected(compiled(TOYS[name]))
    with narrow(vectors):
        expected.check(gdl.compile(TOYS[name], cache=False))


@pytest.mark.slow
@pytest.mark.parametrize("stem", sorted(QUICK))
def test_shipped_games_in_all_ways(stem: str) -> None:
    (path,) = (path for path in SHIPPED if path.stem == stem)
    expected = Expected(gdl.compile(path))
    with interpreting():
        expected.check(gdl.compile(path, cache=False))
    for vectors in ("avx2", "avx", "sse2"):
        with narrow(vectors):
            expected.check(gdl.compile(path, cache=False))


def test_threads_that_ask_at_the_same_time() -> None:
    game = compiled(NIM)
    arrays = game.arrays
    packed = arrays.pack(repeated(reached(game, 30), 1100))
    looked = arrays.look(packed)
    parents, moves = arrays.joint_moves(looked)
    following, ends = arrays.move(packed[parents], moves), arrays.playouts(packed, 3)

    def ask(turn: int) -> bool:
        places = np.arange(turn % 7, len(packed), 2)
        some = np.arange(turn % 5, len(parents), 3)
        return bool(
            (arrays.look(packed[places]) == looked[places]).all()
            and (arrays.move(packed[parents[some]], moves[some]) == following[some]).all()
            and (arrays.playouts(packed, 3) == ends).all()
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(60)))


# Playouts


def test_the_seed_decides() -> None:
    game = compiled(NIM)
    packed = game.arrays.pack([game.initial_state()] * 1300)
    first = game.arrays.playouts(packed, seed=5)
    assert (game.arrays.playouts(packed, seed=5) == first).all()
    assert (game.arrays.playouts(packed, seed=6) != first).any()
    # Lanes, and groups of lanes, differ from each other.
    assert len({first[i : i + 512].tobytes() for i in (0, 512)}) == 2


@pytest.mark.parametrize("name", ["nim", "many", "tic_tac_toe"])
def test_playouts_are_as_random_as_those_of_the_simulator(name: str) -> None:
    game = gdl.compile(ROOT / "games/classics/tic_tac_toe.kif") if name == "tic_tac_toe" else compiled(TOYS[name])
    count = 40_000
    packed = game.arrays.pack([game.initial_state()] * count)
    values = game.arrays.playouts(packed, seed=1)
    expected = game.playouts(count, seed=2)
    for place, role in enumerate(game.roles):
        own = Counter(values[:, place].tolist())
        other = Counter(dict(expected.counts[role].items()))
        other[NO_GOAL] = count - sum(other.values())
        check_samples(own, other)


def check_samples(own: Counter[int], other: Counter[int]) -> None:
    """Pearson's chi-squared for two samples of the same size: not farther than five standard deviations off."""
    keys = [key for key in own | other if own[key] + other[key]]
    chi2 = sum((own[key] - other[key]) ** 2 / (own[key] + other[key]) for key in keys)
    freedom = len(keys) - 1
    assert chi2 <= freedom + 5 * (2 * freedom) ** 0.5
    assert sum(own.values()) == sum(other.values())


def test_playouts_end_as_states_do() -> None:
    """From each state only ends that can be reached from it; where it is terminal, its own."""
    game = compiled(NIM)
    states = reached(game, 30)
    values = game.arrays.playouts(game.arrays.pack(states), seed=1)
    for state, own in zip(states, values.tolist(), strict=True):
        if game.is_terminal(state):
            assert own == goals(game, state)
        assert own in ([0, 100], [100, 0])


def test_playouts_that_are_cut_off_have_the_goals_that_hold_then() -> None:
    # The goal is the number of plies so far.
    count = 9
    rules = "(role a) (init (at 0)) (legal a x) (legal a y)" + "".join(f"(step {i} {i + 1})" for i in range(count))
    rules += f"""(<= (next (at ?m)) (true (at ?n)) (step ?n ?m)) (<= terminal (true (at {count})))
    (<= (goal a ?n) (true (at ?n)))"""
    game = gdl.compile(rules)
    packed = game.arrays.pack([game.initial_state()] * 600)
    # A lane that draws no move waits for a step, so there may be fewer plies than steps, but never more.
    for most in (1, 5, 8, 9, 1000):
        values = game.arrays.playouts(packed, 1, most)[:, 0]
        assert values.max() == min(most, count)
        assert values.min() >= (count if most == 1000 else 0)
    endless = compiled(ENDLESS)
    assert (endless.arrays.playouts(endless.arrays.pack([endless.initial_state()] * 3), 1, 20) == 0).all()


def test_playouts_that_get_stuck_have_no_goal() -> None:
    game = compiled(STUCK)
    after = game.next_state(game.initial_state(), "go")
    assert (game.arrays.playouts(game.arrays.pack([game.initial_state(), after])) == NO_GOAL).all()


def test_playouts_of_no_plies_are_refused() -> None:
    game = compiled(ENDLESS)
    with pytest.raises(ValueError, match="at least 1, not 0"):
        game.arrays.playouts(game.arrays.pack([game.initial_state()]), max_plies=0)
