"""Circuits of ground programs and games: they say the same, also when built anew or read again."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.evaluation import values
from support.ground import Evaluator
from support.odd_games import TOYS
from support.profiles import examples
from support.strategies import games

import gdl
import gdl.circuit.build.factoring
import gdl.circuit.build.ground_program
from gdl.circuit.build.factoring import sum_of_products
from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import Circuit
from gdl.circuit.serialization import dumped, loaded
from gdl.compile_budget import CompileBudget
from gdl.grounder import ALWAYS, GroundProgram, ground
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Constant, Term

# Ground programs to circuits


@st.composite
def ground_programs(draw: st.DrawFn) -> GroundProgram:
    """Facts, moves of two roles, and atoms in layers: a layer may negate those below it, and be recursive."""
    roles = (Constant("a"), Constant("b"))
    numbers = iter(range(1, 1000))
    true: dict[Term, int] = {Constant(f"f{i}"): next(numbers) for i in range(draw(st.integers(1, 4)))}
    does: dict[tuple[Term, Term], int] = {
        (role, Constant(f"m{i}")): next(numbers) for role in roles for i in range(draw(st.integers(1, 3)))
    }
    rules: list[tuple[int, tuple[int, ...]]] = []

    def layer(below: list[int], size: int) -> list[int]:
        atoms = [next(numbers) for _ in range(size)]
        for atom in atoms:
            for _ in range(draw(st.integers(0, 3))):
                positive = draw(st.lists(st.sampled_from(atoms + below), max_size=3))
                negative = draw(st.lists(st.sampled_from(below), max_size=2))
                body = (*positive, *(-other for other in negative))
                rules.append((atom, body or (below[0],)))
        return atoms

    state = list(true.values())
    before = layer(state, draw(st.integers(1, 4)))
    before += layer(state + before, draw(st.integers(1, 5)))
    after = layer(state + before + list(does.values()), draw(st.integers(1, 5)))
    on_state = st.sampled_from([ALWAYS, *before])
    on_moves = st.sampled_from([*after, *before])
    return GroundProgram(
        roles=roles,
        init=frozenset(draw(st.sets(st.sampled_from(sorted(true, key=str))))),
        true=true,
        does=does,
        legal={done: draw(on_state) for done in does},
        next={fact: draw(on_moves) for fact in draw(st.sets(st.sampled_from(sorted(true, key=str))))},
        goal={(role, Constant(str(value))): draw(on_state) for role in roles for value in (0, 100)},
        sees={(roles[0], Constant("s")): draw(on_moves)},
        terminal=draw(st.none() | on_state),
        rules=rules,
        size=next(numbers),
    )


def joint_moves(game: GameCircuit, legal: Mapping[int, bool]) -> list[list[int]]:
    """The numbers of moves of every joint move of legal moves."""
    found: list[list[int]] = [[]]
    for role in range(len(game.roles)):
        found = [[*moves, move] for moves in found for move in game.moves_of(role) if legal[move]]
    return found


def holds(atom: int | None, model: set[int]) -> bool:
    """Return True if an atom holds; None stands for an atom that no rule derives."""
    return atom in model


def check_circuit(program: GroundProgram, game: GameCircuit, states: list[frozenset[Term]]) -> None:
    """In each state, and after each joint move, the circuit says what the ground program does."""
    evaluator = Evaluator(program)
    names = {number: (game.roles[role], move) for number, (role, move) in enumerate(game.moves)}
    for state in states:
        inputs = {1 + number: int(fact in state) for number, fact in enumerate(game.facts)}
        nothing = {1 + len(game.facts) + number: 0 for number in names}
        before = evaluator.atoms(state)

        literals = [*game.legal, game.terminal, *game.goals.values()]
        found = values(game.circuit, inputs | nothing, 1, literals)
        legal = {number: holds(program.legal.get(name), before) for number, name in names.items()}
        assert found[: len(legal)] == list(legal.values())
        assert found[len(legal)] == holds(program.terminal, before)
        assert found[len(legal) + 1 :] == [
            holds(program.goal[game.roles[role], value], before) for role, value in game.goals
        ]
        for moves in joint_moves(game, legal):
            after = evaluator.atoms(state, dict(names[move] for move in moves))
            done = {1 + len(game.facts) + number: int(number in moves) for number in names}
            found = values(game.circuit, inputs | done, 1, [*game.next, *game.sees.values()])
            coming = [holds(program.next.get(fact), after) for fact in game.facts]
            seen = [holds(program.sees[game.roles[role], percept], after) for role, percept in game.sees]
            assert found == coming + seen


def all_states(program: GroundProgram) -> list[frozenset[Term]]:
    facts = list(program.true)
    return [frozenset(f for i, f in enumerate(facts) if bits >> i & 1) for bits in range(1 << len(facts))]


@pytest.mark.parametrize("unfolded", [4_000, 0], ids=["unfolded", "loops"])
@examples(100)
@given(ground_programs(), st.booleans(), st.booleans())
def test_a_circuit_says_what_the_ground_program_says(
    unfolded: int, program: GroundProgram, factoring: bool, complements: bool
) -> None:
    with patch.object(gdl.circuit.build.ground_program, "_UNFOLDED", unfolded):
        game = build(program, factoring=factoring, complements=complements)
    check_circuit(program, game, all_states(program))


@pytest.mark.parametrize(("unfolded", "depth"), [(4_000, 32), (0, 1)], ids=["unfolded", "loops, hardly factored"])
@examples(60)
@given(ground_programs())
def test_a_game_built_anew_says_the_same(unfolded: int, depth: int, program: GroundProgram) -> None:
    with (
        patch.object(gdl.circuit.build.ground_program, "_UNFOLDED", unfolded),
        patch.object(gdl.circuit.build.factoring, "_DEPTH", depth),
    ):
        game = rebuild(build(program))
    check_circuit(program, game, all_states(program))


def test_common_factors_are_taken_out_together() -> None:
    circuit = Circuit(3_002)
    common = [2 * node for node in range(1, 3_001)]
    found = sum_of_products(circuit, [[*common, 2 * 3_001], [*common, 2 * 3_002]])
    assert circuit.size == 2 + 2 * len(common)
    assert circuit.fanins[found >> 1][0] == common[0]


@examples(60)
@given(ground_programs())
def test_a_game_is_kept_as_text_and_read_again(program: GroundProgram) -> None:
    with patch.object(gdl.circuit.build.ground_program, "_UNFOLDED", 0):
        game = build(program)
    again = loaded(dumped(game))
    for name in ("roles", "facts", "moves", "init", "legal", "next", "terminal", "goals", "sees", "constants"):
        assert getattr(again, name) == getattr(game, name)
    assert again.circuit.fanins == game.circuit.fanins
    assert again.circuit.loops == game.circuit.loops
    assert again.circuit.laws.groups == game.circuit.laws.groups
    assert dumped(again) == dumped(game)
    check_circuit(program, again, all_states(program))


def reachable(program: GroundProgram, game: GameCircuit, most: int, seed: int = 0) -> list[frozenset[Term]]:
    """Some states of random playouts."""
    evaluator, random = Evaluator(program), Random(seed)
    found, state = [program.init], program.init
    while len(found) < most:
        before = evaluator.atoms(state)
        legal = {
            number: program.legal.get((game.roles[role], move)) in before
            for number, (role, move) in enumerate(game.moves)
        }
        choices = [[move for move in game.moves_of(role) if legal[move]] for role in range(len(game.roles))]
        if program.terminal in before or not all(choices):
            return found
        done = [game.moves[random.choice(own)] for own in choices]
        after = evaluator.atoms(state, {game.roles[role]: move for role, move in done})
        state = frozenset(fact for fact, atom in program.next.items() if atom in after)
        found.append(state)
    return found


@pytest.mark.parametrize("unfolded", [4_000, 0], ids=["unfolded", "loops"])
@pytest.mark.parametrize("name", ["nim", "coin", "spelled", "graph", "terms", "goals"])
def test_circuits_of_small_games(name: str, unfolded: int) -> None:
    program = ground(Rulesheet(TOYS[name]))
    with patch.object(gdl.circuit.build.ground_program, "_UNFOLDED", unfolded):
        game = build(program)
    assert bool(game.circuit.loops) == (name == "graph" and unfolded == 0)
    for one in (game, rebuild(game)):
        check_circuit(program, one, reachable(program, game, 12))


@pytest.mark.slow
@examples(80)
@given(games())
def test_circuits_of_random_games(text: str) -> None:
    try:
        program = ground(Rulesheet(text), CompileBudget(rules=1_000, seconds=5.0))
    except gdl.GroundingError:
        assume(False)
    for unfolded in (4_000, 0):
        with patch.object(gdl.circuit.build.ground_program, "_UNFOLDED", unfolded):
            game = rebuild(build(program))
        check_circuit(program, game, reachable(program, game, 4))
