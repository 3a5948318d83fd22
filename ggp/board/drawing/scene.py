"""Boards as drawings: the fixed ground of a game's boards, and the pieces and marks of each state on top."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Final

from ggp.board.drawing.elements import Element, element, group
from ggp.board.drawing.ground import Ground
from ggp.board.drawing.looks import CELL, image_on
from ggp.board.drawing.palette import Colours
from ggp.board.drawing.strokes import Stroke, slides, steps
from ggp.board.images import image_id
from ggp.board.model import Cell, CellPlace, Piece, View
from ggp.board.view import Layout

_GAP: Final = 30.0
_MARGIN: Final = 12.0
#: The thickness of the frame of a shade, within its cell.
_FRAME: Final = 3.0


@dataclass(frozen=True, slots=True)
class Scene:
    """The boards of a game on one sheet: its size, its fixed elements, and the centre of each cell."""

    width: float
    height: float
    ground: tuple[Element, ...]
    middles: Mapping[CellPlace, tuple[float, float]]
    layout: Layout
    colours: Colours


def scene_of(layout: Layout, colours: Mapping[str, str] | None = None) -> Scene:
    """Return the sheet for a game's boards, those of a band side by side; `colours` override roles' and pieces'."""
    images = {piece.image: None for layer in layout.layers.values() for piece in layer.pieces.values() if piece.image}
    ground = [element("defs", *map(_image, images))] if images else []
    middles: dict[CellPlace, tuple[float, float]] = {}
    painted = Colours(layout.roles, colours)
    width, top = 0.0, _MARGIN
    for band in layout.bands:
        left, height = _MARGIN, 0.0
        for number in band:
            drawn = Ground(layout, number)
            if left > _MARGIN and left + drawn.width > 24 * CELL:
                top, left, height = top + height + _GAP, _MARGIN, 0.0
            sides = (group([side], class_=f"c-{painted.role(role)}") for role, side in drawn.sides(left, top))
            ground.append(group([*sides, *drawn.ground(left, top)], class_="board"))
            middles |= drawn.middles(left, top)
            left += drawn.width + _GAP
            width, height = max(width, left - _GAP), max(height, drawn.height)
        top += height + _GAP
    return Scene(width + _MARGIN, top - _GAP + _MARGIN, tuple(ground), middles, layout, painted)


def _image(uri: str) -> Element:
    """Return an image in a square of 48 units, to be used by all pieces that have it."""
    return element("image", id=image_id(uri), href=uri, x=2, y=2, width=CELL - 4, height=CELL - 4)


# ------------------------------------------------------------------------------------------ states


@dataclass(frozen=True, slots=True)
class Picture:
    """The elements that a state adds to the boards, bottom layer first: named cells, pieces, marks and arrows."""

    under: tuple[Element, ...]
    pieces: tuple[Element, ...]
    over: tuple[Element, ...]

    def all(self) -> tuple[Element, ...]:
        """Return the elements of all layers, in drawing order."""
        return (*self.under, *self.pieces, *self.over)


def picture(scene: Scene, view: View, last: Sequence[Stroke] = (), before: View | None = None) -> Picture:
    """Draw a state on the boards. `last` are the last moves; `before` is the state in which they were made."""
    arrows = [*steps(last)]
    if before is not None and not arrows:
        arrows += slides(before, view)
    under = [_named(scene, place) for place, cell in _sorted(view) if cell.named and place in scene.middles]
    over = [*_marks(scene, view), *(arrow for pair in arrows for arrow in _arrow(scene, *pair))]
    return Picture(tuple(under), (*_joined(scene, view), *_single(scene, view)), tuple(over))


@dataclass(frozen=True, slots=True)
class Shade:
    """A colour for a cell. `gain` ranges from 1 (good for the first role) to -1 (good for the second).

    `about` describes it in words.
    """

    gain: float
    about: str


def shaded(scene: Scene, shades: Mapping[CellPlace, Shade]) -> Iterator[Element]:
    """Yield the shades of cells, to be drawn under the pieces.

    A shade is a ground from which all pieces stand out, and a frame of a stronger colour around it.
    """
    for place, shade in shades.items():
        if place in scene.middles:
            kind = "first-gains" if shade.gain > 0 else "second-gains"
            ground = _ground_of(scene, place, inset=_FRAME / 2, class_=kind, opacity=abs(shade.gain))
            yield group([element("title", shade.about), ground])


def _sorted(view: View) -> list[tuple[CellPlace, Cell]]:
    return sorted(view.cells.items(), key=lambda item: (item[0].board, item[0].row, item[0].column))


def _named(scene: Scene, place: CellPlace) -> Element:
    return _ground_of(scene, place, class_="named")


def _ground_of(scene: Scene, place: CellPlace, *, inset: float = 0.0, **attributes: str | float) -> Element:
    """Return an element that covers a cell, up to `inset` from its edges."""
    board = scene.layout.boards[place.board]
    return board.highlight(place.column, place.row, *scene.middles[place], inset, **attributes)


def _single(scene: Scene, view: View) -> Iterator[Element]:
    for place, cell in _sorted(view):
        shown = [piece for piece in cell.pieces if not piece.joined]
        if not shown or place not in scene.middles:
            continue
        x, y = scene.middles[place]
        name = ", ".join(piece.name for piece in shown)
        for piece in shown if len(shown) > 1 else ():
            if piece.shape == "tile":  # others stand on it
                yield _piece(scene, piece, x, y, 1.0, place, name)
        shown = [piece for piece in shown if len(shown) == 1 or piece.shape != "tile"]
        if len(shown) == 1:
            yield _piece(scene, shown[0], x, y, 1.0, place, name)
            continue
        for number, piece in enumerate(shown[:4][::-1]):
            offset = (len(shown[:4]) - 1 - number) - (len(shown[:4]) - 1) / 2
            yield _piece(scene, piece, x + 7 * offset, y + 7 * offset, 0.72, place, name)


def _piece(scene: Scene, piece: Piece, x: float, y: float, scale: float, place: CellPlace, name: str) -> Element:
    """Return a piece centred on a point."""
    corner = f"translate({x - 24 * scale:.2f} {y - 24 * scale:.2f})" + (f" scale({scale})" if scale != 1 else "")
    children = [element("title", name), *scene.layout.boards[place.board].look(piece, place.column, place.row)]
    return group(
        children,
        class_=f"piece c-{scene.colours.piece(piece)}",
        transform=corner,
        data_at=f"{place.board},{place.column},{place.row}",
    )


def _joined(scene: Scene, view: View) -> Iterator[Element]:
    """Yield the pieces that cover several cells: their tiles with an outline, then the same tiles without."""
    cells: dict[tuple[int, Piece], set[tuple[int, int]]] = {}
    for place, cell in _sorted(view):
        for piece in cell.pieces:
            if piece.joined and place in scene.middles:
                cells.setdefault((place.board, piece), set()).add((place.column, place.row))
    for (board, piece), covered in cells.items():
        parts = list(_tiles(scene, board, covered))
        first = min(covered, key=lambda cell: (cell[1], cell[0]))
        parts += [_label(scene, board, piece, part) for part in _pieces_apart(covered)]
        yield group(
            [element("title", piece.name), *parts],
            class_=f"piece joined c-{scene.colours.piece(piece)}",
            data_at=f"{board},{first[0]},{first[1]}",
        )


def _label(scene: Scene, board: int, piece: Piece, part: set[tuple[int, int]]) -> Element:
    """Return the glyph or the image on a piece: in the middle of a rectangle, or else on the first cell."""
    (column, row), (right, below) = min(part, key=lambda cell: (cell[1], cell[0])), max(part)
    if len(part) != (abs(right - column) + 1) * (abs(below - row) + 1):
        right, below = column, row
    ends = [scene.middles[CellPlace(board, *cell)] for cell in ((column, row), (right, below))]
    x, y = (sum(values) / 2 for values in zip(*ends, strict=True))
    if piece.image:
        return image_on(piece, x, y, 1 + min(abs(right - column), abs(below - row)))
    return element("text", piece.glyph, class_="ink", x=x, y=y + 0.5, font_size=20)


def _tiles(scene: Scene, board: int, covered: set[tuple[int, int]]) -> Iterator[Element]:
    """Yield the tiles of a piece: rectangles with a stroke, then the same ones without on top."""
    inset = CELL / 2 - 4
    rectangles: list[tuple[float, float, float, float, float]] = []
    for column, row in sorted(covered):
        x, y = scene.middles[CellPlace(board, column, row)]
        rectangles.append((x - inset, y - inset, 2 * inset, 2 * inset, 8))
        right, below = (column + 1, row) in covered, (column, row + 1) in covered
        if right:
            rectangles.append((x, y - inset, CELL, 2 * inset, 0))
        if below:
            rectangles.append((x - inset, y, 2 * inset, CELL, 0))
        if right and below and (column + 1, row + 1) in covered:
            rectangles.append((x, y, CELL, CELL, 0))
    for stroke in (True, False):
        for x, y, width, height, radius in rectangles:
            attributes: dict[str, str | float] = {"x": x, "y": y, "width": width, "height": height}
            if radius:
                attributes["rx"] = radius
            yield element("rect", class_="body" if stroke else "body flat", **attributes)


def _pieces_apart(covered: set[tuple[int, int]]) -> Iterator[set[tuple[int, int]]]:
    """Yield the connected parts of a set of cells."""
    left = set(covered)
    while left:
        part, edge = set(), [left.pop()]
        while edge:
            column, row = edge.pop()
            part.add((column, row))
            near = {(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)} & left
            left -= near
            edge += near
        yield part


def _marks(scene: Scene, view: View) -> Iterator[Element]:
    names = {layer.mark: layer.name for layer in scene.layout.layers.values() if layer.mark}
    for place, cell in _sorted(view):
        if not cell.marks or place not in scene.middles:
            continue
        x, y = scene.middles[place]
        width, height = (size - 5 for size in scene.layout.boards[place.board].size(place.column, place.row))
        # In the upper right corner.
        corner = {"x": x + width / 2 - 6.5, "y": y - height / 2 + 13.5}
        title = element("title", ", ".join(names.get(mark, mark) for mark in cell.marks))
        yield element("rect", title, class_="mark", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=5)
        if len(names) > 1:
            yield element("text", "".join(cell.marks), class_="marksign", **corner)


def _arrow(scene: Scene, start: CellPlace, end: CellPlace) -> Iterable[Element]:
    if start == end or start not in scene.middles or end not in scene.middles:
        return
    (ax, ay), (bx, by) = scene.middles[start], scene.middles[end]
    length = hypot(bx - ax, by - ay)
    ux, uy = (bx - ax) / length, (by - ay) / length
    # From beside the centre of the first cell to just before the piece on the second.
    tip, neck = length - 13, length - 27
    left, right = ((ax + neck * ux - side * 8 * uy, ay + neck * uy + side * 8 * ux) for side in (1, -1))
    yield element("line", class_="arrow", x1=ax + 6 * ux, y1=ay + 6 * uy, x2=ax + neck * ux, y2=ay + neck * uy)
    points = (ax + tip * ux, ay + tip * uy), left, right
    yield element("polygon", class_="head", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points))
