"""Icons for common kinds of pieces, found by the words that rules use for them, in a square of 48 units.

Icons do not depend on the game: a word such as `knight` looks the same in every rule file. A piece without an icon is
drawn as a disc with its glyph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from gdl.terms import name_key

#: The filled outline of each shape, and the ink lines drawn on top of it.
SHAPES: Final[Mapping[str, tuple[str, str]]] = {
    "pawn": (
        "M24 9.5a6.6 6.6 0 0 1 4.4 11.5c3 2.6 4.4 6.6 4.6 12h-18c.2-5.4 1.6-9.4 4.6-12"
        "A6.6 6.6 0 0 1 24 9.5ZM12.5 34.5h23v5h-23Z",
        "",
    ),
    "knight": (
        "M16 34c0-7 6.5-9 6.5-14.5-2 2-4.7 2.3-6.7 3.8-1.2 1-2 2.7-3.8 2.7-1.8 0-3.5-1.6-3.5-3.5"
        " 0-2.4 3-5 4-8 .8-2.3 2.3-4 4.8-5L18.5 5l4.5 3.5C31.5 9 36 15.5 36 25c0 3.5-.5 6.5-1 9"
        "ZM12.5 35.5h24v4.5h-24Z",
        "M18 14.5h.6",
    ),
    "bishop": (
        "M24 6.5c1.7 0 2.9 1.2 2.9 2.7 0 .8-.3 1.4-.8 1.9 4.1 3 6.9 7.2 6.9 11.9 0 3.9-2 7-4.5 9.5h-9"
        "C17 30 15 26.9 15 23c0-4.7 2.8-8.9 6.9-11.9a2.7 2.7 0 0 1-.8-1.9C21.1 7.7 22.3 6.5 24 6.5Z"
        "M12.5 34.5h23v5h-23Z",
        "M24 17.5v8M20.5 20.8h7",
    ),
    "rook": (
        "M12.5 9h5.7v3.7h3V9h5.6v3.7h3V9h5.7v8.5L32 21v10.5l2 3H14l2-3V21l-3.5-3.5ZM11.5 36h25v4.5h-25Z",
        "M16.5 21.5h15",
    ),
    "queen": (
        "M9 14.5l7 7.5 3.2-12.5L24 21l4.8-11.5L32 22l7-7.5-4.8 18.5H13.8ZM13 35h22v5H13Z",
        "",
    ),
    "king": (
        "M22.3 5h3.4v3.3H29v3.4h-3.3V16c4.3-3 11.3-2.2 11.3 4.3 0 5-4 8-5.5 12.7h-15"
        "C15 28.3 11 25.3 11 20.3c0-6.5 7-7.3 11.3-4.3v-4.3H19V8.3h3.3ZM13.5 35h21v5h-21Z",
        "M24 18v11",
    ),
    "canine": (
        "M8.5 7.5l9.5 6.3h12l9.5-6.3-1.3 16.5L24 41 9.8 24Z",
        "M17 22.5l3 1.5M31 22.5l-3 1.5M21.8 35h4.4",
    ),
    "sheep": (
        "M24 9c2.6 0 4.7 1.3 5.9 3.2 4.2-.8 7.6 1.9 7.6 5.6 0 1-.2 1.9-.6 2.7 1.9 1 3.1 2.9 3.1 5 0 3-2.3 5.3-5.3"
        " 5.7-1 3.2-4.4 5-7.7 4.3-.9.9-1.9 1.5-3 1.5s-2.1-.6-3-1.5c-3.3.7-6.7-1.1-7.7-4.3-3-.4-5.3-2.7-5.3-5.7"
        " 0-2.1 1.2-4 3.1-5-.4-.8-.6-1.7-.6-2.7 0-3.7 3.4-6.4 7.6-5.6C19.3 10.3 21.4 9 24 9Z",
        "M18.5 20.5c0-2.3 2.5-4 5.5-4s5.5 1.7 5.5 4c0 4.5-2.5 9-5.5 9s-5.5-4.5-5.5-9ZM21.7 22h.6M25.7 22h.6",
    ),
    "cross": (
        "M11.5 15l3.5-3.5 9 9 9-9 3.5 3.5-9 9 9 9-3.5 3.5-9-9-9 9-3.5-3.5 9-9Z",
        "",
    ),
    "ring": (
        "M24 9.5a14.5 14.5 0 1 1 0 29 14.5 14.5 0 1 1 0-29ZM24 15a9 9 0 1 0 0 18 9 9 0 1 0 0-18Z",
        "",
    ),
    "disc": ("M24 7a17 17 0 1 1 0 34 17 17 0 1 1 0-34Z", "M24 12a12 12 0 1 1 0 24 12 12 0 1 1 0-24Z"),
    "crown": (
        "M24 7a17 17 0 1 1 0 34 17 17 0 1 1 0-34Z",
        "M15.5 29.5V19l4.5 4 4-6.5 4 6.5 4.5-4v10.5Z",
    ),
    "block": ("M3 3h42v42H3Z", "M3 17h42M3 31h42M24 3v14M13 17v14M35 17v14M24 31v14"),
    "box": ("M8 8h32v32H8Z", "M8 8l32 32M40 8L8 40"),
    "card": ("M9 2.5h30a4 4 0 0 1 4 4v35a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4v-35a4 4 0 0 1 4-4Z", ""),
    "dot": ("M24 18a6 6 0 1 1 0 12 6 6 0 1 1 0-12Z", ""),
}

_WORDS: Final[Mapping[str, str]] = {
    **{name: name for name in ("pawn", "knight", "bishop", "rook", "queen", "king", "disc", "box", "block", "sheep")},
    **dict.fromkeys(("tower", "castle"), "rook"),
    **dict.fromkeys(("fox", "wolf", "dog", "hound"), "canine"),
    **dict.fromkeys(("lamb", "goose", "geese"), "sheep"),
    **dict.fromkeys(("man", "stone", "checker", "disk", "token", "counter", "marker"), "disc"),
    **dict.fromkeys(("wall", "brick", "obstacle", "blocked"), "block"),
    **dict.fromkeys(("crate", "boulder"), "box"),
    **dict.fromkeys(("pellet", "food", "dot", "pip"), "dot"),
    "horse": "knight",
}

#: The letters for chess pieces.
_LETTERS: Final[Mapping[str, str]] = {
    "p": "pawn",
    "n": "knight",
    "b": "bishop",
    "r": "rook",
    "q": "queen",
    "k": "king",
}


def shapes_for(kinds: Iterable[str]) -> dict[str, str]:
    """Return the shape of each kind of piece on one board, for the kinds that have one.

    Letters are read as chess pieces only if all kinds are such letters and a king is among them; `x` and `o` are read
    as cross and ring only if both occur.
    """
    words = {name_key(kind) for kind in kinds}
    found = {word: _WORDS[word] for word in words if word in _WORDS}
    if "k" in words and len(words) > 1 and words <= _LETTERS.keys():
        found |= {word: _LETTERS[word] for word in words}
    if {"x", "o"} <= words:
        found |= {"x": "cross", "o": "ring"}
    return found
