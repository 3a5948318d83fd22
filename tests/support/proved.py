"""Circuits of games, and what is proved of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from unittest.mock import patch

from hypothesis import assume
from hypothesis import strategies as st

import gdl
import gdl.circuit.build.ground_program
from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.proofs.invariants import Invariants, find_invariants
from gdl.compile_budget import CompileBudget
from gdl.errors import NoLegalMoveError
from gdl.grounder import ground
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term
from support.strategies import games

#: Long enough for every proof here.
SECONDS = 60.0


def circuit(text: str) -> GameCircuit:
    """The circuit of a rule text."""
    return rebuild(build(ground(Rulesheet(text))))


@st.composite
def circuits(draw: st.DrawFn) -> tuple[str, GameCircuit]:
    """Random games, as text and circuit; some with recursion left as loops."""
    text = draw(games())
    try:
        program = ground(Rulesheet(text), CompileBudget(rules=1_000, seconds=5.0))
    except gdl.GroundingError:
        assume(False)
    with patch.object(gdl.circuit.build.ground_program, "_UNFOLDED", draw(st.sampled_from([0, 4_000]))):
        return text, rebuild(build(program))


@dataclass(frozen=True)
class Case:
    """A game's rules and circuit, and what is proved of it."""

    text: str
    game: GameCircuit
    invariants: Invariants

    def groups(self, *, exact: bool) -> set[frozenset[str]]:
        """The facts of each group, as texts."""
        return {
            frozenset(self.game.facts[node - 1].text for node in group.nodes)
            for group in self.invariants.groups
            if group.exact == exact
        }


@cache
def case(text: str) -> Case:
    game = circuit(text)
    return Case(text, game, find_invariants(game, seconds=SECONDS))


# Along playouts


def check_state(case: Case, reasoner: gdl.Reasoner, state: gdl.State) -> None:
    """Check in one state all claims about states."""
    game, found = case.game, case.invariants
    facts = set(state)
    held = {number for number, fact in enumerate(game.facts) if fact in facts}
    assert len(held) == len(facts)
    for group in found.groups:
        count = sum(node - 1 in held for node in group.nodes)
        assert count == 1 or (count == 0 and not group.exact), [game.facts[node - 1].text for node in group.nodes]
    for number, value in found.constants.items():
        assert (number in held) == value, game.facts[number].text
    by_literal = [0, 1]
    for number in range(len(game.facts)):
        by_literal += [int(number in held), int(number not in held)]
    for claim in found.claims:
        assert not claim.broken(by_literal, 1), (claim.kind, [game.facts[x // 2 - 1].text for x in claim.literals])
    goals = {(answer["?r"], answer["?v"]) for answer in reasoner.query("(goal ?r ?v)", state)}
    assert not goals & {(game.roles[role], value) for role, value in found.never_goals}
    over = reasoner.is_terminal(state)
    for role, name in enumerate(game.roles):
        moves = legal_moves(reasoner, state, name)
        assert not {(role, move) for move in moves} & {game.moves[number] for number in found.never_legal}
        if role in found.always_moves and not over:
            assert moves
        if role in found.one_goal and over:
            assert sum(owner == name for owner, _ in goals) == 1


def legal_moves(reasoner: gdl.Reasoner, state: gdl.State, role: Term) -> Sequence[Term]:
    try:
        return reasoner.legal_moves(state, role.text)
    except NoLegalMoveError:
        return ()


def check_playouts(case: Case, playouts: int) -> None:
    reasoner = gdl.Reasoner(case.text)
    for seed in range(playouts):
        random = Random(seed)
        state = reasoner.initial_state()
        for _ in range(200):
            check_state(case, reasoner, state)
            moves = [legal_moves(reasoner, state, role) for role in case.game.roles]
            if reasoner.is_terminal(state) or not all(moves):
                break
            state = reasoner.next_state(state, [random.choice(some) for some in moves])


def one_of(name: str, *values: object) -> frozenset[str]:
    return frozenset(f"({name} {value})" for value in values)


# Nothing is guessed

LIGHTS = """
(role r)
(init (light red))
(init (chain 0))
(legal r go) (legal r back)
(<= (next (chain 0)) (does r back))
(<= (next (chain ?m)) (does r go) (true (chain ?n)) (succ ?n ?m))
(<= (next (light green)) (true (light red)))
(<= (next (light red)) (true (light green)))
(<= (next (light green)) (true (chain 40)))
(<= (next (chain 40)) (true (chain 40)) (does r go))
(<= (goal r 100) (true (light red)) (true (light green)))
(<= (goal r 0) (not (true (light red))))
(<= (goal r 0) (not (true (light green))))
(<= terminal (true (light red)) (true (light green)))
""" + "\n".join(f"(succ {n} {n + 1})" for n in range(40))


def literals(game: GameCircuit, *texts: str) -> set[int]:
    """The literals of facts by their texts."""
    return {game.fact(number) for number, fact in enumerate(game.facts) if fact.text in texts}


# Recursion

#: A place can only be reached from the start, and the two that lead to each other cannot: the gate is never open, as
#: that takes two lights at once.
CAVE = """
(role r)
(init (light red))
(<= (next (light red)) (true (light green)))
(<= (next (light green)) (true (light red)))
(<= (legal r (dig ?x ?y)) (place ?x) (place ?y) (distinct ?x ?y))
(<= (next (way ?x ?y)) (true (way ?x ?y)))
(<= (next (way ?x ?y)) (does r (dig ?x ?y)))
(<= (next open) (true (light red)) (true (light green)))
(<= (next found) (reached south))
(<= (reached 0))
(<= (reached ?y) (reached ?x) (true (way ?x ?y)))
(<= (reached north) (reached 0) (true open))
(<= (reached north) (reached south))
(<= (reached south) (reached north))
(<= terminal (reached 1) (reached 2) (reached 3) (reached 4))
(<= (goal r 0) (true (light red)))
(<= (goal r 100) (true (light green)))
""" + "".join(f"(place {n})" for n in range(16))


def looped(text: str) -> GameCircuit:
    """The circuit of a rule text, where all recursion is left as loops."""
    with patch.object(gdl.circuit.build.ground_program, "_UNFOLDED", 0):
        return circuit(text)
