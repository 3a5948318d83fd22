"""The facts that each move of a puzzle changes and reads, and the moves that may be played in any order."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import final

from gdl.circuit.analysis.cones import Mask, bits, masks_of
from gdl.circuit.analysis.dependence import running
from gdl.circuit.gates import FALSE, TRUE, Circuit, Laws
from ggp.solver.planner.puzzle import Puzzle


@final
@dataclass(frozen=True, slots=True)
class Move:
    """A move: its legality, and the next values of the facts that it changes, as literals of `Effects.circuit`.

    `changes` and `reads` are masks of facts.
    """

    legal: int
    values: dict[int, int]
    changes: Mask
    reads: Mask

    def free_of(self, other: Move) -> bool:
        """Return True if both orders lead to the same state, and neither move makes the other legal or illegal."""
        if self.changes & other.reads or other.changes & self.reads:
            return False
        both = bits(self.changes & other.changes)
        return all(self.values[fact] == other.values[fact] <= TRUE for fact in both)


@final
class Effects:
    """The moves of a puzzle as functions of the facts, which are the inputs of `circuit`; the clock is left out."""

    def __init__(self, puzzle: Puzzle, deadline: float) -> None:
        """Find the effects of each move. Raises TimeoutError at the deadline (of `time.monotonic()`)."""
        game = running(puzzle.game)
        facts = len(game.facts)
        groups = tuple(group for group in game.circuit.laws.groups if group.nodes[-1] <= facts)
        self.circuit = Circuit(facts, Laws(groups))
        old = game.circuit
        masks = masks_of(old)
        kept = [fact for fact in puzzle.matter if not puzzle.clock_mask >> fact & 1]
        table = {0: FALSE, **{node: 2 * node for node in range(1, 1 + facts)}}
        table |= dict.fromkeys(range(1 + facts, 1 + old.inputs), FALSE)
        #: For each move, the gates that depend on it.
        moved: list[list[int]] = [[] for _ in game.moves]
        for node in range(1 + old.inputs, len(old.fanins)):
            # At first, the value of the gate if no move is done.
            table[node] = self.circuit.and_([table[x >> 1] ^ (x & 1) for x in old.fanins[node]])
            for number in bits(masks[node] >> facts):
                moved[number].append(node)
        self.moves: list[Move] = []
        found: list[tuple[int, dict[int, int]]] = []
        none = table
        for number, nodes in enumerate(moved):
            if time.monotonic() > deadline:
                raise TimeoutError
            table = _Over(none)
            table[1 + facts + number] = TRUE
            for node in nodes:
                table[node] = self.circuit.and_([table[x >> 1] ^ (x & 1) for x in old.fanins[node]])
            legal = table[game.legal[number] >> 1] ^ (game.legal[number] & 1)
            given = _Given(self.circuit, legal)
            values = {}
            for fact in kept:
                value = table[game.next[fact] >> 1] ^ (game.next[fact] & 1)
                if value != 2 * (1 + fact):
                    value = given.simplified(value)
                    if not given.same(value, 2 * (1 + fact)):
                        values[fact] = value
            found.append((legal, values))
        below = masks_of(self.circuit)
        for legal, values in found:
            changes = sum(1 << fact for fact in values)
            reads = below[legal >> 1]
            for literal in values.values():
                reads |= below[literal >> 1]
            self.moves.append(Move(legal, values, changes, reads))

    @cached_property
    def conflicts(self) -> list[tuple[int, int]]:
        """The pairs of moves whose order matters, by number."""
        moves = self.moves
        return [(i, j) for i in range(len(moves)) for j in range(i + 1, len(moves)) if not moves[i].free_of(moves[j])]


@final
class _Over(dict[int, int]):
    """A table that overrides a few entries of another table."""

    def __init__(self, below: dict[int, int]) -> None:
        super().__init__()
        self.below = below

    def __missing__(self, key: int) -> int:
        return self.below[key]


@final
class _Given:
    """The literals that hold if a move is legal."""

    def __init__(self, circuit: Circuit, legal: int) -> None:
        self.circuit = circuit
        self.literals = (legal,) if legal & 1 or not circuit.fanins[legal >> 1] else circuit.fanins[legal >> 1]
        self.all = circuit.and_(self.literals)

    def simplified(self, literal: int) -> int:
        """Return a simpler literal that has the same value if the move is legal."""
        fanin = self.circuit.fanins[literal >> 1] or (literal & ~1,)
        together = self.circuit.and_([*self.literals, *fanin])
        if together in (FALSE, self.all):
            return (FALSE if together == FALSE else TRUE) ^ (literal & 1)
        return self.circuit.and_([x for x in fanin if x not in self.literals]) ^ (literal & 1)

    def same(self, value: int, fact: int) -> bool:
        """Return True if a value is the same as that of the fact before the move."""
        if value > TRUE:
            return value == fact
        return self.circuit.and_([*self.literals, fact ^ value]) == FALSE
