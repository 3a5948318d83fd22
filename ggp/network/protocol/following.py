"""Where a match stands, as far as one role can tell from the messages that it gets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from gdl.engine import Engine, State, hides_states
from gdl.errors import GoalError, PlayError
from gdl.terms import Term
from ggp.match.record import Result
from ggp.network.protocol.errors import ProtocolError
from ggp.network.protocol.guessing import Guesses
from ggp.network.protocol.messages import Play, Stop
from ggp.network.protocol.scan import shown
from ggp.players.clock import NEVER, Deadline
from ggp.players.player import End, Turn


class OutOfStepError(ProtocolError):
    """What is told does not fit to the match as it was followed so far."""

    code = "out-of-step"


class Following(Protocol):
    """A match as one role follows it: `plies` counts what was played."""

    plies: int

    def hear(self, news: Play | Stop, answered: Term | None, deadline: Deadline = NEVER) -> None:
        """What a message tells, and what the role answered to the one before. Raises OutOfStepError."""
        ...

    def legal(self) -> tuple[Term, ...]:
        """The role's legal moves. Raises PlayError where the rules give none."""
        ...

    def turn(self, legal: tuple[Term, ...], deadline: Deadline) -> Turn:
        """The question that the player is asked."""
        ...

    def end(self) -> End:
        """How the match ended, as far as it was followed."""
        ...


def follow(game: Engine, role: str, seed: int) -> Following:
    """A match from its start: by its states, or by percepts where the rules hide them."""
    if hides_states(game):
        return ByPercepts(game, role, seed)
    return ByMoves(game, role)


@dataclass(slots=True)
class ByMoves:
    """Follows the joint moves."""

    game: Engine
    role: str
    plies: int = field(default=0, init=False)
    _state: State = field(init=False)
    _moves: tuple[Term, ...] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._state = self.game.initial_state()

    def hear(self, news: Play | Stop, answered: Term | None, deadline: Deadline = NEVER) -> None:  # noqa: ARG002
        if not news.moves:
            return  # NIL: nothing was played yet, or nothing is told
        try:
            state = self.game.next_state(self._state, news.moves)
        except PlayError as error:
            if news.moves == self._moves:
                return  # the same question again, as its answer did not arrive
            raise OutOfStepError(f"after {self.plies} plies: {_first_line(error)}") from None
        self._state, self._moves = state, news.moves
        self.plies += 1

    def legal(self) -> tuple[Term, ...]:
        return self.game.legal_moves(self._state, self.role)

    def turn(self, legal: tuple[Term, ...], deadline: Deadline) -> Turn:
        return Turn(self.plies + 1, self._state, legal, self._moves, self._own_move(), (), deadline)

    def end(self) -> End:
        over, goal = False, None
        try:
            over = self.game.is_terminal(self._state)
            goal = self.game.goal(self._state, self.role) if over else None
        except GoalError:
            pass
        result = Result.FINISHED if over else Result.ABORTED
        return End(str(result), self._moves, goal, self.plies, self._own_move())

    def _own_move(self) -> Term | None:
        return self._moves[self.game.roles.index(self.role)] if self._moves else None


class ByPercepts:
    """Follows a role's own moves and percepts, in a game that hides its states (GDL-II)."""

    def __init__(self, game: Engine, role: str, seed: int) -> None:
        self.plies = 0
        self._guesses = Guesses(game, role, seed)
        self._asked = False
        self._own_move: Term | None = None
        self._percepts: tuple[Term, ...] = ()

    def hear(self, news: Play | Stop, answered: Term | None, deadline: Deadline = NEVER) -> None:
        first, self._asked = not self._asked, True
        if news.turn == self.plies or (news.turn is None and first):
            return  # nothing was played yet, or since the last question
        # Only servers of the Dresden kind say which move was made for a role. Of others it is taken to be its answer.
        own_move = news.own_move or answered
        if own_move is None:
            raise OutOfStepError(f"after {self.plies} plies: it is not known which move was made")
        percepts = news.moves or ()
        if not self._guesses.hear(own_move, percepts, deadline):
            raise OutOfStepError(
                f"after {self.plies} plies: no state was found that fits to {own_move} and its percepts"
            )
        self._own_move, self._percepts = own_move, percepts
        self.plies += 1

    def legal(self) -> tuple[Term, ...]:
        return self._guesses.legal()

    def turn(self, legal: tuple[Term, ...], deadline: Deadline) -> Turn:
        return Turn(self.plies + 1, None, legal, None, self._own_move, self._percepts, deadline)

    def end(self) -> End:
        over, goal = self._guesses.ending()
        result = Result.FINISHED if over else Result.ABORTED
        return End(str(result), None, goal, self.plies, self._own_move, self._percepts)


def _first_line(error: Exception) -> str:
    return shown(str(error).splitlines()[0]).strip("'\"")
