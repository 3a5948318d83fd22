"""The `Player` protocol: the calls that a match makes to its players, and their arguments.

A match calls `start` once, `move` once per ply and `stop` once, one call at a time for each player. A `Turn` has
everything that a stateless player needs: the state and the legal moves. For players that keep a tree or relay messages,
it also has the joint move that led to the state.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from gdl.engine import Engine, State
from gdl.system.childprocess import usable_cores
from gdl.terms import Term
from ggp.players.clock import NEVER, Deadline

#: The value of a state, 0 to 1, for a role without exactly one goal there.
UNKNOWN: Final = 0.5


@dataclass(frozen=True, slots=True)
class Told:
    """The information that a role receives about a past ply: see `Turn`."""

    moves: tuple[Term, ...] | None = None
    own_move: Term | None = None
    percepts: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """The beginning of a match for one role. Clocks are in seconds; None means that no clock is running.

    `seed` is this player's own; all its random choices should derive from it. `rules` is the rule text, empty if the
    game was not made from one. `hidden` is True in a game whose roles see only their percepts. `past` has the plies
    already played if an interrupted match is resumed; `resumed` is true then, also if there are none. `ponder` is True
    if players may think between their answers and the next questions, too. `threads` is the number of threads that a
    search may use, unless its work is limited: only with one, the same seed leads to the same moves.
    """

    match_id: str
    game: Engine
    role: str
    seed: int
    start_clock: float | None = None
    play_clock: float | None = None
    rules: str = ""
    hidden: bool = False
    past: tuple[Told, ...] = ()
    resumed: bool = False
    ponder: bool = False
    threads: int = 1

    @property
    def timed(self) -> bool:
        """True if there is a clock."""
        return self.start_clock is not None or self.play_clock is not None

    def threads_for(self, asked: int | None, *, limited: bool) -> int:
        """Return the number of threads of a search, given the number that its player was asked for, if any.

        There are never more than cores, as they would only wait for each other.
        """
        permitted = 1 if limited else self.threads
        return min(usable_cores(), permitted if asked is None else asked)


@dataclass(frozen=True, slots=True)
class Turn:
    """A request for a move. `legal` has the legal moves, sorted by text, and is never empty.

    `ply` counts from 1. `moves` is the joint move that led here, in role order, None at the first ply. In a game with
    hidden information (GDL-II) `state` and `moves` are None. The player relies instead on `own_move`, the move that was
    made for it in the previous ply, and `percepts`, the terms that it saw of that ply.
    """

    ply: int
    state: State | None
    legal: tuple[Term, ...]
    moves: tuple[Term, ...] | None = None
    own_move: Term | None = None
    percepts: tuple[Term, ...] = ()
    deadline: Deadline = NEVER


@dataclass(frozen=True, slots=True)
class End:
    """The end of a match for one role: the result, and the role's goal if there is one.

    `ply` is the number of plies played. `moves`, `own_move` and `percepts` describe the last ply, as in the `Turn` that
    would have followed.
    """

    result: str
    moves: tuple[Term, ...] | None = None
    goal: int | None = None
    ply: int = 0
    own_move: Term | None = None
    percepts: tuple[Term, ...] = ()


class Player(Protocol):
    """Chooses the moves of one role. An exception in a call is recorded in the match and does not end it."""

    @property
    def name(self) -> str:
        """The player's name, for records and displays."""
        ...

    def start(self, start: Start, deadline: Deadline) -> None:
        """Prepare for a match. Return when ready, by the deadline."""
        ...

    def move(self, turn: Turn) -> Term | str:
        """Return a legal move, as a term or as KIF text, by `turn.deadline`."""
        ...

    def stop(self, end: End) -> None:
        """Release the resources of the match, which is over or was aborted."""
        ...


@runtime_checkable
class Correspondent(Protocol):
    """A remote player, reached by messages: each call returns at once, with a future of the answer.

    A match waits for the answer until `grace` seconds after the deadline, to allow for the time that messages take. If
    the future raises an exception, its text is recorded.
    """

    @property
    def name(self) -> str:
        """The player's name, for records and displays."""
        ...

    @property
    def grace(self) -> float:
        """Seconds to wait beyond the deadline."""
        ...

    def start(self, start: Start, deadline: Deadline) -> Future[object]:
        """Announce a match; the future is done when the player is ready."""
        ...

    def move(self, turn: Turn) -> Future[object]:
        """Request a move; the future has it as a term or as KIF text."""
        ...

    def stop(self, end: End) -> Future[object]:
        """Announce the end of the match; the future is done when the player has taken note."""
        ...


class Leaving(Exception):
    """Raised by the `move` of a person's player."""


class Quit(Leaving):
    """The person has left; the match is to be aborted."""


class TakeBack(Leaving):
    """The person takes moves back; the first `kept` plies stay."""

    def __init__(self, kept: int) -> None:
        """Store the number of plies."""
        self.kept = kept
        super().__init__(kept)


class Resignation(Leaving):
    """The person gives up a role."""

    def __init__(self, role: str) -> None:
        """Store the role."""
        self.role = role
        super().__init__(role)
