"""The start page: games are searched and filtered, matches are dated and deleted."""

from __future__ import annotations

import re
from typing import Any

import pytest
from visiting import Server, Visitor, ask

pytestmark = pytest.mark.slow


def test_games_are_searched_and_filtered(page: Any, server: Server) -> None:
    page.goto(server.address)
    cards = page.locator(".game-card:visible .game strong")
    page.get_by_label("Search games").fill("four connect")
    Visitor._expect(cards).to_have_text(["Connect four", "Phantom connect four"])
    page.get_by_role("button", name="Hidden information").click()
    Visitor._expect(cards).to_have_text(["Phantom connect four"])
    page.get_by_label("Search games").fill("")
    page.get_by_role("button", name="1 player").click()
    Visitor._expect(cards).to_have_text(["Mastermind", "Monty hall"])
    page.get_by_role("button", name="3 or more").click()
    page.get_by_role("button", name="Hidden information").click()
    Visitor._expect(page.locator("#count")).to_have_text(re.compile(r"\d+ games"))
    assert "Odd one out" in cards.all_inner_texts()


def test_a_match_is_folded_dated_and_deleted(page: Any, server: Server) -> None:
    players = {"wolf": "random", "sheep": "random"}
    made = ask(f"{server.address}/api/matches", {"game": "wolf_sheep", "players": players, "max_plies": 2})
    page.goto(f"{server.address}/match/{made['id']}")
    Visitor(page, server.address).sees("Ended")
    page.goto(server.address)
    link = page.locator(f"a[href='/match/{made['id']}']")
    assert not link.is_visible()
    page.locator("#recent summary").click()
    Visitor._expect(link.locator("time")).to_have_text(re.compile(r"\d"))
    page.locator("li", has=link).get_by_role("button", name="Delete").click()
    Visitor._expect(link).to_have_count(0)
    assert made["id"] not in [match["id"] for match in ask(f"{server.address}/api/matches")["matches"]]
