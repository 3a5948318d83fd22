"""The pictures of a game that is written in the page: a mistake, its fix, the position, a reason, a test, a match."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from visiting import Server

Write = Callable[[Path, bytes], None]

SLIP = "(true (contol ?role))"

#: A game that is typed into the empty page: its beginning, in which a parenthesis is missing, and the rest.
BEGINNING = """\
; Three in a row: who fills a row of a board of three by three first wins.
(role x) (role o)
(index 1) (index 2) (index 3)
(<= (init (cell ?column ?row b))
    (index ?column) (index ?row)
(init (control x))
"""
REST = """\
(opponent x o) (opponent o x)
(<= (legal ?role (mark ?column ?row))
    (true (control ?role)) (true (cell ?column ?row b)))
(<= (legal ?role noop)
    (opponent ?role ?other) (true (control ?other)))

(<= (next (cell ?column ?row ?role))
    (does ?role (mark ?column ?row)))
(<= (marked ?column ?row)
    (does ?role (mark ?column ?row)))
(<= (next (cell ?column ?row ?what))
    (true (cell ?column ?row ?what)) (not (marked ?column ?row)))
(<= (next (control ?other))
    (true (control ?role)) (opponent ?role ?other))

(<= (filled ?role)
    (true (cell 1 ?row ?role)) (true (cell 2 ?row ?role)) (true (cell 3 ?row ?role)) (role ?role))
(<= open
    (true (cell ?column ?row b)))
(<= terminal (filled ?role))
(<= terminal (not open))
(<= (goal ?role 100) (filled ?role))
(<= (goal ?role 0) (opponent ?role ?other) (filled ?other))
(<= (goal ?role 50) (role ?role) (not (filled x)) (not (filled o)))
"""


def take(browser: Any, server: Server, folder: Path, write: Write) -> None:
    """Take all pictures of the page."""
    from_nothing(browser, server, folder, write)
    from_a_template(browser, server, folder, write)


def from_nothing(browser: Any, server: Server, folder: Path, write: Write) -> None:
    """Type a game into the empty page, with an error on the way, and play it to its end."""
    context = browser.new_context(viewport={"width": 1280, "height": 860}, color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{server.address}/edit")
    page.locator("#name").fill("three_in_a_row")
    page.locator(".cm-content").click()
    page.keyboard.insert_text(BEGINNING)
    page.locator("#verdict", has_text="error").wait_for()
    page.wait_for_timeout(500)
    write(folder / "writing-error.png", page.screenshot())

    replace(page, "(index ?column) (index ?row)", "(index ?column) (index ?row))")
    page.locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.insert_text(REST)
    page.locator("#moves .move").first.wait_for()
    for number in range(5):
        plies = page.locator("#where").inner_text()
        column, row = number // 2 + 1, number % 2 + 1
        page.locator("#moves .move", has_text=f"mark {column} {row}").first.click()
        page.wait_for_function("before => document.getElementById('where').textContent !== before", arg=plies)
    page.locator("#status", has_text="Terminal").wait_for()
    page.wait_for_timeout(500)
    page.evaluate("scrollTo(0, 0)")
    write(folder / "writing-from-nothing.png", page.screenshot())
    context.close()


def from_a_template(browser: Any, server: Server, folder: Path, write: Write) -> None:
    """Write a game from a template, with a slip, and take a picture of each step."""
    page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
    page.set_default_timeout(60_000)
    page.goto(f"{server.address}/edit")
    page.locator("#begin option", has_text="Hexapawn").wait_for(state="attached")
    page.locator("#begin").select_option("template:hexapawn")
    page.locator("#moves .move").first.wait_for()

    replace(page, "(true (control ?role))", SLIP)
    page.locator("#findings .mend").first.wait_for()
    page.locator("#findings .place").first.click()
    page.locator(".cm-lintRange-warning").first.hover()
    page.locator(".cm-diagnosticAction").first.wait_for()
    write(folder / "writing-finding.png", page.screenshot())

    page.mouse.move(0, 0)
    page.locator("#findings .mend").first.click()
    page.locator("#verdict", has_text="No findings").wait_for()
    page.locator("#status", has_text="To move: white").wait_for()
    for cells in (("0,1,2", "0,1,1"), ("0,0,0", "0,1,1"), ("0,0,2", "0,1,1")):
        plies = page.locator("#where").inner_text()
        for cell in cells:
            page.locator(f'[data-place="{cell}"]').click(force=True)
        page.wait_for_function("before => document.getElementById('where').textContent !== before", arg=plies)
    page.wait_for_timeout(500)
    page.evaluate("scrollTo(0, 0)")
    write(folder / "writing-wide-light.png", page.screenshot())

    page.locator("#why-card summary").click()
    page.locator("#atom").fill("(legal black (move b 3 b 2))")
    page.locator("#atom").press("Enter")
    page.locator("#because", has_text="does not hold").wait_for()
    page.set_viewport_size({"width": 1700, "height": 860})  # so that long lines fit
    write(folder / "writing-why-not.png", page.locator("#why-card").screenshot())
    page.set_viewport_size({"width": 1280, "height": 860})

    page.locator("#expect-card summary").click()
    page.locator("#expect-name").fill("two pawns are gone")
    page.get_by_role("button", name="Expect this").click()
    page.locator("#passed", has_text="1 passed").wait_for()
    write(folder / "writing-expectation.png", page.locator("#expect-card").screenshot())

    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    for card in ("#why-card", "#expect-card"):
        page.locator(f"{card} summary").click()
    page.evaluate("scrollTo(0, 0)")
    write(folder / "writing-phone-dark.png", page.screenshot(full_page=True))

    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 860})
    page.locator("#play").click()
    page.wait_for_url("**/match/**")
    page.locator("#status.mine").wait_for()
    page.wait_for_timeout(1000)
    write(folder / "writing-played.png", page.screenshot())
    page.close()


def replace(page: Any, old: str, new: str) -> None:
    """Replace the first occurrence of a text by the editor's own search."""
    page.locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+f")
    page.locator("input[name=search]").fill(old)
    page.locator("input[name=replace]").fill(new)
    page.locator("input[name=search]").press("Enter")
    page.locator("button[name=replace]").click()
    page.keyboard.press("Escape")
