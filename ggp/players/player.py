"""What a player is told and what it is asked: the `Player` protocol.

A match calls `start` once, `move` once per ply and `stop` once, one call at a time per player. Each `move`
gets everything that a player needs who keeps nothing from one ply to the next: the state and the legal moves.
A player that keeps a tree, or only relays messages, finds the joint move that led to the state as well.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from gdl.engine import Engine, State
from gdl.terms import Term
from ggp.players.clock import NEVER, Deadline


@dataclass(frozen=True, slots=True)
class Told:
    """What a role hears of a ply that was played: see `Turn`."""

    moves: tuple[Term, ...] | None = None
    own_move: Term | None = None
    percepts: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """The beginning of a match for one role. Clocks are in seconds, None where none runs.

    `seed` is this player's own: all that it does at random should follow from it. `rules` is the rule text,
    empty where the game was not made from one. `hidden` is True in a game whose roles see only their percepts.
    `past` has the plies that were played already, where a match goes on that was broken off.
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


@dataclass(frozen=True, slots=True)
class Turn:
    """One question: which move now? `legal` is never empty, sorted by text.

    `ply` counts from 1. `moves` is the joint move that led here, in role order, None at the first ply. In a
    game with hidden information (GDL-II) `state` and `moves` are None, and the player goes by `own_move`, the
    move that was made for it in the ply before, and `percepts`, what it saw of that ply.
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
    """The end of a match for one role: how it ended, what it heard last, and the goal where there is one.

    `ply` counts the plies that were played; `moves`, `own_move` and `percepts` are as in a `Turn` that would follow.
    """

    result: str
    moves: tuple[Term, ...] | None = None
    goal: int | None = None
    ply: int = 0
    own_move: Term | None = None
    percepts: tuple[Term, ...] = ()


class Player(Protocol):
    """Chooses the moves of one role. What a call raises is recorded in the match and does not end it."""

    @property
    def name(self) -> str: ...

    def start(self, start: Start, deadline: Deadline) -> None:
        """A match begins. Returns when ready, by the deadline."""
        ...

    def move(self, turn: Turn) -> Term | str:
        """A legal move, as a term or as KIF text, by `turn.deadline`."""
        ...

    def stop(self, end: End) -> None:
        """The match is over or was aborted: let go of what it needed."""
        ...


@runtime_checkable
class Correspondent(Protocol):
    """A player elsewhere, who is asked by messages: each call returns at once, with a future of the answer.

    A match waits for it until the deadline and `grace` seconds longer, the time that messages may take on their way.
    What the future raises is recorded, in the words of the error.
    """

    @property
    def name(self) -> str: ...

    @property
    def grace(self) -> float: ...

    def start(self, start: Start, deadline: Deadline) -> Future[object]: ...

    def move(self, turn: Turn) -> Future[object]: ...

    def stop(self, end: End) -> Future[object]: ...
