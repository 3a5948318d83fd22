"""Induction: claims about states that hold initially and, where all of them hold, after any step."""

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


@final
class Induction:
    """Proves claims by each other, as many as can be: the largest set that proves itself, given what is known already.

    All claims are assumed at first. One that fails after a step from a state where all hold is dropped, and what was
    proved with its help is tried again. A claim that takes too long is dropped, too, so that what is proved in the end
    needs nothing but itself.
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
        self._game = game
        self._random = random
        self._after = {claim: claim.after(game) for claim in claims}
        self._prover = Prover(game, known, self._after, self._after, step=True, effort=effort)
        self._effort = effort
        self._bound = {literal for claim in known for literal in claim.literals}
        self._lanes = lanes
        self._states = [lanes.full if holds else 0 for holds in game.init]
        #: How many claims are tried together, and the shortest time that a try took.
        self._batch = 1
        self._shortest = inf
        self._assumed = dict.fromkeys(self._after)
        #: For claims that have been proved, the claims that this is due to.
        self._due: dict[Claim, frozenset[Claim]] = {}
        #: Claims that were dropped for want of time.
        self.unknown: list[Claim] = []

    def proved(self, until: float) -> list[Claim]:
        """Those claims that hold in every reachable state, as far as that can be found in time."""
        while left := [claim for claim in self._assumed if claim not in self._due]:
            if self._effort.spent >= until:
                self._give_up(left)
            else:
                self._try(left[: self._batch])
        return list(self._due)

    def _try(self, batch: list[Claim]) -> None:
        """Prove some claims, or drop those that a counterexample breaks."""
        # Assumptions in this order are used as late as can be.
        assumed = dict.fromkeys([*batch, *self._due, *self._assumed])
        start = self._effort.spent
        try:
            found = self._prover.counterexample(batch, assumed)
        except OutOfTime:
            if len(batch) == 1:
                self._give_up(batch)
            self._batch = 1
            return
        # Together is faster where there is hardly anything to prove, and slower where there is.
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
        """Assume some claims no longer; what was proved by them is open again."""
        for claim in broken:
            self._assumed.pop(claim, None)
        self._due = {claim: due for claim, due in self._due.items() if claim not in broken and due.isdisjoint(broken)}

    def _play(self, facts: frozenset[int]) -> None:
        """Drop claims that are broken along random playouts from a state in which all claims hold.

        Whatever state they lead to, all claims hold in it that have not been dropped, so they may go on from there.
        """
        game, lanes, random = self._game, self._lanes, self._random
        entered = [lanes.full if number in facts else 0 for number in range(len(game.facts))]
        some = random.getrandbits(lanes.count)
        self._states = [new & some | old & ~some for new, old in zip(entered, self._states, strict=True)]
        # What no claim is about may be as it likes.
        bound = self._bound.union(*(claim.literals for claim in self._assumed))
        for number in range(len(game.facts)):
            if game.fact(number) not in bound:
                flipped = random.getrandbits(lanes.count) & random.getrandbits(lanes.count)
                self._states[number] ^= flipped & random.getrandbits(lanes.count)
        while True:
            lanes.set_facts(self._states)
            moves, going = random_moves(lanes, random, lanes.full ^ lanes.values[game.terminal])
            lanes.set_moves(moves)
            broken = {claim for claim in self._assumed if self._after[claim].broken(lanes.values, lanes.full) & going}
            self._drop(broken)
            coming = lanes.read(game.next)
            self._states = [now & going | new & ~going for now, new in zip(coming, entered, strict=True)]
            if not broken:
                return
