"""What holds in every reachable state of a game: random playouts propose it, induction proves it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from random import Random
from time import monotonic
from typing import Final, final

from gdl.circuit.claims import Claim, group_claims
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Group
from gdl.circuit.proof import Counterexample, OutOfTime, Prover
from gdl.circuit.rebuild import rebuild
from gdl.circuit.sampling import Lanes, Playouts, random_moves
from gdl.terms import Term

#: Playouts side by side: twice as many take hardly longer, and few meet all the rare states.
_LANES: Final = 2048

#: Playouts end after so many steps without anything new, or when so many inputs of gates have been evaluated.
_QUIET_STEPS: Final = 24
_WORK: Final = 4_000_000

#: A circuit is built anew so many times at most.
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
    claims = samples.claims
    induction = Induction(game, claims, random)
    # The groups first: there are few, and they can mostly do without the others.
    induction.prove([claim for claim in claims if len(claim.literals) > 1], deadline)
    induction.prove(claims, deadline)
    proved = induction.proved
    groups, constants = _named(proved)
    return replace(
        _of_states(game, samples, proved, deadline),
        groups=groups,
        constants=constants,
        candidates=len(claims),
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
        else:
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
    prover = Prover(game, proved, [*never, *chain(*one_goal), *moves], moves=False)

    def holding(claims: Iterable[Claim], terminal: bool | None) -> Iterator[Claim]:
        left = list(claims)
        while left:
            try:
                found = prover.counterexample(left, proved, deadline, terminal=terminal)
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
class Induction:
    """Proves claims by each other: where all hold, each holds after any step."""

    def __init__(self, game: GameCircuit, claims: Iterable[Claim], random: Random) -> None:
        self._game = game
        self._random = random
        self._after = {claim: claim.after(game) for claim in claims}
        self._prover = Prover(game, self._after, self._after.values(), moves=True)
        self._lanes = Lanes(game, _LANES // 4)
        self._states: list[int] = []
        #: The claims that are assumed, and may turn out to be too much.
        self._assumed: dict[Claim, None] = {}
        #: For claims that have been proved, the claims that this is due to.
        self._due: dict[Claim, frozenset[Claim]] = {}
        self.unknown: set[Claim] = set()

    @property
    def proved(self) -> list[Claim]:
        """The claims that hold in every reachable state."""
        return list(self._due)

    def prove(self, claims: Iterable[Claim], deadline: float) -> None:
        """Prove as many of some claims as can be done in time. What was proved before stays so."""
        self._assumed = dict.fromkeys(claims)
        self.unknown.difference_update(self._assumed)
        self._states = [self._lanes.full if holds else 0 for holds in self._game.init]
        while left := [claim for claim in self._assumed if claim not in self._due]:
            for claim in left:
                if claim in self._assumed and claim not in self._due:
                    self._try(claim, deadline)

    def _try(self, claim: Claim, deadline: float) -> None:
        """Prove one claim, or drop it and all that its counterexample breaks."""
        now = monotonic()
        if now >= deadline:
            left = {claim for claim in self._assumed if claim not in self._due}
            self.unknown |= left
            self._drop(left)
            return
        try:
            found = self._prover.counterexample(
                [self._after[claim]], self._assumed, min(deadline, now + _PATIENCE), terminal=False
            )
        except OutOfTime:
            self.unknown.add(claim)
            self._drop({claim})
            return
        if isinstance(found, Counterexample):
            self._drop({claim})
            self._play(found.facts)
        else:
            self._due[claim] = found

    def _drop(self, broken: set[Claim]) -> None:
        """Assume some claims no longer; what was proved by them is open again."""
        for claim in broken:
            self._assumed.pop(claim, None)
        self._due = {claim: due for claim, due in self._due.items() if claim not in broken and due.isdisjoint(broken)}

    def _play(self, facts: frozenset[int]) -> None:
        """Drop claims that are broken along random playouts from a state in which all claims hold."""
        game, lanes = self._game, self._lanes
        some = self._random.getrandbits(lanes.count)
        entered = [lanes.full if number in facts else 0 for number in range(len(game.facts))]
        self._states = [new & some | old & ~some for new, old in zip(entered, self._states, strict=True)]
        quiet = 0
        while quiet < 3:
            lanes.set_facts(self._states)
            moves, going = random_moves(lanes, self._random, lanes.full ^ lanes.values[game.terminal])
            lanes.set_moves(moves)
            broken = {claim for claim in self._assumed if self._after[claim].broken(lanes.values, lanes.full) & going}
            self._drop(broken)
            coming = lanes.read(game.next)
            self._states = [now & going | new & ~going for now, new in zip(coming, entered, strict=True)]
            quiet = 0 if broken else quiet + 1


@final
@dataclass(frozen=True, slots=True)
class _Samples:
    """What some playouts propose: claims about facts, and literals of legal moves and goals that never hold."""

    claims: list[Claim]
    silent: list[int]


def _sampled(game: GameCircuit, random: Random, deadline: float) -> _Samples:
    """What holds in all states of some random playouts."""
    playouts = Playouts(game, _LANES, random)
    values, full = playouts.lanes.values, playouts.lanes.full
    groups = [claim for claim in group_claims(game) if not claim.broken(values, full)]
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
        quiet = quiet + 1 if before == (len(groups), len(always), len(never), len(silent)) else 0
        left -= work
    claims = [Claim("some", (literal,)) for literal in always] + [Claim("none", (literal,)) for literal in never]
    constant = {*always, *never}
    return _Samples(claims + [claim for claim in groups if not constant.issuperset(claim.literals)], silent)


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
    return game
