"""The player `uct`: textbook UCT on the Reasoner.

Nothing is compiled, and no tree is kept from move to move: this player is a baseline for comparison, and meant to be
read. Each simulation walks down the tree, where each role plays the move with the highest upper confidence bound (UCB1;
Kocsis and Szepesvári, 2006), adds one node, plays on at random to the end of the game, and credits each role's goal to
the moves that it made on the way. Roles that move simultaneously choose independently.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import log, sqrt
from random import Random
from time import monotonic
from typing import Final, TypeVar

from gdl.engine import Engine, State, is_nature, rule_text
from gdl.errors import GoalError, NoLegalMoveError
from gdl.reasoner.reasoner import Reasoner
from gdl.terms import Term
from ggp.players.clock import Deadline, StepTime
from ggp.players.player import UNKNOWN, End, Start, Turn

#: Simulations per move if no clock is running.
SIMULATIONS: Final = 100

#: Seconds of the clock held in reserve, in addition to twice the time of the slowest step seen.
MARGIN: Final = 0.02

#: States visited before the first move, from which the Reasoner chooses its join orders.
_WARM: Final = 100

#: The result of a step.
T = TypeVar("T")

#: The legal moves of each role.
Choices = list[list[Term]]


class UctPlayer:
    """Plain UCT. Without a state (GDL-II) it plays at random.

    It runs on the Reasoner even if the match runs on a compiled game. It uses the match's own engine only if that was
    not made from rules.
    """

    name = "uct"

    def __init__(self, simulations: int | None = None, exploration: float = sqrt(2)) -> None:
        """Take the number of simulations per move if no clock is running, and the weight of exploration in UCB1.

        Raises ValueError if there is no simulation, or if the weight is negative.
        """
        self.limited = simulations is not None
        simulations = SIMULATIONS if simulations is None else simulations
        if simulations < 1 or exploration < 0:
            raise ValueError("uct needs at least 1 simulation and an exploration of 0 or more")
        self.simulations = simulations
        self.exploration = exploration
        self._search: UctSearch | None = None

    def start(self, start: Start, deadline: Deadline) -> None:
        """Make the Reasoner and warm it up."""
        rules = start.rules or rule_text(start.game)
        game = Reasoner(rules) if rules else start.game
        self._search = UctSearch(game, start.role, Random(start.seed), self.exploration)
        if not start.hidden:
            self._search.warm_up(deadline)

    def move(self, turn: Turn) -> Term:
        """Return the move with the most visits in a new tree."""
        search = self._search
        if search is None:
            raise RuntimeError("move() called before start()")
        if turn.state is None or len(turn.legal) == 1:
            return search.random.choice(turn.legal)
        state = search.game.state(turn.state) if isinstance(search.game, Reasoner) else turn.state
        simulations = self.simulations if turn.deadline.left() == float("inf") else None
        return search.choose(state, turn.legal, turn.deadline, simulations)

    @property
    def done(self) -> int:
        """The number of simulations for the last move that was searched."""
        return self._search.done if self._search is not None else 0

    def stop(self, end: End) -> None:  # noqa: ARG002
        """Forget the match."""
        self._search = None


class _TimeUpError(Exception):
    """Time is about to run out."""


@dataclass(slots=True)
class _Move:
    """A move of one role in one node: the number of visits, and the sum of the goals, each 0 to 1."""

    term: Term
    visits: int = 0
    total: float = 0.0


@dataclass(slots=True)
class _Node:
    """A state in the tree: the moves of each role, empty if it is terminal, and the child for each joint move."""

    state: State
    moves: tuple[list[_Move], ...]
    goals: tuple[float, ...] | None
    after: dict[tuple[Term, ...], _Node] = field(default_factory=dict)


def _node(state: State, legal: Choices | None, goals: tuple[float, ...] | None) -> _Node:
    return _Node(state, tuple([_Move(term) for term in moves] for moves in legal or ()), goals)


@dataclass(slots=True)
class UctSearch:
    """The search for one move of one role, in one match."""

    game: Engine
    role: str
    random: Random
    exploration: float
    times: StepTime = field(default_factory=StepTime, init=False)
    done: int = field(default=0, init=False)
    deadline: Deadline = field(init=False)

    def choose(self, state: State, legal: tuple[Term, ...], deadline: Deadline, simulations: int | None) -> Term:
        """Return the move with the most visits, after this many simulations, or as many as the clock allows."""
        self.deadline = deadline
        self.times.begin()
        self.done = 0
        try:
            root = _node(*self._looked_at(state))
            # When the whole game is in the tree, no step is made that would check the time.
            while self.done < simulations if simulations is not None else deadline.left() > MARGIN:
                self._simulate(root)
                self.done += 1
        except _TimeUpError:
            pass
        if not self.done:
            return self.random.choice(legal)
        own = list(root.moves[self.game.roles.index(self.role)])
        self.random.shuffle(own)
        return max(own, key=self._rank).term

    def _rank(self, move: _Move) -> float:
        """Return a number that is highest for the move to play."""
        return move.visits

    def warm_up(self, deadline: Deadline) -> None:
        """Play at random for some plies: an engine may take longer for the first ones and tune itself on them."""
        self.deadline = deadline
        seen = 0
        try:
            while seen < _WARM:
                state = self.game.initial_state()
                legal = self._legal(state)
                while legal is not None:
                    state, legal, _ = self._next(state, tuple(map(self.random.choice, legal)))
                    seen += 1
                seen += 1
        except _TimeUpError:
            pass
        self.times = StepTime()

    def _simulate(self, root: _Node) -> None:
        node, path = root, list[tuple[_Move, ...]]()
        while node.goals is None:
            made = tuple(self._selected(role, moves) for role, moves in zip(self.game.roles, node.moves, strict=True))
            path.append(made)
            joint = tuple(move.term for move in made)
            known = node.after.get(joint)
            if known is None:
                node.after[joint] = node = _node(*self._next(node.state, joint))
                break
            node = known
        goals = node.goals or self._playout(node)
        for made in path:
            for move, goal in zip(made, goals, strict=True):
                move.visits += 1
                move.total += goal

    def _selected(self, role: str, moves: list[_Move]) -> _Move:
        """Return a random unvisited move, or else the one with the highest UCB1. Chance moves are equally likely."""
        new = moves if is_nature(role) else [move for move in moves if not move.visits]
        if new:
            return self.random.choice(new)
        logarithm = log(sum(move.visits for move in moves))
        return max(moves, key=lambda move: move.total / move.visits + self.exploration * sqrt(logarithm / move.visits))

    def _playout(self, node: _Node) -> tuple[float, ...]:
        state, goals = node.state, node.goals
        legal: Choices | None = [[move.term for move in moves] for moves in node.moves]
        while legal is not None:
            state, legal, goals = self._next(state, tuple(map(self.random.choice, legal)))
        return goals or ()

    def _next(self, state: State, joint: tuple[Term, ...]) -> tuple[State, Choices | None, tuple[float, ...] | None]:
        """Return the next state as `_looked_at` does. Raises `_TimeUpError` if there may not be enough time."""
        return self._timed(lambda: self._looked_at(self.game.next_state(state, joint)))

    def _timed(self, step: Callable[[], T]) -> T:
        """Return the result of a step of the search. Raises `_TimeUpError` if there may not be enough time."""
        if self.deadline.left() < MARGIN + 2 * self.times.slowest:
            raise _TimeUpError
        began = monotonic()
        found = step()
        self.times.add(monotonic() - began)
        return found

    def _looked_at(self, state: State) -> tuple[State, Choices | None, tuple[float, ...] | None]:
        """Return a state with its legal moves, or with its goals if the game is over or a role has no legal move."""
        legal = self._legal(state)
        return state, legal, self._goals(state) if legal is None else None

    def _legal(self, state: State) -> Choices | None:
        """Return the legal moves of each role; None if the game is over or a role has none."""
        if self.game.is_terminal(state):
            return None
        try:
            return [list(self.game.legal_moves(state, role)) for role in self.game.roles]
        except NoLegalMoveError:
            return None

    def _goals(self, state: State) -> tuple[float, ...]:
        goals = []
        for role in self.game.roles:
            try:
                goals.append(self.game.goal(state, role) / 100)
            except GoalError:
                goals.append(UNKNOWN)
        return tuple(goals)
