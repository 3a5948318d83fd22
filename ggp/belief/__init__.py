"""Beliefs: what a role knows of the state in a game with hidden information (GDL-II)."""

from ggp.belief.belief import Belief
from ggp.belief.errors import BeliefError, ImpossiblePerceptsError, SearchLimitError

__all__ = ["Belief", "BeliefError", "ImpossiblePerceptsError", "SearchLimitError"]
