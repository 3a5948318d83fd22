"""The replies of players, as values: to INFO, to PLAY, and the words that answer all other messages.

    INFO     ((name NAME) (status available|busy) (species SPECIES))
    PREVIEW  ready, or busy
    START    ready, or busy
    PLAY     a move
    STOP     done
    ABORT    aborted

A player answers `busy` to messages for matches that it does not play. The reader accepts any case, blanks and comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gdl.errors import TermError
from gdl.language.parser import parse_terms
from gdl.terms import Term, Variable, leaves
from ggp.match.answers import LONGEST_MOVE
from ggp.network.protocol.errors import ProtocolError
from ggp.network.protocol.scan import elements, inside, is_group, shown

#: Characters that a symbol cannot contain.
_NO_SYMBOL: Final = re.compile(
    r"[\s();\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f\ud800-\udfff]+"
)


class Word(StrEnum):
    """A reply of one word."""

    READY = "ready"
    BUSY = "busy"
    DONE = "done"
    ABORTED = "aborted"
    #: The answer of a player that has no move.
    NIL = "nil"
    AVAILABLE = "available"


@dataclass(frozen=True, slots=True)
class InfoReply:
    """The reply to INFO. `status` is normally `available` or `busy`, but may be any text, or empty."""

    name: str = ""
    status: str = ""
    species: str = ""

    def __str__(self) -> str:
        """Return the reply as text."""
        fields = (("name", self.name), ("status", self.status), ("species", self.species))
        return f"({' '.join(f'({key} {symbol(value)})' for key, value in fields if value)})"

    @property
    def available(self) -> bool:
        """True if the player is available for a match."""
        return self.status in ("available", "ready")


def parse_info_reply(text: str) -> InfoReply:
    """Parse a reply to INFO, which may be a status only, such as `available`. Raises ProtocolError.

    Keys and the status are converted to lower case; of repeated keys, the first counts.
    """
    [element] = _only(text)
    if not is_group(element):
        return InfoReply(status=element.lower())
    fields: dict[str, str] = {}
    for pair in filter(is_group, elements(inside(element))):
        key, *value = elements(inside(pair)) or [""]
        fields.setdefault(key.lower(), " ".join(value))
    return InfoReply(fields.get("name", ""), fields.get("status", "").lower(), fields.get("species", ""))


def parse_word(text: str) -> str:
    """Parse a reply of one word and return it in lower case, to compare with `Word`. Raises ProtocolError."""
    [element] = _only(text)
    if is_group(element):
        raise ProtocolError(f"expected one word, found {shown(element)}")
    return element.lower()


def parse_move(text: str) -> Term:
    """Parse a move. Raises ProtocolError for anything but a single term without variables."""
    [element] = _only(text)
    if len(element) > LONGEST_MOVE:
        raise ProtocolError(f"a move has more than {LONGEST_MOVE} characters: {shown(text)}")
    try:
        [move] = parse_terms(element)
    except TermError as error:
        raise ProtocolError(f"{error.mistakes[0].message}: {shown(text)}") from None
    if any(isinstance(leaf, Variable) for leaf in leaves(move)):
        raise ProtocolError(f"a move has no variables: {shown(text)}")
    return move


def symbol(text: str) -> str:
    """Return a text as a symbol, with underscores in place of invalid characters."""
    return _NO_SYMBOL.sub("_", text).lstrip("?") or "_"


def _only(text: str) -> list[str]:
    found = elements(text)
    if len(found) != 1:
        raise ProtocolError(f"expected one expression, found {len(found)}: {shown(text)}")
    return found
