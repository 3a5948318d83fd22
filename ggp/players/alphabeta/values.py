"""The values of positions: integers that fit in 16 bits, in the view of one role.

The value of an outcome is the role's own goal minus the other's, multiplied by `POINT`. But the best possible
difference is a win, worth `WIN` minus the plies until then, and the worst one is a loss. Every value of `WON` or more,
in either direction, is proved.
"""

from __future__ import annotations

from typing import Final

from ggp.players.player import UNKNOWN

#: The goal of a role without exactly one goal value.
UNDEFINED: Final = round(100 * UNKNOWN)

#: The value of an immediate win, which is worth one less for each ply until then; and the least value of a proved win.
WIN: Final = 30_000
WON: Final = 29_000

#: The window that holds every value.
INFINITE: Final = 32_000

#: The longest line examined, in plies.
LONGEST: Final = 120


def plies_to_end(value: int) -> int | None:
    """Return the number of plies until a proved win or loss ends the game; None for any other value."""
    return WIN - abs(value) if abs(value) >= WON else None
