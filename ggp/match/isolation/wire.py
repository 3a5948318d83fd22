"""Requests to a player in a process of its own, and its replies.

Requests are pickled. Replies are lines of JSON, because the code of a player may write anything to its parent.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import IO, Any, Final

from gdl.system.childprocess import PICKLES, Framing
from gdl.terms import Term
from ggp.players.player import End, Told

#: The end of `Reply.stages` while the game is being compiled.
SO_FAR: Final = " so far"

#: The maximum length of a reply in bytes.
LONGEST_REPLY: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Load:
    """A request to load the player's class, without a match."""


@dataclass(frozen=True, slots=True)
class Rehearse:
    """A request to play a few plies of some games, to load all code."""


@dataclass(frozen=True, slots=True)
class Prepare:
    """A match is to begin: a request to make the player and the game, which takes no time of its clocks."""

    rules: str


@dataclass(frozen=True, slots=True)
class Begin:
    """A match begins: `ggp.players.player.Start` without its game, which the child makes from the rules."""

    match_id: str
    role: str
    seed: int
    start_clock: float | None
    play_clock: float | None
    rules: str
    past: tuple[Told, ...] = ()
    ponder: bool = False
    threads: int = 1


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
class CallOff:
    """The answers to earlier requests are no longer wanted."""


Payload = Load | Rehearse | Prepare | Begin | Move | End | CallOff


@dataclass(frozen=True, slots=True)
class Request:
    """A numbered request. `due` is the time at which the answer is due, on the system's monotonic clock."""

    number: int
    payload: Payload
    due: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a request: the text of a move, empty for other requests; or an error, in one line.

    The replies to `Load` and `Rehearse` have the `name` and the trait `compiles` of the player.
    `busy` is true in the reply to `End` if the player has left threads behind.

    Replies to `Begin` and `Move` describe in `stages` how long the stages of compiling the game took, in words; while
    it goes on, the text ends with `SO_FAR`.
    The reply to `Move` has the `work` of the player's thought, what it `pondered`, and their `unit`.
    """

    number: int
    move: str = ""
    error: str = ""
    name: str = ""
    compiles: bool = False
    busy: bool = False
    stages: str = ""
    work: int = 0
    unit: str = ""
    pondered: int = 0

    def __post_init__(self) -> None:
        """Check the types. Raises ValueError."""
        texts = (self.move, self.error, self.name, self.stages, self.unit)
        flags = (self.compiles, self.busy)
        if not all(isinstance(number, int) for number in (self.number, self.work, self.pondered)) or not all(
            isinstance(text, str) for text in texts
        ):
            raise ValueError("not a reply")
        if not all(isinstance(flag, bool) for flag in flags):
            raise ValueError("not a reply")


def _dump_reply(reply: Reply) -> bytes:
    return json.dumps(asdict(reply)).encode() + b"\n"


def _load_reply(stream: IO[bytes]) -> Any:
    line = stream.readline(LONGEST_REPLY)
    if not line.endswith(b"\n"):
        raise EOFError
    try:
        return Reply(**json.loads(line))
    except (TypeError, RecursionError) as error:
        raise ValueError("not a reply") from error


#: The form of messages, on the side of the match and on the side of the player.
MATCH_SIDE: Final = Framing(PICKLES.dumps, _load_reply)
PLAYER_SIDE: Final = Framing(_dump_reply, PICKLES.load)
