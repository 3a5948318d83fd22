"""Boards as drawings: the fixed ground of a game's boards, and the pieces and marks of each state on top.

A cell is 48 units wide. Cells carry their place as `data-place`, so that a page can react to clicks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin
from typing import Final

from ggp.board.drawing.elements import Element, element, group
from ggp.board.drawing.icons import SHAPES
from ggp.board.drawing.palette import Colours
from ggp.board.drawing.strokes import Stroke, slides, steps
from ggp.board.model import Cell, CellPlace, Layout, Piece, View

CELL: Final = 48.0
_GAP: Final = 30.0
_MARGIN: Final = 12.0
_HEX_ROW: Final = CELL * 0.866
#: The number of columns and rows from which the boards of games with several roles are chequered.
_CHEQUERED: Final = 4
_LABEL: Final = 8.0


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
    ground: list[Element] = []
    middles: dict[CellPlace, tuple[float, float]] = {}
    width, top = 0.0, _MARGIN
    for band in layout.bands:
        left, height = _MARGIN, 0.0
        for number in band:
            drawn = _Sheet(layout, number)
            if left > _MARGIN and left + drawn.width > 24 * CELL:
                top, left, height = top + height + _GAP, _MARGIN, 0.0
            ground.append(group(drawn.ground(left, top), class_="board"))
            middles |= drawn.middles(left, top)
            left += drawn.width + _GAP
            width, height = max(width, left - _GAP), max(height, drawn.height)
        top += height + _GAP
    return Scene(width + _MARGIN, top - _GAP + _MARGIN, tuple(ground), middles, layout, Colours(layout.roles, colours))


class _Sheet:
    """A single board on the sheet."""

    def __init__(self, layout: Layout, number: int) -> None:
        self.board = board = layout.boards[number]
        self._number = number
        self._hexagonal = bool(board.shifts)
        self._pitch = _HEX_ROW if self._hexagonal else CELL
        self._columns, self._rows = _short(board.columns), _short(board.rows)
        self._labelled = not self._hexagonal or len(board.columns) > 1
        self._chequered = len(layout.roles) > 1 and min(len(board.columns), len(board.rows)) >= _CHEQUERED
        self._margin = 10 + _LABEL * max(map(len, self._rows))
        self._head = 24.0 if board.title else 0.0
        self._header = 22.0 if board.slanted or not self._hexagonal else 0.0
        extra = max(board.shifts, default=0) / 2
        self.width = self._margin + (len(board.columns) + (extra if self._hexagonal else 0)) * CELL
        if self._hexagonal:
            reach = max(column + board.shifts[row] / 2 + 1 for column, row in board.cells)
            self.width = self._margin + reach * CELL
        self.height = self._head + self._header + (len(board.rows) - 1) * self._pitch + CELL

    def _corner(self, left: float, top: float) -> tuple[float, float]:
        return left + self._margin, top + self._head + (0.0 if self.board.upwards else self._header)

    def _middle(self, column: int, row: int, corner: tuple[float, float]) -> tuple[float, float]:
        shift = self.board.shifts[row] / 2 if self._hexagonal else 0.0
        return corner[0] + (column + shift + 0.5) * CELL, corner[1] + row * self._pitch + CELL / 2

    def middles(self, left: float, top: float) -> dict[CellPlace, tuple[float, float]]:
        """Return the centre of each cell."""
        corner = self._corner(left, top)
        return {CellPlace(self._number, *cell): self._middle(*cell, corner) for cell in self.board.cells}

    def ground(self, left: float, top: float) -> Iterator[Element]:
        """Yield the title, the labels and the cells."""
        board, corner = self.board, self._corner(left, top)
        if board.title:
            yield element("text", board.title, class_="title", x=corner[0], y=top + 15)
        used_rows = {row for _, row in board.cells}
        for row, name in enumerate(self._rows):
            if row in used_rows:
                first = min(column for column, other in board.cells if other == row) if self._hexagonal else 0
                x, y = self._middle(first, row, corner)
                yield element("text", name, class_="label", x=x - CELL / 2 - 8, y=y + 4.5, text_anchor="end")
        if board.slanted or not self._hexagonal:
            last = len(board.rows) - 1 if board.upwards else 0
            for column, name in enumerate(self._columns):
                x, y = self._middle(column, last, corner)
                y += CELL / 2 + 16 if board.upwards else -CELL / 2 - 8
                yield element("text", name, class_="label", x=x, y=y, text_anchor="middle")
        for column, row in sorted(board.cells, key=lambda cell: (cell[1], cell[0])):
            yield self._cell(column, row, corner)

    def _cell(self, column: int, row: int, corner: tuple[float, float]) -> Element:
        x, y = self._middle(column, row, corner)
        place = f"{self._number},{column},{row}"
        if self._hexagonal:
            points = [(x + _HEX * sin(i * pi / 3), y + _HEX * cos(i * pi / 3)) for i in range(6)]
            return element(
                "polygon", class_="cell", data_place=place, points=" ".join(f"{px:.1f},{py:.1f}" for px, py in points)
            )
        # As on a chess board, the cell at the left of the lowest row is dark.
        odd = self._chequered and (column + len(self.board.rows) - 1 - row) % 2 == 0
        name = "cell odd" if odd else "cell"
        return element("rect", class_=name, data_place=place, x=x - CELL / 2, y=y - CELL / 2, width=CELL, height=CELL)


_HEX: Final = CELL / 2 / cos(pi / 6)


def _short(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels cut to the room there is; long ones lose their common beginning."""
    common = 0
    if max(map(len, labels)) > 3:
        while len({label[: common + 1] for label in labels}) == 1 and all(len(x) > common + 1 for x in labels):
            common += 1
    return tuple(label[common:] if len(label) - common <= 6 else label[common : common + 5] + "…" for label in labels)


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


def _sorted(view: View) -> list[tuple[CellPlace, Cell]]:
    return sorted(view.cells.items(), key=lambda item: (item[0].board, item[0].row, item[0].column))


def _named(scene: Scene, place: CellPlace) -> Element:
    x, y = scene.middles[place]
    if scene.layout.boards[place.board].shifts:
        return element("circle", class_="named", cx=x, cy=y, r=CELL * 0.48)
    size = CELL - 1
    return element("rect", class_="named", x=x - size / 2, y=y - size / 2, width=size, height=size)


def _single(scene: Scene, view: View) -> Iterator[Element]:
    for place, cell in _sorted(view):
        shown = [piece for piece in cell.pieces if not piece.joined]
        if not shown or place not in scene.middles:
            continue
        x, y = scene.middles[place]
        name = ", ".join(piece.name for piece in shown)
        if len(shown) == 1:
            yield _piece(scene.colours, shown[0], x, y, 1.0, place, name)
            continue
        for number, piece in enumerate(shown[:4][::-1]):
            offset = (len(shown[:4]) - 1 - number) - (len(shown[:4]) - 1) / 2
            yield _piece(scene.colours, piece, x + 7 * offset, y + 7 * offset, 0.72, place, name)


def _piece(colours: Colours, piece: Piece, x: float, y: float, scale: float, place: CellPlace, name: str) -> Element:
    """Return a piece centred on a point."""
    corner = f"translate({x - 24 * scale:.2f} {y - 24 * scale:.2f})" + (f" scale({scale})" if scale != 1 else "")
    children = [element("title", name), *piece_elements(piece)]
    return group(
        children,
        class_=f"piece c-{colours.piece(piece)}",
        transform=corner,
        data_at=f"{place.board},{place.column},{place.row}",
    )


def piece_elements(piece: Piece) -> list[Element]:
    """Return the elements of a piece in a square of 48 units: its shape, or a disc with its glyph."""
    if piece.shape:
        outline, lines = SHAPES[piece.shape]
        drawn = [element("path", class_="body", d=outline, fill_rule="evenodd")]
        if lines:
            width = 1.2 if piece.shape in ("disc", "block") else 2.2
            drawn.append(element("path", class_="line", d=lines, stroke_width=width, stroke_linecap="round"))
        return drawn
    glyph = piece.glyph if len(piece.glyph) <= 4 else piece.glyph[:3] + "…"
    size = {1: 22, 2: 18, 3: 14}.get(len(glyph), 11)
    return [
        element("circle", class_="body", cx=24, cy=24, r=18.5),
        element("circle", class_="ring", cx=24, cy=24, r=15.5),
        element("text", glyph, class_="ink", x=24, y=24.5, font_size=size),
    ]


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
        for part_cells in _pieces_apart(covered):
            column, row = min(part_cells, key=lambda cell: (cell[1], cell[0]))
            last = max(part_cells)
            (ax, ay), (bx, by) = (scene.middles[CellPlace(board, *cell)] for cell in ((column, row), last))
            parts.append(
                element("text", piece.glyph, class_="ink", x=(ax + bx) / 2, y=(ay + by) / 2 + 0.5, font_size=20)
                if len(part_cells) == (abs(last[0] - column) + 1) * (abs(last[1] - row) + 1)
                else element("text", piece.glyph, class_="ink", x=ax, y=ay + 0.5, font_size=20)
            )
        yield group(
            [element("title", piece.name), *parts],
            class_=f"piece joined c-{scene.colours.piece(piece)}",
            data_at=f"{board},{first[0]},{first[1]}",
        )


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
        size = CELL - 5
        title = element("title", ", ".join(names.get(mark, mark) for mark in cell.marks))
        yield element("rect", title, class_="mark", x=x - size / 2, y=y - size / 2, width=size, height=size, rx=5)
        if len(names) > 1:
            yield element("text", "".join(cell.marks), class_="marksign", x=x + CELL / 2 - 9, y=y - CELL / 2 + 16)


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
