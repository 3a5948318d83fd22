"""The spaces of a game's environments, described: actions, observations and the meaning of their parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from ggp.environments.game import EnvironmentGame
from ggp.environments.observations import OBSERVERS, observer_of
from ggp.environments.planes import NoBoardError


@final
@dataclass(frozen=True, slots=True)
class Spaces:
    """`observations` has, by the name of the observer, the shape and the legend along the first axis."""

    actions: tuple[str, ...]
    observations: dict[str, tuple[tuple[int, ...], tuple[str, ...]]]


def spaces_of(game: EnvironmentGame) -> Spaces:
    """Return the spaces of a game; planes only if a board was found, and only percepts if it hides its states."""
    found = {}
    for name in ("facts",) if game.hides_states else OBSERVERS:
        try:
            observer = observer_of(game, name)
        except NoBoardError:
            continue
        found["percepts" if game.hides_states else name] = observer.shape, observer.legend
    return Spaces(tuple(move.text for move in game.actions), found)
