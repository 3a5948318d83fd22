"""The looks of single pieces, in the middle of a square of 48 units: shapes, cards, blocks, lines and images."""

from __future__ import annotations

from typing import Final

from ggp.board.drawing.elements import Element, element
from ggp.board.drawing.ground import CELL, size_of
from ggp.board.drawing.icons import SHAPES
from ggp.board.images import image_id
from ggp.board.model import Board, CellPlace, Piece

#: The thickness of a line between two dots.
_LINE: Final = 8.0
#: The size of an image on a line, relative to one in a cell.
_ON_LINE: Final = 0.5

#: The most lines of words on a card, and of characters in each, and the width and height that they have.
_WORDS: Final = 3
_LETTERS: Final = 8
_WIDE: Final = 34.0
_HIGH: Final = 39.0
#: The width of a character, relative to the size of the font.
_CHARACTER: Final = 0.7


def look_of(board: Board, piece: Piece, place: CellPlace) -> list[Element]:
    """Return the elements of a piece on a cell: its shape, or a disc with its glyph."""
    width, height = size_of(board, place.column, place.row)
    if board.is_line(place.column, place.row):
        line = _centred(*line_size(board, width, height))
        return [line, image_on(piece, 24, 24, _ON_LINE)] if piece.image else [line]
    if piece.width and not piece.shape:
        return _block(piece, height)
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


def line_size(board: Board, width: float, height: float) -> tuple[float, float]:
    """Return the size of a line on a cell of a size.

    It nearly reaches two dots, or it is a wall along one cell, or in a corner along two.
    """
    length = CELL + (_LINE if board.walled else board.widths[0] * CELL - _LINE)
    if width != height:
        return (length, _LINE) if width > height else (_LINE, length)
    length += CELL
    return {"|": (_LINE, length), "-": (length, _LINE)}.get(board.crossing, (2 * _LINE, 2 * _LINE))


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


def _block(piece: Piece, height: float) -> list[Element]:
    """Return a thing in a stack: a block as high as its cell, with its glyph or its image."""
    width = piece.width * CELL
    body = _centred(width, height - 1)
    if piece.image:
        return [body, image_on(piece, 24, 24, (min(width, height) - 2) / CELL)]
    size = min(18.0, max(10.0, 1.7 * (width - 4) / len(piece.glyph)))
    return [body, element("text", piece.glyph, class_="ink", x=24, y=24.5, font_size=size)]


def _centred(width: float, height: float) -> Element:
    return element("rect", class_="body", x=24 - width / 2, y=24 - height / 2, width=width, height=height, rx=4)


def _words(piece: Piece) -> list[Element]:
    """Return the words on a card, one below the other; its glyph if they are too many or too long."""
    words = piece.name.split(" ")
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
