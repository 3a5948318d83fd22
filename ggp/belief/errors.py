"""Errors of beliefs."""

from __future__ import annotations

from typing import final

from gdl.errors import GdlError


class BeliefError(GdlError):
    """A belief cannot be made or updated."""

    code = "belief"


@final
class ImpossiblePerceptsError(BeliefError):
    """No state of the game agrees with a role's moves and percepts."""

    code = "impossible-percepts"


@final
class SearchLimitError(BeliefError):
    """No state that agrees with a role's moves and percepts was found in the time allowed."""

    code = "belief-limit"
