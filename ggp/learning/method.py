"""The part of a training run that depends on the kind of game: how games are played, and what is learned from them.

In a duel, where two roles take turns without chance, `duels` plays games of alpha-beta search, and one network learns
the difference of the goals. In all other games, `roles` plays games of one ply of search, side by side, and a network
for each role but chance learns its goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import NDArray

    from ggp.learning.trainer import Progress
    from ggp.players.learned_values.network import Network

    #: What networks have learned: arrays by name.
    Weights = Mapping[str, NDArray[Any]]

#: The points of games that show how strong networks are: the most random plies at the beginning of a game, and the
#: number of games for each distribution of the roles.
OPENING: Final = 8
GAMES: Final = 8


class Gauge(Protocol):
    """Measures networks while they are trained."""

    def expected(self, networks: Sequence[Network]) -> float:
        """Return the goal, 0 to 100, that the first role may expect at the start."""
        ...

    def points(self, networks: Sequence[Network], earlier: Weights, seed: int, turn: int) -> list[float]:
        """Play games against an earlier self, and return the points of each: 1 for a win and half for a draw.

        `turn` counts calls, and says which roles the earlier self plays.
        """
        ...


class Method(Protocol):
    """A way to train."""

    #: The roles that have a network each; there are none if one network gives the difference of two roles.
    roles: tuple[str, ...]
    #: The kinds of jobs of `self_play_process`: random playouts, and games.
    jobs: tuple[str, str]
    #: True if an earlier self can play some roles of a game.
    contested: bool
    #: The depth of the first searches, in plies.
    depth: int

    def plan(self, progress: Progress, seed: int, opening: int, rival: int) -> list[int]:
        """Return the plan of a job whose games begin with at most `opening` random plies.

        `rival` says which role an earlier self plays: any number from 0 on, which is to be taken modulo the number of
        roles, or -1 for none.
        """
        ...

    def deepen(self, progress: Progress) -> None:
        """Let the searches of the next round be deeper if it is time for that."""
        ...

    def gauge(self) -> Gauge:
        """Return what measures networks."""
        ...
