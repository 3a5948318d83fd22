"""Matches that show what learned values are worth: against `auto` without any, or in one search against another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Final

from gdl.engine import player_roles
from ggp.learning.roles import split
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.players.auto import AutoPlayer
from ggp.players.learned import learned_player
from ggp.players.learned_values.value import ALPHABETA, MCTS, Learned, LearnedValue
from ggp.tournament.outcome import points_of

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.players.player import Player

#: The longest match, in plies.
_PLIES: Final = 500


def auto_match(
    simulator: Simulator,
    value: LearnedValue,
    *,
    number: int,
    seed: int,
    nodes: int,
    stopped: Callable[[], bool] = lambda: False,
) -> float | None:
    """Play a match of learned values against `auto`; return their points, 1 for a win and half for a draw.

    Both have `nodes` nodes or simulations for a move. The other arguments are those of `contest` and of its settings.
    """
    return contest(
        simulator,
        lambda: learned_player(_learned(value), nodes),
        lambda: AutoPlayer(nodes, learned=False),
        Settings(seed, max_plies=_PLIES),
        number=number,
        stopped=stopped,
    )


def search_match(
    simulator: Simulator, value: LearnedValue, *, number: int, seed: int, play_clock: float
) -> float | None:
    """Play a match of `mcts` with the values of a duel against `alphabeta` with them; return the points of `mcts`.

    Both have `play_clock` seconds for a move.
    """
    by_mcts, by_alphabeta = (_learned(replace(value, search=search)) for search in (MCTS, ALPHABETA))
    return contest(
        simulator,
        lambda: learned_player(by_mcts),
        lambda: learned_player(by_alphabeta),
        Settings(seed, max_plies=_PLIES, play_clock=play_clock),
        number=number,
    )


def _learned(value: LearnedValue) -> Learned:
    return Learned(value, "the network")


def contest(
    simulator: Simulator,
    own: Callable[[], Player],
    rival: Callable[[], Player],
    settings: Settings,
    *,
    number: int,
    stopped: Callable[[], bool] = lambda: False,
) -> float | None:
    """Play a match between two sides; return the points of the first one, 1 for a win and half for a draw.

    `own` and `rival` make a player for each role of their side. `number` counts matches, and says who plays which
    roles. A game of one role is played by each alone. Return None if `stopped` says, between two plies, that the match
    is to be broken off.
    """
    roles = player_roles(simulator)
    # The roles that the rival plays.
    rivals = [0, 1] if len(roles) == 1 else [split(number + 1, len(roles))]
    goals: tuple[list[float | None], ...] = ([], [])
    for mask in rivals:
        theirs = {role: bool(mask >> place & 1) for place, role in enumerate(roles)}
        players = {role: rival() if theirs[role] else own() for role in roles}
        with Match(simulator, players, settings) as match:
            for _ in match.plies():
                if stopped():
                    return None
        for role, goal in zip(simulator.roles, match.record.goals or (), strict=False):
            if role in theirs:
                goals[theirs[role]].append(goal)
    return points_of(*(_mean(side) for side in goals))


def _mean(goals: list[float | None]) -> float | None:
    """Return the mean of some goals; None if one of them is unknown, or there are none."""
    known = [goal for goal in goals if goal is not None]
    return fmean(known) if known and len(known) == len(goals) else None
