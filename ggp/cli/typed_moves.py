"""The moves that typed lines mean: numbers, whole moves, moves without parentheses, or the beginning of one move."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gdl.terms import Term, name_key
from ggp.match.answers import legal_move


def meant_moves(typed: str, legal: Sequence[Term]) -> list[Term]:
    """Return the legal moves that a line may mean: none, one, or several that begin with it.

    A number counts from 1 in the order of `legal`. Case, outer parentheses and the amount of space do not matter.
    """
    if typed.isdecimal() and 1 <= int(typed) <= len(legal):
        return [legal[int(typed) - 1]]
    exact, _ = legal_move(typed, tuple(legal))
    if exact is not None:
        return [exact]
    start = _plain(typed)
    if not start:
        return []
    texts = {move: _plain(move.text) for move in legal}
    same = [move for move, text in texts.items() if text == start]
    return same or [move for move, text in texts.items() if text.startswith(start)]


def parenthesized(typed: str) -> str:
    """Return a term as KIF text; its outer parentheses may be missing."""
    text = typed.strip()
    return f"({text})" if " " in text and not text.startswith("(") else text


def _plain(text: str) -> str:
    """Return a move in the form in which beginnings are compared."""
    spaced = re.sub(r"\s+", " ", name_key(text.strip()))
    spaced = re.sub(r"(?<=\() | (?=\))", "", spaced)
    return spaced.removeprefix("(").removesuffix(")") if spaced.startswith("(") else spaced
