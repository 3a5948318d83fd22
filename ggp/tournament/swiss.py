"""Swiss pairing: in each round, players with equal points meet, and nobody meets the same player twice.

The pairs of a round are chosen from the top of the table down. Each player gets the opponent with the nearest points;
within a group of equal points, the upper half meets the lower half (as in the Dutch system of FIDE). A pair is only
made if the players that are left can still be paired without repetition. If their number is odd, the last player in the
table that had no bye gets one.

There are at most half as many rounds as players, one player more if their number is odd. So many rounds are always
possible, whatever the results: before round r, each of n players has n - r possible opponents, which is at least n/2,
and a graph of such degrees has a perfect matching (Dirac 1952).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field


def most_rounds(players: int) -> int:
    """Return the largest number of rounds for a number of players."""
    return (players + 1) // 2


@dataclass(slots=True)
class Card:
    """A player's past rounds: its points, whom it has met, its byes, and how often it had the first seat or the other.

    `lean` counts first seats minus other ones.
    """

    points: float = 0.0
    met: set[str] = field(default_factory=set)
    byes: int = 0
    lean: int = 0


@dataclass(frozen=True, slots=True)
class Round:
    """The pairs of a round, first seats first, and the player with a bye, if there is one."""

    pairs: tuple[tuple[str, str], ...]
    bye: str | None = None


def draw_round(players: Sequence[str], cards: Mapping[str, Card]) -> Round:
    """Return the next round. Of players with equal points, those earlier in `players` rank higher.

    Raises ValueError if it cannot be drawn without repetition, as only after more than `most_rounds` rounds.
    """
    ranked = sorted(players, key=lambda player: -cards[player].points)
    for bye in _byes(ranked, cards):
        rest = [player for player in ranked if player != bye]
        if can_be_paired(rest, cards):
            return Round(tuple(_seated(*pair, cards) for pair in _pairs(rest, cards)), bye)
    raise ValueError("no round without repetition is left")


def _byes(ranked: Sequence[str], cards: Mapping[str, Card]) -> Iterator[str | None]:
    if len(ranked) % 2 == 0:
        yield None
        return
    yield from (player for player in reversed(ranked) if not cards[player].byes)


def _pairs(ranked: Sequence[str], cards: Mapping[str, Card]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of players that can be paired."""
    left = list(ranked)
    while left:
        player = left.pop(0)
        for other in sorted(left, key=_preference(player, left, cards)):
            rest = [one for one in left if one != other]
            if other not in cards[player].met and can_be_paired(rest, cards):
                left = rest
                yield player, other
                break


def _preference(
    player: str, left: Sequence[str], cards: Mapping[str, Card]
) -> Callable[[str], tuple[float, int, bool]]:
    """Return the key by which a player's opponents are ordered: by points, by the fold of the group, by seats."""
    own = cards[player]
    group = [other for other in left if cards[other].points == own.points]
    place = {other: place for place, other in enumerate(group)}
    # The player is the first of its group of len(group) + 1; its opponent is the first of the lower half.
    fold = len(group) // 2

    def key(other: str) -> tuple[float, int, bool]:
        card = cards[other]
        return abs(card.points - own.points), abs(place.get(other, fold) - fold), card.lean * own.lean > 0

    return key


def can_be_paired(players: Collection[str], cards: Mapping[str, Card]) -> bool:
    """Return True if all players can be paired without repetition."""
    return _matched(frozenset(players), cards, set())


def _matched(players: frozenset[str], cards: Mapping[str, Card], hopeless: set[frozenset[str]]) -> bool:
    if len(players) % 2 or players in hopeless:
        return False
    options = {player: players - cards[player].met - {player} for player in players}
    if all(2 * len(others) >= len(players) for others in options.values()):
        return True  # Dirac's theorem; also for no players at all
    player = min(sorted(options), key=lambda one: len(options[one]))
    if any(_matched(players - {player, other}, cards, hopeless) for other in sorted(options[player])):
        return True
    hopeless.add(players)
    return False


def _seated(player: str, other: str, cards: Mapping[str, Card]) -> tuple[str, str]:
    """Return a pair with the player first that has had the first seat less often; by name if both had it equally."""
    leans = (cards[player].lean, cards[other].lean)
    if leans[0] == leans[1]:
        return (player, other) if len(cards[player].met) % 2 == 0 else (other, player)
    return (player, other) if leans[0] < leans[1] else (other, player)
