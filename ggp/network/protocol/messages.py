"""The messages of a game server, as values: `parse_message` reads one, `str` prints it.

    (INFO)                                            are you there?
    (PREVIEW (RULES) CLOCK)                           this game may come
    (START ID ROLE (RULES) STARTCLOCK PLAYCLOCK ...)  a match begins
    (PLAY ID MOVES)                                   what was played, NIL at first; now make your move
    (STOP ID MOVES)                                   what was played last; the match is over
    (ABORT ID)                                        the match is broken off

In a game with hidden information (GDL-II) a role hears its percepts in place of the moves, either so, or as servers of
the Dresden kind tell it, where NIL stands for no move and for no percepts:

    (PLAY ID TURN MOVE (PERCEPTS))                    which turn it is, from 0; which move was made for you
    (STOP ID TURN MOVE (PERCEPTS))

Reading takes what servers send in practice: any case, any blanks and ends of lines, comments, further arguments.
Sources: M. Genesereth and M. Thielscher, General Game Playing, 2014, chapter 3; ggp-base's players; the GDL-II page
of the Dresden game server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gdl.errors import TermError
from gdl.language.parser import parse_terms
from gdl.terms import Constant, Term, Variable, leaves
from ggp.match.settings import LONGEST_CLOCK
from ggp.network.protocol.errors import ProtocolError
from ggp.network.protocol.scan import elements, inside, is_group, shown

#: Where players listen unless told otherwise.
DEFAULT_PORT: Final = 9147

#: What stands for no moves.
NIL: Final = "NIL"

#: Moves or percepts may have so many characters together; more would take long to read.
LONGEST_MOVES: Final = 50_000

#: A clock: seconds, whole ones in the standard.
_CLOCK: Final = re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,10})?")

_TURN: Final = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Info:
    """`(INFO)`: who are you, and have you time?"""

    def __str__(self) -> str:
        return "(INFO)"


@dataclass(frozen=True, slots=True)
class Preview:
    """`(PREVIEW (RULES) CLOCK)`: a game that may come. `rules` is rule text, `clock` seconds."""

    rules: str
    clock: float

    def __post_init__(self) -> None:
        _check_rules(self.rules)
        _check_clocks(self.clock)

    def __str__(self) -> str:
        return f"(PREVIEW ({self.rules}) {_clock_text(self.clock)})"


@dataclass(frozen=True, slots=True)
class Start:
    """`(START ID ROLE (RULES) STARTCLOCK PLAYCLOCK ...)`: a match begins.

    `rules` is rule text, best without comments and line ends (see `ggp.network.protocol.rules_text.rules_line`).
    Clocks are in seconds; the standard knows whole ones only. `further` arguments have no meaning yet.
    """

    match_id: str
    role: str
    rules: str
    start_clock: float
    play_clock: float
    further: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_symbol("match id", self.match_id)
        _check_symbol("role", self.role)
        _check_rules(self.rules)
        _check_clocks(self.start_clock, self.play_clock)

    def __str__(self) -> str:
        clocks = f"{_clock_text(self.start_clock)} {_clock_text(self.play_clock)}"
        further = "".join(f" {argument}" for argument in self.further)
        return f"(START {self.match_id} {self.role} ({self.rules}) {clocks}{further})"


@dataclass(frozen=True, slots=True)
class _News:
    """What PLAY and STOP tell: `moves` is the joint move in role order, or the role's percepts; None is NIL.

    `turn` and `own_move` are only in messages of the Dresden kind, where `moves` are percepts. `turn` counts from 0.
    """

    match_id: str
    moves: tuple[Term, ...] | None = None
    turn: int | None = None
    own_move: Term | None = None

    def __post_init__(self) -> None:
        _check_symbol("match id", self.match_id)
        told = (*(self.moves or ()), *((self.own_move,) if self.own_move else ()))
        if any(isinstance(leaf, Variable) for term in told for leaf in leaves(term)):
            raise ProtocolError("a move or a percept has no variables")
        if self.turn is None and self.own_move is not None:
            raise ProtocolError("a role's own move is told with the turn")

    def _text(self, name: str) -> str:
        moves = NIL if self.moves is None else f"({' '.join(move.text for move in self.moves)})"
        turn = "" if self.turn is None else f"{self.turn} {self.own_move or NIL} "
        return f"({name} {self.match_id} {turn}{moves})"


@dataclass(frozen=True, slots=True)
class Play(_News):
    """`(PLAY ID MOVES)`: what was played, and the question for the next move."""

    def __str__(self) -> str:
        return self._text("PLAY")


@dataclass(frozen=True, slots=True)
class Stop(_News):
    """`(STOP ID MOVES)`: what was played last; the match is over."""

    def __str__(self) -> str:
        return self._text("STOP")


@dataclass(frozen=True, slots=True)
class Abort:
    """`(ABORT ID)`: the match is broken off."""

    match_id: str

    def __post_init__(self) -> None:
        _check_symbol("match id", self.match_id)

    def __str__(self) -> str:
        return f"(ABORT {self.match_id})"


Message = Info | Preview | Start | Play | Stop | Abort


def parse_message(text: str) -> Message:
    """The message that a text is. Raises ProtocolError for anything else."""
    whole = elements(text)
    if len(whole) != 1 or not is_group(whole[0]):
        raise ProtocolError(f"expected one message in parentheses, such as (INFO), found {shown(text)}")
    name, *arguments = elements(inside(whole[0])) or [""]
    match name.upper():
        case "INFO":
            return Info()
        case "PREVIEW":
            rules, clock = _some(name, arguments, 2)
            return Preview(_rules(rules), _clock(clock))
        case "START":
            match_id, role, rules, start_clock, play_clock = _some(name, arguments, 5)
            return Start(match_id, role, _rules(rules), _clock(start_clock), _clock(play_clock), tuple(arguments[5:]))
        case "PLAY":
            return Play(*_news(name, arguments))
        case "STOP":
            return Stop(*_news(name, arguments))
        case "ABORT":
            return Abort(*_some(name, arguments, 1))
    raise ProtocolError(f"expected INFO, PREVIEW, START, PLAY, STOP or ABORT, found {shown(name)}")


def same_match(one: str, other: str) -> bool:
    """Whether two identifiers mean the same match: symbols are the same whatever their case."""
    return Constant(one) == Constant(other)


def _some(name: str, arguments: list[str], count: int) -> list[str]:
    """The first arguments of a message; further ones are left alone."""
    if len(arguments) < count:
        raise ProtocolError(f"expected {count} arguments of {name.upper()}, found {len(arguments)}")
    return arguments[:count]


def _news(name: str, arguments: list[str]) -> tuple[str, tuple[Term, ...] | None, int | None, Term | None]:
    """Match, moves or percepts, turn and own move."""
    match_id, moves = _some(name, arguments, 2)
    if len(arguments) < 4 or not _TURN.fullmatch(moves):
        return match_id, _terms(moves), None, None
    own_move = None if _is_nil(arguments[2]) else _parsed(arguments[2])[0]
    return match_id, _terms(arguments[3]), int(moves), own_move


def _terms(element: str) -> tuple[Term, ...] | None:
    """The terms of a group, None for NIL."""
    if is_group(element):
        return _parsed(inside(element))
    if _is_nil(element):
        return None
    raise ProtocolError(f"expected NIL or moves in parentheses, found {shown(element)}")


def _parsed(text: str) -> tuple[Term, ...]:
    if len(text) > LONGEST_MOVES:
        raise ProtocolError(f"moves of more than {LONGEST_MOVES} characters: {shown(text)}")
    try:
        return parse_terms(text)
    except TermError as error:
        raise ProtocolError(f"{error.mistakes[0].message}: {shown(text)}") from None


def _is_nil(element: str) -> bool:
    return element.upper() == NIL


def _rules(element: str) -> str:
    if not is_group(element):
        raise ProtocolError(f"expected rules in parentheses, found {shown(element)}")
    return inside(element)


def _clock(element: str) -> float:
    if not _CLOCK.fullmatch(element):
        raise ProtocolError(f"expected a clock in seconds, found {shown(element)}")
    return float(element)


def _clock_text(seconds: float) -> str:
    return f"{seconds:.3f}".rstrip("0").rstrip(".")


def _check_symbol(what: str, text: str) -> None:
    if is_group(text) or elements(text) != [text]:
        raise ProtocolError(f"a {what} is one symbol, not {shown(text)}")


def _check_rules(rules: str) -> None:
    if len(elements(f"({rules})")) != 1:
        raise ProtocolError("the rules are not closed in themselves")


def _check_clocks(*clocks: float) -> None:
    for seconds in clocks:
        if not 0 <= seconds <= LONGEST_CLOCK:
            raise ProtocolError(f"a clock of {seconds} seconds")
