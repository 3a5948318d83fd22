"""The units of values: integers that fit in 16 bits."""

from __future__ import annotations

from typing import Final

#: One goal point.
POINT: Final = 32

#: The limit of estimates, so that none looks like a win.
MOST: Final = 100 * POINT

#: The hidden units of a network.
HIDDEN: Final = 16
