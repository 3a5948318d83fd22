"""Simultaneous moves of both roles: a mixed strategy for the matrix of the values of all pairs of moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from ggp.players.learned_values.units import POINT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ggp.players.alphabeta.search import Search

#: The most pairs of moves examined; if there are more, random moves are selected.
_PAIRS: Final = 400

#: One more than the greatest depth of the search for each pair.
_DEEPEST: Final = 12

#: The number of rounds of regret matching, and the seconds reserved for them.
_ROUNDS: Final = 500
_LEARNING: Final = 0.02


def both_choose(
    search: Search,
    me: int,
    bits: bytes,
    choices: tuple[list[int], list[int]],
    time_left: Callable[[], float],
    nodes: int | None,
    random: np.random.Generator,
) -> int:
    """Return a move of role `me` where both roles choose at once, as an index into the role's moves.

    The value of a pair of moves is that of a search from the next state, one ply deeper in each round. The move is
    drawn from the mixed strategy that minimizes the damage of the other role's best reply.
    """
    most = max(1, int(_PAIRS**0.5))
    own, others = (_some(choices[role], most, random) for role in (me, 1 - me))
    worth = np.zeros((len(own), len(others)))
    limit = None if nodes is None else search.nodes + nodes
    complete = worth
    for depth in range(_DEEPEST):
        worth = complete.copy()
        for i, move in enumerate(own):
            for j, other in enumerate(others):
                left = None if limit is None else limit - search.nodes
                if time_left() <= _LEARNING or (left is not None and left <= 0):
                    # An unfinished round would compare pairs that were searched to different depths.
                    return own[_draw_row(complete, random)]
                pair = (move, other) if me == 0 else (other, move)
                value = search.after(bits, pair, depth, time_left, left)
                worth[i, j] = value if me == 0 else -value
        complete = worth
    return own[_draw_row(complete, random)]


def _some(moves: list[int], most: int, random: np.random.Generator) -> list[int]:
    if len(moves) <= most:
        return moves
    return [int(move) for move in random.choice(moves, most, replace=False)]


def _draw_row(worth: NDArray[np.float64], random: np.random.Generator) -> int:
    """Draw a row from the row player's strategy, learned by regret matching (Hart and Mas-Colell 2000)."""
    rows, columns = worth.shape
    if not worth.any():
        return int(random.integers(rows))
    gains = worth / POINT
    regret, counter = np.zeros(rows), np.zeros(columns)
    total = np.zeros(rows)
    for _ in range(_ROUNDS):
        row, column = _strategy(regret), _strategy(counter)
        total += row
        of_rows, of_columns = gains @ column, -(row @ gains)
        regret += of_rows - row @ of_rows
        counter += of_columns - column @ of_columns
        np.maximum(regret, 0, out=regret)
        np.maximum(counter, 0, out=counter)
    total[total < total.sum() / (20 * rows)] = 0  # drop the residue of early rounds
    return int(random.choice(rows, p=total / total.sum()))


def _strategy(regret: NDArray[np.float64]) -> NDArray[np.float64]:
    total = regret.sum()
    return regret / total if total > 0 else np.full(len(regret), 1 / len(regret))
