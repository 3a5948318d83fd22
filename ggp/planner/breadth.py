"""Breadth-first search in batches: all states at one distance after all that are nearer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from ggp.planner.keys import Known
from ggp.planner.puzzle import Puzzle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: About so many states are made at once.
BATCH: Final = 1 << 16


@final
@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: the best goal of any end it came to (-1: none), and moves that lead there, the fewest.

    `complete`: it has seen every state that it could come to, or one of the highest goal there is. `states`: how many
    it has kept. `depth`: all of fewer plies has been looked at.
    """

    goal: int
    moves: tuple[int, ...]
    complete: bool
    states: int
    depth: int
    seconds: float


def breadth_first(
    puzzle: Puzzle,
    *,
    deadline: float,
    memory: int,
    fresh: int = 0,
    alike: bool = True,
    progress: Callable[[str], None] | None = None,
) -> Found:
    """Every state within reach, each once; those after at most `fresh` plies once for each ply.

    Stops at `deadline` (of `time.monotonic()`), where the memory (bytes) is used up, or at the highest goal.
    """
    return _Breadth(puzzle, deadline, memory, fresh, alike, progress).run()


class _Breadth:
    def __init__(
        self,
        puzzle: Puzzle,
        deadline: float,
        memory: int,
        fresh: int,
        alike: bool,
        progress: Callable[[str], None] | None,
    ) -> None:
        import numpy as np

        self.puzzle = puzzle
        self.arrays = puzzle.arrays
        self.deadline = deadline
        self.fresh = fresh
        self.progress = progress or (lambda _: None)
        self.keys = puzzle.keys(alike=alike)
        # For each state also its parent and move; and those of two plies in full.
        self.known = Known(self.keys.words, memory, 8 + 16 * self.arrays.state_words)
        self.parents = np.empty(self.known.capacity, np.int32)
        self.moves = np.empty(self.known.capacity, np.int32)
        self.count = 0
        self.best = -1
        self.best_state = -1
        self.growth = 8.0

    def run(self) -> Found:
        begun = time.monotonic()
        frontier = self.arrays.pack([self.puzzle.state]).copy()
        self.known.add(self.keys.of(frontier))
        self.parents[0] = self.moves[0] = -1
        self.count = 1
        depth, complete = 0, True
        while len(frontier):
            self.progress(f"{depth} plies: {len(frontier):,} states, {self.count:,} in all")
            following = self._ply(frontier, self.count - len(frontier), depth)
            if following is None:
                complete = self.best == self.puzzle.times.highest
                break
            frontier = following
            depth += 1
        return Found(self.best, self._path(), complete, self.count, depth, time.monotonic() - begun)

    def _ply(self, frontier: NDArray[np.uint64], first: int, depth: int) -> NDArray[np.uint64] | None:
        """The states one ply on, the first of these has a number; None where the search is over."""
        import numpy as np

        if depth < self.fresh:
            self.known.clear()
        following = []
        at = 0
        while at < len(frontier):
            size = max(512, int(BATCH / max(self.growth, 1.0)) // 512 * 512)
            states = frontier[at : at + size]
            looked = self.arrays.look(states)
            if self._ends(looked, first + at):
                return None
            parents, moves = self.arrays.joint_moves(looked)
            self.growth = max(len(parents) / len(states), self.growth * 0.9)
            for begin in range(0, len(parents), 4 * BATCH):
                part, done = parents[begin : begin + 4 * BATCH], moves[begin : begin + 4 * BATCH]
                if time.monotonic() > self.deadline or min(self.known.room(), len(self.parents) - self.count) < len(
                    part
                ):
                    return None
                children = self.arrays.move(states[part], done)
                new = self.known.add(self.keys.of(children))
                count = self.count + int(new.sum())
                self.parents[self.count : count] = part[new] + (first + at)
                self.moves[self.count : count] = done[new, 0]
                self.count = count
                following.append(children[new])
            at += len(states)
        return np.concatenate(following) if following else frontier[:0]

    def _ends(self, looked: NDArray[np.uint64], first: int) -> bool:
        """Note the best of the states that are ends; whether it is the highest goal there is."""
        import numpy as np

        ends = np.flatnonzero(looked[:, 0] & np.uint64(1))
        if len(ends):
            goals = self.puzzle.goals(looked[ends])
            place = int(goals.argmax())
            if goals[place] > self.best:
                self.best, self.best_state = int(goals[place]), first + int(ends[place])
        return self.best == self.puzzle.times.highest

    def _path(self) -> tuple[int, ...]:
        moves = []
        at = self.best_state
        while at > 0:
            moves.append(int(self.moves[at]))
            at = int(self.parents[at])
        return tuple(reversed(moves))
