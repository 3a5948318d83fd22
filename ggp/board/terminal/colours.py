"""The colours of roles and pieces on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.style import Style

from gdl.terms import name_key
from ggp.board.model import Piece

#: Colours of middling brightness (numbers of the 256-colour palette), legible on black and on white.
_NAMED: Final = {
    "red": 160,
    "blue": 33,
    "green": 28,
    "yellow": 136,
    "orange": 166,
    "purple": 134,
    "magenta": 134,
    "pink": 169,
    "teal": 30,
    "cyan": 30,
    "brown": 94,
    "gold": 136,
}
_PALETTE: Final = (33, 166, 28, 134, 136, 160, 30, 169)

DIM: Final = Style(dim=True)


class Colours:
    """The styles for one game: each role gets the colour it is named after, or one that no role is named after."""

    plain: Final = Style()
    named: Final = Style(reverse=True)

    def __init__(self, roles: Sequence[str]) -> None:
        """Assign colours to the roles."""
        names = [name_key(role) for role in roles]
        called = {_NAMED[name] for name in names if name in _NAMED}
        free = [colour for colour in _PALETTE if colour not in called] or list(_PALETTE)
        nameless = [name for name in names if name not in _NAMED]
        self._alone = len(names) == 1
        self._roles = {name: _bold(_NAMED[name]) for name in names if name in _NAMED}
        self._roles |= {name: _bold(free[number % len(free)]) for number, name in enumerate(nameless)}
        self._pieces: dict[Piece, Style] = {}

    def word(self, word: str) -> Style:
        """Return the style of a word in a fact: coloured if the word is a role."""
        return self._roles.get(name_key(word), self.plain)

    def piece(self, piece: Piece) -> Style:
        """Return the style of a piece: its owner's, or the colour in its name; in puzzles, numbers differ in colour."""
        style = self._pieces.get(piece)
        if style is None:
            style = self._pieces[piece] = self._piece(piece)
        return style

    def _piece(self, piece: Piece) -> Style:
        if piece.owner is not None:
            return self.word(piece.owner)
        for word in name_key(piece.name).split():
            if word in _NAMED:
                return _bold(_NAMED[word])
        if self._alone and piece.glyph.isdecimal():
            return _bold(_PALETTE[int(piece.glyph[-3:]) % len(_PALETTE)])
        return Style(bold=True)


def _bold(colour: int) -> Style:
    return Style(color=f"color({colour})", bold=True)
