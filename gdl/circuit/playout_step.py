"""The circuit of one step of a playout: the rows of moves that may be chosen, and the effects of those chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

from gdl.circuit.analysis.dependence import relevant_facts, running
from gdl.circuit.build.factoring import sum_of_products
from gdl.circuit.build.rebuild import Rebuilding
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Circuit, Group, Laws
from gdl.circuit.move_rows import Candidate, Choosing, choosings
from gdl.circuit.phases import Phases


@final
@dataclass(frozen=True, slots=True)
class StepCircuit:
    """Literals of a circuit over the facts of a state that is not terminal, and over the rows that are chosen.

    `rows` and `chosen` belong to `choosings`: for each row, the literal that holds if it may be chosen, and the input
    that holds if it is. The input `moved` holds if every role has moved. `forced` has the legality of moves that are a
    role's only choice. `next` has the facts that matter; the `persistent` ones do not change if nothing is chosen.
    """

    circuit: Circuit
    choosings: list[Choosing]
    rows: list[list[int]]
    chosen: list[list[int]]
    moved: int
    forced: dict[int, int]
    next: dict[int, int]
    persistent: set[int]

    def outputs(self) -> Iterator[int]:
        """Yield every output literal."""
        for rows in self.rows:
            yield from rows
        yield from self.forced.values()
        yield from self.next.values()


def step_circuit(game: GameCircuit) -> StepCircuit:
    """Build the step circuit of a game."""
    # Only lanes in states that are not terminal are still played.
    whole = running(game)
    (step,) = _step_circuits(game, whole, [whole], ())
    return step


def phase_circuits(game: GameCircuit, phases: Phases) -> list[StepCircuit]:
    """Build a step circuit for each phase of a game; all have the same facts."""
    return _step_circuits(game, running(game), [running(phase) for phase in phases.games], phases.facts)


def _step_circuits(
    game: GameCircuit, whole: GameCircuit, steps: Sequence[GameCircuit], asked: Sequence[int]
) -> list[StepCircuit]:
    """Build a circuit of each of some steps of a game; the facts that are asked for matter in any case.

    `whole` is right in all states that are not terminal, and each step in some of them.
    """
    plans = [choosings(step) for step in steps]
    keys = {key >> 1 for own in plans for plan in own for key in _keys(plan)}
    facts = relevant_facts(game, whole, [*asked, *(node - 1 for node in keys if 1 <= node <= len(game.facts))])
    return [_step_circuit(step, own, facts) for step, own in zip(steps, plans, strict=True)]


def _step_circuit(step: GameCircuit, plans: list[Choosing], facts: Sequence[int]) -> StepCircuit:
    """Build the circuit of a step in which some choices are made, and whose results are the facts that matter."""
    groups = _groups_of(step.circuit.laws, facts)
    outputs = [*step.legal, *(step.next[fact] for fact in facts)]
    rebuilding = Rebuilding(step.circuit, outputs, Laws(groups), {})
    circuit = rebuilding.new
    legal = {c.move: rebuilding.literal(step.legal[c.move]) for plan in plans for row in plan.rows for c in row}
    forced = {
        case.forced: rebuilding.literal(step.legal[case.forced])
        for plan in plans
        for case in plan.cases
        if case.forced is not None
    }
    rows = [[_row(circuit, legal, candidates) for candidates in plan.rows] for plan in plans]
    chosen = [[circuit.variable() for _ in plan.rows] for plan in plans]
    moved = circuit.variable()
    products = _products(plans, chosen, moved, forced)
    for number in range(len(step.moves)):
        rebuilding.replace(step.move(number) >> 1, _done(rebuilding, products.get(number, [])))
    following = {fact: rebuilding.literal(step.next[fact]) for fact in facts}
    rebuilding.close()
    nothing = {literal >> 1: FALSE for literal in (moved, *(row for own in chosen for row in own))}
    persistent = _persistent(circuit, following, nothing)
    return StepCircuit(circuit, plans, rows, chosen, moved, forced, following, persistent)


def _keys(plan: Choosing) -> Iterator[int]:
    """Yield the literals that tell the cases of a choice, and the moves of its rows, apart."""
    for case in plan.cases:
        yield case.key
    for row in plan.rows:
        for candidate in row:
            yield from candidate.keys


def _groups_of(laws: Laws, facts: Sequence[int]) -> tuple[Group, ...]:
    """Return the groups of those facts that matter, as the step has no others.

    A group that has lost a member is no longer exact: a gate over all others would be the negation of the lost one.
    """
    kept = {1 + fact for fact in facts}
    found = []
    for group in laws.groups:
        nodes = tuple(node for node in group.nodes if node in kept)
        if len(nodes) > 1:
            found.append(Group(nodes, group.exact and len(nodes) == len(group.nodes)))
    return tuple(found)


def _row(circuit: Circuit, legal: dict[int, int], candidates: Sequence[Candidate]) -> int:
    """Return the literal that holds if one of some moves is legal and its keys hold."""
    products = []
    for candidate in candidates:
        literal = legal[candidate.move]
        conjuncts = () if literal & 1 else circuit.fanins[literal >> 1]
        products.append((*(conjuncts or (literal,)), *candidate.keys))
    return sum_of_products(circuit, products)


def _products(
    plans: Sequence[Choosing], chosen: Sequence[Sequence[int]], moved: int, forced: dict[int, int]
) -> dict[int, list[tuple[int, ...]]]:
    """Return, for each move, the products of which one holds when the move is done."""
    found: dict[int, list[tuple[int, ...]]] = {}
    for plan, literals in zip(plans, chosen, strict=True):
        for case in plan.cases:
            if case.forced is not None:
                found.setdefault(case.forced, []).append((case.key, forced[case.forced], moved))
        for candidates, literal in zip(plan.rows, literals, strict=True):
            # Keys that all moves of the row have in common do not tell them apart.
            common = frozenset.intersection(*(frozenset(candidate.keys) for candidate in candidates))
            for candidate in candidates:
                keys = (key for key in candidate.keys if key not in common)
                found.setdefault(candidate.move, []).append((literal, *keys))
    return found


def _done(rebuilding: Rebuilding, products: Sequence[tuple[int, ...]]) -> int:
    """Return the literal that holds when a move is done."""
    circuit = rebuilding.new
    literal = circuit.or_([circuit.and_(product) for product in products])
    if len(products) == 1 and literal > TRUE and not literal & 1:
        rebuilding.products[literal] = circuit.fanins[literal >> 1] or (literal,)
    return literal


def _persistent(circuit: Circuit, following: dict[int, int], nothing: dict[int, int]) -> set[int]:
    """Return the facts that do not change if nothing is done."""
    rebuilding = Rebuilding(circuit, following.values(), Laws(), nothing)
    return {fact for fact, literal in following.items() if rebuilding.literal(literal) == 2 * (1 + fact)}
