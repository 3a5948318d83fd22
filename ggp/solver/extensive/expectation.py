"""Expected goals in games with chance in which players take turns and see everything (expectimax)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final, final

from gdl.engine import is_nature
from gdl.errors import NoLegalMoveError
from ggp.solver.budget import SolverBudget
from ggp.solver.errors import NotSolvableError, simultaneous, without_move

if TYPE_CHECKING:
    from gdl.engine import Engine
    from gdl.terms import Term

#: The estimated size of a state with its successors, in bytes.
_STATE: Final = 1_500
_SUCCESSOR: Final = 100

#: The number of states between two looks at the clock.
_STRIDE: Final = 500


@final
@dataclass(frozen=True, slots=True)
class Expectation:
    """The goal that each player can be sure to expect, whatever the other players do.

    `mover` is the player that has a choice in the first position, if any, and `moves` what each of its moves is worth
    to it.
    """

    players: tuple[str, ...]
    goals: tuple[float, ...]
    mover: str | None
    moves: tuple[tuple[Term, float], ...]
    states: int


def expectation(game: Engine, root: Any, budget: SolverBudget) -> Expectation:
    """Return the expected goals from a state on.

    Raises NotSolvableError if two players choose at the same time, if a position can recur, if a role cannot move, or
    if there are more positions than time and memory allow; and GoalError if a goal is missing.
    """
    search = _Search(game, budget)
    search.solve(root)
    goals = search.values[root]
    place = search.places.get(root)
    mover = None if place is None or place.mover is None else place.mover
    moves: tuple[tuple[Term, float], ...] = ()
    if place is not None and mover is not None:
        rows = [search.mean(group, mover) for group in place.groups]
        moves = tuple(zip(place.moves, rows, strict=True))
    players = search.players
    return Expectation(players, goals, None if mover is None else players[mover], moves, len(search.values))


@final
@dataclass(slots=True)
class _Place:
    """The player with a choice in a state, its moves, and the equally probable states after each of them."""

    mover: int | None
    moves: tuple[Term, ...]
    groups: tuple[tuple[Any, ...], ...]


class _Search:
    """Values of states, found after those of all states that follow."""

    def __init__(self, game: Engine, budget: SolverBudget) -> None:
        self._game, self._budget = game, budget
        self._numbers = [number for number, role in enumerate(game.roles) if not is_nature(role)]
        self.players = tuple(game.roles[number] for number in self._numbers)
        self.values: dict[Any, tuple[float, ...]] = {}
        self.places: dict[Any, _Place] = {}
        self._successors = 0

    def solve(self, root: Any) -> None:
        """Find the values of a state and of all that follow it."""
        stack = [root]
        while stack:
            state = stack[-1]
            if state in self.values:
                stack.pop()
            elif (place := self.places.get(state)) is not None:
                self.values[state] = self._value(place)
                stack.pop()
            elif self._game.is_terminal(state):
                self.values[state] = tuple(float(self._game.goal(state, name)) for name in self.players)
                stack.pop()
            else:
                place = self.places[state] = self._visit(state)
                for after in {after for group in place.groups for after in group}:
                    if after in self.places and after not in self.values:
                        raise NotSolvableError("a position can come again, so that play need not end")
                    if after not in self.values:
                        stack.append(after)
                self._check()

    def mean(self, group: tuple[Any, ...], player: int) -> float:
        """Return the goal that a player expects in one of several equally probable states."""
        return sum(self.values[after][player] for after in group) / len(group)

    def _value(self, place: _Place) -> tuple[float, ...]:
        found = []
        for player in range(len(self.players)):
            means = [self.mean(group, player) for group in place.groups]
            found.append(max(means) if player == place.mover else min(means))
        return tuple(found)

    def _visit(self, state: Any) -> _Place:
        game = self._game
        legal = []
        for role in game.roles:
            try:
                legal.append(game.legal_moves(state, role))
            except NoLegalMoveError:
                raise without_move(role, " ".join(fact.text for fact in state)) from None
        choosing = [player for player, number in enumerate(self._numbers) if len(legal[number]) > 1]
        if len(choosing) > 1:
            raise simultaneous(" ".join(fact.text for fact in state))
        mover = choosing[0] if choosing else None
        moves = legal[self._numbers[mover]] if mover is not None else ()
        groups = []
        for move in moves or (None,):
            options = [
                (move,) if mover is not None and move is not None and number == self._numbers[mover] else own
                for number, own in enumerate(legal)
            ]
            groups.append(tuple(game.next_state(state, joint) for joint in product(*options)))
            self._successors += len(groups[-1])
        return _Place(mover, moves, tuple(groups))

    def _check(self) -> None:
        if len(self.places) % _STRIDE:
            return
        count = f"{len(self.places):,} positions"
        self._budget.progress(f"expected goals: {count}, {len(self.values):,} of them done")
        if _STATE * len(self.places) + _SUCCESSOR * self._successors > self._budget.memory:
            raise NotSolvableError(f"more than {count} can follow, too many for the memory limit (--memory)")
        if self._budget.left <= 0:
            raise NotSolvableError(f"more than {count} can follow, too many for the time limit (--time)")
