"""Estimate the size of a game tree by random playouts, so that hopeless games are refused at once.

Each playout counts the branches that it leaves out as if they were as large as its own; the mean of many such counts is
the size of the tree (Knuth 1975). A few large counts dominate the mean, so the median of some playouts is rather low.
"""

from __future__ import annotations

from math import log10
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from gdl.errors import NoLegalMoveError

if TYPE_CHECKING:
    from gdl.engine import Engine

_PLAYOUTS: Final = 15

#: The number of decimal digits of the size, and the number of plies, after which a playout has shown enough.
MOST_DIGITS: Final = 15.0
_PLIES: Final = 1_000


def estimated_digits(game: Engine, root: Any) -> float:
    """Return the decimal logarithm of a size that the tree from a state on rarely falls below, at most 15."""
    random = Random(0)
    return median(_playout(game, root, random) for _ in range(_PLAYOUTS))


def _playout(game: Engine, state: Any, random: Random) -> float:
    digits = 0.0
    for _ in range(_PLIES):
        if game.is_terminal(state) or digits > MOST_DIGITS:
            break
        try:
            legal = [game.legal_moves(state, role) for role in game.roles]
        except NoLegalMoveError:  # reported when the tree is built
            break
        digits += sum(log10(len(moves)) for moves in legal)
        state = game.next_state(state, [random.choice(moves) for moves in legal])
    return min(digits, MOST_DIGITS)
