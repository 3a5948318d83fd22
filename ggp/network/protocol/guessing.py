"""A sample of the states in which a match may be, given one role's moves and percepts (GDL-II).

Rules are written so that a role can infer its legal moves from its percepts. They are therefore the same in all
possible states of the match, and one such state is enough to find them.
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

#: The largest number of states kept, and of joint moves tried to find the next states.
MOST: Final = 200
TRIES: Final = 4000

#: The largest share of the available time that the search for states may take.
SHARE: Final = 0.25


#: A role's move in one ply, and its percepts.
_Step = tuple[Term, frozenset[Term]]


class Guesses:
    """Distinct states, at least one, that agree with all moves and percepts of a role; not always all such states."""

    def __init__(self, game: Engine, role: str, seed: int) -> None:
        """Start in the initial state. The game must compute percepts (`PerceptEngine`)."""
        assert isinstance(game, PerceptEngine)
        self._game = game
        self._seen = game.percepts
        self._role = role
        self._place = game.roles.index(role)
        self._random = generator(seed, "guesses")
        self._states: list[State] = [game.initial_state()]
        self._past: list[_Step] = []

    def hear(self, own_move: Term, percepts: tuple[Term, ...], deadline: Deadline = NEVER) -> bool:
        """Take in a move of the role and its percepts. Return False, changing nothing, if no state agrees with them."""
        if deadline.at is not None:
            deadline = deadline.earlier((1 - SHARE) * deadline.left())
        step = own_move, frozenset(percepts)
        states = self._after(self._states, step, deadline, MOST) or self._again(step, deadline)
        if states:
            self._states = states
            self._past.append(step)
        return bool(states)

    def legal(self) -> tuple[Term, ...]:
        """Return the role's legal moves. Raises NoLegalMoveError if there are none."""
        for state in self._states:
            if legal := self._game.legal_moves(state, self._role):
                return legal
        raise NoLegalMoveError(self._role)

    def ending(self) -> tuple[bool, int | None]:
        """Return True if the match may be over, and the role's goal in that case, or None if it is not known."""
        goals: set[int | None] = set()
        for state in filter(self._game.is_terminal, self._states):
            try:
                goals.add(self._game.goal(state, self._role))
            except GoalError:
                goals.add(None)
        return bool(goals), goals.pop() if len(goals) == 1 else None

    def _after(self, states: list[State], step: _Step, deadline: Deadline, most: int) -> list[State]:
        """Return at most `most` states that may follow after a step of the role."""
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
        """Search again from the initial state, one state per ply, as no known state agrees with the step."""
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
        """Yield joint moves with this move of the role: all of them in random order, or a random sample of `most`."""
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
