"""In which states a match may be, by what one role did and saw (GDL-II): a sample of them.

Rules are written so that a role can tell its legal moves from its percepts. So they are the same in all the states in
which the match may be, and one of these states is enough to know them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Final

from gdl.engine import Engine, PerceptEngine, State
from gdl.errors import GoalError, NoLegalMoveError
from gdl.simulator.seeds import generator
from gdl.terms import Term
from ggp.players.clock import NEVER, Deadline

#: States that are kept, and joint moves that are tried for the next ones.
MOST: Final = 200
TRIES: Final = 4000

#: Of the time there is, so large a share goes into that.
SHARE: Final = 0.25


#: A role's move in one ply, and what it saw of it.
_Step = tuple[Term, frozenset[Term]]


class Guesses:
    """States that agree with all that the role did and saw, some of them or all; distinct, at least one."""

    def __init__(self, game: Engine, role: str, seed: int) -> None:
        """The game has to tell percepts (`PerceptEngine`)."""
        assert isinstance(game, PerceptEngine)
        self._game = game
        self._seen = game.percepts
        self._role = role
        self._place = game.roles.index(role)
        self._random = generator(seed, "guesses")
        self._states: list[State] = [game.initial_state()]
        self._past: list[_Step] = []

    def hear(self, own_move: Term, percepts: tuple[Term, ...], deadline: Deadline = NEVER) -> bool:
        """The role made a move and saw this. False if no state is found that agrees with it: then all is as before."""
        if deadline.at is not None:
            deadline = deadline.earlier((1 - SHARE) * deadline.left())
        step = own_move, frozenset(percepts)
        states = self._after(self._states, step, deadline, MOST) or self._again(step, deadline)
        if states:
            self._states = states
            self._past.append(step)
        return bool(states)

    def legal(self) -> tuple[Term, ...]:
        """The role's legal moves. Raises NoLegalMoveError where there are none."""
        for state in self._states:
            if legal := self._game.legal_moves(state, self._role):
                return legal
        raise NoLegalMoveError(self._role)

    def ending(self) -> tuple[bool, int | None]:
        """Whether the match may be over, and the role's goal then, None if that is not known."""
        goals: set[int | None] = set()
        for state in filter(self._game.is_terminal, self._states):
            try:
                goals.add(self._game.goal(state, self._role))
            except GoalError:
                goals.add(None)
        return bool(goals), goals.pop() if len(goals) == 1 else None

    def _after(self, states: list[State], step: _Step, deadline: Deadline, most: int) -> list[State]:
        """States that may follow, by this step of the role; so many at most."""
        found: dict[State, None] = {}
        own_move, percepts = step
        for state in self._random.sample(states, len(states)):
            for joint_move in self._joint_moves(state, own_move, TRIES // len(states) + 1):
                if len(found) >= most or deadline.left() <= 0:
                    return list(found)
                if frozenset(self._seen(state, joint_move)[self._role]) == percepts:
                    found[self._game.next_state(state, joint_move)] = None
        return list(found)

    def _again(self, step: _Step, deadline: Deadline) -> list[State]:
        """All over from the initial state, one guess at a time: the states that were kept have led nowhere."""
        steps = [*self._past, step]
        for _ in range(TRIES):
            states = [self._game.initial_state()]
            for one in steps:
                if deadline.left() <= 0:
                    return []
                states = self._after(states, one, deadline, 1)
            if states:
                return states
        return []

    def _joint_moves(self, state: State, own_move: Term, most: int) -> Iterator[tuple[Term, ...]]:
        """Joint moves with this move of the role, all in any order, or so many at random."""
        if self._game.is_terminal(state):
            return
        choices = [self._game.legal_moves(state, role) for role in self._game.roles]
        if own_move not in choices[self._place]:
            return
        choices[self._place] = (own_move,)
        if prod(map(len, choices)) <= most:
            joint_moves = list(product(*choices))
            self._random.shuffle(joint_moves)
            yield from joint_moves
        else:
            for _ in range(most):
                yield tuple(map(self._random.choice, choices))
