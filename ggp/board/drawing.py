"""Drawings as data: elements of SVG that a screen builds for itself, or that are written as text.

An element is a tuple: its name, its attributes, and its children, which are elements or text. Nothing in it is
markup yet, so that text of the rules is only ever text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from ggp.rules.printable import printable


@dataclass(frozen=True, slots=True)
class Element:
    """An SVG element: `children` are elements or text."""

    name: str
    attributes: Mapping[str, str]
    children: tuple[Element | str, ...] = ()

    def data(self) -> list[Any]:
        """The element as JSON has it: [name, attributes, child, ...]."""
        return [
            self.name,
            dict(self.attributes),
            *(child.data() if isinstance(child, Element) else child for child in self.children),
        ]

    def text(self) -> str:
        """The element as SVG."""
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        if not self.children:
            return f"<{self.name}{attributes}/>"
        inner = "".join(child.text() if isinstance(child, Element) else escape(child) for child in self.children)
        return f"<{self.name}{attributes}>{inner}</{self.name}>"


def element(name: str, *children: Element | str, **attributes: str | float) -> Element:
    """An element; `class_` is the attribute class, and an underscore within a name stands for a hyphen."""
    given = {key.rstrip("_").replace("_", "-"): _value(value) for key, value in attributes.items()}
    return Element(name, given, tuple(printable(c) if isinstance(c, str) else c for c in children))


def group(children: Iterable[Element], **attributes: str | float) -> Element:
    """A group of elements."""
    return element("g", *children, **attributes)


def _value(value: str | float) -> str:
    return printable(value) if isinstance(value, str) else f"{round(value, 2):g}"
