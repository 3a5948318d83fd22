"""Boards as SVG files: a single state, or a whole match as an animation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gdl.terms import Term
from ggp.board.drawing.elements import Element, element, group
from ggp.board.drawing.notes import LINE, Part, drawn_line, note_lines
from ggp.board.drawing.palette import Colours, style
from ggp.board.drawing.scene import Scene, Shade, picture, scene_of, shaded
from ggp.board.drawing.strokes import strokes
from ggp.board.model import CellPlace, View
from ggp.board.view import Layout, Moves, lay
from ggp.board.words import grouped, thrown

#: The width of a sheet without a board.
_WIDTH: Final = 360.0
_MOST_LINES: Final = 40


@dataclass(frozen=True, slots=True)
class Frame:
    """A state to draw, and the moves that led to it, if any."""

    state: Iterable[Term]
    moves: Moves | None = None


def svg(
    layout: Layout,
    state: Iterable[Term],
    *,
    last_moves: Moves | None = None,
    before: Iterable[Term] | None = None,
    title: str = "",
    theme: str = "auto",
    colours: Mapping[str, str] | None = None,
    shades: Mapping[CellPlace, Shade] | None = None,
) -> str:
    """Return a state as an SVG document; `before` is the state in which the last moves were made.

    `theme` is `light`, `dark` or `auto`; `colours` override those of roles or pieces (see `ggp.board.drawing.palette`).
    `shades` are drawn under the pieces.
    """
    earlier = None if before is None else Frame(before)
    return _document(layout, [Frame(state, last_moves)], title, theme, colours, earlier=earlier, shades=shades)


def animated_svg(
    layout: Layout,
    frames: Sequence[Frame],
    *,
    seconds: float = 1.0,
    title: str = "",
    theme: str = "auto",
    colours: Mapping[str, str] | None = None,
) -> str:
    """Return a match as an endlessly repeated SVG animation: `seconds` per state, three times as long for the last."""
    if not frames:
        raise ValueError("no states to show")
    return _document(layout, frames, title, theme, colours, seconds=seconds)


def _document(
    layout: Layout,
    frames: Sequence[Frame],
    title: str,
    theme: str,
    colours: Mapping[str, str] | None,
    *,
    seconds: float = 0.0,
    earlier: Frame | None = None,
    shades: Mapping[CellPlace, Shade] | None = None,
) -> str:
    scene = scene_of(layout, colours) if layout.boards else None
    width = max(scene.width if scene else 0.0, 320.0) if scene else _WIDTH
    drawn = []
    previous = lay(layout, earlier.state) if earlier else None
    for frame in frames:
        view = lay(layout, frame.state, frame.moves, previous)
        drawn.append(_Drawn(layout, scene, view, previous, frame.moves, width))
        previous = view
    head = 34.0 if title else 0.0
    top = head + (scene.height if scene else 8.0)
    height = top + max(len(one.notes) for one in drawn) * LINE + 8
    sheet = style(theme) + (_animation(len(drawn), seconds) if len(drawn) > 1 else "")
    parts = [Element("style", {}, (sheet,)), element("rect", class_="paper", width=width, height=height)]
    if title:
        parts.append(element("text", title, class_="title", x=14, y=25))
    if scene:
        under = shaded(scene, shades or {})
        parts.append(group([*scene.ground, *under], transform=f"translate(0 {head:g})"))
    for number, one in enumerate(drawn):
        moving = {"class_": f"f f{number}"} if len(drawn) > 1 else {}
        parts.append(group(one.elements(head, top), **moving))
    root = element(
        "svg",
        *([element("title", title)] if title else []),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
    )
    return root.text() + "\n"


class _Drawn:
    """A state on the sheet: its elements on the boards, and its other facts as lines of text."""

    def __init__(
        self, layout: Layout, scene: Scene | None, view: View, before: View | None, moves: Moves | None, width: float
    ) -> None:
        self._scene = scene
        last = strokes(layout, moves) if moves else ()
        self._picture = picture(scene, view, last, before) if scene else None
        self._colours = scene.colours if scene else Colours(layout.roles)
        lines = list(note_lines([*grouped(view.rest), *thrown(moves or ())], layout.roles, width - 28))
        self.notes = lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], [Part("…")]]

    def elements(self, head: float, top: float) -> list[Element]:
        """Return the elements of the state; `head` and `top` are the heights above the boards and the notes."""
        parts = []
        if self._picture:
            parts.append(group(self._picture.all(), transform=f"translate(0 {head:g})"))
        for number, line in enumerate(self.notes):
            parts += drawn_line(line, self._colours, 14, top + 14 + number * LINE)
        return parts


def _animation(count: int, seconds: float) -> str:
    """Return CSS rules that show one frame after the other, without any script."""
    last = 3.0  # the last state is shown this many times as long
    total = (count - 1 + last) * seconds
    rules = [f".f{{visibility:hidden;animation-duration:{total:g}s;animation-iteration-count:infinite}}\n"]
    for number in range(count):
        start = 100 * number * seconds / total
        end = 100 * (number + 1) * seconds / total if number < count - 1 else 100.0
        shown = [f"{start:.4f}%{{visibility:visible}}"] if number else ["0%{visibility:visible}"]
        after = [f"{end:.4f}%,100%{{visibility:hidden}}"] if number < count - 1 else ["100%{visibility:visible}"]
        hidden = ["0%{visibility:hidden}"] if number else []
        rules.append(f"@keyframes k{number}{{{''.join([*hidden, *shown, *after])}}}")
        rules.append(f".f{number}{{animation-name:k{number};animation-timing-function:step-end}}\n")
    # Viewers who prefer reduced motion see the last state.
    still = f".f{{animation:none}}.f{count - 1}{{visibility:visible}}"
    rules.append(f"@media (prefers-reduced-motion:reduce){{{still}}}\n")
    return "".join(rules)
