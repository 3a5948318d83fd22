"""The greatest length of a game, where it can be proved."""

from __future__ import annotations

from typing import Final

from gdl.circuit.analysis.cones import Mask, bits
from gdl.circuit.analysis.dependence import dependence, running
from gdl.circuit.analysis.times import Unsettled, times
from gdl.simulator.simulator import Simulator

#: All lines of play are followed while they have at most this many different joint moves in total.
_MOVES: Final = 100_000


def longest(simulator: Simulator) -> int | None:
    """Return a number of plies within which every match ends, proved; None without a proof.

    There are two proofs: a clock of the rules (facts that count plies, whatever is played) ends the game; or all states
    are few enough to be visited, in which case no match is longer than the result and some match is as long.
    """
    limits = [limit for limit in (_by_all_states(simulator), _by_clock(simulator)) if limit is not None]
    return min(limits, default=None)


def _by_clock(simulator: Simulator) -> int | None:
    game = simulator.circuit
    held = int.from_bytes(simulator.initial_state().bits, "little")
    found = dependence(running(game))
    try:
        return times(game, _clock(found.next, found.moved), held, {}).limit
    except Unsettled:
        return None


def _clock(following: tuple[Mask, ...], moved: Mask) -> Mask:
    """Return the largest set of facts whose next values depend on nothing but these facts."""
    clock = ((1 << len(following)) - 1) & ~moved
    while taken := sum(1 << fact for fact in bits(clock) if following[fact] & ~clock):
        clock &= ~taken
    return clock


def _by_all_states(simulator: Simulator) -> int | None:
    """Visit the states that may hold after each number of plies, until all of them are terminal."""
    import numpy as np

    arrays = simulator.arrays
    states, plies, made = arrays.pack([simulator.initial_state()]), 0, 0
    while len(states):
        looked = arrays.look(states)
        parents, moves = arrays.joint_moves(looked)
        made += len(parents)
        if made > _MOVES:
            return None
        states = np.unique(arrays.move(states[parents], moves), axis=0) if len(parents) else states[:0]
        plies += bool(len(states))
    return plies
