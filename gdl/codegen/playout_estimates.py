"""Estimate the work of random playouts before their netlists are made."""

from __future__ import annotations

import math
from typing import Final

from gdl.circuit.gates import uses
from gdl.circuit.playout_step import StepCircuit

#: The number of operations per bit of a draw (seven to make it random, three to mask, compare and accept it), and the
#: average probability that a draw is rejected.
_DRAW: Final = 10
_FAILS: Final = 0.28

#: The plies of a playout of a usual length.
_PLIES: Final = 30


#: A step with more operations than this does not fit into the processor's cache of decoded instructions, and takes so
#: many times as long: breakthrough is 1.15 times as fast with 1,690 operations for a ply as with 3,212 for two.
_CACHED: Final = 2_500
_SLOWER: Final = 1.3


def cost_per_ply(step: int, restart: int, plies: float) -> float:
    """Return the time per ply in playouts of a usual length, with the best number of restarts, in operations.

    `step` and `restart` are the numbers of operations of each; without restarts (0), a step does it all. A step makes
    some plies on average.
    """
    own = step / plies * (_SLOWER if step > _CACHED else 1)
    between = max(1.0, math.sqrt(2 * _PLIES * restart / own))
    return (1 + between / (2 * _PLIES)) * (own + restart / between) if restart else own


def best_tries(step: StepCircuit, phases: int = 1) -> int:
    """Return the best number of draws per step: each costs operations, but without success the whole step is wasted.

    With several phases, so are the steps until the same phase comes again.
    """
    choices = [rows for rows in step.rows if len(rows) > 1]
    work = step_operations(step)
    draw = _DRAW * sum((len(rows) - 1).bit_length() for rows in choices)

    def cost(tries: int) -> float:
        succeeds = (1 - _FAILS**tries) ** len(choices)
        return (work + tries * draw) * (1 + phases * (1 - succeeds) / succeeds)

    return min(range(1, 7), key=cost)


def step_operations(step: StepCircuit) -> float:
    """Return the estimated number of operations of a step without draws and ends."""
    circuit = step.circuit
    gates = (circuit.fanins[node] for node in uses(circuit, step.outputs()))
    # A gate of n inputs is (n - 1) / 2 operations; counting and walking takes some eight operations per row.
    choosing = 8 * sum(len(rows) for rows in step.rows if len(rows) > 1)
    return sum(len(fanin) - 1 for fanin in gates if fanin) / 2 + choosing + 3 * len(step.next)
