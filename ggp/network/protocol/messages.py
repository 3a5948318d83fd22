"""The messages of a game server, as values: `parse_message` reads one, `str` prints it.

    (INFO)                                            are you there?
    (PREVIEW (RULES) CLOCK)                           a match of this game may follow
    (START ID ROLE (RULES) STARTCLOCK PLAYCLOCK ...)  a match begins
    (PLAY ID MOVES)                                   the last joint move, NIL at first; now make your move
    (STOP ID MOVES)                                   the last joint move; the match is over
    (ABORT ID)                                        the match is broken off

In a game with hidden information (GDL-II) a role receives its percepts in place of the moves, either in this form or in
that of the Dresden servers, where NIL stands for no move or no percepts:

    (PLAY ID TURN MOVE (PERCEPTS))                    the number of the turn, from 0, and your last move
    (STOP ID TURN MOVE (PERCEPTS))

The reader accepts what servers send in practice: any case, blanks, line endings, comments and further arguments.
Sources: M. Genesereth and M. Thielscher, General Game Playing, 2014, chapter 3; ggp-base's players; the GDL-II page
of the Dresden game server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gdl.errors import RulesheetError, TermError
from gdl.language.parser import parse, parse_terms, source_of
from gdl.terms import Term, Variable, leaves
from ggp.match.settings import LONGEST_CLOCK
from ggp.network.protocol.errors import ProtocolError
from ggp.network.protocol.scan import elements, inside, is_group, shown

#: The port at which players listen by default.
DEFAULT_PORT: Final = 9147

#: The symbol for no moves.
NIL: Final = "NIL"

#: The largest number of characters of moves or percepts; longer texts would take long to read.
LONGEST_MOVES: Final = 50_000

#: A clock in seconds, whole numbers in the standard.
_CLOCK: Final = re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,10})?")

_TURN: Final = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Info:
    """`(INFO)`: who are you, and are you available?"""

    def __str__(self) -> str:
        """Return the message as text."""
        return "(INFO)"


@dataclass(frozen=True, slots=True)
class Preview:
    """`(PREVIEW (RULES) CLOCK)`: a game that may follow. `rules` is rule text, `clock` is in seconds."""

    rules: str
    clock: float

    def __post_init__(self) -> None:
        """Check the fields. Raises ProtocolError."""
        _check_rules(self.rules)
        _check_clocks(self.clock)

    def __str__(self) -> str:
        """Return the message as text."""
        return f"(PREVIEW ({self.rules}) {_clock_text(self.clock)})"


@dataclass(frozen=True, slots=True)
class Start:
    """`(START ID ROLE (RULES) STARTCLOCK PLAYCLOCK ...)`: a match begins.

    `rules` is rule text, preferably without comments and line breaks (`ggp.network.protocol.messages.rules_line`).
    Clocks are in seconds; the standard only allows whole numbers. `further` arguments have no meaning yet.
    """

    match_id: str
    role: str
    rules: str
    start_clock: float
    play_clock: float
    further: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the fields. Raises ProtocolError."""
        _check_symbol("match id", self.match_id)
        _check_symbol("role", self.role)
        _check_rules(self.rules)
        _check_clocks(self.start_clock, self.play_clock)

    def __str__(self) -> str:
        """Return the message as text."""
        clocks = f"{_clock_text(self.start_clock)} {_clock_text(self.play_clock)}"
        further = "".join(f" {argument}" for argument in self.further)
        return f"(START {self.match_id} {self.role} ({self.rules}) {clocks}{further})"


@dataclass(frozen=True, slots=True)
class _News:
    """The content of PLAY and STOP. `moves` is the joint move in role order, or the role's percepts; None is NIL.

    Only messages of the Dresden kind have `turn`, which counts from 0, and `own_move`; there, `moves` are percepts.
    """

    match_id: str
    moves: tuple[Term, ...] | None = None
    turn: int | None = None
    own_move: Term | None = None

    def __post_init__(self) -> None:
        """Check the fields. Raises ProtocolError."""
        _check_symbol("match id", self.match_id)
        terms = (*(self.moves or ()), *((self.own_move,) if self.own_move else ()))
        if any(isinstance(leaf, Variable) for term in terms for leaf in leaves(term)):
            raise ProtocolError("a move or a percept has no variables")
        if self.turn is None and self.own_move is not None:
            raise ProtocolError("a role's own move requires a turn number")

    def _text(self, name: str) -> str:
        moves = NIL if self.moves is None else f"({' '.join(move.text for move in self.moves)})"
        turn = "" if self.turn is None else f"{self.turn} {self.own_move or NIL} "
        return f"({name} {self.match_id} {turn}{moves})"


@dataclass(frozen=True, slots=True)
class Play(_News):
    """`(PLAY ID MOVES)`: the last joint move, and a request for the next move."""

    def __str__(self) -> str:
        """Return the message as text."""
        return self._text("PLAY")


@dataclass(frozen=True, slots=True)
class Stop(_News):
    """`(STOP ID MOVES)`: the last joint move; the match is over."""

    def __str__(self) -> str:
        """Return the message as text."""
        return self._text("STOP")


@dataclass(frozen=True, slots=True)
class Abort:
    """`(ABORT ID)`: the match is broken off."""

    match_id: str

    def __post_init__(self) -> None:
        """Check the field. Raises ProtocolError."""
        _check_symbol("match id", self.match_id)

    def __str__(self) -> str:
        """Return the message as text."""
        return f"(ABORT {self.match_id})"


Message = Info | Preview | Start | Play | Stop | Abort


def parse_message(text: str) -> Message:
    """Parse a message. Raises ProtocolError for any other text."""
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


def _some(name: str, arguments: list[str], count: int) -> list[str]:
    """Return the first arguments of a message; further ones are ignored."""
    if len(arguments) < count:
        raise ProtocolError(f"expected {count} arguments of {name.upper()}, found {len(arguments)}")
    return arguments[:count]


def _news(name: str, arguments: list[str]) -> tuple[str, tuple[Term, ...] | None, int | None, Term | None]:
    """Return the match, the moves or percepts, the turn and the player's own move."""
    match_id, moves = _some(name, arguments, 2)
    if len(arguments) < 4 or not _TURN.fullmatch(moves):
        return match_id, _terms(moves), None, None
    own_move = None if _is_nil(arguments[2]) else _parsed(arguments[2])[0]
    return match_id, _terms(arguments[3]), int(moves), own_move


def _terms(element: str) -> tuple[Term, ...] | None:
    """Return the terms of a group, or None for NIL."""
    if is_group(element):
        return _parsed(inside(element))
    if _is_nil(element):
        return None
    raise ProtocolError(f"expected NIL or moves in parentheses, found {shown(element)}")


def _parsed(text: str) -> tuple[Term, ...]:
    if len(text) > LONGEST_MOVES:
        raise ProtocolError(f"moves have more than {LONGEST_MOVES} characters: {shown(text)}")
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
        raise ProtocolError(f"a {what} must be a single symbol, not {shown(text)}")


def _check_rules(rules: str) -> None:
    if len(elements(f"({rules})")) != 1:
        raise ProtocolError("the rules have unbalanced parentheses")


def _check_clocks(*clocks: float) -> None:
    for seconds in clocks:
        if not 0 <= seconds <= LONGEST_CLOCK:
            raise ProtocolError(f"a clock of {seconds} seconds is out of range")


def rules_line(text: str) -> str:
    """Return the statements of a rule text on one line, with single blanks, as START and PREVIEW carry them.

    Symbols and variables keep their spelling. Raises RulesheetError for invalid text.
    """
    statements, mistakes = parse(source_of(text, "<string>"))
    if mistakes:
        raise RulesheetError(mistakes)
    return " ".join(map(str, statements))
