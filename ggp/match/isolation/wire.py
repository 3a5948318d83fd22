"""Requests to a player in a process of its own, and its replies: objects that are pickled and sent over a pipe."""

from __future__ import annotations

from dataclasses import dataclass

from gdl.terms import Term
from ggp.players.player import End


@dataclass(frozen=True, slots=True)
class Begin:
    """A match begins: `ggp.players.player.Start` without its game, which the child makes from the rules."""

    match_id: str
    role: str
    seed: int
    start_clock: float | None
    play_clock: float | None
    rules: str


@dataclass(frozen=True, slots=True)
class Move:
    """A request for a move: `ggp.players.player.Turn` with the facts of its state."""

    ply: int
    facts: tuple[Term, ...] | None
    legal: tuple[Term, ...]
    moves: tuple[Term, ...] | None
    own_move: Term | None
    percepts: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Rehearse:
    """A request to play a few plies of some games, to load all code."""


@dataclass(frozen=True, slots=True)
class CallOff:
    """The answers to earlier requests are no longer wanted."""


Payload = Begin | Move | End | Rehearse | CallOff


@dataclass(frozen=True, slots=True)
class Request:
    """A numbered request. `due` is the time at which the answer is due, on the system's monotonic clock."""

    number: int
    payload: Payload
    due: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a request: the text of a move, empty for other requests; or an error, in one line."""

    number: int
    move: str = ""
    error: str = ""
