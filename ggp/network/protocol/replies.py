"""What players answer, as values: the replies to INFO and PLAY, and the words that are all other replies.

    INFO     ((name NAME) (status available|busy) (species SPECIES))
    PREVIEW  ready, or busy
    START    ready, or busy
    PLAY     a move
    STOP     done
    ABORT    aborted

To a message for a match that it does not play, a player answers `busy`. Reading takes any case, blanks and comments.
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

#: What may not stand in a symbol.
_NO_SYMBOL: Final = re.compile(r"[\s();\x00-\x1f\x7f-\x9f\ufeff\ud800-\udfff]+")


class Word(StrEnum):
    """A reply of one word."""

    READY = "ready"
    BUSY = "busy"
    DONE = "done"
    ABORTED = "aborted"
    #: What a player says that has no move to say.
    NIL = "nil"
    AVAILABLE = "available"


@dataclass(frozen=True, slots=True)
class InfoReply:
    """What a player says of itself. `status` is `available` or `busy`, whatever else a player may say, or empty."""

    name: str = ""
    status: str = ""
    species: str = ""

    def __str__(self) -> str:
        fields = (("name", self.name), ("status", self.status), ("species", self.species))
        return f"({' '.join(f'({key} {symbol(value)})' for key, value in fields if value)})"

    @property
    def available(self) -> bool:
        """Whether the player has time for a match."""
        return self.status in ("available", "ready")


def parse_info_reply(text: str) -> InfoReply:
    """What a player said to INFO. Some say only how they are: `available`. Raises ProtocolError where nothing is said.

    Keys and status are in lower case then; of what is said twice, the first counts.
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
    """The one word that a player answered, in lower case: compare it with `Word`. Raises ProtocolError."""
    [element] = _only(text)
    if is_group(element):
        raise ProtocolError(f"expected one word, found {shown(element)}")
    return element.lower()


def parse_move(text: str) -> Term:
    """The move that a player answered. Raises ProtocolError for anything that is not one term without variables."""
    [element] = _only(text)
    if len(element) > LONGEST_MOVE:
        raise ProtocolError(f"a move of more than {LONGEST_MOVE} characters: {shown(text)}")
    try:
        [move] = parse_terms(element)
    except TermError as error:
        raise ProtocolError(f"{error.mistakes[0].message}: {shown(text)}") from None
    if any(isinstance(leaf, Variable) for leaf in leaves(move)):
        raise ProtocolError(f"a move has no variables: {shown(text)}")
    return move


def symbol(text: str) -> str:
    """A text as one symbol: what may not stand in it becomes an underscore."""
    return _NO_SYMBOL.sub("_", text).lstrip("?") or "_"


def _only(text: str) -> list[str]:
    found = elements(text)
    if len(found) != 1:
        raise ProtocolError(f"expected one expression, found {len(found)}: {shown(text)}")
    return found
