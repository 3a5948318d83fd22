"""The parts that charts have in common: colours, labels, a scale from left to right, and the document around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ggp.board.drawing.elements import Element, element

#: Charts are as wide as that, and as high as they need to be.
WIDTH: Final = 800

#: Room at the right, for the figures behind bars and points.
_RIGHT: Final = 90

#: Room at the bottom, for the labels and the caption of the scale.
BOTTOM: Final = 48

#: Colours that people who see colours differently tell apart (Okabe and Ito 2008).
_COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")


def colours_of(names: Iterable[str]) -> dict[str, str]:
    """A colour for each of some names, in their order; with more than six, colours repeat."""
    return {name: _COLOURS[number % len(_COLOURS)] for number, name in enumerate(dict.fromkeys(names))}


def label(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, weight: str = "normal") -> Element:
    """A line of text; `y` is its base line."""
    return element("text", text, x=x, y=y, text_anchor=anchor, font_size=size, font_weight=weight)


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale from `low`, which lies at `left`, to `high`."""

    low: float
    high: float
    left: float

    def across(self, value: float) -> float:
        """The distance of a value from the left edge."""
        return self.left + (WIDTH - self.left - _RIGHT) * (value - self.low) / (self.high - self.low)

    def line(self, value: float, text: str, top: float, height: float, *, bold: bool = False) -> Iterator[Element]:
        """A vertical line at a value, with its label below, in a chart of a height."""
        x, bottom = self.across(value), height - BOTTOM
        yield element("path", d=f"M{x:.1f} {top:g}V{bottom:g}", stroke="#999" if bold else "#ddd")
        yield label(x, bottom + 16, text, anchor="middle")

    def caption(self, text: str, height: float) -> Element:
        """The text that says what the scale shows."""
        return label((self.left + WIDTH - _RIGHT) / 2, height - 10, text, anchor="middle")


def document(title: str, height: float, parts: Iterable[Element]) -> str:
    """A chart as the text of an SVG file."""
    root = element(
        "svg",
        element("rect", width=WIDTH, height=height, fill="white"),
        label(WIDTH / 2, 20, title, anchor="middle", size=15),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height:g}",
        font_family="sans-serif",
        font_size=12,
    )
    return root.text() + "\n"
