"""Atoms that count: what is found says the same as the rules, for all truth values."""

from __future__ import annotations

import random
from itertools import product

import pytest

import gdl

pytest.importorskip("clingo")

from gdl.grounder import ground
from gdl.grounder.counts import Count, counts_of
from gdl.grounder.program import ALWAYS, GroundProgram

#: The numbers of coins that show heads, counted along the numbers, and what is derived from them.
COINS = """
(role a) (coin 1) (coin 2) (coin 3) (coin 4) (coin 5) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (init (heads ?c)) (coin ?c)) (<= (legal a (turn ?c)) (coin ?c))
(<= (next (heads ?c)) (true (heads ?c)) (not (does a (turn ?c))))
(<= (next (heads ?c)) (does a (turn ?c)) (not (true (heads ?c))))
(count 0 0)
(<= (count ?d ?n) (succ ?c ?d) (count ?c ?n) (not (true (heads ?d))))
(<= (count ?d ?m) (succ ?c ?d) (count ?c ?n) (true (heads ?d)) (succ ?n ?m))
(parity 0 even) (other even odd) (other odd even)
(<= (parity ?d ?p) (succ ?c ?d) (parity ?c ?p) (not (true (heads ?d))))
(<= (parity ?d ?q) (succ ?c ?d) (parity ?c ?p) (true (heads ?d)) (other ?p ?q))
(<= terminal (count 5 3)) (<= (goal a ?n) (count 5 ?n)) (<= (goal a 50) (parity 5 odd))
"""


def holding(program: GroundProgram, given: set[int]) -> set[int]:
    """Return the atoms that hold if those of some facts and moves do; rules are applied in the order of strata."""
    bodies: dict[int, list[tuple[int, ...]]] = {}
    for head, body in program.rules:
        bodies.setdefault(head, []).append(body)

    def holds(atom: int) -> bool:
        if atom in given or atom == ALWAYS:
            return True
        return any(all(holds(abs(one)) == (one > 0) for one in body) for body in bodies.get(atom, ()))

    return {atom for atom in range(program.size) if holds(atom)}


def test_the_rules_say_the_same() -> None:
    program = ground(gdl.Reasoner(COINS).rulesheet)
    found = counts_of(program)
    coins = sorted(program.true.values())
    for values in product((False, True), repeat=len(coins)):
        given = {coin for coin, value in zip(coins, values, strict=True) if value}
        held = holding(program, given)
        for atom, count in found.items():
            assert (atom in held) == (len(count.atoms & given) in count.numbers)
    whole = {count.numbers for count in found.values() if len(count.atoms) == 5}
    assert whole == {frozenset((number,)) for number in range(6)} | {frozenset((1, 3, 5))}


def test_what_depends_on_the_order_is_no_count() -> None:
    """Only the last two coins matter: both must show heads."""
    text = "(role a) (init (heads 1)) (legal a wait) (<= (goal a 1) {0}) (<= terminal {1})" + "".join(
        f"(<= (next (heads {coin})) (true (heads {other})))" for coin, other in ((1, 2), (2, 3), (3, 1))
    )
    before = "(<= (two) (true (heads 1)) (not (true (heads 2)))) (<= (two) (not (true (heads 1))) (true (heads 2)))"
    program = ground(gdl.Reasoner(text.format("(two) (not (true (heads 3)))", "(two)") + before).rulesheet)
    one_of_two = Count(frozenset(program.true[gdl.parse_term(f"(heads {n})")] for n in (1, 2)), frozenset((1,)))
    found = counts_of(program)
    assert found[program.terminal or 0] == one_of_two
    assert program.goal[gdl.parse_term("a"), gdl.parse_term("1")] not in found


@pytest.mark.parametrize("seed", range(3))
def test_random_chains(seed: int) -> None:
    """Rules over five facts, drawn at random: whatever is found to count does."""
    rng = random.Random(seed)
    found = 0
    for _ in range(60):
        facts = range(1, 6)
        rules: list[tuple[int, tuple[int, ...]]] = []
        atoms = list(facts)
        for head in range(6, 20):
            one = rng.choice(facts)
            below = [rng.choice(atoms) for _ in range(2)]
            signs = [rng.choice((1, -1)) for _ in range(2)]
            bodies = [(one, signs[0] * below[0]), (-one, signs[1] * below[1])][: rng.randint(1, 2)]
            rules += [(head, body) for body in bodies]
            atoms.append(head)
        terms = {gdl.parse_term(f"f{fact}"): fact for fact in facts}
        program = GroundProgram((), frozenset(), terms, {}, {}, {}, {}, {}, None, rules, 20)
        counts = counts_of(program)
        found += len(counts)
        for values in product((False, True), repeat=5):
            given = {fact for fact, value in zip(facts, values, strict=True) if value}
            held = holding(program, given)
            for atom, count in counts.items():
                assert (atom in held) == (len(count.atoms & given) in count.numbers)
    assert found > 60
