"""Nobody has to be told how to play: the dialog on all pages, and what to do on an empty board."""

from __future__ import annotations

from typing import Any

import pytest
from visiting import PATIENCE, Server, Visitor, ask

from ggp.rules.shipped_games import find_game

pytestmark = pytest.mark.slow


def test_the_dialog_of_a_card_of_a_new_match_and_of_a_match(page: Any, server: Server) -> None:
    rules = find_game("fox_game").read_text(encoding="utf-8")
    page.goto(server.address)
    page.get_by_role("button", name="How to play Fox game", exact=True).click()
    dialog = page.get_by_role("dialog", name="The fox game")
    dialog.get_by_text("Foxes jump over sheep; sheep try to fill the pen.").wait_for()
    dialog.get_by_text("by fox: over a sheep, straight along lines").wait_for()
    assert dialog.get_by_text("so many sheep are on the board").count() == 0, "facts are for those who write rules"
    assert not dialog.get_by_text("The match ends when “decided”, or when “drawn”.").is_visible()
    dialog.get_by_text("In exact words").click()
    dialog.get_by_text("The match ends when “decided”, or when “drawn”.").wait_for()
    dialog.get_by_text("The rules").click()
    dialog.locator(".kif-word").first.wait_for()
    assert dialog.locator("pre.kif").evaluate("box => box.textContent") == rules
    page.keyboard.press("Escape")
    assert page.locator("dialog").count() == 0
    page.goto(f"{server.address}/new/fox_game")
    page.get_by_role("button", name="How to play").click()
    page.get_by_text("fox begins: 2 moves in the first position.").wait_for()
    page.get_by_role("button", name="Close").click()
    page.locator("#rules summary").click()
    page.locator("#rules .kif-comment").first.wait_for()
    assert page.locator("#rules .kif-word").count() > 10
    assert page.locator("#rules pre").evaluate("box => box.textContent") == rules
    Visitor(page, server.address).begin("fox_game", fox="human", sheep="human")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="The fox game").get_by_text("stop: by fox: ends a series of jumps").wait_for()


def test_an_empty_board_says_what_to_do_and_shows_what_comes(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("knights_and_pawns", white="human", black="human")
    visitor.sees("Your move: white")
    page.get_by_text("The board is empty. Click a cell with a dot to begin.").wait_for()
    page.get_by_role("button", name="place whitepawn whiteknight whiteknight", exact=True).hover()
    page.get_by_text("What is certain after this move, whatever the others do").wait_for(timeout=1000 * PATIENCE)
    visitor.cell(0, 7, "whitepawn")
    visitor.cell(0, 6, "whiteknight")
    page.locator("#title").hover()
    page.get_by_text("The board is empty.").wait_for()
    assert page.locator('[data-place="0,0,7"]').get_attribute("aria-label") == "a1"
    # By the keyboard it is the same.
    page.get_by_role("button", name="place whiteknight whiteknight whiteknight", exact=True).focus()
    visitor.cell(0, 7, "whiteknight")
    page.keyboard.press("Enter")
    visitor.sees("Your move: black")
    assert ask(f"{server.address}/api/matches/{visitor.match}")["state"]["plies"] == 0
