"""The player that looks one ply ahead: `greedy`.

It plays a move that wins at once. Else it avoids moves that lose at once or that let another role win in
the next ply. Among the moves that remain it plays any, with the same probability.

In detail, for any number of roles, moving in turn or at the same time:

- A terminal state is *won* for a role that has goal 100 there, or more than every other role has. It is *lost*
  if the role has 0 there, or less than another role; any other state is neither.
- A move wins if every joint move that it can be part of leads to a state won for this role.
- A move is avoided if one of these joint moves leads to a lost state, or to a state in which some other role
  has a threat: a move that wins for it, and not for this role, whatever all others play.
- If every move has to be avoided, one is played that leaves the others a chance to overlook their threat; if
  there is none, one whose worst end has the highest goal.

The role `random` may do anything and threatens nothing. Of very many joint moves only a sample is looked at
(`SAMPLE`), and where a clock runs, only as many as there is time for.
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

#: Joint moves looked at for one move of one role; where there are more, a random sample of this size.
SAMPLE: Final = 200

#: Seconds kept back from the clock, besides twice the time of the slowest transition seen.
MARGIN: Final = 0.01


class GreedyPlayer:
    """Looks one ply ahead; the module says what it prefers. Without a state (GDL-II) it plays at random."""

    name = "greedy"

    def __init__(self) -> None:
        self._random = Random(0)
        self._start: Start | None = None

    def start(self, start: Start, deadline: Deadline) -> None:  # noqa: ARG002
        self._random = Random(start.seed)
        self._start = start

    def move(self, turn: Turn) -> Term:
        if self._start is None:
            raise RuntimeError("move asked for before start")
        moves = list(turn.legal)
        self._random.shuffle(moves)
        if turn.state is None or len(moves) == 1:
            return moves[0]
        return _Look(self._start.game, self._start.role, self._random, turn.deadline).choose(turn.state, moves)

    def stop(self, end: End) -> None:  # noqa: ARG002
        self._start = None


class _TimeUp(Exception):
    """The clock is about to run out."""


@dataclass(frozen=True, slots=True)
class _Outlook:
    """Where a move leads at once: the goals of the ends, whether all or some are won or lost, the other states."""

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
        """The move to play; the order of `moves` decides between equals."""
        outlooks: dict[Term, _Outlook] = {}
        threatened: list[Term] = []
        try:
            for move in moves:
                outlooks[move] = self._outlook(state, move)
                if outlooks[move].wins and outlooks[move].worst_goal == 100:
                    return move
            for move in moves:
                if not outlooks[move].wins and not outlooks[move].loses:
                    # The first safe move in random order is as likely as any other safe one, and cheaper to find.
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
        """Whether some other role can win in the next ply, whatever all others play."""
        others = [role for role in self.game.roles if role != self.role and not is_nature(role)]
        return any(self._forces(state, role, move) for role in others for move in self.game.legal_moves(state, role))

    def _forces(self, state: State, role: str, move: Term) -> bool:
        for joint_move in self._joint_moves(state, role, move):
            next_state, terminal = self._next(state, joint_move)
            if not terminal or not _won(*self._goals(next_state, role)) or _won(*self._goals(next_state, self.role)):
                return False
        return True

    def _joint_moves(self, state: State, role: str, move: Term) -> Iterator[tuple[Term, ...]]:
        """The joint moves in which the role plays this move, or a sample of them."""
        choices = [(move,) if other == role else self.game.legal_moves(state, other) for other in self.game.roles]
        if prod(map(len, choices)) <= SAMPLE:
            yield from product(*choices)
        else:
            for _ in range(SAMPLE):
                yield tuple(self.random.choice(choice) for choice in choices)

    def _next(self, state: State, joint_move: tuple[Term, ...]) -> tuple[State, bool]:
        """The next state and whether it is terminal. Raises `_TimeUp` when there may be no time for it."""
        if self.deadline.left() < MARGIN + 2 * self.slowest:
            raise _TimeUp
        began = monotonic()
        next_state = self.game.next_state(state, joint_move)
        terminal = self.game.is_terminal(next_state)
        self.slowest = max(self.slowest, monotonic() - began)
        return next_state, terminal

    def _goals(self, state: State, role: str) -> tuple[int, int]:
        """The goal of the role and the highest of all others, -1 where there is none."""
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
