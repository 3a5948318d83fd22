"""A picture of a game without boards: its facts as a table of scores, and the words of its moves as tokens."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from ggp.board.drawing.elements import Element, element, group
from ggp.board.drawing.palette import PAINTS
from ggp.board.vocabulary import colour_word

#: The width and height of the picture, of a row, and the most rows and tokens in it.
SIDE: Final = 240.0
_ROW: Final = 34.0
_ROWS: Final = 4
_TOKENS: Final = 8

#: The most characters of a row, and of a token.
_LONG: Final = 26
_SHORT: Final = 7


def tally(notes: Collection[tuple[str, Sequence[str]]], words: Mapping[str, str]) -> list[Element]:
    """Return a picture of facts, by relation, and of words of moves, each with its text, on a square of `SIDE`."""
    rows = [_cut(f"{name}  {'  '.join(values)}".strip(), _LONG) for name, values in list(notes)[:_ROWS]]
    tokens = list(words.items())[:_TOKENS]
    lines = (len(tokens) + 3) // 4
    top = (SIDE - len(rows) * _ROW - lines * 56) / 2
    found = []
    for number, text in enumerate(rows):
        y = top + number * _ROW
        found.append(element("rect", class_="cell", x=8, y=y, width=SIDE - 16, height=_ROW - 6, rx=6))
        found.append(element("text", text, class_="note", x=18, y=y + 19))
    return [*found, *_tokens(tokens, top + len(rows) * _ROW)]


def _tokens(tokens: Sequence[tuple[str, str]], top: float) -> Iterator[Element]:
    for number, (word, text) in enumerate(tokens):
        line, place = divmod(number, 4)
        together = min(4, len(tokens) - 4 * line)
        x, y = SIDE / 2 + (place - (together - 1) / 2) * 56, top + 28 + line * 56
        colour = colour_word(word)
        shown = element("circle", class_="body", cx=x, cy=y, r=23)
        name = "" if colour in PAINTS else _cut(text, _SHORT)
        ink = element("text", name, class_="ink", x=x, y=y, font_size=min(18.0, 60 / max(1, len(name))))
        yield group([shown, ink], class_=f"piece c-{colour or 'white'}")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
