"""Playing with a finger, and without motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from visiting import PATIENCE, Server, Visitor, ask

pytestmark = pytest.mark.slow

#: Counts the animations that scripts begin.
COUNT = """
window.animated = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...given) { window.animated += 1; return animate.apply(this, given); };
"""


@pytest.fixture
def phone(chromium: Any) -> Iterator[Any]:
    """A page on a small screen that is operated by touch."""
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    context.set_default_timeout(1000 * PATIENCE)
    yield context.new_page()
    context.close()


def middle(page: Any, column: int, row: int) -> tuple[float, float]:
    box = page.locator(f'[data-place="0,{column},{row}"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_pieces_are_moved_by_taps_and_by_dragging_with_a_finger(phone: Any, server: Server) -> None:
    visitor = Visitor(phone, server.address)
    visitor.begin("wolf_sheep", wolf="human", sheep="human")
    visitor.sees("Your move: wolf")
    phone.locator(".source, .chosen").first.wait_for()
    for cell in ((3, 0), (3, 1)):
        phone.touchscreen.tap(*middle(phone, *cell))
    visitor.at(1, 1)
    visitor.sees("Your move: sheep")
    (ax, ay), (bx, by) = middle(phone, 0, 7), middle(phone, 1, 6)
    finger = phone.context.new_cdp_session(phone)
    for kind, share in (("touchStart", 0.0), *(("touchMove", step / 4) for step in range(1, 5)), ("touchEnd", None)):
        points = [] if share is None else [{"x": ax + share * (bx - ax), "y": ay + share * (by - ay)}]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    visitor.at(2, 2)
    assert visitor.moves() == [["(move c4 c8 c4 c7)", "noop"], ["noop", "(move c1 c1 c2 c2)"]]


@pytest.mark.parametrize("wanted", ["no-preference", "reduce"])
def test_nothing_moves_where_no_motion_is_wanted(chromium: Any, server: Server, wanted: str) -> None:
    context = chromium.new_context(reduced_motion=wanted)
    try:
        context.add_init_script(COUNT)
        page = context.new_page()
        visitor = Visitor(page, server.address)
        visitor.begin("wolf_sheep", wolf="human", sheep="human")
        visitor.click((3, 0), (3, 1))
        visitor.at(1, 1)
        visitor.cell(3, 1, "w")
        assert page.evaluate("window.animated") == 0, "one's own move stands on the board already"
        move = {"role": "sheep", "ply": 2, "move": "(move c1 c1 c2 c2)"}
        ask(f"{server.address}/api/matches/{visitor.match}/move", move)
        visitor.at(2, 2)
        visitor.cell(1, 6, "s")
        assert page.evaluate("window.animated") == (0 if wanted == "reduce" else 1)
        # Nor does anything move by a style sheet.
        moving = page.evaluate("document.getAnimations().filter((one) => one.effect.getTiming().duration > 1).length")
        assert wanted != "reduce" or not moving
    finally:
        context.close()
