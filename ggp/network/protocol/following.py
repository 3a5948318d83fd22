"""The progress of a match, as one role can follow it from the messages that it receives."""

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
    """A message contradicts the match as it was followed so far."""

    code = "out-of-step"


class Following(Protocol):
    """A match as one role follows it; `plies` is the number of plies played."""

    plies: int

    def rehearse(self) -> None:
        """Derive what the first messages will need, before they arrive. Raises GdlError."""
        ...

    def hear(self, news: Play | Stop, answered: Term | None, deadline: Deadline = NEVER) -> None:
        """Take in a message, given the role's answer to the previous one. Raises OutOfStepError."""
        ...

    def legal(self) -> tuple[Term, ...]:
        """Return the role's legal moves. Raises PlayError if there are none."""
        ...

    def turn(self, legal: tuple[Term, ...], deadline: Deadline) -> Turn:
        """Return the turn that the player is asked to move in."""
        ...

    def end(self) -> End:
        """Return the end of the match, as far as it was followed."""
        ...


def follow(game: Engine, role: str, seed: int) -> Following:
    """Follow a match from its start: by its states, or by percepts if the rules hide the states."""
    if hides_states(game):
        return ByPercepts(game, role, seed)
    return ByMoves(game, role)


@dataclass(slots=True)
class ByMoves:
    """Follows the joint moves of a match."""

    game: Engine
    role: str
    plies: int = field(default=0, init=False)
    _state: State = field(init=False)
    _moves: tuple[Term, ...] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Start in the initial state."""
        self._state = self.game.initial_state()

    def rehearse(self) -> None:
        """Derive the legal moves of all roles, and a next state."""
        game, state = self.game, self._state
        if not game.is_terminal(state):
            game.is_terminal(game.next_state(state, [game.legal_moves(state, role)[0] for role in game.roles]))

    def hear(self, news: Play | Stop, answered: Term | None, deadline: Deadline = NEVER) -> None:  # noqa: ARG002
        """Play the joint move of a message. Raises OutOfStepError if it is not legal."""
        if not news.moves:
            return  # NIL: no move has been played yet, or it is not disclosed
        try:
            state = self.game.next_state(self._state, news.moves)
        except PlayError as error:
            if news.moves == self._moves:
                return  # the question was repeated, as its answer did not arrive
            raise OutOfStepError(f"after ply {self.plies}: {_first_line(error)}") from None
        self._state, self._moves = state, news.moves
        self.plies += 1

    def legal(self) -> tuple[Term, ...]:
        """Return the role's legal moves in the current state. Raises PlayError if there are none."""
        return self.game.legal_moves(self._state, self.role)

    def turn(self, legal: tuple[Term, ...], deadline: Deadline) -> Turn:
        """Return the turn of the next ply, with the current state."""
        return Turn(self.plies + 1, self._state, legal, self._moves, self._own_move(), (), deadline)

    def end(self) -> End:
        """Return the end of the match: finished in a terminal state, else aborted."""
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
        """Start in the initial state; `seed` is that of the sampled states."""
        self.plies = 0
        self._guesses = Guesses(game, role, seed)
        self._asked = False
        self._own_move: Term | None = None
        self._percepts: tuple[Term, ...] = ()

    def rehearse(self) -> None:
        """Derive the legal moves."""
        self.legal()

    def hear(self, news: Play | Stop, answered: Term | None, deadline: Deadline = NEVER) -> None:
        """Take in the role's own move and its percepts. Raises OutOfStepError if no state agrees with them."""
        first, self._asked = not self._asked, True
        if news.turn == self.plies or (news.turn is None and first):
            return  # nothing was played yet, or the question was repeated
        # Only servers of the Dresden kind tell a role its own move. With others, it is taken to be the role's answer.
        own_move = news.own_move or answered
        if own_move is None:
            raise OutOfStepError(f"after ply {self.plies}: it is not known which move was made")
        percepts = news.moves or ()
        if not self._guesses.hear(own_move, percepts, deadline):
            raise OutOfStepError(
                f"after ply {self.plies}: no state was found that agrees with {own_move} and its percepts"
            )
        self._own_move, self._percepts = own_move, percepts
        self.plies += 1

    def legal(self) -> tuple[Term, ...]:
        """Return the role's legal moves, which are the same in all possible states. Raises NoLegalMoveError."""
        return self._guesses.legal()

    def turn(self, legal: tuple[Term, ...], deadline: Deadline) -> Turn:
        """Return the turn of the next ply, with percepts instead of a state."""
        return Turn(self.plies + 1, None, legal, None, self._own_move, self._percepts, deadline)

    def end(self) -> End:
        """Return the end of the match: finished if it may be over, else aborted."""
        over, goal = self._guesses.ending()
        result = Result.FINISHED if over else Result.ABORTED
        return End(str(result), None, goal, self.plies, self._own_move, self._percepts)


def _first_line(error: Exception) -> str:
    return shown(str(error).splitlines()[0]).strip("'\"")
