"""The player `greedy`: looks one ply ahead.

It plays a move that wins at once, if there is one. Otherwise it avoids moves that lose at once or let another role win
in the next ply, and plays one of the remaining moves at random, each with the same probability.

In detail, for any number of roles, taking turns or moving simultaneously:

- A terminal state is *won* for a role if its goal there is 100, or higher than that of every other role. It is *lost*
  if the role's goal is 0, or lower than that of another role. Any other state is neither.
- A move wins if every joint move that contains it leads to a state won for this role.
- A move is avoided if one of these joint moves leads to a lost state, or to a state in which another role has a threat:
  a move that wins for that role, and not for this one, whatever the others play.
- If every move has to be avoided, it prefers one after which the others may overlook their threat. If there is none, it
  plays one whose worst outcome has the highest goal.

The role `random` may make any move, but is never a threat. If there are too many joint moves, only a sample (`SAMPLE`)
is examined. If a clock is running, only as many are examined as time permits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import prod
from random import Random
from time import monotonic
from typing import Final

from gdl.engine import Engine, State, is_nature
from gdl.errors import GoalError
from gdl.terms import Term
from ggp.players.clock import Deadline
from ggp.players.player import End, Start, Turn

#: The most joint moves examined for one move of a role; if there are more, a random sample of this size.
SAMPLE: Final = 200

#: Seconds of the clock held in reserve, in addition to twice the time of the slowest transition seen.
MARGIN: Final = 0.01


class GreedyPlayer:
    """Looks one ply ahead, as the module describes. Without a state (GDL-II) it plays at random."""

    name = "greedy"

    def __init__(self) -> None:
        """Start without a match."""
        self._random = Random(0)
        self._start: Start | None = None

    def start(self, start: Start, deadline: Deadline) -> None:  # noqa: ARG002
        """Take the seed and the game of the match."""
        self._random = Random(start.seed)
        self._start = start

    def move(self, turn: Turn) -> Term:
        """Return the preferred move, as the module describes."""
        if self._start is None:
            raise RuntimeError("move() called before start()")
        moves = list(turn.legal)
        self._random.shuffle(moves)
        if turn.state is None or len(moves) == 1:
            return moves[0]
        return _Look(self._start.game, self._start.role, self._random, turn.deadline).choose(turn.state, moves)

    def stop(self, end: End) -> None:  # noqa: ARG002
        """Forget the match."""
        self._start = None


class _TimeUp(Exception):
    """Time is about to run out."""


@dataclass(frozen=True, slots=True)
class _Outlook:
    """The immediate consequences of a move.

    `wins`: it wins, whatever the others play; `loses`: it may lose; `worst_goal`: the lowest goal in the terminal
    states that follow; `open_states`: the states that follow and are not terminal.
    """

    wins: bool
    loses: bool
    worst_goal: int
    open_states: tuple[State, ...]


@dataclass(slots=True)
class _Look:
    """The choice of one move."""

    game: Engine
    role: str
    random: Random
    deadline: Deadline
    slowest: float = field(default=0.0, init=False)

    def choose(self, state: State, moves: list[Term]) -> Term:
        """Return the move to play; the order of `moves` breaks ties."""
        outlooks: dict[Term, _Outlook] = {}
        threatened: list[Term] = []
        try:
            for move in moves:
                outlooks[move] = self._outlook(state, move)
                if outlooks[move].wins and outlooks[move].worst_goal == 100:
                    return move
            for move in moves:
                if not outlooks[move].wins and not outlooks[move].loses:
                    # The moves are shuffled, so the first safe one is as good a choice as any, and cheaper to find.
                    if not any(self._threat(next_state) for next_state in outlooks[move].open_states):
                        break
                    threatened.append(move)
        except _TimeUp:
            pass

        def rank(move: Term) -> tuple[int, int]:
            outlook = outlooks.get(move)
            if outlook is None:
                return 2, 0
            if outlook.wins:
                return 3, outlook.worst_goal
            if outlook.loses:
                return 0, outlook.worst_goal
            return (1, 0) if move in threatened else (2, 0)

        return max(moves, key=rank)

    def _outlook(self, state: State, move: Term) -> _Outlook:
        wins, loses, worst_goal = True, False, 100
        open_states: dict[State, None] = {}
        for joint_move in self._joint_moves(state, self.role, move):
            next_state, terminal = self._next(state, joint_move)
            if not terminal:
                wins = False
                open_states[next_state] = None
                continue
            goal, best_other = self._goals(next_state, self.role)
            worst_goal = min(worst_goal, goal)
            wins = wins and _won(goal, best_other)
            loses = loses or goal == 0 or goal < best_other
        return _Outlook(wins, loses, worst_goal, tuple(open_states))

    def _threat(self, state: State) -> bool:
        """Return True if another role can win in the next ply, whatever the others play."""
        others = [role for role in self.game.roles if role != self.role and not is_nature(role)]
        return any(self._forces(state, role, move) for role in others for move in self.game.legal_moves(state, role))

    def _forces(self, state: State, role: str, move: Term) -> bool:
        for joint_move in self._joint_moves(state, role, move):
            next_state, terminal = self._next(state, joint_move)
            if not terminal or not _won(*self._goals(next_state, role)) or _won(*self._goals(next_state, self.role)):
                return False
        return True

    def _joint_moves(self, state: State, role: str, move: Term) -> Iterator[tuple[Term, ...]]:
        """Yield the joint moves in which the role plays this move, or a sample of them."""
        choices = [(move,) if other == role else self.game.legal_moves(state, other) for other in self.game.roles]
        if prod(map(len, choices)) <= SAMPLE:
            yield from product(*choices)
        else:
            for _ in range(SAMPLE):
                yield tuple(self.random.choice(choice) for choice in choices)

    def _next(self, state: State, joint_move: tuple[Term, ...]) -> tuple[State, bool]:
        """Return the next state, and True if it is terminal. Raises `_TimeUp` if there may not be enough time."""
        if self.deadline.left() < MARGIN + 2 * self.slowest:
            raise _TimeUp
        began = monotonic()
        next_state = self.game.next_state(state, joint_move)
        terminal = self.game.is_terminal(next_state)
        self.slowest = max(self.slowest, monotonic() - began)
        return next_state, terminal

    def _goals(self, state: State, role: str) -> tuple[int, int]:
        """Return the goal of the role and the highest goal of the other roles, -1 for a missing one."""
        own, best_other = -1, -1
        for other in self.game.roles:
            try:
                goal = self.game.goal(state, other)
            except GoalError:
                continue
            if other == role:
                own = goal
            else:
                best_other = max(best_other, goal)
        return own, best_other


def _won(goal: int, best_other: int) -> bool:
    return goal == 100 or goal > best_other > -1
