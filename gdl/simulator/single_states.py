"""Choose the code that evaluates one state at a time: code that computes everything, or that follows changes."""

from __future__ import annotations

from math import inf
from typing import Final

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import uses
from gdl.codegen.activity import activity
from gdl.codegen.changes import changes
from gdl.codegen.evaluation import look, looked, move, moved, state_program
from gdl.codegen.llvm.change_loops import changes_program

#: If the gates have more inputs than this, about 20,000 operations, changes are followed: LLVM would take seconds.
LARGEST_SINGLE: Final = 50_000

#: Nanoseconds for each operation of code that computes everything; and to follow changes: for each change, for each
#: input of a gate that changes, and for the rest. Fitted to nodes of `alphabeta` in 33 games on one core of an AMD EPYC
#: (Zen 5), with operations and changes counted as here. The kind that they choose is at most 8 % slower than the other.
_COMPUTED: Final = 0.42
_FOLLOWED: Final = (14, 2, 100)


def single_state_program(game: GameCircuit, largest: float = inf) -> tuple[str, dict[str, int]]:
    """Return what `state_program` does; `largest` is the number of operations that LLVM may compile.

    The kind of code depends on nothing else but the circuit.
    """
    if inputs(game) <= LARGEST_SINGLE:
        looking, moving = look(game), move(game, percepts=True)
        operations = len(looking.netlist) + len(moving.netlist)
        if operations <= largest and not _changes_little(game, operations):
            return state_program(looking, moving, len(game.roles))
    facts, moves = len(game.facts), len(game.moves)
    seeing = changes(game.circuit, looked(game), facts, 0)
    doing = changes(game.circuit, moved(game, percepts=True), facts, moves)
    return changes_program(seeing, doing, len(game.roles))


def inputs(game: GameCircuit) -> int:
    """Return the number of inputs of all gates."""
    fanins = game.circuit.fanins
    return sum(len(fanins[node]) for node in uses(game.circuit, game.outputs()))


def _changes_little(game: GameCircuit, operations: int) -> bool:
    """Return True if following changes is faster than computing everything, by counts alone."""
    change, edge, rest = _FOLLOWED
    computed = operations * _COMPUTED
    if computed <= rest:
        return False
    found = activity(game)
    return found is not None and computed > found.changes * change + found.edges * edge + rest
