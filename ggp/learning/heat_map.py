"""Heat maps: how much each cell of a board adds to a learned value."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ggp.board.drawing.scene import Shade
from ggp.match.own_view import cell_of

if TYPE_CHECKING:
    from ggp.board.model import CellPlace
    from ggp.board.view import Layout
    from ggp.learning.value_parts import ValueParts


def heat_map(layout: Layout, parts: ValueParts) -> dict[CellPlace, Shade]:
    """Return the shades of the cells: the facts on a cell together, relative to the cell that adds or takes most."""
    points: defaultdict[CellPlace, float] = defaultdict(float)
    for part in parts.parts:
        cell = cell_of(layout, part.fact)
        if cell is not None:
            points[cell[1]] += part.adds
    most = max(map(abs, points.values()), default=0.0) or 1.0
    return {place: Shade(here / most, f"{round(here, 1) + 0.0:+.1f} points") for place, here in points.items()}
