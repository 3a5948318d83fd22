"""The circuit of one step of a playout: the rows of moves that may be chosen, and the effects of those chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import final

from gdl.circuit.build.factoring import sum_of_products
from gdl.circuit.build.rebuild import Rebuilding, rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Circuit, Laws
from gdl.circuit.move_rows import Candidate, Choosing, choosings


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
    step = rebuild(game, replaced=_false(game.circuit, game.terminal))
    facts = _relevant_facts(step, game)
    plans = choosings(step)
    groups = tuple(group for group in step.circuit.laws.groups if group.nodes[0] <= len(game.facts))
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


def _false(circuit: Circuit, literal: int) -> dict[int, int]:
    """Return the constants of nodes that follow from a literal being false."""
    known: dict[int, int] = {}
    stack = [literal]
    while stack:
        literal = stack.pop()
        node = literal >> 1
        if node == 0 or node in known:
            continue
        known[node] = TRUE if literal & 1 else FALSE
        if literal & 1:  # the AND holds, so all its inputs do
            stack += [fanin ^ 1 for fanin in circuit.fanins[node]]
    return known


def _relevant_facts(step: GameCircuit, game: GameCircuit) -> list[int]:
    """Return the facts that legal moves, terminal or goals depend on, now or later."""
    count = len(game.facts)
    found: set[int] = set()
    pending = [*_facts_of(step.circuit, step.legal, count, set())]
    pending += _facts_of(game.circuit, [game.terminal, *game.goals.values()], count, set())
    seen: set[int] = set()
    while pending:
        fact = pending.pop()
        if fact not in found:
            found.add(fact)
            pending += _facts_of(step.circuit, [step.next[fact]], count, seen)
    return sorted(found)


def _facts_of(circuit: Circuit, outputs: Iterable[int], facts: int, seen: set[int]) -> Iterator[int]:
    """Yield the facts that some outputs depend on, except for nodes already seen."""
    loop_of = {node: loop for loop in circuit.loops for node in loop.variables}
    stack = [literal >> 1 for literal in outputs]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if 1 <= node <= facts:
            yield node - 1
        stack += [literal >> 1 for literal in circuit.fanins[node]]
        if node in loop_of:
            stack += [literal >> 1 for literal in loop_of[node].updates]
