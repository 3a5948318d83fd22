"""Drawings as data: SVG elements that a web page builds itself, or that are written out as text.

An element has a name, attributes and children, which are elements or text. Markup is produced only on output, so text
from rule files is always escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from ggp.rules.report_text import printable


@dataclass(frozen=True, slots=True)
class Element:
    """An SVG element; `children` are elements or text."""

    name: str
    attributes: Mapping[str, str]
    children: tuple[Element | str, ...] = ()

    def data(self) -> list[Any]:
        """Return the element in its JSON form: [name, attributes, child, ...]."""
        return [
            self.name,
            dict(self.attributes),
            *(child.data() if isinstance(child, Element) else child for child in self.children),
        ]

    def text(self) -> str:
        """Return the element as SVG markup."""
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        if not self.children:
            return f"<{self.name}{attributes}/>"
        inner = "".join(child.text() if isinstance(child, Element) else escape(child) for child in self.children)
        return f"<{self.name}{attributes}>{inner}</{self.name}>"


def element(name: str, *children: Element | str, **attributes: str | float) -> Element:
    """Return an element; write `class_` for the attribute class, and underscores for hyphens in attribute names."""
    given = {key.rstrip("_").replace("_", "-"): _value(value) for key, value in attributes.items()}
    return Element(name, given, tuple(printable(c) if isinstance(c, str) else c for c in children))


def group(children: Iterable[Element], **attributes: str | float) -> Element:
    """Return a group of elements."""
    return element("g", *children, **attributes)


def _value(value: str | float) -> str:
    return printable(value) if isinstance(value, str) else f"{round(value, 2):g}"
