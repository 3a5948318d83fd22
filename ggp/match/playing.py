"""Matches in one call: `ggp.play`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gdl.engine import Engine, is_nature
from gdl.errors import GdlError, UnknownRoleError
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.reasoner import Reasoner
from gdl.simulator import seeds
from ggp.match.engine_choice import compiled
from ggp.match.match import AnyPlayer, Match
from ggp.match.record import MatchRecord
from ggp.match.recording import play_recorded
from ggp.match.settings import Policy, Settings
from ggp.players import make_player
from ggp.rules.shipped_games import load_game

#: Who plays a role that nobody was named for.
DEFAULT = "auto"


def play(
    rules: str | Path | Rulesheet | Engine,
    players: str | AnyPlayer | Mapping[str, str | AnyPlayer] = DEFAULT,
    /,
    *,
    start_clock: float | None = None,
    play_clock: float | None = None,
    seed: int | None = None,
    max_plies: int = 500,
    policy: Policy | str = Policy.REPLACE,
    record: str | Path | None = None,
    **by_role: str | AnyPlayer,
) -> MatchRecord:
    """Play a match and return its record.

    >>> import ggp
    >>> match = ggp.play("tic_tac_toe", xplayer="greedy", oplayer="random", seed=7)
    >>> match.goal_of
    {'xplayer': 100, 'oplayer': 0}

    Args:
        rules: A path, the name of a shipped game, a `gdl.Rulesheet`, or an engine such as a `gdl.Simulator`.
        players: The player of every role, or a mapping from roles to players. A player is a name as on the command
            line (`"mcts"`, `"mcts(simulations=1000)"`, `"FILE.py:CLASS"`) or an object with the methods of
            `ggp.players.Player`. Roles that are not named are played by `auto`.
        start_clock: Seconds to get ready; None for no clock.
        play_clock: Seconds for each move; None for no clock.
        seed: Repeats a match, unless players look at the clock. None draws one; the record keeps it.
        max_plies: A longer match ends as unfinished.
        policy: What a late or illegal move or a crash leads to: `"replace"` (a random move) or `"disqualify"`.
        record: Write the record to this file (JSON) while the match is played.
        by_role: The player of a role by the role's name: `wolf="mcts"`. A role that is called like a parameter is
            named in `players`.

    Raises:
        UnknownGameError, AmbiguousGameError, FileError, RulesheetError: The rules cannot be read.
        UnknownRoleError, UnknownPlayerError, PlayerLoadError, LineupError: The players do not fit the game.
        RecordError: The record cannot be written.
        ValueError: A clock, limit or policy makes no sense.
    """
    settings = Settings(seeds.draw() if seed is None else seed, max_plies, start_clock, play_clock, Policy(policy))
    game, name = load_game(rules)
    lineup = _lineup(game.roles, players, by_role)
    if isinstance(game, Reasoner) and any(getattr(player, "compiles", False) for player in lineup.values()):
        game = compiled(game).game
    match = Match(game, lineup, settings, name=name)
    for _ in play_recorded(match, None if record is None else Path(record)):
        pass
    return match.record


class LineupError(GdlError):
    """The players named for a match contradict each other."""

    code = "lineup"

    def __str__(self) -> str:
        """Return the code and the reason."""
        return f"{self.code}: {self.args[0]}"


def _lineup(
    roles: Sequence[str],
    players: str | AnyPlayer | Mapping[str, str | AnyPlayer],
    by_role: Mapping[str, str | AnyPlayer],
) -> dict[str, AnyPlayer]:
    """Return a player for each role but `random`. Role names may be in any case."""
    known = {role.lower(): role for role in roles if not is_nature(role)}
    named: dict[str, str | AnyPlayer] = {}
    everyone: str | AnyPlayer = DEFAULT
    mappings = [by_role]
    if isinstance(players, Mapping):
        mappings.insert(0, players)
    else:
        everyone = players
    for mapping in mappings:
        for role, player in mapping.items():
            if role.lower() not in known:
                raise UnknownRoleError(role, tuple(known.values()))
            if known[role.lower()] in named:
                raise LineupError(f"two players for {known[role.lower()]}")
            named[known[role.lower()]] = player
    if not isinstance(everyone, str) and len(known) - len(named) > 1:
        raise LineupError("one player object for several roles; give each role a player of its own")
    chosen = {role: named.get(role, everyone) for role in known.values()}
    return {role: make_player(player) if isinstance(player, str) else player for role, player in chosen.items()}
