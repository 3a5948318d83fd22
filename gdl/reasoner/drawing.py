"""States in notebooks: drawn by the package that offers a function under the entry point `gdl.state_svg`.

`gdl` knows no boards. `ggp` finds them in the rules, and draws them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, Final

from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term

#: The group of the entry point, and its name: a function of a rulesheet and the facts of a state.
GROUP: Final = "gdl.display"
NAME: Final = "state_svg"


def state_svg(rulesheet: Rulesheet, state: Iterable[Term]) -> str | None:
    """Return a state as an SVG document, or None where no installed package draws states."""
    draw = _function()
    return None if draw is None else str(draw(rulesheet, state))


@lru_cache(maxsize=1)
def _function() -> Any:
    return next((entry.load() for entry in entry_points(group=GROUP, name=NAME)), None)
