"""What the words of rules suggest: the shapes and the colours of pieces.

They do not depend on the game: a word such as `knight` looks the same in every rule file. A piece without a shape is
drawn as a disc with its glyph.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from gdl.terms import name_key

WORDS: Final[Mapping[str, str]] = {
    **{name: name for name in ("pawn", "knight", "bishop", "rook", "queen", "king", "disc", "box", "block", "sheep")},
    **dict.fromkeys(("tower", "castle"), "rook"),
    **dict.fromkeys(("fox", "wolf", "dog", "hound"), "canine"),
    **dict.fromkeys(("lamb", "goose", "geese"), "sheep"),
    **dict.fromkeys(("man", "stone", "checker", "disk", "token", "counter", "marker"), "disc"),
    **dict.fromkeys(("wall", "brick", "obstacle", "blocked"), "block"),
    **dict.fromkeys(("crate", "boulder"), "box"),
    **dict.fromkeys(("pellet", "food", "dot", "pip"), "dot"),
    **dict.fromkeys(
        ("hole", "dirt", "ground", "earth", "arrow", "fire", "burnt", "burned", "chocolate", "tile"), "tile"
    ),
    **dict.fromkeys(("honey", "corn", "coin", "treasure"), "disc"),
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
    found = {word: WORDS[word] for word in words if word in WORDS}
    if "k" in words and len(words) > 1 and words <= _LETTERS.keys():
        found |= {word: _LETTERS[word] for word in words}
    if {"x", "o"} <= words:
        found |= {"x": "cross", "o": "ring"}
    if {"on", "off"} <= words:
        found |= {"on": "disc", "off": "disc"}
    return found


def long_word(letter: str, symbols: Collection[str]) -> str:
    """Return the word that a letter stands for, if the symbols of the rules begin with one such word; or nothing."""
    known = {*WORDS, *COLOURS}
    parts = {part for symbol in symbols for part in re.split("[^a-z]+", name_key(symbol))}
    found = {word for word in known if word[0] == letter and any(part.startswith(word) for part in parts)}
    return found.pop() if len(found) == 1 and len(letter) == 1 else ""


#: The words that are colours, as `ggp.board.drawing.palette` paints them.
COLOURS: Final = (
    *("white", "black", "red", "blue", "green", "yellow"),
    *("orange", "purple", "pink", "teal", "brown", "grey"),
)
#: Other words that suggest a colour.
_SAME: Final = {
    **dict.fromkeys(("sheep", "lamb", "goose", "geese", "ivory"), "white"),
    **dict.fromkeys(("wolf", "gray", "silver", "wall", "block", "brick"), "grey"),
    **dict.fromkeys(("fox", "food", "fire"), "orange"),
    "hole": "black",
    **dict.fromkeys(("box", "crate", "dirt", "earth", "chocolate"), "brown"),
    **dict.fromkeys(("on", "honey", "corn", "coin", "treasure"), "yellow"),
    **{"magenta": "pink", "cyan": "teal", "gold": "yellow", "violet": "purple"},
}


def colour_word(word: str) -> str:
    """Return the colour that a word names, or an empty text."""
    name = _SAME.get(name_key(word), name_key(word))
    return name if name in COLOURS else ""


#: Words in the names of relations and moves whose numbers are those of dice, and these numbers.
_DICE: Final = frozenset(("die", "dice", "throw", "threw", "thrown", "roll", "rolled"))
_PIPS: Final = frozenset("123456")


def are_dice(name: str, numbers: Collection[str]) -> bool:
    """Return True if the numbers of a relation or a move with this name are those on dice."""
    return bool(numbers) and _PIPS.issuperset(numbers) and not _DICE.isdisjoint(name_key(name).split("_"))
