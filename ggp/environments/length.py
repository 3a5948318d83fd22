"""The greatest length of a game, where it can be proved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl.circuit.analysis.cones import Mask, bits
from gdl.circuit.analysis.dependence import dependence
from gdl.circuit.analysis.times import Unsettled, times
from gdl.simulator.simulator import Simulator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.simulator.arrays import Arrays

#: All lines of play are followed while they have at most this many different joint moves in total.
_MOVES: Final = 100_000

#: The least number of joint moves that a ply counts as: with few states, its costs do not depend on their number.
_LEAST: Final = 50


def longest(simulator: Simulator) -> int | None:
    """Return a number of plies within which every match ends, proved; None without a proof.

    There are two proofs: a clock of the rules (facts that count plies, whatever is played) ends the game; or all states
    are few enough to be visited, in which case no match is longer than the result and some match is as long.
    """
    limits = [limit for limit in (_by_all_states(simulator), _by_clock(simulator)) if limit is not None]
    return min(limits, default=None)


def _by_clock(simulator: Simulator) -> int | None:
    game = simulator.circuit
    found = dependence(game)
    clock = _clock(found.next, found.moved)
    if not any(fact not in game.constants for fact in bits(clock)):
        return None
    held = int.from_bytes(simulator.initial_state().bits, "little")
    try:
        return times(game, clock, held, {}).limit
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
    states, plies, made = arrays.pack([simulator.initial_state()]), 0, 0.0
    while len(states):
        looked = arrays.look(states)
        made += max(_LEAST, _joint_moves(arrays, looked))
        if made > _MOVES:
            return None
        parents, moves = arrays.joint_moves(looked)
        states = np.unique(arrays.move(states[parents], moves), axis=0) if len(parents) else states[:0]
        plies += bool(len(states))
    return plies


def _joint_moves(arrays: Arrays, looked: NDArray[np.uint64]) -> float:
    """Return the number of joint moves in all states together, which may be too large to list them."""
    import numpy as np

    counts = np.ones(len(looked))
    for first, words in zip(arrays.legal_words, arrays.move_words, strict=True):
        counts *= np.bitwise_count(looked[:, first : first + words]).sum(axis=1)
    return float(counts[~arrays.terminal(looked)].sum())
