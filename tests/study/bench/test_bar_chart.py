"""Bar charts as SVG."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from ggp.board.drawing.charts import WIDTH
from ggp.study.bench.bar_chart import Bar, bar_chart, shortened

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*bars: Bar) -> dict[str, ElementTree.Element]:
    """The bars of the chart by their tooltips."""
    root = ElementTree.fromstring(bar_chart(bars, title="a < b", unit="things/s"))
    found = {}
    for rect in root.iter(f"{SVG}rect"):
        title = rect.find(f"{SVG}title")
        if title is not None:
            assert title.text is not None
            found[title.text] = rect
    return found


def width(rect: ElementTree.Element) -> float:
    return float(rect.attrib["width"])


def test_each_factor_of_ten_is_as_wide_as_the_others() -> None:
    bars = drawn(Bar("g", "one", 20), Bar("g", "two", 200), Bar("g", "three", 20_000))
    one, two, three = map(width, bars.values())
    assert list(bars) == ["g, one: 20", "g, two: 200", "g, three: 20,000"]
    assert three - two == pytest.approx(2 * (two - one), abs=0.2)
    assert one > 0


def test_bars_lie_below_each_other_and_inside_the_picture() -> None:
    bars = drawn(Bar("g", "one", 3), Bar("h", "one", 5), Bar("g", "two", 1e9)).values()
    tops = [float(rect.attrib["y"]) for rect in bars]
    assert tops == sorted(set(tops))
    assert all(float(rect.attrib["x"]) + width(rect) < WIDTH for rect in bars)


def test_series_have_colours_of_their_own() -> None:
    one, other, same = drawn(Bar("g", "a", 3), Bar("g", "b", 5), Bar("h", "a", 7)).values()
    assert one.attrib["fill"] == same.attrib["fill"] != other.attrib["fill"]


@pytest.mark.parametrize("value", [1.0, 10.0, 0.02, 1e9])
def test_a_single_bar(value: float) -> None:
    (bar,) = drawn(Bar("g", "a", value)).values()
    assert 0 <= width(bar) < WIDTH


def test_names_are_text_whatever_is_in_them() -> None:
    assert list(drawn(Bar("<x> & y", "a", 3))) == ["<x> & y, a: 3"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5"), (12.34, "12.3"), (999, "999"), (999.6, "1 k"), (1234, "1.23 k"), (2.5e6, "2.5 M"), (1e9, "1 G")],
)
def test_figures(value: float, text: str) -> None:
    assert shortened(value) == text
