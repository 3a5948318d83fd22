"""A process that plays matches of a study: `python -m ggp.study.match_process`.

`ggp.work.process` has the form of the messages. There is one kind of jobs:

    watch   `name`, `lineup`, `seed`, `max_plies`, `engine`, `watched`
        -> {"goals": [...], "choices": [[...]], "expected": [[...]], "narrow": [...], "record": ...}

Lists are in the order of the players' roles. `goals` is empty for an unfinished match. `choices` has the numbers of
their legal moves at each ply. Of a watched match, `expected` has the goals that they expected there, null if they did
not say, `narrow` the share of good moves in each decision that a player evaluated, and `record` the match's record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, final

from ggp.match.match import Match
from ggp.match.record import to_json
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.players.ismcts import IsmctsPlayer
from ggp.players.mcts import MctsPlayer
from ggp.players.player import Player
from ggp.players.traits import thought_of
from ggp.work.process import Games, serve

if TYPE_CHECKING:
    from ggp.players.mcts.move_statistics import MoveStatistics
    from ggp.players.thought import Option

#: A move is good if its evaluation is beyond this share of the way from the mean to the highest one.
_GOOD: Final = 0.75


@final
class Matches:
    """Plays matches, one after another."""

    def __init__(self, games: Games) -> None:
        """Start without loaded games."""
        self._games = games

    def watch(
        self, rules: str, name: str, lineup: Sequence[str], seed: int, max_plies: int, engine: str, *, watched: bool
    ) -> dict[str, Any]:
        """Play a match."""
        choice = self._games.load(rules, engine)
        players = {role: make_player(one) for role, one in zip(choice.player_roles, lineup, strict=True)}
        places = [choice.game.roles.index(role) for role in players]
        expected: list[list[float | None]] = []
        narrow: list[float] = []
        match = Match(choice.game, players, Settings(seed, max_plies), name=name)
        with match:
            for ply in match.plies():
                if watched:
                    several = [ply.choices[place] > 1 for place in places]
                    own = [(player, role) for player, role in zip(players.values(), places, strict=True)]
                    expected.append(
                        [_expected(player) if more else None for (player, _), more in zip(own, several, strict=True)]
                    )
                    found = [
                        _narrowness(player, role) for (player, role), more in zip(own, several, strict=True) if more
                    ]
                    narrow += [share for share in found if share is not None]
        record = match.record
        return {
            "goals": [record.goals[place] for place in places] if record.goals else [],
            "choices": [[ply.choices[place] for place in places] for ply in record.plies],
            "expected": expected,
            "narrow": narrow,
            "record": to_json(record) if watched else None,
        }


def _expected(player: Player) -> float | None:
    thought = thought_of(player)
    return None if thought is None else thought.expected


def _narrowness(player: Player, role: int) -> float | None:
    """Return the share of the legal moves that are good, by the player's last search; None if all are equal to it."""
    moves: Sequence[MoveStatistics | Option] = ()
    if isinstance(player, MctsPlayer) and player.search is not None:
        moves = player.search.statistics(role)
    elif isinstance(player, IsmctsPlayer):
        thought = player.thought()
        moves = () if thought is None else thought.options
    tried = [move.goal for move in moves if move.visits or move.proven]
    if len(tried) < 2 or max(tried) == min(tried):
        return None
    mean, best = sum(tried) / len(tried), max(tried)
    return sum(goal > mean + _GOOD * (best - mean) for goal in tried) / len(moves)


def main() -> None:
    """Answer requests until the input ends."""
    games = Games()
    serve(games, watch=Matches(games).watch)


if __name__ == "__main__":
    main()
