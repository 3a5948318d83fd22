"""Beam search: of the states of each ply, only a number of those that look best are followed; then again with more.

`LOOKS` has several ways of rating states; all are tried. Only `learned` needs more than the rules: values that were
learned before. A beam that is twice as wide takes twice as long, so the widest takes as long as all before it together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, final

from ggp.solver.planner.breadth import BATCH
from ggp.solver.planner.keys import Known
from ggp.solver.planner.puzzle import Puzzle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

#: The maximum number of plies.
DEEPEST: Final = 2_000

#: The number of playouts by which a state is rated.
PLAYOUTS: Final = 4


def _goal(puzzle: Puzzle, states: Words, looked: Words, seed: int) -> NDArray[Any]:  # noqa: ARG001
    """Rate states by the goal values that hold already."""
    return puzzle.goals(looked)


def _few(puzzle: Puzzle, states: Words, looked: Words, seed: int) -> NDArray[Any]:  # noqa: ARG001
    """Prefer few legal moves: places hard to reach come first (Warnsdorff, Des Roesselsprunges Loesung, 1823)."""
    return -_legal(puzzle, looked)


def _many(puzzle: Puzzle, states: Words, looked: Words, seed: int) -> NDArray[Any]:  # noqa: ARG001
    """Prefer many legal moves: nothing is blocked."""
    return _legal(puzzle, looked)


def _playouts(puzzle: Puzzle, states: Words, looked: Words, seed: int) -> NDArray[Any]:  # noqa: ARG001
    """Rate states by the mean goal of some random playouts."""
    import numpy as np

    total = np.zeros(len(states), np.int32)
    for more in range(PLAYOUTS):
        total += puzzle.arrays.playouts(states, seed=seed + more, max_plies=DEEPEST)[:, 0]
    return total


def _random(puzzle: Puzzle, states: Words, looked: Words, seed: int) -> NDArray[Any]:  # noqa: ARG001
    """Rate all states equally."""
    import numpy as np

    return np.zeros(len(states), np.int32)


def _legal(puzzle: Puzzle, looked: Words) -> NDArray[Any]:
    import numpy as np

    first = puzzle.arrays.legal_words[0]
    words = looked[:, first : first + puzzle.arrays.move_words[0]]
    counts: NDArray[Any] = np.bitwise_count(words).sum(axis=1, dtype=np.int32)
    return counts


def _learned(puzzle: Puzzle, states: Words, looked: Words, seed: int) -> NDArray[Any]:  # noqa: ARG001
    """Rate states by learned values, so that only equal hundredths of a point are ties."""
    assert puzzle.values is not None
    return 100 * puzzle.values(states)


#: The name of the rating by learned values.
LEARNED: Final = "learned"

#: The ratings of states by name; higher is better.
LOOKS: Final[Mapping[str, Callable[[Puzzle, Any, Any, int], Any]]] = MappingProxyType(
    {LEARNED: _learned, "playouts": _playouts, "few": _few, "many": _many, "goal": _goal, "random": _random}
)


def looks_for(puzzle: Puzzle) -> tuple[str, ...]:
    """Return the names of the ratings that a puzzle permits, in the order in which they are tried."""
    return tuple(look for look in LOOKS if look != LEARNED or puzzle.values is not None)


@final
@dataclass(frozen=True, slots=True)
class Course:
    """The best plan that a beam found: what it is worth (-1 if no end was found) and moves; states visited, and plies.

    `whole` is True if the beam was wide enough for all states, so that a wider one would not find more.
    """

    goal: int
    moves: tuple[int, ...]
    states: int
    depth: int
    whole: bool


def beam(puzzle: Puzzle, look: str, width: int, *, deadline: float, memory: int, seed: int = 0) -> Course:
    """Run one beam, up to the highest goal, the last state or the deadline (a time of `time.monotonic()`)."""
    return _Beam(puzzle, look, width, deadline, memory, seed).run()


class _Beam:
    def __init__(self, puzzle: Puzzle, look: str, width: int, deadline: float, memory: int, seed: int) -> None:
        import numpy as np

        self.puzzle = puzzle
        self.arrays = puzzle.arrays
        self.rate = LOOKS[look]
        self.width = width
        self.deadline = deadline
        self.random = np.random.default_rng(seed)
        self.seed = seed
        self.keys = puzzle.keys()
        self.known = Known(self.keys.words, memory, 0)
        #: For each ply, the parents of its states, and the moves that led to them.
        self.plies: list[tuple[NDArray[Any], NDArray[Any]]] = []
        self.best = -1
        self.moves: tuple[int, ...] = ()
        self.states = 0
        self.whole = True

    def run(self) -> Course:
        frontier = self.arrays.pack([self.puzzle.state]).copy()
        self.known.add(self.keys.of(frontier))
        looked = self.arrays.look(frontier)
        self._ends(looked, None, None)
        depth = 0
        while len(frontier) and self.best < self.puzzle.times.highest and depth < DEEPEST:
            following = self._ply(frontier, looked)
            if following is None:
                self.whole = False
                break
            frontier, looked = following
            depth += 1
        return Course(self.best, self.moves, self.states, depth, self.whole and depth < DEEPEST)

    def _ply(self, frontier: Words, looked: Words) -> tuple[Words, Words] | None:
        """Return the best states of the next ply with the results of `look`, or None at the deadline."""
        import numpy as np

        parents, moves = self.arrays.joint_moves(looked)
        kept: list[tuple[NDArray[Any], ...]] = []
        for begin in range(0, len(parents), BATCH):
            if time.monotonic() > self.deadline:
                return None
            part, done = parents[begin : begin + BATCH], moves[begin : begin + BATCH]
            states = self.arrays.move(frontier[part], done)
            if self.known.room() < len(states):
                self.known.clear()
                self.whole = False
            new = self.known.add(self.keys.of(states))
            states, part, done = states[new], part[new].astype(np.int32), done[new, 0]
            if not len(states):
                continue
            allowed = self.arrays.look(states)
            self.states += len(states)
            if self._ends(allowed, part, done) == self.puzzle.times.highest:
                return states[:0], allowed[:0]
            on = ~self.arrays.terminal(allowed)
            kept.append(self._best(states[on], allowed[on], part[on], done[on]))
        if not kept:
            return frontier[:0], looked[:0]
        states, allowed, part, done, ratings = (np.concatenate(column) for column in zip(*kept, strict=True))
        chosen = self._chosen(ratings)
        self.plies.append((part[chosen], done[chosen]))
        return states[chosen], allowed[chosen]

    def _best(self, states: Words, looked: Words, parents: Any, moves: Any) -> tuple[NDArray[Any], ...]:
        """Return the best states of a batch, with their ratings."""
        self.seed += PLAYOUTS
        ratings = self.rate(self.puzzle, states, looked, self.seed)
        # Ties are broken at random.
        ratings = ratings + self.random.random(len(states), dtype="float32")
        chosen = self._chosen(ratings)
        return states[chosen], looked[chosen], parents[chosen], moves[chosen], ratings[chosen]

    def _chosen(self, ratings: NDArray[Any]) -> NDArray[np.intp]:
        import numpy as np

        if len(ratings) <= self.width:
            return np.arange(len(ratings))
        self.whole = False
        return np.argpartition(-ratings, self.width - 1)[: self.width]

    def _ends(self, looked: Words, parents: Any, moves: Any) -> int:
        """Remember the best end among some states; return the best goal so far."""
        import numpy as np

        ends = np.flatnonzero(self.arrays.terminal(looked))
        if len(ends):
            goals = self.puzzle.ends(looked[ends])
            place = int(goals.argmax())
            if goals[place] > self.best:
                self.best = int(goals[place])
                self.moves = () if parents is None else self._path(int(parents[ends[place]]), int(moves[ends[place]]))
        return self.best

    def _path(self, parent: int, move: int) -> tuple[int, ...]:
        path = [move]
        for parents, moves in reversed(self.plies):
            path.append(int(moves[parent]))
            parent = int(parents[parent])
        return tuple(reversed(path))
