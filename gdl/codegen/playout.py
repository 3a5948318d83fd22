"""The netlist of one step of random playouts: choose moves, make the next state, see where it ends, begin again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import final

from gdl.circuit.factoring import sum_of_products
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Circuit, Laws
from gdl.circuit.rebuild import Rebuilding, rebuild
from gdl.codegen.choice import Choice, draw, walk
from gdl.codegen.lower import Lowering
from gdl.codegen.netlist import CHOOSE, NOT, ONES, ZEROS, A, B, C, Netlist
from gdl.codegen.rows import Candidate, Choosing, choosings
from gdl.terms import Term


@final
@dataclass(slots=True)
class PlayoutNetlist:
    """A netlist with the meaning of its rows.

    Its inputs are, in this order: the state (facts, then the bits of ages), the limit of ages, the row of lanes that
    count (`active`), the row that says whether playouts over the limit are cut, the facts of the state that playouts
    begin in, the random rows.
    """

    netlist: Netlist
    #: The facts that a step needs, by their numbers.
    facts: list[int]
    #: Whether playouts begin in a given state; else in the game's initial state, and no rows are read for that.
    given: bool
    age_bits: int
    randoms: int
    #: The rows of the next state.
    next: list[int] = field(default_factory=list)
    #: Rows whose ones are counted in every step, by what they mean.
    counters: dict[str | tuple[int, Term], int] = field(default_factory=dict)
    #: Where a playout that counts ends.
    ended: int = ZEROS
    #: Where a playout is longer than the limit, and goes on.
    longer: int = ZEROS
    #: Rows that are collected: where a playout took as many plies as one may.
    longest: int = ZEROS

    @property
    def state(self) -> int:
        """How many rows a state has."""
        return len(self.facts) + self.age_bits


def playout_netlist(game: GameCircuit, *, tries: int, age_bits: int, given: bool = False) -> PlayoutNetlist:
    """One step of playouts of a game, with so many draws of a move a step, and ages of so many bits."""
    return _Playout(game, tries, age_bits, given).built()


class _Playout:
    def __init__(self, game: GameCircuit, tries: int, age_bits: int, given: bool) -> None:
        self.game = game
        self.tries = tries
        # A lane that is still played is in no terminal state.
        self.step = rebuild(game, replaced=_false(game.circuit, game.terminal))
        self.facts = relevant_facts(self.step, game)
        state, begin = len(self.facts) + age_bits, len(self.facts) * given
        self.choosings = choosings(self.step)
        randoms = tries * sum((len(choosing.rows) - 1).bit_length() for choosing in self.choosings if choosing.rows)
        self.netlist = netlist = Netlist(state + age_bits + 2 + begin + randoms)
        rows = iter(range(2, netlist.inputs))
        self.state = {fact: next(rows) for fact in self.facts}
        self.age = [next(rows) for _ in range(age_bits)]
        self.limit = [next(rows) for _ in range(age_bits)]
        self.active, self.cutting = next(rows), next(rows)
        #: Where a role has no legal move.
        self.stuck = ZEROS
        self.begin = {fact: next(rows) if given else int(game.init[fact]) for fact in self.facts}
        self.random = rows
        self.result = PlayoutNetlist(netlist, self.facts, given, age_bits, randoms)

    def built(self) -> PlayoutNetlist:
        game, step, netlist, result = self.game, self.step, self.netlist, self.result
        nodes = {1 + fact: signal for fact, signal in self.state.items()}
        rows = [self._row(candidates) for choosing in self.choosings for candidates in choosing.rows]
        forced = [step.legal[case.forced] for c in self.choosings for case in c.cases if case.forced is not None]
        lowering = Lowering(netlist, step.circuit, [*rows, *forced, *(step.next[f] for f in self.facts)], nodes)
        moved = self._choose(lowering, iter(rows))
        following = {fact: lowering.signal(step.next[fact]) for fact in self.facts}
        kept = _persistent(step, self.facts)
        for fact in self.facts:
            if fact not in kept:
                following[fact] = netlist.operation(CHOOSE, moved, following[fact], self.state[fact])
        outcome = [game.terminal, *game.goals.values()]
        ending = Lowering(netlist, game.circuit, outcome, {1 + fact: row for fact, row in following.items()})
        counts = netlist.operation(A & B & (C ^ NOT), moved, self.active, self.stuck)
        terminal = netlist.operation(A & (B ^ NOT), ending.signal(game.terminal), self.stuck)
        age, longer = self._aged(moved)
        cut = netlist.operation(A & B & (C ^ NOT), longer, self.cutting, terminal)
        # A lane that stalled is where it was, and that was not terminal.
        over = netlist.operation(A | B | C, terminal, cut, self.stuck)
        result.ended = netlist.and_(over, self.active)
        result.longer = netlist.operation(A & (B ^ NOT) & C, longer, self.cutting, self.active)
        result.longest = netlist.operation(A & B & C, longer, self.cutting, self.active)
        result.next = [netlist.operation(CHOOSE, over, self.begin[fact], row) for fact, row in following.items()]
        result.next += [netlist.operation((A ^ NOT) & B, over, bit) for bit in age]
        finished = netlist.operation(A & B & (C ^ NOT), result.ended, terminal, ZEROS)
        stuck = netlist.and_(self.stuck, self.active)
        result.counters = {"plies": counts, "ended": result.ended, "finished": finished, "stuck": stuck}
        self._count_goals(ending, finished)
        return result

    def _row(self, candidates: Sequence[Candidate]) -> int:
        """The literal that holds where one of some moves is legal, each where its keys hold."""
        circuit = self.step.circuit
        products = []
        for candidate in candidates:
            legal = self.step.legal[candidate.move]
            conjuncts = () if legal & 1 else circuit.fanins[legal >> 1]
            products.append((*(conjuncts or (legal,)), *candidate.keys))
        return sum_of_products(circuit, products)

    def _choose(self, lowering: Lowering, literals: Iterator[int]) -> int:
        """Signals for all moves; where every role has moved."""
        step, netlist = self.step, self.netlist
        drawn: list[Choice | None] = []
        moved = ONES
        for choosing in self.choosings:
            legal = [lowering.signal(next(literals)) for _ in choosing.rows]
            choice = draw(netlist, legal, self._random, self.tries) if legal else None
            drawn.append(choice)
            if choice is not None:
                moved = netlist.and_(moved, choice.accepted)
            self._note_stuck(lowering, choosing, ZEROS if choice is None else choice.some)
        done: dict[int, list[int]] = {number: [] for number in range(len(step.moves))}
        for choosing, choice in zip(self.choosings, drawn, strict=True):
            for case in choosing.cases:
                if case.forced is not None:
                    key, fine = lowering.signal(case.key), lowering.signal(step.legal[case.forced])
                    done[case.forced].append(netlist.operation(A & B & C, key, fine, moved))
            if choice is not None:
                for candidates, row in zip(choosing.rows, walk(netlist, choice, moved), strict=True):
                    for candidate, signal in self._told_apart(lowering, candidates, row):
                        done[candidate.move].append(signal)
        for number, signals in done.items():
            lowering.signals[step.move(number) >> 1] = netlist.any_of(signals)
        return moved

    def _told_apart(
        self, lowering: Lowering, candidates: Sequence[Candidate], row: int
    ) -> Iterator[tuple[Candidate, int]]:
        """Signals for the moves of a row that was chosen: by the keys that they do not have in common."""
        common = frozenset.intersection(*(frozenset(candidate.keys) for candidate in candidates))
        for candidate in candidates:
            keys = [lowering.signal(key) for key in candidate.keys if key not in common]
            yield candidate, self.netlist.operation(A & B & C, row, *(*keys, ONES, ONES)[:2])

    def _note_stuck(self, lowering: Lowering, choosing: Choosing, some: int) -> None:
        """Where a role has no legal move: in each of its cases, and where there is none of them."""
        netlist = self.netlist
        groups = [set(group.nodes) for group in self.step.circuit.laws.groups if group.exact]
        for role in choosing.roles:
            if role in self.game.always_moves:
                continue
            cases = [case for case in choosing.cases if case.role == role]
            wrong = ZEROS
            for case in cases:
                fine = some if case.rows else ZEROS
                if case.forced is not None:
                    fine = lowering.signal(self.step.legal[case.forced])
                wrong = netlist.operation(A | (B & (C ^ NOT)), wrong, lowering.signal(case.key), fine)
            keys = {case.key >> 1 for case in cases}
            if TRUE not in (case.key for case in cases) and keys not in groups:
                known = netlist.any_of([lowering.signal(case.key) for case in cases])
                wrong = netlist.operation(A | (B ^ NOT), wrong, known)
            self.stuck = netlist.or_(self.stuck, wrong)

    def _random(self) -> int:
        # Its own signal, as each read of a random row makes a new one.
        return self.netlist.copy(next(self.random))

    def _aged(self, moved: int) -> tuple[list[int], int]:
        """The bits of the ages after the step, and where they are larger than the limit."""
        netlist = self.netlist
        carry, longer = moved, ZEROS
        age = []
        for bit, limit in zip(self.age, self.limit, strict=True):
            age.append(netlist.operation(A ^ B, bit, carry))
            carry = netlist.and_(bit, carry)
            longer = netlist.operation((A & (B ^ NOT)) | ((A ^ B ^ NOT) & C), age[-1], limit, longer)
        return age, longer

    def _count_goals(self, ending: Lowering, finished: int) -> None:
        game, netlist = self.game, self.netlist
        for role in range(len(game.roles)):
            some = twice = ZEROS
            rows = {key: ending.signal(literal) for key, literal in game.goals.items() if key[0] == role}
            for row in rows.values():
                twice = netlist.operation(A | (B & C), twice, some, row)
                some = netlist.or_(some, row)
            valid = netlist.operation(A & B & (C ^ NOT), finished, some, twice)
            if role in game.one_goal:
                valid = finished
            for key, row in rows.items():
                self.result.counters[key] = netlist.and_(valid, row)


def _false(circuit: Circuit, literal: int) -> dict[int, int]:
    """Constants for nodes, from that a literal is false."""
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


def relevant_facts(step: GameCircuit, game: GameCircuit) -> list[int]:
    """The facts that legal moves, terminal or goals depend on, now or later."""
    count = len(game.facts)
    found: set[int] = set()
    pending = [*_facts_of(step.circuit, step.legal, count)]
    pending += _facts_of(game.circuit, [game.terminal, *game.goals.values()], count)
    seen: set[int] = set()
    while pending:
        fact = pending.pop()
        if fact not in found:
            found.add(fact)
            pending += _facts_of(step.circuit, [step.next[fact]], count, seen)
    return sorted(found)


def _facts_of(circuit: Circuit, outputs: Iterable[int], facts: int, seen: set[int] | None = None) -> Iterable[int]:
    """The facts among the inputs that some outputs depend on, but for what has been seen."""
    seen = set() if seen is None else seen
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


def _persistent(step: GameCircuit, facts: Iterable[int]) -> set[int]:
    """The facts that stay as they are where no move at all is done."""
    nothing = {step.move(number) >> 1: FALSE for number in range(len(step.moves))}
    rebuilding = Rebuilding(step.circuit, step.next, Laws(), nothing)
    return {fact for fact in facts if rebuilding.literal(step.next[fact]) == step.fact(fact)}
