"""The statistics of the moves at the root of a search, and the choice among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from ggp.players.finishing import SURE, Candidates

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from gdl.terms import Term

#: A move with fewer visits than the most visited move's divided by this is never drawn.
_SELDOM: Final = 10

#: A move with fewer visits than the most visited one divided by this has hardly been compared with it.
_LESS: Final = 4

#: Goals that differ by less are equal: they were stored as 32-bit numbers.
_EQUAL: Final = 1e-3


@final
@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """The statistics of one move at the root."""

    move: Term
    visits: int
    #: The expected goal, 0 to 100, of the role that makes the move.
    goal: float
    #: True if that goal is proven, and the number of plies until it is reached.
    proven: bool
    length: int


def best_of(moves: Sequence[MoveStatistics], highest: float, draw: random.Random | None = None) -> Term:
    """Return the move to play: one that is proven best, or else the most visited one.

    `highest` is the highest goal of the role. Unless a move is proven to reach it, `draw` chooses among moves that are
    visited often, in proportion to their visits. There must be at least one move.
    """
    won = [move for move in moves if move.proven and move.goal >= highest - _EQUAL]
    if won:
        return min(won, key=lambda move: move.length).move
    proven = [move for move in moves if move.proven]
    open_ = [move for move in moves if not move.proven]
    if not open_:
        top = max(move.goal for move in proven)
        return max((move for move in proven if move.goal == top), key=lambda move: move.length).move
    most = max(open_, key=lambda move: move.visits)
    if draw is not None and most.visits:
        # Rarely visited moves were only explored.
        often = [move for move in open_ if move.visits * _SELDOM >= most.visits]
        return draw.choices(often, [move.visits for move in often])[0].move
    sure = max(proven, key=lambda move: move.goal, default=None)
    hope = most.goal if most.visits else 50.0
    return sure.move if sure is not None and sure.goal >= hope else most.move


def winning_alike(moves: Sequence[MoveStatistics], lowest: float, highest: float) -> list[MoveStatistics]:
    """Return the moves that seem to win for sure, if there are several and none is proven to win; otherwise none."""
    if any(move.proven and move.goal >= highest - _EQUAL for move in moves):
        return []
    open_ = [move for move in moves if not move.proven]
    most = max((move.visits for move in open_), default=0)
    goal = max((move.goal for move in open_ if move.visits * _LESS >= most > 0), default=lowest)
    span = SURE * (highest - lowest)
    if not span or goal < highest - span:
        return []
    alike = [move for move in open_ if move.visits * _LESS >= most and move.goal >= goal - span / 2]
    return alike if len(alike) > 1 else []


def resisting(moves: Sequence[MoveStatistics], lowest: float, highest: float) -> Candidates | None:
    """Return the moves that are equally good, if all are proved and none wins, or if all seem to lose for sure.

    There is nothing to choose with fewer than two.
    """
    open_ = [move for move in moves if not move.proven]
    most = max((move.visits for move in open_), default=0)
    # The goals of moves that were hardly tried say little.
    compared = [move for move in moves if move.proven or move.visits * _LESS >= most > 0]
    goal = max((move.goal for move in compared), default=highest)
    if goal >= highest - _EQUAL or (open_ and goal > lowest + SURE * (highest - lowest)):
        return None
    if open_:
        alike = sorted((move for move in compared if not move.proven), key=lambda move: -move.visits)
    else:
        alike = sorted((move for move in moves if move.goal >= goal - _EQUAL), key=lambda move: -move.length)
    if len(alike) < 2:
        return None
    lost = bool(open_) or goal <= lowest + _EQUAL
    return Candidates(tuple(move.move for move in alike), None if open_ else goal / 100, lost)
