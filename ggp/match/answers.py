"""The legal move that a player's answer denotes."""

from __future__ import annotations

from typing import Final

from gdl.errors import GdlError
from gdl.language.parser import parse_term
from gdl.terms import Constant, Function, Term
from ggp.match.channels import ILLEGAL, one_line

#: Maximum length of a move sent as text; longer texts are illegal and not parsed.
LONGEST_MOVE: Final = 10_000


def legal_move(value: object, legal: tuple[Term, ...]) -> tuple[Term | None, str]:
    """Return the legal move that an answer denotes and an empty text, or None and the error."""
    if isinstance(value, str) and len(value) <= LONGEST_MOVE:
        try:
            move: object = parse_term(value)
        except GdlError:
            move = value
    else:
        move = value
    if isinstance(move, Constant | Function):
        for candidate in legal:
            if candidate == move:
                return candidate, ""
        return None, f"{ILLEGAL} {one_line(move.text)}"
    shown = one_line(value) if isinstance(value, str) else f"not a move: {type(value).__name__}"
    return None, f"{ILLEGAL} {shown}"
