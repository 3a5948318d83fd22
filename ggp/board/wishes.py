"""Preferences for a game's drawings, in a small file next to the rules: `NAME.board.toml` for `NAME.kif`.

    title = "Fox and geese"
    flip = true              # upside down; stacks are seen from behind
    hands = ["hand"]         # the relations that say what roles hold, and decks, instead of those that are found

    [colours]                # of a role or a piece: a colour of ggp.board.drawing.palette
    fox = "orange"

    [pieces]                 # a shape of ggp.board.drawing.icons, any short text, or an image beside this file
    np = "pawn"
    nk = "knight.svg"

Everything in it is optional; no game needs one. Unknown names and values are refused, so that misspellings are found.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from gdl.errors import GdlError, nearest
from gdl.system.files import read_input
from gdl.terms import name_key
from ggp.board.drawing.icons import SHAPES
from ggp.board.drawing.palette import PAINTS
from ggp.board.image_content import ImageError
from ggp.board.images import MOST_TOGETHER, image_size, image_uri, is_image, names_image
from ggp.board.model import CellPlace, Layer, Piece
from ggp.board.view import Layout

SUFFIX: Final = ".board.toml"
_LONGEST: Final = 4
#: The largest accepted file, in bytes.
_MOST: Final = 100_000

_TABLE: Final = re.compile(r"""\s*\[\s*["']?([^"'\]]*?)["']?\s*\]""")
_KEY: Final = re.compile(r"""\s*(["']?)(.*?)\1\s*=""")


class WishError(GdlError):
    """The preferences file next to the rules cannot be used."""

    code = "board-file"

    def __init__(self, file: str, reason: str, line: int = 0) -> None:
        """Keep the name of the file, the reason why it cannot be used, and the line, if it is known."""
        self.file = file
        self.reason = reason
        self.line = line
        super().__init__(file, reason, line)

    def __str__(self) -> str:
        """Return the file, the line, the code and the reason on one line."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.code}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Wishes:
    """Preferences for drawings; names of roles, pieces and relations are in lower case, and images are data URIs.

    `hands` are the relations to be drawn as hands; if it is None, these are found.
    """

    title: str = ""
    flip: bool = False
    colours: Mapping[str, str] = field(default_factory=dict)
    pieces: Mapping[str, str] = field(default_factory=dict)
    hands: tuple[str, ...] | None = None


def wishes_beside(rules: Path) -> Wishes:
    """Return the preferences in the file next to a rule file; the defaults if there is none. Raises WishError."""
    path = rules.with_name(rules.name.removesuffix(".kif") + SUFFIX)
    try:
        if not path.is_file():
            return Wishes()
        if path.stat().st_size > _MOST:
            raise WishError(str(path), f"larger than {_MOST:,} bytes")
        return parse_wishes(read_input(path, _MOST).decode(), str(path), path.parent)
    except (OSError, UnicodeDecodeError) as error:
        raise WishError(str(path), getattr(error, "strerror", None) or str(error)) from None


def parse_wishes(text: str, file: str = "<string>", folder: Path | None = None) -> Wishes:
    """Parse preferences; images are read from a folder, or are data URIs. Raises WishError."""
    try:
        read = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also for numbers of thousands of digits
        raise WishError(file, str(error)) from None
    kinds = {"title": str, "flip": bool, "hands": list, "colours": dict, "pieces": dict}
    for name, value in read.items():
        if name not in kinds:
            reason = f"unknown key {name}; the keys are {', '.join(kinds)}"
            raise WishError(file, reason, _line(text, "", name) or _line(text, name))
        if not isinstance(value, kinds[name]):
            raise WishError(file, f"{name} must be {_KINDS[kinds[name]]}", _line(text, "", name))
    colours = _texts(text, file, "colours", read.get("colours", {}))
    for name, colour in colours.items():
        if colour not in PAINTS:
            near = nearest(colour, list(PAINTS))
            hint = f"; did you mean {near[0]}?" if near else ""
            reason = f"{name} = {colour!r}: the colours are {', '.join(PAINTS)}{hint}"
            raise WishError(file, reason, _line(text, "colours", name))
    pieces = _texts(text, file, "pieces", read.get("pieces", {}))
    images: set[str] = set()
    for name, look in pieces.items():
        if look in SHAPES or 0 < len(look) <= _LONGEST:
            continue
        try:
            if not names_image(look):
                wanted = f"at most {_LONGEST} characters, a PNG or SVG file, or one of {', '.join(SHAPES)}"
                raise ImageError(f"expected {wanted}")
            pieces[name] = image_uri(look, folder)
            images.add(pieces[name])
            if sum(map(image_size, images)) > MOST_TOGETHER:
                raise ImageError(f"all images together are larger than {MOST_TOGETHER:,} bytes")
        except ImageError as error:
            raise WishError(file, f"{name} = {look[:60]!r}: {error}", _line(text, "pieces", name)) from None
    hands = read.get("hands")
    if hands is not None and not all(isinstance(name, str) for name in hands):
        raise WishError(file, f"hands must be {_KINDS[list]}", _line(text, "", "hands"))
    named = None if hands is None else tuple(map(name_key, hands))
    return Wishes(read.get("title", ""), read.get("flip", False), colours, pieces, named)


_KINDS: Final = {str: "text", bool: "true or false", dict: "a table", list: "a list of names"}


def _texts(text: str, file: str, table: str, values: Mapping[str, Any]) -> dict[str, str]:
    for name, value in values.items():
        if not isinstance(value, str):
            raise WishError(file, f"{table}.{name} must be text", _line(text, table, name))
    return {name_key(name): value for name, value in values.items()}


def _line(text: str, table: str, key: str = "") -> int:
    """Return the line of a table, or of a key in it, as people usually write them; 0 if it is not found."""
    now = ""
    for number, line in enumerate(text.splitlines(), 1):
        if found := _TABLE.match(line):
            now = found[1]
            if now == table and not key:
                return number
        elif key and now == table and (found := _KEY.match(line)) and name_key(found[2]) == name_key(key):
            return number
    return 0


def text_of(wishes: Wishes) -> str:
    """Return preferences as the text of a file that needs no images beside it; empty for the defaults."""
    if wishes == Wishes():
        return ""
    lines = [f"title = {_quoted(wishes.title)}", f"flip = {json.dumps(wishes.flip)}"]
    if wishes.hands is not None:
        lines.append(f"hands = [{', '.join(map(_quoted, wishes.hands))}]")
    for table, values in (("colours", wishes.colours), ("pieces", wishes.pieces)):
        lines += [f"[{table}]", *(f"{_quoted(name)} = {_quoted(value)}" for name, value in values.items())]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def fulfil(layout: Layout, wishes: Wishes) -> Layout:
    """Return the layout with the preferred looks of pieces, turned upside down if `flip` is set."""
    if not (wishes.flip or wishes.pieces):
        return layout
    boards = tuple(board.flipped() for board in layout.boards) if wishes.flip else layout.boards
    layers: dict[str, Layer] = {}
    turned: dict[int, Mapping[Any, CellPlace]] = {}  # the tables of one board share their places
    for shape, layer in layout.layers.items():
        places = layer.places
        if wishes.flip:
            places = turned.setdefault(id(places), {key: _turned(place, layout) for key, place in places.items()})
        pieces = {content: _dressed(piece, wishes.pieces) for content, piece in layer.pieces.items()}
        layers[shape] = replace(layer, places=places, pieces=pieces)
    return replace(layout, boards=boards, layers=layers)


def _turned(place: CellPlace, layout: Layout) -> CellPlace:
    return CellPlace(place.board, *layout.boards[place.board].flip(place.column, place.row))


def _dressed(piece: Piece, looks: Mapping[str, str]) -> Piece:
    look = looks.get(name_key(piece.kind))
    if look is None or piece.blank:
        return piece
    if is_image(look):
        return replace(piece, image=look)
    return replace(piece, shape=look) if look in SHAPES else replace(piece, glyph=look, shape="")
