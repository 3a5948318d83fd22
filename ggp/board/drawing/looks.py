"""The looks of single pieces, in the middle of a square of 48 units: shapes, cards, images, and blocks."""

from __future__ import annotations

from typing import Final

from gdl.terms import name_key
from ggp.board.drawing.elements import Element, element
from ggp.board.drawing.icons import SHAPES, SUITS
from ggp.board.images import image_id
from ggp.board.model import Piece

#: The width and the height of a cell.
CELL: Final = 48.0

#: The most lines of words on a card, and of characters in each, and the width and height that they have.
_WORDS: Final = 3
_LETTERS: Final = 8
_WIDE: Final = 34.0
_HIGH: Final = 39.0
#: The width of a character, relative to the size of the font.
_CHARACTER: Final = 0.62


def look_of(piece: Piece) -> list[Element]:
    """Return the elements of a piece: its image or its shape, or a disc with its glyph."""
    number = _number(piece) if piece.count > 1 else []
    if piece.image:
        return [image_on(piece, 24, 24, 1), *number]
    if piece.shape:
        outline, lines = SHAPES[piece.shape]
        drawn = [element("path", class_="body", d=outline, fill_rule="evenodd")]
        if lines:
            thin = 1.2 if piece.shape in ("disc", "block") else 2.2
            drawn.append(element("path", class_="line", d=lines, stroke_width=thin, stroke_linecap="round"))
        return [*drawn, *(_words(piece) if piece.shape == "card" else []), *number]
    return [*_disc(piece.glyph), *number]


def image_on(piece: Piece, x: float, y: float, scale: float) -> Element:
    """Return the image of a piece around a point, on a square of a size in cells."""
    use = element("use", href=f"#{image_id(piece.image)}")
    if (x, y, scale) == (24, 24, 1):
        return use
    half = CELL / 2 * scale
    return element("g", use, transform=f"translate({x - half:.2f} {y - half:.2f}) scale({scale:g})")


def _disc(glyph: str) -> list[Element]:
    shown = glyph if len(glyph) <= 4 else glyph[:3] + "…"
    size = {1: 22, 2: 18, 3: 14}.get(len(shown), 11)
    return [
        element("circle", class_="body", cx=24, cy=24, r=18.5),
        element("circle", class_="ring", cx=24, cy=24, r=15.5),
        element("text", shown, class_="ink", x=24, y=24.5, font_size=size),
    ]


def block_of(width: float, height: float) -> Element:
    """Return a block of a size in the middle of the square."""
    return element("rect", class_="body", x=24 - width / 2, y=24 - height / 2, width=width, height=height, rx=4)


def _words(piece: Piece) -> list[Element]:
    """Return the words on a card, one below the other, or the sign of its suit; its glyph if they do not fit."""
    words = piece.kind.split(" ")
    suits = [suit for word in words if (suit := name_key(word).rstrip("s")) in SUITS]
    if len(suits) == 1 and len(words) == 2:
        rank = next(word for word in words if name_key(word).rstrip("s") not in SUITS)
        size = min(22.0, _WIDE / _CHARACTER / len(rank))
        sign = element("path", class_="ink", d=SUITS[suits[0]], transform="translate(24 14)")
        return [sign, element("text", rank, class_="ink", x=24, y=33.5, font_size=size)]
    if len(words) > _WORDS or max(map(len, words)) > _LETTERS:
        words = [piece.glyph if len(piece.glyph) <= _LETTERS else piece.glyph[: _LETTERS - 1] + "…"]
    size = min(20.0, _HIGH / len(words) / 1.1, _WIDE / _CHARACTER / max(map(len, words)))
    top = 24.5 - size * 1.1 * (len(words) - 1) / 2
    return [
        element("text", word, class_="ink", x=24, y=top + number * size * 1.1, font_size=size)
        for number, word in enumerate(words)
    ]


def _number(piece: Piece) -> list[Element]:
    """Return how many of a thing there are, in the lower right corner."""
    text = str(piece.count)
    width = 8 + 8 * len(text)
    return [
        element("rect", class_="body", x=47 - width, y=31, width=width, height=16, rx=8),
        element("text", text, class_="ink", x=47 - width / 2, y=39.5, font_size=13),
    ]
