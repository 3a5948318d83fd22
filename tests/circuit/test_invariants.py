"""Invariants hold along playouts, none is accepted without proof, and the circuit simplified by them is equivalent."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evaluation import values
from support.profiles import examples
from support.proved import LIGHTS, SECONDS, Case, case, check_playouts, circuit, circuits, literals, one_of
from support.toy_files import ROOT

from gdl.circuit.game import GameCircuit
from gdl.circuit.proofs.candidates import Candidates, sampled
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.proofs.effort import Effort
from gdl.circuit.proofs.induction import Induction
from gdl.circuit.proofs.invariants import Invariants, find_invariants, simplified
from gdl.circuit.sampling import Lanes, Playouts, random_moves

GAMES = ROOT / "games"
PUBLIC = ROOT.parent / "shared" / "rulesheets"
#: Shipped games by name, those that take long last.
LARGE = ["fox_game", "variants/fox_game_two_foxes"]
SMALL = sorted({path.relative_to(GAMES).with_suffix("").as_posix() for path in GAMES.rglob("*.kif")} - {*LARGE})
QUICK = ["classics/tic_tac_toe", "classics/connect_four", "wolf_sheep"]
SOME = {"battle", "knights_and_pawns", "sliding_pieces", "gallery/tricks", "hidden/liars_dice_1"}
LONG = [
    pytest.param(name, marks=pytest.mark.slow if name in SOME else pytest.mark.exhaustive)
    for name in [*SMALL, *LARGE]
    if name not in QUICK
]
PUBLIC_NAMES = ["blocksWorldParallel", "qyshinsu", "snakeParallel"]


def shipped(name: str) -> Case:
    return case((GAMES / f"{name}.kif").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", QUICK[:2])
def test_claims_hold_along_playouts(name: str) -> None:
    check_playouts(shipped(name), 200)


@pytest.mark.parametrize("name", LONG)
def test_claims_hold_in_many_lanes(name: str) -> None:
    """The same states as those of the proposals, but others by chance and many more of them."""
    proved = shipped(name)
    playouts = Playouts(proved.game, 512 if name in LARGE else 4096, Random("other states"))
    for _ in range(2 if name in LARGE else 150):
        playouts.step()
        lanes = playouts.lanes
        for claim in proved.invariants.claims:
            assert not claim.broken(lanes.values, lanes.full)
        for number in proved.invariants.never_legal:
            assert not lanes.values[proved.game.legal[number]]


@pytest.mark.parametrize("name", PUBLIC_NAMES)
@pytest.mark.slow
def test_claims_hold_along_playouts_of_public_files(name: str) -> None:
    file = PUBLIC / f"{name}.kif"
    if not file.exists():
        pytest.skip("no public files here")
    check_playouts(case(file.read_text(encoding="utf-8")), 3)


@examples(30)
@given(circuits(), st.integers(0, 9))
@pytest.mark.slow
def test_claims_hold_along_playouts_of_random_games(drawn: tuple[str, GameCircuit], seed: int) -> None:
    text, game = drawn
    found = find_invariants(game, seconds=SECONDS, seed=seed)
    assert not found.unknown
    check_playouts(Case(text, game, found), 3)


# What is found


def board(name: str, xs: Iterable[object], ys: Iterable[object], pieces: Iterable[object]) -> set[frozenset[str]]:
    """For each cell, the texts of facts for its contents."""
    return {frozenset(f"({name} {x} {y} {piece})" for piece in pieces) for x in xs for y in ys}


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.parametrize(
    "name", [pytest.param(LARGE[0], marks=pytest.mark.slow), pytest.param(LARGE[1], marks=pytest.mark.exhaustive)]
)
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


def test_what_a_dropped_claim_has_proved_is_not_proved() -> None:
    rules = RARE.replace("(<= terminal (true off))", "(<= terminal (true over)) (<= (next echo) (true off))")
    game = case(rules).game
    (echo,), (off,), (on,) = (literals(game, fact) for fact in ("echo", "off", "on"))
    # The first claim is proved by the second one, which is refuted then; playouts do not refute either.
    claims = [Claim("none", (echo,)), Claim("none", (off,))]
    known = [Claim("at most one", (on, off))]
    assert Induction(game, claims, known, Lanes(game, 64), Random(0), Effort()).proved(inf) == []


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


# The simplified circuit


def check_same(game: GameCircuit, other: GameCircuit, plies: int, random: Random, lanes: int = 64) -> None:
    """Check that two circuits of a game agree in the states of random playouts."""
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


@pytest.mark.parametrize("name", [*QUICK, *LONG])
def test_the_simplified_circuit_means_the_same(name: str) -> None:
    proved = shipped(name)
    other = simplified(proved.game, proved.invariants)
    assert len(other.circuit.fanins) <= len(proved.game.circuit.fanins)
    assert (other.constants, other.one_goal) == (proved.invariants.constants, proved.invariants.one_goal)
    check_same(proved.game, other, 20 if name in LARGE else 100, Random(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLIC_NAMES)
def test_the_simplified_circuit_of_a_public_file_means_the_same(name: str) -> None:
    file = PUBLIC / f"{name}.kif"
    if not file.exists():
        pytest.skip("no public files here")
    proved = case(file.read_text(encoding="utf-8"))
    check_same(proved.game, simplified(proved.game, proved.invariants), 60, Random(name))


@examples(30)
@given(circuits(), st.integers(0, 9))
@pytest.mark.slow
def test_simplified_circuits_of_random_games_mean_the_same(drawn: tuple[str, GameCircuit], seed: int) -> None:
    game = drawn[1]
    found = find_invariants(game, seconds=SECONDS, seed=seed)
    check_same(game, simplified(game, found), 12, Random(seed))


def test_a_game_without_facts_or_moves() -> None:
    game = circuit("(role r) (legal r m) terminal (goal r 100)")
    found = find_invariants(game, seconds=SECONDS)
    assert (found.one_goal, found.groups, found.constants) == ({0}, (), {})
    assert simplified(game, found).roles == game.roles
