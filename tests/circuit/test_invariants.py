"""What is proved of all states: it holds along playouts, nothing is guessed, and the circuit means the same with it."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.evaluation import values
from support.strategies import examples, games
from support.toy_files import ROOT

import gdl
import gdl.circuit.build.ground_program
from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import Circuit, Loop
from gdl.circuit.proofs import proof
from gdl.circuit.proofs.candidates import Candidates, sampled
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.proofs.closure import Closure
from gdl.circuit.proofs.effort import Effort
from gdl.circuit.proofs.invariants import Invariants, find_invariants, simplified
from gdl.circuit.proofs.layers import layers
from gdl.circuit.proofs.proof import Counterexample, OutOfTime, Prover
from gdl.circuit.sampling import Lanes, Playouts, Schedule, random_moves
from gdl.errors import NoLegalMoveError
from gdl.grounder import GroundingBudget, ground
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term

GAMES = ROOT / "games"
PUBLIC = ROOT.parent / "shared" / "rulesheets"
#: Shipped games by name, those that take long last.
LARGE = ["fox_game", "variants/fox_game_two_foxes"]
SMALL = sorted({path.relative_to(GAMES).with_suffix("").as_posix() for path in GAMES.rglob("*.kif")} - {*LARGE})
SHIPPED = [
    *SMALL,
    pytest.param(LARGE[0], marks=pytest.mark.slow),
    pytest.param(LARGE[1], marks=pytest.mark.exhaustive),  # hardly another circuit
]
PUBLIC_NAMES = ["atariGoVariant_7x7", "blocksWorldParallel", "mummyMaze2p_2007", "qyshinsu", "3pttc", "snakeParallel"]
#: Those of which many playouts take hardly any time.
LITTLE = ["classics/tic_tac_toe", "classics/connect_four"]
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
        program = ground(Rulesheet(text), GroundingBudget(rules=1_000, seconds=5.0))
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


def shipped(name: str) -> Case:
    return case((GAMES / f"{name}.kif").read_text(encoding="utf-8"))


# Along playouts


def check_state(case: Case, reasoner: gdl.Reasoner, state: gdl.State) -> None:
    """That all that is claimed of states holds in one."""
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


@pytest.mark.parametrize("name", SMALL)
def test_claims_hold_along_playouts(name: str) -> None:
    check_playouts(shipped(name), 200 if name in LITTLE else 3)


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.slow) for name in SMALL),
        *(pytest.param(name, marks=pytest.mark.exhaustive) for name in LARGE),
    ],
)
def test_claims_hold_along_many_playouts(name: str) -> None:
    check_playouts(shipped(name), 3 if name in LARGE else 60)


@pytest.mark.parametrize("name", SHIPPED)
def test_claims_hold_in_many_lanes(name: str) -> None:
    """The same states as those of the proposals, but others by chance and many more of them."""
    proved = shipped(name)
    playouts = Playouts(proved.game, 4096, Random("other states"))
    for _ in range(20 if name in LARGE else 150):
        playouts.step()
        lanes = playouts.lanes
        for claim in proved.invariants.claims:
            assert not claim.broken(lanes.values, lanes.full)
        for number in proved.invariants.never_legal:
            assert not lanes.values[proved.game.legal[number]]


@pytest.mark.parametrize("name", PUBLIC_NAMES)
def test_claims_hold_along_playouts_of_public_files(name: str) -> None:
    file = PUBLIC / f"{name}.kif"
    if not file.exists():
        pytest.skip("no public files here")
    check_playouts(case(file.read_text(encoding="utf-8")), 3)


@examples(30)
@given(circuits(), st.integers(0, 9))
def test_claims_hold_along_playouts_of_random_games(drawn: tuple[str, GameCircuit], seed: int) -> None:
    text, game = drawn
    found = find_invariants(game, seconds=SECONDS, seed=seed)
    assert not found.unknown
    check_playouts(Case(text, game, found), 3)


# What is found


def board(name: str, xs: Iterable[object], ys: Iterable[object], pieces: Iterable[object]) -> set[frozenset[str]]:
    """For each cell, the texts of facts for its contents."""
    return {frozenset(f"({name} {x} {y} {piece})" for piece in pieces) for x in xs for y in ys}


def one_of(name: str, *values: object) -> frozenset[str]:
    return frozenset(f"({name} {value})" for value in values)


DIGITS = range(1, 9)


def test_tic_tac_toe() -> None:
    found = shipped("classics/tic_tac_toe")
    cells = board("cell", [1, 2, 3], [1, 2, 3], "xob")
    assert found.groups(exact=True) == cells | {one_of("control", "xplayer", "oplayer")}
    assert found.groups(exact=False) == set()
    assert found.invariants.one_goal == found.invariants.always_moves == {0, 1}


def test_connect_four() -> None:
    found = shipped("classics/connect_four")
    assert found.groups(exact=True) == {one_of("control", *(role.text for role in found.game.roles))}
    # No fact says that a cell is empty.
    assert len(found.groups(exact=False)) == 42
    assert found.invariants.one_goal == found.invariants.always_moves == {0, 1}


def test_breakthrough() -> None:
    found = shipped("classics/breakthrough")
    assert found.groups(exact=True) == {one_of("control", "white", "black")}
    assert found.groups(exact=False) == board("cell", DIGITS, DIGITS, ["white", "black"])
    assert found.invariants.one_goal == {0, 1}


def test_othello() -> None:
    found = shipped("classics/othello")
    assert one_of("control", *(role.text for role in found.game.roles)) in found.groups(exact=True)
    # The four cells in the middle are never empty again; no fact says that another is.
    assert len(found.groups(exact=False)) == 60
    assert len(found.groups(exact=True)) == 5


def test_wolf_sheep() -> None:
    found = shipped("wolf_sheep")
    assert one_of("control", "wolf", "sheep") in found.groups(exact=True)
    cells = {group for group in found.groups(exact=True) if all(fact.startswith("(cell") for fact in group)}
    assert len(cells) >= 64
    assert found.groups(exact=False) == set()


def test_knights_and_pawns() -> None:
    """The board is empty in step 1, and without that, two pieces could be placed on one cell."""
    found = shipped("knights_and_pawns")
    assert found.groups(exact=True) == {one_of("control", "white", "black"), one_of("step", *range(1, 61))}
    pieces = [f"{colour}{kind}" for colour in ("white", "black") for kind in ("knight", "pawn")]
    cells = board("cell", DIGITS, DIGITS, pieces)
    everything = found.groups(exact=False)
    assert all(any(cell & {fact.text for fact in found.game.facts} <= group for group in everything) for cell in cells)


def test_battle() -> None:
    found = shipped("battle")
    exact = found.groups(exact=True)
    assert one_of("control", "north", "south") in exact
    assert any("(step 1)" in group for group in exact)
    cells = board("cell", DIGITS, DIGITS, ["np", "nk", "sp", "sk"])
    assert cells <= found.groups(exact=False)


@pytest.mark.parametrize("name", ["sliding_pieces", "variants/sliding_pieces_classic"])
def test_sliding_pieces(name: str) -> None:
    found = shipped(name)
    pieces = [*(f"piece{number}" for number in range(1, 11)), "blank"]
    cells = board("cell", [f"y{y}" for y in range(1, 6)], [f"x{x}" for x in range(1, 5)], pieces)
    # Not every piece gets everywhere.
    facts = {fact.text for fact in found.game.facts} - {found.game.facts[i].text for i in found.invariants.constants}
    assert {cell & facts for cell in cells} <= found.groups(exact=True)
    assert one_of("step", *(f"s{step}" for step in range(82))) in found.groups(exact=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_fox_game(name: str) -> None:
    found = shipped(name)
    positions = [(x, y) for x in range(1, 8) for y in range(1, 8) if x in (3, 4, 5) or y in (3, 4, 5)]
    cells = {frozenset(f"(cell {x} {y} {piece})" for piece in ("fox", "sheep", "empty")) for x, y in positions}
    assert cells | {one_of("control", "fox", "sheep")} <= found.groups(exact=True)
    assert any("(quiet 0)" in group for group in found.groups(exact=False))


def test_facts_that_nothing_changes() -> None:
    found = shipped("variants/wolf_sheep_diagonal")
    assert found.invariants.constants
    assert all(found.game.init[number] == value for number, value in found.invariants.constants.items())


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
ROLES = "abcd"
RARE = (
    "".join(f"(role {role})" for role in ROLES)
    + """
(init on)
(number 0)
(<= (legal ?r (choose ?n)) (role ?r) (number ?n))
(<= (next on) (not jackpot))
(<= (next off) jackpot)
(<= jackpot (does a (choose 7)) (does b (choose 31)) (does c (choose 11)) (does d (choose 3)))
(<= (goal ?r 0) (role ?r))
(<= terminal (true off))
"""
    + "".join(f"(number {n})" for n in range(1, 50))
)


def proposals(game: GameCircuit) -> Candidates:
    return sampled(game, Random(0))


def literals(game: GameCircuit, *texts: str) -> set[int]:
    """The literals of facts by their texts."""
    return {game.fact(number) for number, fact in enumerate(game.facts) if fact.text in texts}


def test_what_a_rare_sequence_of_moves_breaks_is_not_claimed() -> None:
    found = case(LIGHTS)
    lights = literals(found.game, "(light red)", "(light green)")
    assert any(set(claim.literals) == lights for claim in proposals(found.game).claims), "it seems to be so"
    assert all({2 * node for node in group.nodes} != lights for group in found.invariants.groups)
    assert {value.text for _, value in found.game.goals} == {"0", "100"}
    assert not found.invariants.never_goals


def test_what_a_rare_joint_move_brings_about_is_not_constant() -> None:
    found = case(RARE)
    (off,) = literals(found.game, "off")
    assert any(set(claim.literals) == {off} for claim in proposals(found.game).constants), "it seems to be so"
    assert found.invariants.constants == {}
    # The two exclude each other all the same.
    assert found.groups(exact=True) == {frozenset({"on", "off"})}
    game = simplified(found.game, found.invariants)
    chosen = {f"(choose {n})": role for role, n in enumerate((7, 31, 11, 3))}
    moves = [int(chosen.get(move.text) == role) for role, move in game.moves]
    after = values(game.circuit, dict(enumerate([*map(int, game.init), *moves], 1)), 1, game.next)
    assert [fact.text for fact, holds in zip(game.facts, after, strict=True) if holds] == ["off"]


def test_nothing_is_claimed_without_time() -> None:
    assert find_invariants(case(LIGHTS).game, seconds=0) == Invariants()


@pytest.mark.parametrize("seconds", [0.001, 0.02, 0.05])
def test_what_is_claimed_in_little_time_holds(seconds: float) -> None:
    proved = shipped("knights_and_pawns")
    found = find_invariants(proved.game, seconds=seconds)
    assert {group.nodes for group in found.groups} <= {
        group.nodes for group in proved.invariants.groups
    } or found.unknown
    check_playouts(Case(proved.text, proved.game, found), 1)


def test_the_same_seed_finds_the_same() -> None:
    game = shipped("classics/connect_four").game
    one, other = (find_invariants(game, seconds=SECONDS, seed=5) for _ in range(2))
    assert (one.groups, one.constants, one.candidates) == (other.groups, other.constants, other.candidates)


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
(<= (next steady) (true steady))
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


def test_recursion_is_proved_as_a_least_fixpoint() -> None:
    """In another fixpoint the two places would be reached from each other."""
    game = looped(CAVE)
    assert game.circuit.loops
    found = find_invariants(game, seconds=SECONDS)
    texts = {game.facts[number].text: value for number, value in found.constants.items()}
    assert texts == {"open": False, "found": False}
    check_playouts(Case(CAVE, game, found), 3)


def check_lanes(game: GameCircuit, random: Random) -> None:
    """That lanes have the values of the obvious evaluator, in states and joint moves of playouts."""
    playouts = Playouts(game, 16, random)
    lanes = playouts.lanes
    for _ in range(3):
        inputs = {1 + number: row for number, row in enumerate(playouts.facts)}
        moves, going = random_moves(lanes, random, lanes.full)
        lanes.set_moves(moves)
        inputs |= {1 + len(game.facts) + number: row for number, row in enumerate(moves)}
        outputs = list(game.outputs())
        assert lanes.read(outputs) == values(game.circuit, inputs, lanes.full, outputs)
        for role in range(len(game.roles)):
            own = game.moves_of(role)
            assert sum((moves[number] & going).bit_count() for number in own) == going.bit_count() or not own
            assert not any(moves[number] & ~lanes.values[game.legal[number]] for number in own)
        playouts.step()


@examples(30)
@given(circuits(), st.integers(0, 9))
def test_lanes_have_the_values_of_the_circuit(drawn: tuple[str, GameCircuit], seed: int) -> None:
    check_lanes(drawn[1], Random(seed))


def test_lanes_of_games_with_loops() -> None:
    check_lanes(looped(CAVE), Random(1))


def test_a_loop_is_evaluated_after_what_it_needs() -> None:
    """Two loops, of which the one that comes first in number needs the negation of the other."""
    built = Circuit(2)
    first, second = built.variable(), built.variable()
    one = built.and_([first ^ 1, 2 ^ 1])
    other = built.and_([second ^ 1, 4 ^ 1])
    built.loops += [Loop((first >> 1,), (built.and_([one ^ 1, second ^ 1]),)), Loop((second >> 1,), (other ^ 1,))]
    stages = Schedule(built).stages([first])
    assert [stage.loop for stage in stages if stage.loop] == [built.loops[1], built.loops[0]]


# The simplified circuit


def check_same(game: GameCircuit, other: GameCircuit, plies: int, random: Random, lanes: int = 64) -> None:
    """That two circuits of a game say the same in the states of random playouts."""
    one, two = Lanes(game, lanes), Lanes(other, lanes)
    first = [one.full if holds else 0 for holds in game.init]
    facts = first
    for _ in range(plies):
        one.set_facts(facts)
        two.set_facts(facts)
        assert one.read(game.legal) == two.read(other.legal)
        assert one.read([game.terminal, *game.goals.values()]) == two.read([other.terminal, *other.goals.values()])
        moves, going = random_moves(one, random, one.full ^ one.values[game.terminal])
        one.set_moves(moves)
        two.set_moves(moves)
        expected = [row & going for row in one.read([*game.next, *game.sees.values()])]
        assert [row & going for row in two.read([*other.next, *other.sees.values()])] == expected
        facts = [row | (start & ~going) for row, start in zip(expected, first, strict=False)]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_simplified_circuit_means_the_same(name: str) -> None:
    proved = shipped(name)
    other = simplified(proved.game, proved.invariants)
    assert len(other.circuit.fanins) <= len(proved.game.circuit.fanins)
    assert (other.constants, other.one_goal) == (proved.invariants.constants, proved.invariants.one_goal)
    check_same(proved.game, other, 20 if name in LARGE else 100, Random(name))


@pytest.mark.parametrize("name", PUBLIC_NAMES)
def test_the_simplified_circuit_of_a_public_file_means_the_same(name: str) -> None:
    file = PUBLIC / f"{name}.kif"
    if not file.exists():
        pytest.skip("no public files here")
    proved = case(file.read_text(encoding="utf-8"))
    check_same(proved.game, simplified(proved.game, proved.invariants), 60, Random(name))


@examples(30)
@given(circuits(), st.integers(0, 9))
def test_simplified_circuits_of_random_games_mean_the_same(drawn: tuple[str, GameCircuit], seed: int) -> None:
    game = drawn[1]
    found = find_invariants(game, seconds=SECONDS, seed=seed)
    check_same(game, simplified(game, found), 12, Random(seed))


def test_a_game_without_facts_or_moves() -> None:
    game = circuit("(role r) (legal r m) terminal (goal r 100)")
    found = find_invariants(game, seconds=SECONDS)
    assert (found.one_goal, found.groups, found.constants) == ({0}, (), {})
    assert simplified(game, found).roles == game.roles
