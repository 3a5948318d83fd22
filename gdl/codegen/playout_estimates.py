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


def operations_per_ply(step: int, restart: int = 0) -> float:
    """Return the number of operations per ply in playouts of a usual length, with the best number of restarts.

    `step` and `restart` are the numbers of operations of each; without restarts, a step does it all.
    """
    between = max(1.0, math.sqrt(2 * _PLIES * restart / step))
    return (1 + between / (2 * _PLIES)) * (step + restart / between) if restart else step


def best_tries(step: StepCircuit) -> int:
    """Return the best number of draws per step: each costs operations, but without success the whole step is wasted."""
    choices = [rows for rows in step.rows if len(rows) > 1]
    work = step_operations(step)
    draw = _DRAW * sum((len(rows) - 1).bit_length() for rows in choices)
    return min(range(1, 7), key=lambda tries: (work + tries * draw) / (1 - _FAILS**tries) ** len(choices))


def step_operations(step: StepCircuit) -> float:
    """Return the estimated number of operations of a step without draws and ends."""
    circuit = step.circuit
    gates = (circuit.fanins[node] for node in uses(circuit, step.outputs()))
    # A gate of n inputs is (n - 1) / 2 operations; counting and walking takes some eight operations per row.
    choosing = 8 * sum(len(rows) for rows in step.rows if len(rows) > 1)
    return sum(len(fanin) - 1 for fanin in gates if fanin) / 2 + choosing + 3 * len(step.next)
