"""A process that plays the games of a training run: `python -m ggp.learning.self_play_process`.

`ggp.work.process` has the form of the messages. Arrays are text: see `messages`. There are these kinds of jobs, two for
duels, two for all other games, and two kinds of matches:

    playouts         `count`, `seed`                            -> {"games": states and values}
    play             `room`, `plan`, `weights`, `rival`         -> {"games": states and values, "nodes": ...}
    role_playouts, role_play                                    -> the same, with values for each role
    auto_match       `weights`, `roles`, `search`, `exploration`, `number`, `seed`, `nodes` -> {"points": ...}
    search_match     the same with `play_clock` instead of `nodes`, for duels        -> {"points": ...}

Matches show what learned values are worth: see `ggp.learning.matches`.
`plan` has the fields of `ggp.players.alphabeta.search.Plan`, or of `ggp.learning.role_games.RolePlan`. `rival` has the
weights of the earlier self that plays some role, or is None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from ggp.learning.messages import arrays_of, text_of
from ggp.players.alphabeta.search import Plan, Search
from ggp.players.learned_values.network import network_of
from ggp.players.learned_values.role_networks import networks_of
from ggp.players.learned_values.value import LearnedValue, facts_of, players_of, rules_hash
from ggp.work.job import WorkError
from ggp.work.process import Action, Games, serve

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.learning.role_games import RoleGames
    from ggp.players.mcts.learned_goals import LearnedGoals

#: Megabytes for the table of a search, which need not be large in games of a few plies of depth.
_TABLE: Final = 1


@final
class DuelPlay:
    """Plays games of a search against itself and earlier selves."""

    def __init__(self, games: Games) -> None:
        """Start without loaded games."""
        self._games = games
        #: By the digest of the rules: the initial state, and the searches of both sides.
        self._loaded: dict[str, tuple[bytes, Search, Search]] = {}

    def playouts(self, rules: str, count: int, seed: int) -> dict[str, Any]:
        """Return `count` states of random playouts, and the results of the playouts."""
        start, search, _ = self._load(rules)
        states, values = search.playouts(start, count, seed)
        return {"games": text_of({"states": states, "values": values})}

    def play(self, rules: str, room: int, plan: list[int], weights: str, rival: str | None) -> dict[str, Any]:
        """Return `room` states of games, with their values, and the number of nodes that were visited."""
        start, search, other = self._load(rules)
        search.install(network_of(arrays_of(weights)))
        if rival is not None:
            other.install(network_of(arrays_of(rival)))
        search.shuffle(plan[0])  # so that a search knows nothing of earlier games
        before = search.nodes
        played = search.play(start, room, Plan(*plan), None if rival is None else other)
        games = text_of({"states": played.states, "values": played.values})
        return {"games": games, "nodes": search.nodes - before}

    def _load(self, rules: str) -> tuple[bytes, Search, Search]:
        if rules not in self._loaded:
            simulator = _compiled(self._games, rules)
            searches = Search(simulator, 0, _TABLE), Search(simulator, 0, _TABLE)
            self._loaded[rules] = (simulator.initial_state().bits, *searches)
        return self._loaded[rules]


@final
class RolePlay:
    """Plays games of one ply of search, side by side, against itself and earlier selves."""

    def __init__(self, games: Games) -> None:
        """Start without loaded games."""
        self._games = games
        self._loaded: dict[str, tuple[Simulator, RoleGames]] = {}

    def playouts(self, rules: str, count: int, seed: int) -> dict[str, Any]:
        """Return `count` states of random playouts, and the mean goals of playouts from them."""
        states, values = self._load(rules)[1].playouts(count, seed)
        return {"games": text_of({"states": states, "values": values})}

    def play(self, rules: str, room: int, plan: list[int], weights: str, rival: str | None) -> dict[str, Any]:
        """Return about `room` states of games, with their values, and the number of states that were examined."""
        from ggp.learning.role_games import RolePlan

        simulator, games = self._load(rules)
        own = _goals(simulator, weights)
        other = None if rival is None else _goals(simulator, rival)
        played = games.play(room, RolePlan(*plan), own, other)
        return {"games": text_of({"states": played.states, "values": played.targets}), "nodes": played.examined}

    def _load(self, rules: str) -> tuple[Simulator, RoleGames]:
        if rules not in self._loaded:
            from ggp.learning.role_games import RoleGames

            simulator = _compiled(self._games, rules)
            self._loaded[rules] = simulator, RoleGames(simulator)
        return self._loaded[rules]


@final
class Matches:
    """Plays matches with learned values."""

    def __init__(self, games: Games) -> None:
        """Start without loaded games."""
        self._games = games

    def against_auto(self, rules: str, number: int, seed: int, nodes: int, **value: Any) -> dict[str, Any]:
        """Return the points of learned values against `auto`."""
        from ggp.learning.matches import auto_match

        simulator = _compiled(self._games, rules)
        return {"points": auto_match(simulator, _value(simulator, **value), number=number, seed=seed, nodes=nodes)}

    def of_searches(self, rules: str, number: int, seed: int, play_clock: float, **value: Any) -> dict[str, Any]:
        """Return the points of `mcts` against `alphabeta`, both with the same learned values."""
        from ggp.learning.matches import search_match

        simulator = _compiled(self._games, rules)
        own = _value(simulator, **value)
        return {"points": search_match(simulator, own, number=number, seed=seed, play_clock=play_clock)}


def _value(simulator: Simulator, weights: str, roles: list[str], search: str, exploration: float) -> LearnedValue:
    """Return the learned values of a message."""
    rules, facts = rules_hash(simulator.rulesheet), facts_of(simulator)
    return LearnedValue(rules, facts, {}, arrays_of(weights), tuple(roles), search, exploration)


def _compiled(games: Games, rules: str) -> Simulator:
    """Return a compiled game. Raises WorkError if it cannot be compiled."""
    choice = games.load(rules)
    if choice.simulator is None:
        raise WorkError(f"{games.source(rules).name}: training needs the compiled game: {choice.reason}")
    return choice.simulator


def _goals(simulator: Simulator, weights: str) -> LearnedGoals:
    from ggp.players.mcts.learned_goals import LearnedGoals

    return LearnedGoals(simulator, networks_of(arrays_of(weights), len(players_of(simulator))))


def actions(games: Games) -> dict[str, Action]:
    """Return what does the jobs of a training run, by kind."""
    duels, roles, matches = DuelPlay(games), RolePlay(games), Matches(games)
    return {
        "playouts": duels.playouts,
        "play": duels.play,
        "role_playouts": roles.playouts,
        "role_play": roles.play,
        "auto_match": matches.against_auto,
        "search_match": matches.of_searches,
    }


def main() -> None:
    """Answer requests until the input ends."""
    games = Games()
    serve(games, **actions(games))


if __name__ == "__main__":
    main()
