"""Skill ladders: players with twice the effort of the one below, each against that one, and restricted players.

The number of rungs that the stronger player wins significantly shows how deep a game is: how often more thinking pays.
Restricted players (Jaffe and others 2012) against the strongest one show what it costs to play without foresight.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, final

from ggp.study.figures import Figure, share

#: Memory in bytes for the tree of a search.
_MEMORY: Final = 1 << 26

#: Simulations per move of the searching players, from the weakest to the strongest.
EFFORTS: Final = (32, 64, 128, 256, 512, 1024)


@final
@dataclass(frozen=True, slots=True)
class Ladder:
    """The players of a ladder: those that search, from the weakest to the strongest, and the restricted ones."""

    searching: tuple[str, ...]
    restricted: tuple[str, ...]

    @property
    def strongest(self) -> str:
        """The strongest player."""
        return self.searching[-1]

    @property
    def itself(self) -> tuple[str, str]:
        """The pair of the strongest player with itself."""
        return self.strongest, self.strongest

    @property
    def rungs(self) -> tuple[tuple[str, str], ...]:
        """The rungs from below: the player that should be stronger, and its opponent."""
        return (self.searching[0], "random"), *((high, low) for low, high in pairwise(self.searching))

    @property
    def handicaps(self) -> tuple[tuple[str, str], ...]:
        """The strongest player with each restricted one."""
        return tuple((self.strongest, player) for player in self.restricted)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The rungs, then the pairs with restricted players."""
        return *self.rungs, *self.handicaps

    @property
    def alone(self) -> tuple[str, ...]:
        """All players, from the weakest to the strongest, for games of one role, which each plays by itself."""
        return *self.restricted, *self.searching


#: The ladder of games whose states the players see. The restricted players move at random, or look one ply ahead.
SEEN: Final = Ladder(
    tuple(f"mcts(simulations={effort},memory={_MEMORY})" for effort in EFFORTS), restricted=("random", "greedy")
)

#: The ladder of games with hidden states. It has no `greedy`, which plays at random if it does not see the state.
HIDDEN: Final = Ladder(tuple(f"ismcts(simulations={effort})" for effort in EFFORTS), restricted=("random",))


@final
@dataclass(frozen=True, slots=True)
class Rung:
    """The matches of two players; `points` is the share of the first one, which should be stronger."""

    player: str
    other: str
    points: Figure

    @property
    def won(self) -> bool:
        """True if the first player is significantly stronger."""
        return self.points.low is not None and self.points.low > 0.5

    def as_json(self) -> dict[str, Any]:
        """Return the rung in its JSON form."""
        return {"player": self.player, "against": self.other, "won": self.won, **self.points.as_json()}


def rung(pair: tuple[str, str], points: list[float]) -> Rung:
    """Return a rung from the points of its first player in each match."""
    return Rung(short_name(pair[0]), short_name(pair[1]), share(sum(points), len(points)))


def short_name(player: str) -> str:
    """Return a player's name without the option that all players of its kind have in common."""
    return player.replace(f",memory={_MEMORY}", "")
