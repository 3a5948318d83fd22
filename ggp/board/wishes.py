"""Preferences for a game's drawings, in a small file next to the rules: `NAME.board.toml` for `NAME.kif`.

    title = "Fox and geese"
    flip = true              # upside down

    [colours]                # of a role or a piece: a colour of ggp.board.drawing.palette
    fox = "orange"

    [pieces]                 # a shape of ggp.board.drawing.icons, or any short text
    np = "pawn"

Everything in it is optional; no game needs one. Unknown names and values are refused, so that misspellings are found.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from gdl.errors import GdlError, nearest
from gdl.input_file import read_input
from gdl.terms import name_key
from ggp.board.drawing.icons import SHAPES
from ggp.board.drawing.palette import PAINTS
from ggp.board.model import Board, CellPlace, Layer, Layout, Piece

SUFFIX: Final = ".board.toml"
_LONGEST: Final = 4
#: The largest accepted file, in bytes.
_MOST: Final = 100_000


class WishError(GdlError):
    """The preferences file next to the rules cannot be used."""

    code = "board-file"

    def __init__(self, file: str, reason: str) -> None:
        """Keep the name of the file and the reason why it cannot be used."""
        self.file = file
        self.reason = reason
        super().__init__(file, reason)

    def __str__(self) -> str:
        """Return the file, the code and the reason on one line."""
        return f"{self.file}: {self.code}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Wishes:
    """Preferences for drawings; names of roles and pieces are in lower case."""

    title: str = ""
    flip: bool = False
    colours: Mapping[str, str] = field(default_factory=dict)
    pieces: Mapping[str, str] = field(default_factory=dict)


def wishes_beside(rules: Path) -> Wishes:
    """Return the preferences in the file next to a rule file; the defaults if there is none. Raises WishError."""
    path = rules.with_name(rules.name.removesuffix(".kif") + SUFFIX)
    try:
        if not path.is_file():
            return Wishes()
        if path.stat().st_size > _MOST:
            raise WishError(str(path), f"larger than {_MOST:,} bytes")
        return parse_wishes(read_input(path, _MOST).decode(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise WishError(str(path), getattr(error, "strerror", None) or str(error)) from None


def parse_wishes(text: str, file: str = "<string>") -> Wishes:
    """Parse preferences. Raises WishError."""
    try:
        read = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also for numbers of thousands of digits
        raise WishError(file, str(error)) from None
    kinds = {"title": str, "flip": bool, "colours": dict, "pieces": dict}
    for name, value in read.items():
        if name not in kinds:
            raise WishError(file, f"unknown key {name}; the keys are {', '.join(kinds)}")
        if not isinstance(value, kinds[name]):
            raise WishError(file, f"{name} must be {_KINDS[kinds[name]]}")
    colours = _texts(file, "colours", read.get("colours", {}))
    for name, colour in colours.items():
        if colour not in PAINTS:
            near = nearest(colour, list(PAINTS))
            hint = f"; did you mean {near[0]}?" if near else ""
            raise WishError(file, f"{name} = {colour!r}: the colours are {', '.join(PAINTS)}{hint}")
    pieces = _texts(file, "pieces", read.get("pieces", {}))
    for name, look in pieces.items():
        if look not in SHAPES and not 0 < len(look) <= _LONGEST:
            raise WishError(
                file, f"{name} = {look!r}: expected at most {_LONGEST} characters, or one of {', '.join(SHAPES)}"
            )
    return Wishes(read.get("title", ""), read.get("flip", False), colours, pieces)


_KINDS: Final = {str: "text", bool: "true or false", dict: "a table"}


def _texts(file: str, table: str, values: Mapping[str, Any]) -> dict[str, str]:
    for name, value in values.items():
        if not isinstance(value, str):
            raise WishError(file, f"{table}.{name} must be text")
    return {name_key(name): value for name, value in values.items()}


def fulfil(layout: Layout, wishes: Wishes) -> Layout:
    """Return the layout with the preferred looks of pieces, turned upside down if `flip` is set."""
    if not (wishes.flip or wishes.pieces):
        return layout
    boards = tuple(map(_flipped, layout.boards)) if wishes.flip else layout.boards
    layers: dict[str, Layer] = {}
    turned: dict[int, Mapping[Any, CellPlace]] = {}  # the tables of one board share their places
    for shape, layer in layout.layers.items():
        places = layer.places
        if wishes.flip:
            places = turned.setdefault(id(places), {key: _turn(place, boards) for key, place in places.items()})
        pieces = {content: _dressed(piece, wishes.pieces) for content, piece in layer.pieces.items()}
        layers[shape] = replace(layer, places=places, pieces=pieces)
    return replace(layout, boards=boards, layers=layers)


def _flipped(board: Board) -> Board:
    last = len(board.rows) - 1
    cells = frozenset((column, last - row) for column, row in board.cells)
    return replace(
        board,
        rows=board.rows[::-1],
        cells=cells,
        upwards=not board.upwards,
        shifts=board.shifts[::-1],
        heights=board.heights[::-1],
    )


def _turn(place: CellPlace, boards: tuple[Board, ...]) -> CellPlace:
    return replace(place, row=len(boards[place.board].rows) - 1 - place.row)


def _dressed(piece: Piece, looks: Mapping[str, str]) -> Piece:
    look = looks.get(name_key(piece.name))
    if look is None or piece.blank:
        return piece
    return replace(piece, shape=look) if look in SHAPES else replace(piece, glyph=look, shape="")
