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

#: Players with restrictions, which meet the strongest one: random moves, and one ply of foresight.
RESTRICTED: Final = ("random", "greedy")


def player_of(simulations: int) -> str:
    """Return the name of the player with some number of simulations per move."""
    return f"mcts(simulations={simulations},memory={_MEMORY})"


#: The strongest player.
STRONGEST: Final = player_of(EFFORTS[-1])

#: Pairs of players: the one that should be stronger, and its opponent; the rungs from below, then the restricted ones.
RUNGS: Final = (
    (player_of(EFFORTS[0]), "random"),
    *((player_of(high), player_of(low)) for low, high in pairwise(EFFORTS)),
)
PAIRS: Final = (*RUNGS, *((STRONGEST, player) for player in RESTRICTED))


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
    """Return a player's name without the option that all players have in common."""
    return player.replace(f",memory={_MEMORY}", "")
