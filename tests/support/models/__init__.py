"""The shipped games once more, as plain Python written from their descriptions and not from the rule files.

A test plays both side by side, so a mistake has to be made twice to stay unseen. Every module here has a dict
`MODELS` from the name of a rule file under `games/` (such as `variants/wolf_sheep_diagonal`) to its model.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any, Protocol


class GameModel(Protocol):
    """A game as a state machine. States are frozen, hashable values of the model's own making.

    Facts and moves are KIF strings as a term prints: lower case, single spaces, such as `(move c4 c8 c4 c7)`.
    """

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of the rule file; joint moves have the same order."""
        ...

    def initial(self) -> Any:
        """The start state."""
        ...

    def facts(self, state: Any) -> frozenset[str]:
        """The facts of a state whose names the description fixes; a rule file may have others besides."""
        ...

    def legal(self, state: Any, role: str) -> list[str]:
        """The legal moves of a role, sorted. Not asked for in a terminal state."""
        ...

    def next(self, state: Any, joint: tuple[str, ...]) -> Any:
        """The state after a legal joint move, one move per role in role order."""
        ...

    def terminal(self, state: Any) -> bool:
        """Return True if the game is over."""
        ...

    def goals(self, state: Any) -> dict[str, int]:
        """The goal value of every role, or an empty dict where the description leaves them open."""
        ...


def perft(model: GameModel, depth: int) -> list[int]:
    """The numbers of joint-move sequences of length 0, 1, ..., `depth` start at the initial state.

    No sequence passes through a terminal state before its end. States reached by several sequences are
    expanded once.
    """
    frontier = Counter([model.initial()])
    counts = [1]
    for _ in range(depth):
        reached: Counter[Any] = Counter()
        for state, sequences in frontier.items():
            if model.terminal(state):
                continue
            for joint in product(*(model.legal(state, role) for role in model.roles)):
                reached[model.next(state, joint)] += sequences
        frontier = reached
        counts.append(frontier.total())
    return counts


def words(move: str) -> list[str]:
    """The symbols of a move without nested terms: `(defend 3 2)` gives `["defend", "3", "2"]`."""
    return move.strip("()").split()
