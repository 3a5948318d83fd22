"""Induction: prove claims that hold initially and, in states where all of them hold, after every step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from random import Random
from typing import final

from gdl.circuit.game import GameCircuit
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.proofs.effort import Effort
from gdl.circuit.proofs.proof import Counterexample, OutOfTime, Prover
from gdl.circuit.sampling import Lanes, random_moves
from gdl.compile_budget import check_budget


@final
class Induction:
    """Proves claims with each other's help: finds the largest set that proves itself, given what is already known.

    At first, all claims are assumed. A claim that fails after a step from a state in which all hold is dropped, and
    claims proved with its help are tried again. A claim that takes too long is dropped, too, so that the proofs in the
    end depend on nothing but each other.
    """

    def __init__(
        self,
        game: GameCircuit,
        claims: Iterable[Claim],
        known: Sequence[Claim],
        lanes: Lanes,
        random: Random,
        effort: Effort,
    ) -> None:
        """Prepare to prove claims, given `known` ones; `lanes` are for playouts from counterexamples."""
        self._game = game
        self._random = random
        self._after = {claim: claim.after(game) for claim in claims}
        self._prover = Prover(game, known, self._after, self._after, step=True, effort=effort)
        self._effort = effort
        self._bound = {literal for claim in known for literal in claim.literals}
        self._lanes = lanes
        self._states = [lanes.full if holds else 0 for holds in game.init]
        #: The number of claims tried together, and the shortest time of any try.
        self._batch = 1
        self._shortest = inf
        self._assumed = dict.fromkeys(self._after)
        #: For each proved claim, the claims that its proof depends on.
        self._due: dict[Claim, frozenset[Claim]] = {}
        #: Claims that were dropped for lack of time.
        self.unknown: list[Claim] = []

    def proved(self, until: float) -> list[Claim]:
        """Return the claims that are proved to hold in every reachable state until the time is up."""
        while left := [claim for claim in self._assumed if claim not in self._due]:
            if self._effort.spent >= until:
                self._give_up(left)
            else:
                self._try(left[: self._batch])
        return list(self._due)

    def _try(self, batch: list[Claim]) -> None:
        """Prove some claims, or drop those that a counterexample breaks."""
        # In this order, assumptions are used as late as possible.
        assumed = dict.fromkeys([*batch, *self._due, *self._assumed])
        start = self._effort.spent
        try:
            found = self._prover.counterexample(batch, assumed)
        except OutOfTime:
            if len(batch) == 1:
                self._give_up(batch)
            self._batch = 1
            return
        # Trying several claims at once is faster if there is hardly anything to prove, and slower otherwise.
        seconds = self._effort.spent - start
        self._shortest = min(self._shortest, seconds)
        self._batch = self._batch * 2 if seconds < 2 * self._shortest else max(1, self._batch // 2)
        if isinstance(found, Counterexample):
            self._drop(set(found.broken))
            self._play(found.facts)
        else:
            self._due.update(dict.fromkeys(batch, found))

    def _give_up(self, claims: Iterable[Claim]) -> None:
        self.unknown += claims
        self._drop(set(claims))

    def _drop(self, broken: set[Claim]) -> None:
        """Stop assuming some claims, and reopen the claims proved by them."""
        for claim in broken:
            self._assumed.pop(claim, None)
        self._due = {claim: due for claim, due in self._due.items() if claim not in broken and due.isdisjoint(broken)}

    def _play(self, facts: frozenset[int]) -> None:
        """Drop claims that fail in random playouts from a state in which all claims hold.

        In every state reached, all claims that have not been dropped hold, so playouts can continue from it.
        """
        game, lanes, random = self._game, self._lanes, self._random
        entered = [lanes.full if number in facts else 0 for number in range(len(game.facts))]
        some = random.getrandbits(lanes.count)
        self._states = [new & some | old & ~some for new, old in zip(entered, self._states, strict=True)]
        # Facts that no claim is about may have any value.
        bound = self._bound.union(*(claim.literals for claim in self._assumed))
        for number in range(len(game.facts)):
            if game.fact(number) not in bound:
                flipped = random.getrandbits(lanes.count) & random.getrandbits(lanes.count)
                self._states[number] ^= flipped & random.getrandbits(lanes.count)
        while True:
            check_budget()
            lanes.set_facts(self._states)
            moves, going = random_moves(lanes, random, lanes.full ^ lanes.values[game.terminal])
            lanes.set_moves(moves)
            broken = {claim for claim in self._assumed if self._after[claim].broken(lanes.values, lanes.full) & going}
            self._drop(broken)
            coming = lanes.read(game.next)
            self._states = [now & going | new & ~going for now, new in zip(coming, entered, strict=True)]
            if not broken:
                return
