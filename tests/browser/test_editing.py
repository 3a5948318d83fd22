"""People who write a game on the page: text, findings, fixes, moves, reasons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from visiting import PATIENCE, Server

pytestmark = pytest.mark.slow

#: A walk from 1 to 3; `(wider ?x)` is never used, and the last rule is a fact.
WALK = """(role walker)
(init (at 1))
(succ 1 2) (succ 2 3)
(<= (legal walker step) (true (at ?x)) (succ ?x ?y))
(<= (legal walker (rest ?x)) (true (at ?x)))
(<= (next (at ?y)) (does walker step) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?x)) (does walker (rest ?x)))
(<= terminal (true (at 3)))
(<= (goal walker 100) (true (at 3)))
(<= (goal walker 0) (not (true (at 3))))
"""


class Writer:
    """Somebody who writes on the page."""

    def __init__(self, page: Any, server: Server) -> None:
        self.page = page
        page.goto(f"{server.address}/edit")

    def write(self, text: str) -> None:
        """Replace the whole text."""
        self.page.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)

    def add(self, text: str) -> None:
        """Add to the end of the text."""
        self.page.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+End")
        self.page.keyboard.insert_text(text)

    def sees(self, selector: str, text: str) -> None:
        from playwright.sync_api import expect

        expect(self.page.locator(selector)).to_contain_text(text, timeout=1000 * PATIENCE)

    def move(self, name: str) -> None:
        self.page.locator("#moves .move", has_text=name).first.click()

    @property
    def text(self) -> str:
        return "\n".join(self.page.locator(".cm-line").all_inner_texts())


@pytest.fixture
def writer(page: Any, server: Server) -> Writer:
    return Writer(page, server)


def test_findings_are_underlined_listed_and_fixed(writer: Writer) -> None:
    writer.write(WALK + "(<= (succ 3 4))")
    writer.sees("#findings", "empty-body")
    writer.page.locator(".cm-lintRange-warning").first.wait_for()
    writer.page.locator("#findings li", has_text="empty-body").locator(".mend").click()
    writer.page.locator("#findings li", has_text="empty-body").wait_for(state="detached")
    assert writer.text.endswith("\n(succ 3 4)")
    writer.page.keyboard.press("ControlOrMeta+z")
    writer.sees("#findings", "empty-body")
    writer.add("(role")
    writer.sees("#verdict", "1 error")
    writer.sees("#position-fault", "cannot be played")
    writer.page.locator("#findings .place").first.click()
    assert writer.page.evaluate("document.querySelector('#text').shadowRoot.activeElement !== null")


def test_names_are_completed_and_described_by_keyboard(writer: Writer) -> None:
    writer.write(WALK + "(<= (legal walker jump) (true (")
    writer.page.keyboard.type("a")
    writer.page.locator(".cm-tooltip-autocomplete li", has_text="at").first.wait_for()
    writer.page.wait_for_timeout(200)  # CodeMirror takes no Enter at once: it may have been meant for the text
    writer.page.keyboard.press("Enter")
    assert writer.text.endswith("(true (at")
    writer.page.locator(".cm-line span", has_text="legal").first.hover()
    writer.sees(".cm-tooltip-hover .told", "may make MOVE")


def test_moves_lead_on_and_back_and_the_rules_change_under_them(writer: Writer) -> None:
    writer.write(WALK)
    writer.sees("#status", "To move: walker")
    writer.move("step")
    writer.sees("#where", "ply 1 / 1")
    writer.page.locator("#facts-card summary").click()
    writer.sees("#facts", "(at 2)")
    writer.move("step")
    writer.sees("#status", "Terminal")
    writer.sees("#players", "100")
    writer.page.locator("#prev").click()
    writer.sees("#where", "ply 1 / 2")
    writer.page.locator("#next").click()
    writer.sees("#where", "ply 2 / 2")
    writer.write(WALK.replace("(succ 2 3)", "(succ 1 4)"))
    writer.sees("#position-fault", "step is not a legal move of walker")
    writer.sees("#where", "ply 1 / 1")


def test_everything_can_be_asked_why(writer: Writer) -> None:
    writer.write(WALK)
    writer.page.locator("#status button").click()
    writer.sees("#because", "terminal does not hold")
    writer.sees("#because", "the state has (at 1)")
    writer.page.locator("#because").get_by_role("img", name="fails:").first.wait_for()
    writer.move("step")
    writer.sees("#because", "the state has (at 2)")
    writer.page.locator("#prev").click()
    writer.sees("#because", "the state has (at 1)")
    writer.page.locator("#moves .ask").first.click()
    writer.sees("#because", "(legal walker (rest 1)) holds")
    writer.page.locator("#because .place").first.click()
    writer.page.keyboard.press("ControlOrMeta+Enter")
    writer.sees("#because", "(legal walker (rest ?x)) has 1 instance")
    writer.page.locator("#because button", has_text="(legal walker (rest 1))").first.click()
    writer.sees("#because", "(legal walker (rest 1)) holds")


def test_from_a_template_to_a_match(writer: Writer) -> None:
    """What somebody does who writes a game for the first time."""
    page = writer.page
    page.locator("#begin option", has_text="Hexapawn").wait_for(state="attached")
    page.locator("#begin").select_option("template:hexapawn")
    writer.sees("#status", "To move: white")
    assert page.locator("#name").input_value() == "hexapawn"
    writer.add("(<= (beside a c))\n")
    writer.sees("#findings", "empty-body")
    page.locator("#fix").click()
    writer.sees("#verdict", "No findings.")
    assert writer.text.rstrip().endswith("\n(beside a c)")
    page.locator('[data-place="0,0,2"]').click(force=True)
    page.locator('[data-place="0,0,1"]').click(force=True)
    writer.sees("#where", "ply 1 / 1")
    page.locator("#why-card summary").click()
    page.locator("#atom").fill("(legal black (move a 3 a 2))")
    page.locator("#atom").press("Enter")
    writer.sees("#because", "the state has (cell a 2 white)")
    page.locator("#expect-card summary").click()
    page.locator("#expect-name").fill("a pawn moves")
    page.get_by_role("button", name="Expect this").click()
    writer.sees("#passed", "1 passed")
    with page.expect_download() as download:
        page.locator("#download").click()
    assert download.value.suggested_filename == "hexapawn.expect.toml"
    assert 'name = "a pawn moves"' in Path(download.value.path()).read_text(encoding="utf-8")
    page.reload()
    writer.sees("#where", "ply 1 / 1")
    writer.sees("#verdict", "No findings.")
    assert "a pawn moves" in page.locator("#expectations").input_value()
    page.locator("#play").click()
    page.wait_for_url("**/match/**")
    writer.sees("#status", "Your move: white")


def test_a_test_fails_once_the_rules_differ(writer: Writer) -> None:
    writer.write(WALK)
    writer.sees("#status", "To move: walker")
    writer.page.locator("#expect-card summary").click()
    writer.page.get_by_role("button", name="Expect this").click()
    writer.sees("#results", "the initial position")
    assert writer.page.locator("#results .passes svg").get_attribute("aria-label") == "passed:"
    writer.write(WALK.replace("(init (at 1))", "(init (at 2))"))
    writer.page.locator("#run").click()
    writer.sees("#passed", "1 of 1 failed")
    writer.sees("#results", "legal.walker")
    assert writer.page.locator("#results .fails svg").get_attribute("aria-label") == "failed:"


def test_files_are_opened_and_saved(writer: Writer) -> None:
    page = writer.page
    # Pickers of files cannot be operated by scripts; without them, the page downloads and uploads.
    page.evaluate("delete window.showOpenFilePicker, delete window.showSaveFilePicker")
    page.locator("#file").set_input_files({"name": "long walk.kif", "mimeType": "text/plain", "buffer": WALK.encode()})
    writer.sees("#status", "To move: walker")
    assert page.locator("#name").input_value() == "long_walk"
    with page.expect_download() as download:
        page.locator("#save").click()
    assert Path(download.value.path()).read_text(encoding="utf-8") == WALK
    # Nothing is lost by accident.
    writer.add("(succ 3 4)")
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.locator("#begin").select_option("empty")
    assert "(succ 3 4)" in writer.text
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator("#begin").select_option("empty")
    writer.sees("#findings", "no-role")


def test_uploaded_rules_with_doubts_can_be_corrected(page: Any, server: Server) -> None:
    page.goto(server.address)
    text = WALK + "(<= (succ 3 4))"
    page.locator("#rules-file").set_input_files(
        {"name": "doubt.kif", "mimeType": "text/plain", "buffer": text.encode()}
    )
    page.locator("#uploaded", has_text="empty-body").wait_for()
    page.get_by_role("button", name="Open in the editor").click()
    page.wait_for_url("**/edit")
    page.locator("#findings", has_text="empty-body").wait_for()
    assert page.locator("#name").input_value() == "doubt"


def test_on_a_phone_everything_is_below_each_other(writer: Writer) -> None:
    writer.page.set_viewport_size({"width": 390, "height": 844})
    writer.write(WALK)
    writer.sees("#status", "To move: walker")
    assert writer.page.evaluate("document.documentElement.scrollWidth") <= 390
    text, board = (writer.page.locator(one).bounding_box() for one in (".writing", ".seeing"))
    assert text["y"] + text["height"] <= board["y"]


def test_a_game_that_was_written_is_played(writer: Writer) -> None:
    writer.write(WALK)
    writer.page.locator("#name").fill("walk")
    writer.page.locator("#play").click()
    writer.page.wait_for_url("**/match/**")
    writer.sees("#status", "Your move: walker")
    writer.move("step")
    writer.move("step")
    writer.sees("#status", "Finished: walker 100")
