"""What holds in every reachable state of a game: random playouts propose it, induction proves it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from random import Random
from time import monotonic
from typing import Final, final

from gdl.circuit.claims import Claim, Exclusions, alike
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Group
from gdl.circuit.induction import Induction
from gdl.circuit.layers import layers
from gdl.circuit.proof import Counterexample, OutOfTime, Prover
from gdl.circuit.rebuild import rebuild
from gdl.circuit.sampling import Lanes, Playouts
from gdl.terms import Term

#: Playouts side by side: twice as many take hardly longer, and few meet all the rare states.
_LANES: Final = 2048

#: Playouts end after so many steps without anything new, or when so many inputs of gates have been evaluated.
_QUIET_STEPS: Final = 24
_WORK: Final = 4_000_000

#: A circuit is built anew so many times at most.
_FEW: Final = 200
_REBUILDS: Final = 4

#: After so many seconds a single proof is given up.
_PATIENCE: Final = 1.0


@final
@dataclass(frozen=True, slots=True)
class Invariants:
    """What holds in the initial state and in every one that legal joint moves lead to."""

    #: Nodes of facts of which at most one, or exactly one, holds.
    groups: tuple[Group, ...] = ()
    #: Numbers of facts that hold always or never.
    constants: dict[int, bool] = field(default_factory=dict)
    #: Numbers of moves that are never legal.
    never_legal: frozenset[int] = frozenset()
    #: Goals, by the number of a role and a value, that no state has.
    never_goals: frozenset[tuple[int, Term]] = frozenset()
    #: Roles with exactly one goal in every terminal state.
    one_goal: frozenset[int] = frozenset()
    #: Roles with a legal move in every state that is not terminal.
    always_moves: frozenset[int] = frozenset()
    #: Whether states that only a step from a terminal state leads to are left out.
    assumes_nonterminal: bool = True
    #: How many claims about states were tried, were proved, and were neither proved nor refuted.
    candidates: int = 0
    proved: int = 0
    unknown: int = 0
    seconds: float = 0.0


def find_invariants(game: GameCircuit, *, seconds: float = 10.0, seed: int = 0) -> Invariants:
    """What is proved within so many seconds to hold in every reachable state. Needs clingo."""
    start = monotonic()
    deadline = start + seconds
    if seconds <= 0:
        return Invariants()
    random = Random(seed)
    samples = _sampled(game, random, deadline)
    claims = [*samples.claims, *samples.constants]
    proved: list[Claim] = []
    unknown: list[Claim] = []
    layer_of = layers(game)
    lanes = Lanes(game, _LANES // 4)

    def by_layer(claims: Iterable[Claim]) -> Iterator[list[Claim]]:
        found: dict[int, list[Claim]] = {}
        for claim in claims:
            found.setdefault(max(layer_of[(literal >> 1) - 1] for literal in claim.literals), []).append(claim)
        for layer in sorted(found):
            yield found[layer]

    # The groups first: there are few, and they can mostly do without the constants.
    left = samples.claims
    if len(samples.constants) <= _FEW:
        left = claims
    while left:
        for layer in by_layer(left):
            induction = Induction(game, layer, proved, lanes, random)
            found = induction.proved(deadline)
            proved += found
            unknown += induction.unknown
            known = set(proved)
        if left is claims:
            break
        left = claims = [claim for claim in claims if claim not in known]
        unknown=[]
    groups, constants = _named(proved)
    return replace(
        _of_states(game, samples, proved, deadline),
        groups=groups,
        constants=constants,
        candidates=len(samples.claims)+len(samples.constants),
        proved=len(proved),
        unknown=len(induction.unknown),
        seconds=monotonic() - start,
    )


def _named(proved: Iterable[Claim]) -> tuple[tuple[Group, ...], dict[int, bool]]:
    """Proved claims as groups and constants; groups without constants and without those that others contain."""
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
    shorter: dict[tuple[int, ...], bool] = {}
    for group in groups:
        if any(constants.get(node - 1) for node in group.nodes):
            continue  # all the others are constant, too, or will be found to be
        nodes = tuple(node for node in group.nodes if node - 1 not in constants)
        if len(nodes) > 1:
            shorter[nodes] = group.exact or shorter.get(nodes, False)
    holders: dict[int, list[frozenset[int]]] = {}
    for nodes, exact in sorted(shorter.items(), key=lambda item: (-len(item[0]), item[0])):
        found = frozenset(nodes)
        if not exact and any(found < larger for larger in holders.get(nodes[0], ())):
            continue
        for node in nodes:
            holders.setdefault(node, []).append(found)
        yield Group(nodes, exact)


def _of_states(game: GameCircuit, samples: _Samples, proved: Sequence[Claim], deadline: float) -> Invariants:
    """What holds in each state by itself, as far as it follows from what has been proved of all."""
    never = [Claim("none", (literal,)) for literal in samples.silent]
    roles = range(len(game.roles))
    goals = [[literal for (owner, _), literal in game.goals.items() if owner == role] for role in roles]
    one_goal = [(Claim("some", tuple(own)), Claim("at most one", tuple(own))) for own in goals]
    moves = [Claim("some", tuple(game.legal[number] for number in game.moves_of(role))) for role in roles]
    prover = Prover(game, proved, [], [*never, *chain(*one_goal), *moves], moves=False)

    def holding(claims: Iterable[Claim], terminal: bool | None) -> Iterator[Claim]:
        left = list(claims)
        while left:
            try:
                found = prover.counterexample(left, (), deadline, terminal=terminal)
            except OutOfTime:
                return
            if not isinstance(found, Counterexample):
                yield from left
                return
            left = [claim for claim in left if claim not in found.broken]

    silent = {literal for claim in holding(never, None) for literal in claim.literals} | {FALSE}
    single = set(holding(chain(*one_goal), True))
    going = set(holding(moves, False))
    return Invariants(
        never_legal=frozenset(number for number, literal in enumerate(game.legal) if literal in silent),
        never_goals=frozenset(key for key, literal in game.goals.items() if literal in silent),
        one_goal=frozenset(role for role in roles if single.issuperset(one_goal[role])),
        always_moves=frozenset(role for role in roles if moves[role] in going),
    )


@final
@dataclass(frozen=True, slots=True)
class _Samples:
    """What some playouts propose: claims about facts, and literals of legal moves and goals that never hold."""

    claims: list[Claim]
    constants: list[Claim]
    silent: list[int]


def _sampled(game: GameCircuit, random: Random, deadline: float) -> _Samples:
    """What holds in all states of some random playouts."""
    playouts = Playouts(game, _LANES, random)
    values, full = playouts.lanes.values, playouts.lanes.full
    groups = [Claim("at most one", literals) for literals in alike(game)]
    least = {claim: Claim("some", claim.literals) for claim in groups}
    exclusions = Exclusions(game)
    always = [game.fact(number) for number, holds in enumerate(game.init) if holds]
    never = [game.fact(number) for number, holds in enumerate(game.init) if not holds]
    silent = list(dict.fromkeys(literal for literal in (*game.legal, *game.goals.values()) if not values[literal]))
    work = sum(map(len, game.circuit.fanins))
    left, quiet = _WORK, 0
    while quiet < _QUIET_STEPS and left > 0 and monotonic() < deadline:
        before = len(groups), len(always), len(never), len(silent)
        playouts.step()
        always = [literal for literal in always if values[literal] == full]
        never = [literal for literal in never if not values[literal]]
        silent = [literal for literal in silent if not values[literal]]
        groups = [claim for claim in groups if not claim.broken(values, full)]
        least = {claim: least[claim] for claim in groups if claim in least and not least[claim].broken(values, full)}
        exclusions.filter(values)
        quiet = quiet + 1 if before == (len(groups), len(always), len(never), len(silent)) else 0
        left -= work
    constants = [Claim("some", (literal,)) for literal in always] + [Claim("none", (literal,)) for literal in never]
    seen = {game.fact(number) for number in range(len(game.facts))}.difference(always, never)
    claims = list(exclusions.claims(seen))
    for claim in groups:
        if len(seen.intersection(claim.literals)) > 1:
            claims += [claim, least[claim]] if claim in least else [claim]
    return _Samples(claims, constants, silent)


def simplified(game: GameCircuit, invariants: Invariants) -> GameCircuit:
    """The circuit, built anew with what holds in every reachable state, until that changes nothing."""
    replaced = {1 + number: TRUE if holds else FALSE for number, holds in invariants.constants.items()}
    groups = (*game.circuit.laws.groups, *invariants.groups)
    for _ in range(_REBUILDS):
        before = len(game.circuit.fanins)
        legal = [FALSE if number in invariants.never_legal else literal for number, literal in enumerate(game.legal)]
        goals = {key: FALSE if key in invariants.never_goals else literal for key, literal in game.goals.items()}
        game = rebuild(replace(game, legal=tuple(legal), goals=goals), groups, replaced)
        if len(game.circuit.fanins) >= before:
            break
    return replace(
        game,
        constants=invariants.constants,
        one_goal=invariants.one_goal,
        always_moves=invariants.always_moves,
    )
