"""Find the invariants of a game: random playouts propose claims, and induction proves them for all reachable states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from random import Random
from time import perf_counter
from typing import Final, final

from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Group
from gdl.circuit.proofs.candidates import Candidates, sampled
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.proofs.closure import Closure
from gdl.circuit.proofs.effort import Effort
from gdl.circuit.proofs.induction import Induction
from gdl.circuit.proofs.layers import layers
from gdl.circuit.proofs.proof import Counterexample, OutOfTime, Prover
from gdl.circuit.sampling import Lanes
from gdl.terms import Term

#: The share of the remaining time that each round of proofs may take.
_SHARE: Final = 0.7

#: The number of parallel playouts that start from counterexamples.
_LANES: Final = 512


@final
@dataclass(frozen=True, slots=True)
class Invariants:
    """Properties of the initial state and of all states that legal joint moves from non-terminal states lead to."""

    #: All proved claims about facts. In any state in which they hold, the rest holds after steps from it, too.
    claims: tuple[Claim, ...] = ()
    #: Nodes of facts of which at most one, or exactly one, holds: the claims in a form that simplifies circuits.
    groups: tuple[Group, ...] = ()
    #: The numbers of facts that are constant, with their values.
    constants: dict[int, bool] = field(default_factory=dict)
    #: The numbers of moves that are illegal in all states in which the claims hold.
    never_legal: frozenset[int] = frozenset()
    #: Goals, by role number and value, that no such state has.
    never_goals: frozenset[tuple[int, Term]] = frozenset()
    #: Roles with exactly one goal in every terminal state that is initial or that a step leads to.
    one_goal: frozenset[int] = frozenset()
    #: Roles with a legal move in every non-terminal state that is initial or that a step leads to.
    always_moves: frozenset[int] = frozenset()
    #: The numbers of claims about facts that were tried, that were proved, and that were neither proved nor refuted.
    candidates: int = 0
    proved: int = 0
    unknown: int = 0
    seconds: float = 0.0


def find_invariants(game: GameCircuit, *, seconds: float = 10.0, seed: int = 0) -> Invariants:
    """Return properties of every reachable state, proved within about `seconds`. Needs clingo.

    Time is measured by the work done, so every machine proves the same, and slow ones take longer.
    """
    start = perf_counter()
    effort = Effort()
    if seconds <= 0:
        return Invariants()
    first = _closed(game)
    if first.constants or first.never_legal or first.never_goals:
        game = simplified(game, first)
    known = [
        Claim("some" if holds else "none", (game.fact(number),)) for number, holds in sorted(game.constants.items())
    ]
    random = Random(seed)
    candidates = sampled(game, random)
    proved, unknown = _proved(game, candidates, known, random, effort, seconds)
    claims = (*known, *proved)
    groups, constants = _named(claims)
    return replace(
        _of_states(game, candidates, claims, effort, seconds),
        claims=claims,
        groups=groups,
        constants=constants,
        candidates=len(candidates.claims) + len(candidates.constants),
        proved=len(proved),
        unknown=unknown,
        seconds=perf_counter() - start,
    )


def _closed(game: GameCircuit) -> Invariants:
    """Return the invariants that hold because nothing else is possible at all."""
    possible = Closure(game).possible
    numbers = range(len(game.facts))
    return Invariants(
        constants={
            number: possible(game.fact(number))
            for number in numbers
            if possible(game.fact(number)) != possible(game.fact(number) + 1)
        },
        never_legal=frozenset(number for number, literal in enumerate(game.legal) if not possible(literal)),
        never_goals=frozenset(key for key, literal in game.goals.items() if not possible(literal)),
    )


def _proved(
    game: GameCircuit,
    candidates: Candidates,
    known: Sequence[Claim],
    random: Random,
    effort: Effort,
    limit: float,
) -> tuple[list[Claim], int]:
    """Return the claims about facts that are proved, and the number of those neither proved nor refuted."""
    layer_of = layers(game)
    lanes = Lanes(game, _LANES)
    proved: list[Claim] = []
    claims, constants = candidates.claims, candidates.constants
    unknown: list[Claim] = []
    # Groups mostly do not depend on constants, which can be many.
    for tried in [claims, [*claims, *constants]] if constants else [claims]:
        unknown = []
        done = set(proved)
        by_layer: dict[int, list[Claim]] = {}
        for claim in tried:
            if claim not in done:
                by_layer.setdefault(max(layer_of[(x >> 1) - 1] for x in claim.literals), []).append(claim)
        until = effort.spent + _SHARE * (limit - effort.spent)
        for layer in sorted(by_layer):
            if effort.spent >= until:
                unknown += by_layer[layer]
                continue
            induction = Induction(game, by_layer[layer], [*known, *proved], lanes, random, effort)
            proved += induction.proved(until)
            unknown += induction.unknown
    return proved, len(unknown)


def _named(proved: Iterable[Claim]) -> tuple[tuple[Group, ...], dict[int, bool]]:
    """Convert proved claims to groups and constants."""
    constants: dict[int, bool] = {}
    most: dict[tuple[int, ...], None] = {}
    least: set[tuple[int, ...]] = set()
    for claim in proved:
        nodes = tuple(literal >> 1 for literal in claim.literals)
        if claim.kind == "at most one":
            most[nodes] = None
        elif len(nodes) == 1:
            constants[nodes[0] - 1] = claim.kind == "some"
        elif claim.kind == "some":
            least.add(nodes)
    groups = [Group(nodes, nodes in least) for nodes in most]
    return tuple(_strongest(groups, constants)), constants


def _strongest(groups: Iterable[Group], constants: Mapping[int, bool]) -> Iterator[Group]:
    """Yield the groups without constants, except those implied by larger groups."""
    shorter: dict[tuple[int, ...], bool] = {}
    for group in groups:
        nodes = tuple(node for node in group.nodes if node - 1 not in constants)
        if len(nodes) > 1:
            # If one member always holds, the others never do, and need no group.
            exact = group.exact and not any(constants.get(node - 1) for node in group.nodes)
            shorter[nodes] = exact or shorter.get(nodes, False)
    holders: dict[int, list[frozenset[int]]] = {}
    for nodes, exact in sorted(shorter.items(), key=lambda item: (-len(item[0]), item[0])):
        found = frozenset(nodes)
        if not exact and any(found < larger for larger in holders.get(nodes[0], ())):
            continue
        for node in nodes:
            holders.setdefault(node, []).append(found)
        yield Group(nodes, exact)


def _of_states(
    game: GameCircuit, candidates: Candidates, proved: Sequence[Claim], effort: Effort, limit: float
) -> Invariants:
    """Return the properties of single states that follow from what has been proved of all states."""
    never = [Claim("none", (literal,)) for literal in candidates.silent]
    one_goal, moves = candidates.one_goal, candidates.moves
    # States entered by a caller need not be ones that a step leads to.
    found = set(holding(game, proved, never, None, effort, limit, step=False))
    for step in (False, True):
        for claims, terminal in ((chain(*one_goal.values()), True), (moves.values(), False)):
            left = [claim for claim in claims if claim not in found]
            found.update(holding(game, proved, left, terminal, effort, limit, step=step))
    silent = {FALSE}.union(*(claim.literals for claim in never if claim in found))
    return Invariants(
        never_legal=frozenset(number for number, literal in enumerate(game.legal) if literal in silent),
        never_goals=frozenset(key for key, literal in game.goals.items() if literal in silent),
        one_goal=frozenset(role for role, claims in one_goal.items() if found.issuperset(claims)),
        always_moves=frozenset(role for role, claim in moves.items() if claim in found),
    )


def holding(
    game: GameCircuit,
    proved: Sequence[Claim],
    claims: Sequence[Claim],
    terminal: bool | None,
    effort: Effort,
    limit: float,
    *,
    step: bool,
) -> Iterator[Claim]:
    """Yield the claims that hold in all states, or all (non-)terminal ones; with `step`, after all steps."""
    left = list(claims)
    if not left or effort.spent >= limit:
        return
    prover = Prover(game, proved, (), left, step=step, ending=terminal is not None, effort=effort)
    while left:
        try:
            found = prover.counterexample(left, (), terminal=terminal)
        except OutOfTime:
            return
        if not isinstance(found, Counterexample):
            yield from left
            return
        broken = set(found.broken)
        left = [claim for claim in left if claim not in broken]


def simplified(game: GameCircuit, invariants: Invariants, *, rebuilds: int = 4) -> GameCircuit:
    """Rebuild the circuit with what holds in every reachable state, until that no longer makes it smaller.

    It is rebuilt at most `rebuilds` times.
    """
    replaced = {1 + number: TRUE if holds else FALSE for number, holds in invariants.constants.items()}
    groups = tuple(dict.fromkeys((*game.circuit.laws.groups, *invariants.groups)))
    for _ in range(rebuilds):
        before = len(game.circuit.fanins)
        legal = [FALSE if number in invariants.never_legal else literal for number, literal in enumerate(game.legal)]
        goals = {key: FALSE if key in invariants.never_goals else literal for key, literal in game.goals.items()}
        game = rebuild(replace(game, legal=tuple(legal), goals=goals), groups, replaced)
        if len(game.circuit.fanins) >= before:
            break
    return replace(
        game,
        constants=game.constants | invariants.constants,
        one_goal=game.one_goal | invariants.one_goal,
        always_moves=game.always_moves | invariants.always_moves,
    )
