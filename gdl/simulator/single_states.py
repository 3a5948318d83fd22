"""The code that may evaluate one state at a time: code that computes everything, or that follows changes.

Where both may be faster, `gdl.simulator.single_state_speed` measures which one is.
"""

from __future__ import annotations

from math import inf
from typing import Final

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import uses
from gdl.codegen.activity import activity
from gdl.codegen.changes import changes
from gdl.codegen.evaluation import Evaluation, look, looked, move, moved, state_program, told_apart
from gdl.codegen.llvm.change_loops import changes_program

#: If the gates have more inputs than this, about 20,000 operations, changes are followed: LLVM would take seconds.
LARGEST_SINGLE: Final = 50_000

#: Nanoseconds for each operation of code that computes everything; and to follow changes: for each change, for each
#: input of a gate that changes, and for the rest. Fitted to nodes of `alphabeta` in 33 games on one core of an AMD EPYC
#: (Zen 5), with operations and changes counted as here. Processors differ: following changes takes twice the time on an
#: Intel Xeon (Sapphire Rapids).
_COMPUTED: Final = 0.42
_FOLLOWED: Final = (14, 2, 100)

#: Two facts are told apart if that leaves less than this share of the operations; the most pairs that are tried.
_SAVES: Final = 0.9
_PAIRS: Final = 8

#: One kind is certainly faster if the estimate for the other one is more than this many times as long.
_SURE: Final = 4.0

#: Assembly that evaluates one state at a time, and its number of scratch rows, as `state_program` returns them.
Program = tuple[str, dict[str, int]]


def single_state_programs(game: GameCircuit, largest: float = inf) -> list[Program]:
    """Return programs that do what `state_program` says; `largest` is the number of operations that LLVM may compile.

    There are two if either may be the faster one: which one is depends on the processor.
    """
    found = []
    if inputs(game) <= LARGEST_SINGLE:
        looking, moving = look(game), move(game, percepts=True)
        cases, operations, size = _cases(game, looking, moving)
        share = _share(game, operations) if size <= largest else 0.0
        if share > 1 / _SURE:
            found.append(state_program(looking, moving, len(game.roles), cases=cases))
        if share > _SURE:
            return found
    facts, moves = len(game.facts), len(game.moves)
    seeing = changes(game.circuit, looked(game), facts, 0)
    doing = changes(game.circuit, moved(game, percepts=True), facts, moves)
    return [*found, changes_program(seeing, doing, len(game.roles))]


def _cases(game: GameCircuit, looking: Evaluation, moving: Evaluation) -> tuple[tuple[int, int] | None, float, int]:
    """Return two facts whose cases are best told apart, the operations to do, and those to compile.

    There are none if that saves little.
    """
    whole = len(looking.netlist) + len(moving.netlist)
    best: tuple[tuple[int, int] | None, float, int] = None, whole, whole
    if looking.netlist.loops or moving.netlist.loops:  # which cannot be specialized
        return best
    groups = [group.nodes for group in game.circuit.laws.groups if group.exact and len(group.nodes) == 2]
    pairs = [nodes for nodes in groups if max(nodes) <= len(game.facts)]  # others are of moves
    for one, other in pairs[:_PAIRS]:
        cases = one - 1, other - 1
        size = sum(len(part.netlist) for pair in told_apart(looking, moving, cases) for part in pair)
        if size / 2 < min(best[1], _SAVES * whole):
            best = cases, size / 2, size
    return best


def inputs(game: GameCircuit) -> int:
    """Return the number of inputs of all gates."""
    fanins = game.circuit.fanins
    return sum(len(fanins[node]) for node in uses(game.circuit, game.outputs()))


def _share(game: GameCircuit, operations: float) -> float:
    """Return the time to follow changes as a share of that to compute everything, estimated by counts alone.

    It is infinite for small games, and if nothing is known of the changes.
    """
    change, edge, rest = _FOLLOWED
    computed = max(1, operations) * _COMPUTED
    if computed <= rest:
        return inf  # so small a game is not worth measuring
    found = activity(game)
    return inf if found is None else (found.changes * change + found.edges * edge + rest) / computed
