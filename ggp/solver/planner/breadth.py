"""Breadth-first search in batches: states are visited in the order of their distance."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from ggp.solver.planner.keys import Known
from ggp.solver.planner.puzzle import Puzzle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The approximate number of states that are made at once.
BATCH: Final = 1 << 16


@final
@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search: the worth of the best end that was found (-1: none), and the fewest moves to it.

    `complete` is True if the search has seen every reachable state, or an end with the highest possible value. `states`
    is the number of states kept. All states at a distance of less than `depth` plies have been visited.
    """

    goal: int
    moves: tuple[int, ...]
    complete: bool
    states: int
    depth: int


@final
class Breadth:
    """A search that visits every reachable state once, in the order of their distance.

    During the first `fresh` plies, states are visited again at each ply. The memory is in bytes.
    """

    def __init__(self, puzzle: Puzzle, *, memory: int, fresh: int = 0, alike: bool = True) -> None:
        """Start at the puzzle's state; with `alike`, states that differ only by interchangeable objects are one."""
        import numpy as np

        self.puzzle = puzzle
        self.arrays = puzzle.arrays
        self.fresh = fresh
        self.keys = puzzle.keys(alike=alike)
        # Besides its key, each state needs its parent and move; the states of two plies are kept in full.
        self.known = Known(self.keys.words, memory, 8 + 16 * self.arrays.state_words)
        capacity = self.known.capacity
        self.parents = np.empty(capacity, np.int32)
        self.moves = np.empty(capacity, np.int32)
        self.frontier = self.arrays.pack([puzzle.state]).copy()
        if not fresh:
            self.known.add(self.keys.of(self.frontier))
        self.parents[0] = self.moves[0] = -1
        #: The number of states kept, the number of the frontier's first, and how many of the frontier were visited.
        self.count, self.first, self.at = 1, 0, 0
        self.depth = 0
        self.following: list[NDArray[np.uint64]] = []
        self.best, self.best_state = -1, -1
        #: No state is left to visit; or there is no room for more.
        self.over = self.full = False
        self.growth = 8.0

    def advance(self, deadline: float, progress: Callable[[str], None] | None = None) -> bool:
        """Search until the deadline (of `time.monotonic()`); return True if the search is over or the memory full."""
        import numpy as np

        while not (self.over or self.full):
            if self.at == len(self.frontier):
                self.first = self.first + len(self.frontier)
                self.frontier = np.concatenate(self.following) if self.following else self.frontier[:0]
                self.following, self.at = [], 0
                self.over = not len(self.frontier)
                self.depth += not self.over
                if self.depth < self.fresh:
                    self.known.clear()
                if progress is not None:
                    progress(f"breadth-first: {self.depth} plies, {self.count:,} states")
            elif time.monotonic() > deadline:
                return False
            else:
                self._step()
        return True

    def _step(self) -> None:
        """Visit the next states of the frontier."""
        size = max(512, int(BATCH / max(self.growth, 1.0)) // 512 * 512)
        states = self.frontier[self.at : self.at + size]
        looked = self.arrays.look(states)
        first = self.first + self.at
        if self._ends(looked, first):
            self.over = True
            return
        parents, moves = self.arrays.joint_moves(looked)
        self.growth = max(len(parents) / len(states), 0.9 * self.growth)
        if min(self.known.room(), len(self.parents) - self.count) < len(parents):
            self.full = True
            return
        for begin in range(0, len(parents), 4 * BATCH):
            part, done = parents[begin : begin + 4 * BATCH], moves[begin : begin + 4 * BATCH]
            children = self.arrays.move(states[part], done)
            new = self.known.add(self.keys.of(children))
            count = self.count + int(new.sum())
            self.parents[self.count : count] = part[new] + first
            self.moves[self.count : count] = done[new, 0]
            self.count = count
            self.following.append(children[new])
        self.at += len(states)

    def _ends(self, looked: NDArray[np.uint64], first: int) -> bool:
        """Remember the best end among some states; return True if it has the highest possible goal."""
        import numpy as np

        ends = np.flatnonzero(self.arrays.terminal(looked))
        if len(ends):
            goals = self.puzzle.ends(looked[ends])
            place = int(goals.argmax())
            if goals[place] > self.best:
                self.best, self.best_state = int(goals[place]), first + int(ends[place])
        return self.best == self.puzzle.times.highest

    @property
    def found(self) -> Found:
        """The result so far."""
        moves = []
        at = self.best_state
        while at > 0:
            moves.append(int(self.moves[at]))
            at = int(self.parents[at])
        return Found(self.best, tuple(reversed(moves)), self.over, self.count, self.depth)
