"""All states that can be reached from one, with the moves between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from ggp.solver.budget import Stop

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: In `Graph.mover`: nobody moves, as the game is over or the state has not been looked at.
NOBODY: Final = -1


@final
@dataclass(frozen=True, slots=True)
class Graph:
    """States in the order in which a search by breadth came upon them; number 0 is where it began.

    The first `expanded` of them have been looked at; the graph is whole if that is all of them.
    """

    roles: tuple[str, ...]
    #: What bit `i` of a state stands for, as KIF.
    facts: tuple[str, ...]
    #: (states, words), uint64: bit `i % 64` of word `i // 64` is fact `i`.
    states: NDArray[np.uint64]
    expanded: int
    #: (expanded + 1,), int64: the states after state `i` are `children[first[i] : first[i + 1]]`, one a joint move.
    first: NDArray[np.int64]
    #: int32
    children: NDArray[np.int32]
    #: (states,), int8: the role that has a choice, 0 where there is one joint move only, NOBODY at the end of the game.
    mover: NDArray[np.int8]
    #: (states,), int16: in a terminal state the place of its goal values in `outcomes`; else -1.
    outcome: NDArray[np.int16]
    #: Goal values in the order of the roles.
    outcomes: tuple[tuple[int, ...], ...]
    #: Why there are states that have not been looked at; None if there are none.
    stop: Stop | None

    @property
    def whole(self) -> bool:
        """Whether all states that can be reached are known."""
        return self.stop is None

    @property
    def levels(self) -> int:
        """All states that can be reached in so many plies have been looked at; 0 if only the first has, or none."""
        begin, end, levels = 0, 1, 0
        while end > begin and end <= self.expanded:
            after = 1 + int(self.children[: self.first[end]].max(initial=0))
            begin, end, levels = end, max(end, after), levels + 1
        return max(0, levels - 1)

    def after(self, state: int) -> NDArray[np.int32]:
        """The states after a state, one a joint move."""
        return self.children[self.first[state] : self.first[state + 1]]
