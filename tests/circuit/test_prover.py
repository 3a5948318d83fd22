"""Proofs about circuits: found, refuted, given up, and by induction over recursion."""

from __future__ import annotations

import _thread
import threading

import pytest
from support.proved import CAVE, LIGHTS, SECONDS, Case, case, check_playouts, circuit, literals, looped, one_of

from gdl.circuit.proofs import proof
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.proofs.closure import Closure
from gdl.circuit.proofs.effort import Effort
from gdl.circuit.proofs.invariants import find_invariants
from gdl.circuit.proofs.layers import layers
from gdl.circuit.proofs.proof import Counterexample, OutOfTime, Prover

#: Eleven pigeons never fit into ten holes, but it takes for ever to prove that.
PIGEONS = (
    """
(role r)
(<= (legal r (put ?p ?h)) (pigeon ?p) (hole ?h))
(<= (next (in ?p ?h)) (does r (put ?p ?h)))
(<= (next (in ?p ?h)) (true (in ?p ?h)) (does r (put ?q ?g)) (distinct ?p ?q))
(<= (next fit) (not lost) (not clash))
(<= (placed ?p) (true (in ?p ?h)))
(<= lost (pigeon ?p) (not (placed ?p)))
(<= clash (true (in ?p ?h)) (true (in ?q ?h)) (distinct ?p ?q))
(<= terminal (true fit))
(<= (goal r 0) (not (true fit)))
"""
    + "".join(f"(pigeon {n})" for n in range(11))
    + "".join(f"(hole {n})" for n in range(10))
)


@pytest.fixture
def pigeons() -> tuple[Prover, Claim]:
    """A prover, and a claim that holds."""
    game = circuit(PIGEONS)
    claim = Claim("none", tuple(literals(game, "fit")))
    return Prover(game, (), [claim], [claim], step=True, effort=Effort()), claim


def test_a_long_proof_is_given_up(pigeons: tuple[Prover, Claim]) -> None:
    prover, claim = pigeons
    with pytest.raises(OutOfTime):
        prover.counterexample([claim], [claim])


def test_an_interrupt_ends_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "_CONFLICTS", 10**9)
    game = circuit(PIGEONS)
    claim = Claim("none", tuple(literals(game, "fit")))
    prover = Prover(game, (), [claim], [claim], step=True, effort=Effort())
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        prover.counterexample([claim], [claim])
    timer.join()


def test_what_is_given_up_is_unknown_and_not_claimed() -> None:
    found = case(PIGEONS).invariants
    assert found.unknown == 1
    assert found.constants == {}


# Proofs of small things

COUNTER = """
(role r)
(init (step 0)) (init steady)
(<= (legal r wait) (not (true (step 4))))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next steady) (true steady) (does r wait))
(<= (next lost) (true (step 2)) (not (true steady)))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= terminal (true (step 4)))
(<= (goal r 100) (true (step 4)))
(<= (goal r 50) (true lost))
(<= (goal r 0) (not (true (step 4))))
"""


def test_a_counter_that_ends_with_the_game_holds_exactly_one_value() -> None:
    found = case(COUNTER)
    assert found.groups(exact=True) == {one_of("step", *range(5))}
    texts = {found.game.facts[number].text: value for number, value in found.invariants.constants.items()}
    assert texts == {"steady": True, "lost": False}
    assert found.invariants.one_goal == found.invariants.always_moves == {0}
    assert {value.text for _, value in found.invariants.never_goals} == {"50"}


def test_counterexamples_are_states_in_which_the_assumptions_hold() -> None:
    game = case(LIGHTS).game
    chain = [game.fact(number) for number, fact in enumerate(game.facts) if fact.text.startswith("(chain")]
    one, some = Claim("at most one", tuple(chain)), Claim("some", tuple(chain))
    lights = Claim("at most one", tuple(sorted(literals(game, "(light red)", "(light green)"))))
    found = Prover(game, (), [one, some, lights], [lights], step=True, effort=Effort()).counterexample(
        [lights], [one, some, lights]
    )
    assert isinstance(found, Counterexample)
    assert found.broken == (lights,)
    texts = {game.facts[number].text for number in found.facts}
    assert texts == {"(light green)", "(chain 40)"}


def test_a_proof_names_what_it_is_due_to() -> None:
    game = case(COUNTER).game
    steps = tuple(sorted(literals(game, *(f"(step {n})" for n in range(5)))))
    claims = [Claim("at most one", steps), Claim("none", steps[1:2]), Claim("some", steps)]
    prover = Prover(game, (), claims, claims, step=True, effort=Effort())
    assert prover.counterexample(claims[:1], claims) == {claims[0]}


@pytest.mark.parametrize(
    ("kind", "broken"),
    [("none", 0b1110), ("some", 0b0001), ("at most one", 0b1000), ("first alone", 0b1000)],
)
def test_where_a_claim_is_broken(kind: str, broken: int) -> None:
    # Two literals, of which in the four lanes none, the one, the other and both hold.
    by_literal = [0, 0b1111, 0b1010, 0b0101, 0b1100, 0b0011]
    assert Claim(kind, (2, 4)).broken(by_literal, 0b1111) == broken  # type: ignore[arg-type]


def test_layers_come_after_what_they_need() -> None:
    game = case(LIGHTS).game
    by_name = {fact.text.split()[0]: layer for fact, layer in zip(game.facts, layers(game), strict=True)}
    assert by_name["(chain"] < by_name["(light"]


def test_what_can_come_about() -> None:
    game = circuit(COUNTER)
    possible = Closure(game).possible
    for number, fact in enumerate(game.facts):
        # What is lost only without something that nothing takes away is never lost.
        assert possible(game.fact(number)) == (fact.text != "lost"), fact.text
        assert possible(game.fact(number) + 1) == (fact.text != "steady"), fact.text


def test_recursion_is_proved_as_a_least_fixpoint() -> None:
    """In another fixpoint the two places would be reached from each other."""
    game = looped(CAVE)
    assert game.circuit.loops
    found = find_invariants(game, seconds=SECONDS)
    texts = {game.facts[number].text: value for number, value in found.constants.items()}
    assert texts == {"open": False, "found": False}
    check_playouts(Case(CAVE, game, found), 3)
