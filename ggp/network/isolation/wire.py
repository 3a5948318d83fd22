"""What a player in a process of its own is asked and answers, as it goes over a pipe: pickled, one object each."""

from __future__ import annotations

from dataclasses import dataclass

from gdl.terms import Term
from ggp.players.player import End


@dataclass(frozen=True, slots=True)
class Begin:
    """A match begins: `ggp.players.player.Start` without its game, which both sides make from the rules."""

    match_id: str
    role: str
    seed: int
    start_clock: float | None
    play_clock: float | None
    rules: str


@dataclass(frozen=True, slots=True)
class Move:
    """A question for a move: `ggp.players.player.Turn` with the facts of its state."""

    ply: int
    facts: tuple[Term, ...] | None
    legal: tuple[Term, ...]
    moves: tuple[Term, ...] | None
    own_move: Term | None
    percepts: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Rehearse:
    """Play some plies of some games, to have all loaded."""


@dataclass(frozen=True, slots=True)
class CallOff:
    """Nobody waits for the answers to what was asked so far."""


What = Begin | Move | End | Rehearse | CallOff


@dataclass(frozen=True, slots=True)
class Request:
    """One question, by its number, and by when the answer is due: on the system's monotonic clock."""

    number: int
    what: What
    due: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question: a move's text, empty for other questions; or what went wrong, in one line."""

    number: int
    move: str = ""
    error: str = ""
