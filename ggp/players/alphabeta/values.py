"""Values of positions: whole numbers that fit in 16 bits, from the view of one role.

A goal point is `POINT`; the difference of two goals, its own less the other's, is a value of at most 100 points. The
best difference that the rules have is a win and worth `WIN` less the plies until then, the worst is a loss. Everything
from `WON` on, either way, is proved.
"""

from __future__ import annotations

from typing import Final

#: One goal point.
POINT: Final = 32

#: A win here and now; so many plies away it is worth one less each.
WIN: Final = 30_000
WON: Final = 29_000

#: Estimates stay within this, so that none looks like a win.
MOST: Final = 100 * POINT

#: The window that holds every value.
INFINITE: Final = 32_000

#: The longest line that is looked at, in plies.
LONGEST: Final = 120


def plies_to_end(value: int) -> int | None:
    """In how many plies a proved win or loss ends the game; None for any other value."""
    return WIN - abs(value) if abs(value) >= WON else None
