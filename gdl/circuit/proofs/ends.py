"""Ends of a game that no step leads to, such as a line of the role whose turn it is next.

Playouts ask whether a state is terminal, and what the goals are, only after a step, and never go on from a terminal
state. So whatever makes a state terminal, but holds after no step, can be left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from random import Random
from typing import Final

from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.proofs.effort import Effort
from gdl.circuit.proofs.invariants import holding
from gdl.circuit.sampling import Playouts

#: The random playouts that refute claims: their number, and their steps, fewer in circuits of many gates.
_LANES: Final = 2048
_STEPS: Final = 64
_WORK: Final = 500_000


def without_impossible_ends(game: GameCircuit) -> GameCircuit:
    """Return a game that is right in states that are not terminal, and after every step from one."""
    ends = set(_ends(game, game.terminal))
    claims = [Claim("none", (literal,)) for literal in sorted(ends - _met(game, ends))]
    proved = holding(game, (), claims, None, Effort(), math.inf, step=True)
    never = {claim.literals[0] >> 1: FALSE ^ (claim.literals[0] & 1) for claim in proved}
    return rebuild(game, replaced=never) if never else game


def _ends(game: GameCircuit, literal: int) -> Iterator[int]:
    """Yield the gates of which one must hold for a literal, down to those that are no ORs."""
    fanin = game.circuit.fanins[literal >> 1]
    for one in fanin if literal & 1 else ():
        if game.circuit.fanins[one >> 1]:
            yield one ^ 1
            yield from _ends(game, one ^ 1)


def _met(game: GameCircuit, literals: Iterable[int]) -> set[int]:
    """Return the literals that hold after some step of random playouts."""
    playouts = Playouts(game, _LANES, Random(0))
    met: set[int] = set()
    for _ in range(max(1, min(_STEPS, _WORK // max(1, game.circuit.size)))):
        playouts.step()
        met.update(literal for literal in literals if playouts.lanes.values[literal])
    return met
