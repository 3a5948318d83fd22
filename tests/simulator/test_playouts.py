"""Random playouts in lanes: what they count, that they are uniformly random, and that nothing else decides."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import isnan, sqrt
from pathlib import Path
from random import Random

import pytest
from support.expectations import deviation, distribution, goals, uniform
from support.profiles import first_few
from support.toy_rules import COIN, ENDLESS, NIM, STUCK

import gdl
import gdl.codegen.llvm.machine_code
from gdl import PlayoutResult, Reasoner, Simulator
from gdl.simulator import playouts

pytest.importorskip("llvmlite")

from support.processors import narrow
from support.toy_files import ROOT, SPREAD

#: A right program is farther off than this in one of three million tests; the seeds are fixed.
LIMIT = 5.0


@cache
def compiled(rules: str) -> Simulator:
    return gdl.compile(rules)


@cache
def shipped(name: str) -> Simulator:
    return gdl.compile(ROOT / "games" / f"{name}.kif")


def counts(simulator: Simulator, n: int, seed: int = 0) -> dict[int, int]:
    """The number of playouts in which the first role's goal had each value."""
    return dict(simulator.playouts(n, seed=seed).counts[simulator.roles[0]])


def same(one: PlayoutResult, other: PlayoutResult) -> bool:
    """Compare two results, except for their time and work. Work depends on the number of bits of ages."""
    return replace(one, seconds=0.0, operations=0) == replace(other, seconds=0.0, operations=0)


# Games whose goals tell what was played


def numbers(count: int) -> str:
    """Numbers below `count`, each with its successor."""
    return "(n 0) " + " ".join(f"(n {i + 1}) (succ {i} {i + 1})" for i in range(count - 1))


@cache
def one_move(*moves: int) -> Simulator:
    """Each role has so many moves; the first role's goal is the number of the joint move."""
    roles = range(len(moves))
    rules = " ".join(f"(role r{role})" for role in roles) + "(init start) (<= terminal (not (true start)))"
    rules += "".join(f"(legal r{role} (m {move}))" for role in roles for move in range(moves[role]))
    rules += "(<= (next (did ?r ?m)) (does ?r ?m))"
    joint: list[list[int]] = [[]]
    for count in moves:
        joint = [[*some, move] for some in joint for move in range(count)]
    for value, some in enumerate(joint):
        body = " ".join(f"(true (did r{role} (m {move})))" for role, move in enumerate(some))
        rules += f"(<= (goal r0 {value}) {body})"
    return compiled(rules)


def said(number: int, place: int) -> int:
    """A goal that tells the number and the place, which is from 0 to the number."""
    return number * (number + 1) // 2 + place


@cache
def some_legal(most: int) -> Simulator:
    """First a number is chosen, then one of so many and one moves, scattered over all; the goal says both."""
    order = Random(1).sample(range(most), most)
    rules = f"(role r) (init start) {numbers(most)}"
    rules += "".join(f"(place {place} {move})" for place, move in enumerate(order))
    rules += "".join(f"(upto {i} {j})" for i in range(most) for j in range(i + 1))
    rules += "".join(f"(worth {i} {order[place]} {said(i, place)})" for i in range(most) for place in range(i + 1))
    return compiled(
        rules
        + """(<= (legal r (choose ?i)) (n ?i) (true start))
        (<= (legal r (go ?m)) (true (chosen ?i)) (upto ?i ?p) (place ?p ?m))
        (<= (next (chosen ?i)) (does r (choose ?i)))
        (<= (next (chosen ?i)) (true (chosen ?i)))
        (<= (next (went ?m)) (does r (go ?m)))
        (<= terminal (true (went ?m)))
        (<= (goal r ?v) (true (chosen ?i)) (true (went ?m)) (worth ?i ?m ?v))"""
    )


@cache
def pairs(moves: int) -> Simulator:
    """One role moves twice; its goal says which two moves it made."""
    rules = f"(role r) (init (step 0)) {numbers(moves)} (<= (legal r (m ?i)) (n ?i))"
    rules += "".join(f"(worth {i} {j} {moves * i + j})" for i in range(moves) for j in range(moves))
    return compiled(
        rules
        + """(<= (next (first ?i)) (true (step 0)) (does r (m ?i)))
        (<= (next (first ?i)) (true (first ?i)))
        (<= (next (second ?i)) (true (first ?j)) (does r (m ?i)))
        (<= terminal (true (second ?i)))
        (<= (goal r ?v) (true (first ?i)) (true (second ?j)) (worth ?i ?j ?v))"""
    )


@cache
def counter(plies: int) -> Simulator:
    """A game of so many plies."""
    return compiled(
        f"""(role r) (init (step 0)) {numbers(plies + 1)} (legal r go)
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
        (<= terminal (true (step {plies}))) (<= (goal r 100) (true (step {plies})))"""
    )


#: Half of the playouts take one ply, half take fifty.
SHORT_OR_LONG = f"""
(role r) (init (step 0)) {numbers(51)}
(<= (legal r short) (true (step 0)))
(<= (legal r long) (true (step 0)))
(<= (legal r go) (not (true (step 0))))
(<= (next (step 50)) (does r short))
(<= (next (step ?y)) (not (does r short)) (true (step ?x)) (succ ?x ?y))
(<= (next short) (does r short))
(<= terminal (true (step 50)))
(<= (goal r 1) (true short))
(<= (goal r 0) (not (true short)))
"""


# Moves are uniformly random


@pytest.mark.parametrize("moves", first_few([2, 3, 5, 9, 4, 6, 7, 12, 17, 33, 100], 4))
def test_each_of_some_moves_is_as_frequent(moves: int) -> None:
    found = counts(one_move(moves), 1_000_000, seed=moves)
    assert deviation(found, uniform(list(range(moves)))) < LIMIT


@pytest.mark.parametrize("moves", first_few([(2, 2), (2, 3), (4, 1, 5), (3, 5), (7, 9), (1, 6), (2, 3, 2, 3, 2)], 3))
def test_roles_move_independently(moves: tuple[int, ...]) -> None:
    simulator = one_move(*moves)
    values = range(1)
    for count in moves:
        values = range(len(values) * count)
    assert deviation(counts(simulator, 1_000_000, seed=1), uniform(list(values))) < LIMIT


@pytest.mark.slow
def test_moves_are_uniform_whichever_of_them_are_legal() -> None:
    most = 13
    shares = {said(i, place): 1 / (most * (i + 1)) for i in range(most) for place in range(i + 1)}
    assert deviation(counts(some_legal(most), 2_000_000, seed=1), shares) < LIMIT


@pytest.mark.parametrize("moves", [2, 3, 7])
def test_moves_of_a_playout_are_independent(moves: int) -> None:
    found = counts(pairs(moves), 1_000_000, seed=moves)
    assert deviation(found, uniform(list(range(moves * moves)))) < LIMIT


def test_playouts_are_independent_of_each_other() -> None:
    """Else the number of heads would vary more, or less, than that of coins does."""
    simulator, n, runs = one_move(2), 1_000, 400
    squares = sum((counts(simulator, n, seed)[0] - n / 2) ** 2 / (n / 4) for seed in range(runs))
    assert abs(squares - runs) < LIMIT * sqrt(2 * runs)


def first_moves(simulator: Simulator, plies: int, seed: int) -> tuple[str, int] | None:
    """Rules by which a game begins after some random plies and ends after one more, and the number of its joint moves.

    The goal says which of them was made. None if the game is over by then, or if there are too many.
    """
    random = Random(seed)
    state = simulator.initial_state()
    for _ in range(plies):
        if simulator.is_terminal(state):
            return None
        chosen = [random.choice(simulator.legal_moves(state, role)) for role in simulator.roles]
        state = simulator.next_state(state, chosen)
    joint = list(product(*(simulator.legal_moves(state, role) for role in simulator.roles)))
    if simulator.is_terminal(state) or len(joint) > 101:  # as many as there are goals
        return None
    rules = [str(rule) for rule in simulator.rulesheet.rules if rule.head.name not in ("init", "terminal", "goal")]
    rules += [f"(init {fact})" for fact in state]
    rules += ["(<= (next (first_did ?r ?m)) (does ?r ?m))", "(<= terminal (true (first_did ?r ?m)))"]
    for number, moves in enumerate(joint):
        did = [f"(true (first_did {role} {move}))" for role, move in zip(simulator.roles, moves, strict=True)]
        rules.append(f"(<= (goal {simulator.roles[0]} {number}) {' '.join(did)})")
    return "\n".join(rules), len(joint)


def check_first_moves(path: Path, plies: int) -> None:
    found = first_moves(gdl.compile(path), plies, seed=plies)
    if found is None:
        pytest.skip("the game is over by then, or there are too many joint moves")
    rules, joint_moves = found
    assert deviation(counts(gdl.compile(rules), 1_000_000, seed=1), uniform(list(range(joint_moves)))) < LIMIT


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_first_moves_of_shipped_games_are_uniform(name: str) -> None:
    check_first_moves(ROOT / "games" / "classics" / f"{name}.kif", 3)


@pytest.mark.slow
@pytest.mark.parametrize("path", SPREAD[2:], ids=lambda path: path.stem)
def test_first_moves_of_shipped_games_are_uniform_everywhere(path: Path) -> None:
    check_first_moves(path, 4)


def test_a_biased_sample_is_found_out() -> None:
    """These tests find a share that is off by half a percent."""
    found = counts(one_move(3), 1_000_000)
    found[0] += 5_000
    assert deviation(found, uniform([0, 1, 2])) > LIMIT
    assert deviation({0: 500_000, 1: 500_000, 2: 1}, {0: 0.5, 1: 0.5}) == float("inf")


# What playouts come to


def check_expected(simulator: Simulator, n: int, seed: int = 1) -> None:
    """Goals and lengths against what enumeration says."""
    reasoner = Reasoner(simulator.rulesheet)
    ends = distribution(reasoner)
    result = simulator.playouts(n, seed=seed)
    assert (result.playouts, result.cut, result.stuck) == (n, 0, 0)
    assert result.max_length == max(plies for plies, _ in ends)
    mean = sum(plies * share for (plies, _), share in ends.items())
    variance = sum(share * (plies - mean) ** 2 for (plies, _), share in ends.items())
    assert abs(result.mean_length - mean) <= LIMIT * sqrt(variance / n)
    for number, role in enumerate(reasoner.roles):
        shares: Counter[int | None] = Counter()
        for (_, values), share in ends.items():
            shares[values[number]] += share  # type: ignore[assignment]
        found = Counter[int | None]({None: result.undefined[role]})
        for value, count in result.counts[role].items():
            found[value] = count
        assert deviation(found, shares) < LIMIT
        assert sum(found.values()) == n


#: Rock, paper, scissors, until somebody wins or three rounds are over.
ROCK = f"""
(role left) (role right) (init (round 0)) {numbers(4)}
(wins rock scissors) (wins scissors paper) (wins paper rock)
(<= (thing ?x) (wins ?x ?y))
(<= (legal ?r ?x) (role ?r) (thing ?x))
(<= (next (won ?r)) (does ?r ?x) (does ?s ?y) (wins ?x ?y))
(<= (next (round ?y)) (true (round ?x)) (succ ?x ?y))
(<= terminal (true (won ?r)))
(<= terminal (true (round 3)))
(<= (goal ?r 100) (true (won ?r)))
(<= (goal ?r 0) (role ?r) (true (won ?s)) (distinct ?r ?s))
(<= (goal ?r 50) (role ?r) (not (true (won left))) (not (true (won right))))
"""


@pytest.mark.parametrize("rules", [NIM, COIN, ROCK, SHORT_OR_LONG], ids=["nim", "coin", "rock", "short or long"])
def test_small_games_come_to_what_enumeration_says(rules: str) -> None:
    check_expected(compiled(rules), 1_000_000)


#: The shares of tic-tac-toe: the first wins, the second wins, nobody does (as computed by many).
TIC_TAC_TOE = {100: Fraction(737, 1260), 0: Fraction(121, 420), 50: Fraction(8, 63)}


def test_tic_tac_toe_comes_to_the_known_shares() -> None:
    simulator = shipped("classics/tic_tac_toe")
    result = simulator.playouts(10_000_000, seed=1)
    assert deviation(result.counts[simulator.roles[0]], TIC_TAC_TOE) < LIMIT
    assert result.max_length == 9


@pytest.mark.slow
def test_tic_tac_toe_comes_to_what_enumeration_says() -> None:
    simulator = shipped("classics/tic_tac_toe")
    check_expected(simulator, 10_000_000)
    ends = distribution(Reasoner(simulator.rulesheet))
    assert {value: sum(s for (_, v), s in ends.items() if v[0] == value) for value in TIC_TAC_TOE} == TIC_TAC_TOE


def reasoner_playouts(game: Reasoner, n: int, most: int) -> tuple[list[int], Counter[tuple[int | None, ...]]]:
    """Lengths and goals of random playouts; those that are cut off have no goals."""
    random = Random(1)
    lengths: list[int] = []
    ends: Counter[tuple[int | None, ...]] = Counter()
    for _ in range(n):
        state, plies = game.initial_state(), 0
        while not game.is_terminal(state) and plies < most:
            state = game.next_state(state, [random.choice(game.legal_moves(state, role)) for role in game.roles])
            plies += 1
        lengths.append(plies)
        ends[goals(game, state) if game.is_terminal(state) else ()] += 1
    return lengths, ends


@pytest.mark.slow
@pytest.mark.parametrize("path", SPREAD, ids=lambda path: path.stem)
def test_playouts_are_like_the_reasoners(path: Path) -> None:
    """Chi-squared of the Reasoner's goals, against shares from so many playouts that they are nearly exact."""
    simulator, n, most = gdl.compile(path), 300, 400
    result = simulator.playouts(1_000_000, seed=1, max_plies=most)
    lengths, ends = reasoner_playouts(Reasoner(simulator.rulesheet), n, most)
    for number, role in enumerate(simulator.roles):
        shares: dict[int | None, float] = {v: c / 1_000_000 for v, c in result.counts[role].items() if c}
        if result.undefined[role] + result.cut:
            shares[None] = (result.undefined[role] + result.cut) / 1_000_000
        found = Counter(dict.fromkeys(shares, 0))
        for values, count in ends.items():
            found[values[number] if values else None] += count
        # Rare values are put together with the most frequent one, as chi-squared asks for.
        common = max(shares, key=lambda value: shares[value])
        for value in [value for value, share in shares.items() if share * n < 5 and value != common]:
            shares[common] += shares.pop(value)
            found[common] += found.pop(value)
        assert deviation(found, shares) < LIMIT
    mean = sum(lengths) / n
    spread = sqrt(sum((length - mean) ** 2 for length in lengths) / (n - 1) / n)
    # So few playouts may all miss a rare length.
    assert abs(mean - result.mean_length) <= LIMIT * max(spread, 1 / n)
    assert max(lengths) <= result.max_length


# Which playouts count


@pytest.mark.parametrize("n", [1, 2, 511, 512, 513, 1_000, 1_023, 1_024, 1_025, 100_000])
@pytest.mark.parametrize("rules", [NIM, SHORT_OR_LONG], ids=["nim", "short or long"])
def test_exactly_so_many_playouts_are_counted(rules: str, n: int) -> None:
    simulator = compiled(rules)
    result = simulator.playouts(n, seed=n)
    assert result.playouts == n
    assert [sum(own.values()) for own in result.counts.values()] == [n] * len(simulator.roles)
    assert 0 <= result.mean_length <= result.max_length
    assert result.transitions == result.mean_length * n


@pytest.mark.parametrize(("n", "seeds"), [(1, 500), (3, 300), (512, 20), (513, 100), (600, 100), (2_000, 50)])
def test_short_playouts_are_not_favoured(n: int, seeds: int) -> None:
    """Of playouts that begin, half are short, however many are counted; of those that end first, more are."""
    simulator = compiled(SHORT_OR_LONG)
    short = sum(counts(simulator, n, seed).get(1, 0) for seed in range(seeds))
    assert abs(short / (n * seeds) - 0.5) < LIMIT * 0.5 / sqrt(n * seeds)


def test_goals_and_lengths_belong_together() -> None:
    result = compiled(SHORT_OR_LONG).playouts(12_345, seed=3)
    assert result.transitions == result.counts["r"][1] + 50 * result.counts["r"][0]
    assert result.max_length == 50


# Seeds


def test_a_seed_makes_a_result(capsys: pytest.CaptureFixture[str]) -> None:
    simulator = compiled(NIM)
    for n in (1, 700, 10_000):
        assert same(simulator.playouts(n, seed=5), simulator.playouts(n, seed=5))
    found = {tuple(counts(simulator, 10_000, seed).values()) for seed in range(20)}
    assert len(found) > 15
    assert same(simulator.playouts(10_000, seed=7), gdl.compile(NIM, cache=False).playouts(10_000, seed=7))
    assert capsys.readouterr() == ("", "")


def test_the_number_of_threads_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playouts, "_ALONE", 0.0)
    found = []
    for threads in (1, 2, 5, None):
        # With too few bits for the ages of playouts, code is made again, and all shares begin again.
        with monkeypatch.context() as patched:
            patched.setattr(playouts, "_AGE_BITS", ((10**9, 2),))
            found.append(gdl.compile(NIM, cache=False).playouts(40_001, seed=3, threads=threads))
    assert all(same(result, found[0]) for result in found)
    assert found[0].playouts == 40_001 == sum(found[0].counts["left"].values())
    assert found[0].counts != compiled(NIM).playouts(40_001, seed=4).counts
    with pytest.raises(ValueError, match="threads must be at least 1, not 0"):
        compiled(NIM).playouts(10, threads=0)


def test_shares_are_independent_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playouts, "_SHARE", 16)
    shares = playouts._shares(40_000, 1)
    assert len(shares) == playouts._SHARES
    whole = compiled(NIM).playouts(40_000, seed=1, threads=2)
    monkeypatch.setattr(playouts, "_SHARES", 1)
    results = [compiled(NIM).playouts(size, seed=seed) for size, seed in shares]
    assert len({tuple(result.counts["left"].items()) for result in results}) > 1
    assert whole.transitions == sum(result.transitions for result in results)
    assert whole.sums["left"] == sum(result.sums["left"] for result in results)


def test_an_interrupt_ends_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playouts, "_ALONE", 0.0)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    simulator = compiled(NIM)
    simulator.playouts(1_000)
    monkeypatch.setattr(playouts, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        simulator.playouts(10**12, threads=2)  # would take hours
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("playouts")]


def test_playouts_that_were_made_before_do_not_matter() -> None:
    simulator = gdl.compile(NIM, cache=False)
    first = simulator.playouts(1_000, seed=1)
    state = simulator.next_state(simulator.initial_state(), "(take one) noop")
    simulator.playouts(100, state, seed=1)
    simulator.playouts(100, seed=9, max_plies=1)
    assert same(simulator.playouts(1_000, seed=1), first)


@pytest.mark.parametrize("rules", [NIM, ROCK, SHORT_OR_LONG], ids=["nim", "rock", "short or long"])
@pytest.mark.parametrize("vectors", ["sse2", "avx", "avx2"])
def test_the_width_of_vectors_does_not_matter(rules: str, vectors: str) -> None:
    simulator = compiled(rules)
    state = simulator.initial_state()
    state = simulator.next_state(state, [simulator.legal_moves(state, role)[-1] for role in simulator.roles])
    with narrow(vectors):
        assert gdl.codegen.llvm.machine_code.host().vector.bits == {"sse2": 128, "avx": 128, "avx2": 256}[vectors]
        other = gdl.compile(rules, cache=False)
        found = [other.playouts(n, begin, 3) for n in (1, 1_000) for begin in (None, other.state(state))]
    expected = [simulator.playouts(n, begin, 3) for n in (1, 1_000) for begin in (None, state)]
    assert all(map(same, found, expected))


@pytest.mark.parametrize("vectors", ["avx2", pytest.param("avx", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["classics/tic_tac_toe", "hidden/goofspiel_4", "gallery/odd_one_out"])
def test_shipped_games_with_narrower_vectors(name: str, vectors: str) -> None:
    path = ROOT / f"games/{name}.kif"
    expected = gdl.compile(path).playouts(2_000, seed=3)
    with narrow(vectors):
        assert same(gdl.compile(path, cache=False).playouts(2_000, seed=3), expected)


# Lengths


@pytest.mark.parametrize("plies", first_few([1, 31, 32, 127, 128, 2, 30, 33, 129, 300], 5))
def test_the_longest_playout_is_known_exactly(plies: int) -> None:
    simulator = counter(plies)
    result = simulator.playouts(1_000)
    assert (result.max_length, result.mean_length, result.cut) == (plies, plies, 0)
    assert result.counts == {"r": {100: 1_000}}
    for most in {max(1, plies - 1), plies, plies + 1}:
        limited = simulator.playouts(700, max_plies=most)
        cut = 700 if most < plies else 0
        assert (limited.max_length, limited.transitions, limited.cut) == (min(most, plies), 700 * min(most, plies), cut)
        assert sum(limited.counts["r"].values()) == 700 - cut


def test_known_lengths() -> None:
    assert shipped("classics/connect_four").playouts(200_000, seed=1).max_length == 42
    assert shipped("classics/tic_tac_toe").playouts(1_000, seed=1).max_length == 9


@pytest.mark.slow
def test_facts_that_do_not_matter_are_in_no_row_of_moves() -> None:
    # "Neither of these towers" was computed as "the empty cell or a tall tower", which playouts do not keep.
    result = shipped("gallery/towers").playouts(1_000, seed=1)
    assert (result.max_length, result.cut) == (12, 0)


def test_roles_share_no_rows_by_facts_of_which_none_may_hold() -> None:
    # While cards are dealt nobody is in control, and both players have a move that needs no control.
    result = shipped("gallery/tricks").playouts(1_000, seed=1)
    assert (result.max_length, result.stuck) == (15, 0)


def test_endless_games_are_cut_off() -> None:
    simulator = compiled(ENDLESS)
    for most in (1, 2, 31, 32, 100, 1_000):
        result = simulator.playouts(600, max_plies=most)
        assert (result.playouts, result.cut, result.transitions) == (600, 600, 600 * most)
        assert result.max_length == most
        assert result.counts == {"solo": {}} or sum(result.counts["solo"].values()) == 0
        assert result.undefined == {"solo": 0}
        assert isnan(result.goals["solo"])
    assert simulator.playouts(3).max_length == 10_000


def test_some_playouts_are_cut_off() -> None:
    simulator = compiled(SHORT_OR_LONG)
    result = simulator.playouts(10_000, seed=1, max_plies=49)
    short = result.counts["r"][1]
    assert (result.cut, result.max_length) == (10_000 - short, 49)
    assert result.transitions == short + 49 * result.cut
    assert result.goals == {"r": 1.0}
    assert same(simulator.playouts(10_000, seed=1, max_plies=50), simulator.playouts(10_000, seed=1))


# Where playouts begin


def test_playouts_from_a_state() -> None:
    simulator = compiled(NIM)
    state = simulator.state("(heap 1) (control left)")
    result = simulator.playouts(1_000, state)
    assert result.counts == {"left": {100: 1_000, 0: 0}, "right": {0: 1_000, 100: 0}}
    assert (result.max_length, result.mean_length) == (1, 1.0)
    reasoner = Reasoner(NIM)
    ends = distribution(reasoner, reasoner.state("(heap 3) (control right)"))
    shares = {v: sum(share for (_, values), share in ends.items() if values[0] == v) for v in (0, 100)}
    found = simulator.playouts(100_000, simulator.state("(heap 3) (control right)"), seed=2)
    assert deviation(found.counts["left"], shares) < LIMIT


def test_playouts_from_the_initial_state_given() -> None:
    simulator = compiled(NIM)
    given = simulator.playouts(1_000, simulator.state(simulator.initial_state()), seed=4)
    assert same(given, simulator.playouts(1_000, seed=4))


def test_playouts_from_states_of_a_reasoner() -> None:
    simulator, reasoner = compiled(NIM), Reasoner(NIM)
    state = reasoner.next_state(reasoner.initial_state(), "(take two) noop")
    found = simulator.playouts(1_000, state, seed=4)  # type: ignore[arg-type]
    assert same(found, simulator.playouts(1_000, simulator.state(state), seed=4))


def test_playouts_from_a_terminal_state() -> None:
    simulator = compiled(NIM)
    result = simulator.playouts(700, simulator.state("(heap 0) (control right)"))
    assert (result.playouts, result.transitions, result.max_length, result.cut) == (700, 0, 0, 0)
    assert result.counts == {"left": {100: 700}, "right": {0: 700}}
    assert result.goals == {"left": 100.0, "right": 0.0}


def test_playouts_of_a_game_that_is_over_at_once() -> None:
    result = compiled("(role a) (role b) (init x) (legal a m) (<= terminal (true x)) (goal a 30)").playouts(5)
    assert (result.transitions, result.max_length) == (0, 0)
    assert result.counts["a"] == {30: 5}
    assert result.undefined == {"a": 0, "b": 5}
    assert isnan(result.goals["b"])


# Roles of all kinds


def test_roles_that_get_stuck() -> None:
    simulator = compiled(STUCK)
    result = simulator.playouts(1_000)
    assert (result.playouts, result.stuck, result.cut) == (1_000, 1_000, 0)
    assert (result.transitions, result.max_length) == (1_000, 1)
    assert sum(result.counts["solo"].values()) == sum(result.undefined.values()) == 0
    stuck_state = simulator.next_state(simulator.initial_state(), "go")
    from_there = simulator.playouts(10, stuck_state)
    assert (from_there.stuck, from_there.transitions, from_there.max_length) == (10, 0, 0)


#: One of four moves leads to where `b` has no move, one to the end, two go on.
SOME_STUCK = """
(role a) (role b) (init on)
(legal a trap) (legal a stop) (legal a left) (legal a right)
(<= (legal b wait) (not (true trapped)))
(<= (next on) (does a ?x) (distinct ?x stop))
(<= (next trapped) (does a trap))
(<= terminal (not (true on)))
(<= (goal ?r 100) (role ?r) (not (true on)))
"""


@pytest.mark.parametrize("n", [1, 600, 100_000])
def test_some_playouts_get_stuck(n: int) -> None:
    result = compiled(SOME_STUCK).playouts(n, seed=1)
    assert result.stuck + result.counts["b"][100] == n
    assert abs(result.stuck / n - 0.5) <= LIMIT * 0.5 / sqrt(n)
    # A playout ends after each ply with probability one half.
    assert abs(result.mean_length - 2) <= LIMIT * sqrt(2 / n)
    assert result.cut == 0


def test_a_role_that_never_has_a_move_is_stuck_at_once() -> None:
    result = compiled("(role a) (role b) (init x) (legal a m) (<= (next x) (true x)) (<= terminal (true y))").playouts(
        9
    )
    assert (result.stuck, result.transitions) == (9, 0)


def test_roles_that_only_pass() -> None:
    rules = f"""(role a) (role b) (role c) (init (step 0)) {numbers(6)}
        (legal a wait) (legal b wait) (<= (legal c (m ?x)) (n ?x))
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 5)))
        (goal a 1) (goal b 2) (goal c 3)"""
    result = compiled(rules).playouts(1_000)
    assert result.counts == {"a": {1: 1_000}, "b": {2: 1_000}, "c": {3: 1_000}}
    assert (result.max_length, result.transitions) == (5, 5_000)


def test_goals_that_are_missing_double_or_no_numbers() -> None:
    rules = """(role a) (role b) (role c) (init start) (<= terminal (not (true start)))
        (legal a x) (legal b x) (legal c x) (legal a y) (legal a z) (legal a w)
        (<= (next (did ?m)) (does a ?m))
        (<= (goal a 10) (true (did x))) (<= (goal a 20) (true (did x)))
        (<= (goal a much) (true (did y))) (<= (goal a 30) (true (did z)))
        (goal b -7) (goal c 7) (goal c 007)"""
    n = 10_000
    result = compiled(rules).playouts(n)
    assert set(result.counts["a"]) >= {30}
    assert abs(result.counts["a"][30] - n / 4) < LIMIT * sqrt(n * 3 / 16)
    assert result.undefined["a"] == n - result.counts["a"][30]
    assert result.goals["a"] == 30
    assert (result.counts["b"], result.undefined["b"]) == ({}, n)
    # As the Reasoner has it, a value that is spelled in two ways is two values.
    assert (sum(result.counts["c"].values()), result.undefined["c"]) == (0, n)


def test_chance_moves_as_any_role() -> None:
    result = compiled(COIN).playouts(100_000, seed=2)
    assert result.undefined == {"random": 100_000, "guesser": 0, "other": 0}
    assert abs(result.goals["guesser"] - 50) < LIMIT * 50 / sqrt(100_000)
    assert result.counts["random"] == {}


# The result


def test_what_a_result_says() -> None:
    result = compiled(NIM).playouts(1_000, seed=1)
    left = result.counts["left"][100]
    assert result.sums == {"left": 100 * left, "right": 100 * (1_000 - left)}
    assert result.goals["left"] == left / 10
    assert result.seconds > 0
    assert result.playouts_per_second == 1_000 / result.seconds
    assert result.transitions_per_second == result.transitions / result.seconds
    for part in ("1,000 playouts", f"left {left / 10:.2f}", f"maximum {result.max_length}"):
        assert part in str(result)
    assert "cut off" in str(compiled(ENDLESS).playouts(2, max_plies=3))


@pytest.mark.parametrize("wrong", [(0, 5), (-1, 5), (5, 0), (5, -3)])
def test_numbers_that_make_no_sense_are_refused(wrong: Sequence[int]) -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        compiled(NIM).playouts(wrong[0], max_plies=wrong[1])
