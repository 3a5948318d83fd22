"""Circuits: gates under laws, sums of products, recursion, and each pass against the obvious evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from simulator.test_simulator import TOYS
from support.evaluation import all_cases, values
from support.ground import Evaluator
from support.strategies import examples, games

import gdl
import gdl.circuit.build.ground_program
from gdl.circuit.build.factoring import sum_of_products
from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import Rebuilding, rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Circuit, Group, Laws, Loop, uses
from gdl.circuit.serialization import dumped, loaded
from gdl.grounder import ALWAYS, GroundingBudget, GroundProgram, ground
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Constant, Term

INPUTS = 6
COLUMNS, FULL = all_cases(INPUTS)
#: Both polarities of the inputs, and the constants.
LITERALS = range(2 * (1 + INPUTS))


@dataclass(frozen=True)
class Drawn:
    """A circuit with some outputs."""

    circuit: Circuit
    outputs: list[int]


def truth(circuit: Circuit, *literals: int) -> list[int]:
    """The values of literals in all cases of the inputs."""
    return values(circuit, dict(enumerate(COLUMNS, 1)), FULL, literals)


def column(literal: int) -> int:
    """The value of a constant or an input."""
    return ([0, *COLUMNS][literal >> 1]) ^ (FULL if literal & 1 else 0)


def conjunction(literals: Iterable[int]) -> int:
    result = FULL
    for literal in literals:
        result &= column(literal)
    return result


# Laws


def lawful(laws: Laws) -> int:
    """The cases in which laws hold."""
    cases = FULL
    for group in laws.groups:
        one = two = 0
        for node in group.nodes:
            two |= one & COLUMNS[node - 1]
            one |= COLUMNS[node - 1]
        cases &= ~two
        if group.exact:
            cases &= one
    for literal, follows in laws.implied.items():
        for other in follows:
            cases &= ~(column(literal) & ~column(other))
    return cases & FULL


@st.composite
def all_laws(draw: st.DrawFn) -> Laws:
    """Groups that may overlap, and what inputs imply, such that some case is left."""
    nodes = st.lists(st.integers(1, INPUTS), min_size=2, max_size=INPUTS, unique=True).map(tuple)
    groups = draw(st.lists(st.builds(Group, nodes, st.booleans()), max_size=3))
    laws = Laws(tuple(groups))
    for literal in draw(st.lists(st.integers(1, INPUTS).map(lambda node: 2 * node), max_size=2, unique=True)):
        follows = draw(st.lists(st.integers(2, 2 * INPUTS + 1), min_size=1, max_size=2))
        laws.implied[literal] = frozenset(other for other in follows if other >> 1 != literal >> 1)
    assume(lawful(laws))
    return laws


LITERAL_LISTS = st.lists(st.sampled_from(LITERALS), max_size=INPUTS)


@examples(300)
@given(all_laws(), st.lists(LITERAL_LISTS, min_size=1, max_size=4))
def test_gates_are_right_where_the_laws_hold(laws: Laws, lists: list[list[int]]) -> None:
    circuit = Circuit(INPUTS, laws)
    cases = lawful(laws)
    for literals in lists:
        every, some = circuit.and_(literals), circuit.or_(literals)
        negated = [literal ^ 1 for literal in literals]
        found = truth(circuit, every, some)
        assert (found[0] ^ conjunction(literals)) & cases == 0
        assert (found[1] ^ conjunction(negated) ^ FULL) & cases == 0
        assert circuit.and_(reversed(literals)) == every
        # Gates of gates.
        both = circuit.and_([every, some ^ 1])
        assert (truth(circuit, both)[0] ^ (conjunction(literals) & conjunction(negated))) & cases == 0


@examples(300)
@given(all_laws(), st.lists(LITERAL_LISTS, max_size=7))
def test_sums_of_products_are_right_where_the_laws_hold(laws: Laws, products: list[list[int]]) -> None:
    circuit = Circuit(INPUTS, laws)
    expected = 0
    for product in products:
        expected |= conjunction(product)
    found = truth(circuit, sum_of_products(circuit, products))[0]
    assert (found ^ expected) & lawful(laws) == 0


def test_simple_gates() -> None:
    circuit = Circuit(3)
    a, b, c = 2, 4, 6
    assert circuit.and_([]) == TRUE
    assert circuit.or_([]) == FALSE
    assert circuit.and_([a]) == a
    assert circuit.and_([a, a, TRUE]) == a
    assert circuit.and_([a, b, FALSE]) == FALSE
    assert circuit.and_([a, b, a ^ 1]) == FALSE
    assert circuit.or_([a, b, a ^ 1]) == TRUE
    assert circuit.and_([a, b, c]) == circuit.and_([c, a, b, b])
    assert circuit.or_([a, b]) == circuit.and_([a ^ 1, b ^ 1]) ^ 1
    assert len(circuit.fanins) == 1 + 3 + 2


def test_one_of_most_is_none_of_the_others() -> None:
    laws = Laws((Group((1, 2, 3, 4, 5), exact=True),))
    circuit = Circuit(5, laws)
    assert circuit.or_([2, 4, 6, 8]) == 10 ^ 1
    assert circuit.or_([2, 4, 6, 8, 10]) == TRUE
    assert circuit.and_([2, 4]) == FALSE
    assert circuit.and_([2, 5, 7]) == 2
    assert circuit.or_([2, 4, 6]) == circuit.and_([9, 11])


def test_common_factors_are_taken_out() -> None:
    circuit = Circuit(4)
    a, b, c, d = 2, 4, 6, 8
    found = sum_of_products(circuit, [[a, b], [a, c], [a, d]])
    assert circuit.fanins[found >> 1] == (a, circuit.or_([b, c, d]))
    assert sum_of_products(circuit, [[a], [a, b], [a ^ 1, c]]) == circuit.or_([a, c])
    assert sum_of_products(circuit, []) == FALSE
    assert sum_of_products(circuit, [[b], []]) == TRUE
    assert sum_of_products(circuit, [[b, b ^ 1]]) == FALSE


# Random circuits


@st.composite
def circuits(draw: st.DrawFn) -> Drawn:
    """Gates over gates, some of them inside of loops, which are monotone in their variables."""
    circuit = Circuit(INPUTS)
    made = list(LITERALS)
    for _ in range(draw(st.integers(0, 3))):
        _draw_gates(draw, circuit, made, draw(st.integers(0, 6)))
        if draw(st.booleans()):
            _draw_loop(draw, circuit, made)
    outputs = draw(st.lists(st.sampled_from(made), min_size=1, max_size=6))
    return Drawn(circuit, outputs)


def _draw_gates(draw: st.DrawFn, circuit: Circuit, made: list[int], number: int) -> None:
    for _ in range(number):
        literals = draw(st.lists(st.sampled_from(made[-24:]), min_size=1, max_size=5))
        gate = circuit.and_(literals)
        made += [gate, gate ^ 1]


def _draw_loop(draw: st.DrawFn, circuit: Circuit, made: list[int]) -> None:
    variables = [circuit.variable() for _ in range(draw(st.integers(1, 4)))]
    inner = list(variables)
    for _ in range(draw(st.integers(0, 5))):
        literals = draw(st.lists(st.sampled_from(inner + made), min_size=1, max_size=3))
        build_gate = circuit.and_ if draw(st.booleans()) else circuit.or_
        inner.append(build_gate(literals))
    updates = draw(st.lists(st.sampled_from(inner + made), min_size=len(variables), max_size=len(variables)))
    circuit.loops.append(Loop(tuple(variable >> 1 for variable in variables), tuple(updates)))
    made += [literal ^ sign for literal in variables for sign in (0, 1)]


@examples(100)
@given(circuits(), st.dictionaries(st.integers(1, INPUTS), st.sampled_from([FALSE, TRUE]), max_size=2))
def test_a_circuit_built_anew_has_the_same_values(drawn: Drawn, replaced: Mapping[int, int]) -> None:
    rebuilding = Rebuilding(drawn.circuit, drawn.outputs, Laws(), replaced)
    outputs = [rebuilding.literal(literal) for literal in drawn.outputs]
    rebuilding.close()
    cases = FULL
    for node, constant in replaced.items():
        cases &= COLUMNS[node - 1] ^ (FULL if constant == FALSE else 0)
    for old, new in zip(truth(drawn.circuit, *drawn.outputs), truth(rebuilding.new, *outputs), strict=True):
        assert (old ^ new) & cases == 0


@examples(100)
@given(circuits(), all_laws())
def test_a_circuit_built_anew_under_laws_has_the_same_values_where_they_hold(drawn: Drawn, laws: Laws) -> None:
    rebuilding = Rebuilding(drawn.circuit, drawn.outputs, laws, {})
    outputs = [rebuilding.literal(literal) for literal in drawn.outputs]
    rebuilding.close()
    for old, new in zip(truth(drawn.circuit, *drawn.outputs), truth(rebuilding.new, *outputs), strict=True):
        assert (old ^ new) & lawful(laws) == 0


@examples(60)
@given(circuits())
def test_what_outputs_need_is_counted(drawn: Drawn) -> None:
    found = uses(drawn.circuit, drawn.outputs)
    for literal in drawn.outputs:
        assert found[literal >> 1] >= 2
    for node in found:
        for other in drawn.circuit.fanins[node]:
            assert found[other >> 1] >= 1


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
    """Whether an atom holds; None, which no rule derives, does not."""
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


@pytest.mark.parametrize("unfolded", [4_000, 0], ids=["unfolded", "loops"])
@examples(60)
@given(ground_programs())
def test_a_game_built_anew_says_the_same(unfolded: int, program: GroundProgram) -> None:
    with patch.object(gdl.circuit.build.ground_program, "_UNFOLDED", unfolded):
        game = rebuild(build(program))
    check_circuit(program, game, all_states(program))


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
@examples(150)
@given(games())
def test_circuits_of_random_games(text: str) -> None:
    try:
        program = ground(Rulesheet(text), GroundingBudget(rules=1_000, seconds=5.0))
    except gdl.GroundingError:
        assume(False)
    for unfolded in (4_000, 0):
        with patch.object(gdl.circuit.build.ground_program, "_UNFOLDED", unfolded):
            game = rebuild(build(program))
        check_circuit(program, game, reachable(program, game, 4))
