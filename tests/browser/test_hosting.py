"""People who watch a host: a whole tournament to its end, a host that is lost and comes back, phones, the keyboard."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hosting import Hosting
from support.schedules import schedule, slow_player, stored
from visiting import PATIENCE, breaks_no_rule

pytestmark = pytest.mark.slow

#: Milliseconds.
WAIT = 1000 * PATIENCE


@pytest.fixture
def tournament(tmp_path: Path, seconds: float) -> Iterator[Hosting]:
    """Four players, round by round, of which two take some seconds for a move."""
    slow = slow_player(tmp_path, seconds)
    players = {"ann": slow, "bob": "random", "carl": slow, "dora": "greedy"}
    made = Hosting(schedule(tmp_path, players, 'title = "Spring cup"', 'format = "swiss"', "rounds = 2", "at_once = 2"))
    made.start()
    yield made
    made.end()


@pytest.fixture
def seconds() -> float:
    """Long enough for a match to be watched."""
    return 0.1


def sees(page: Any, selector: str, text: str) -> None:
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_contain_text(text, timeout=WAIT)


def test_a_tournament_is_watched_to_its_end(page: Any, tournament: Hosting, tmp_path: Path) -> None:
    page.goto(tournament.address)
    sees(page, "h1", "Spring cup")
    sees(page, "#about", "Swiss, 2 rounds")
    sees(page, "#status", "of 8 matches played")
    board = page.locator(".live.running svg[role=img]").first
    board.wait_for(timeout=WAIT)
    assert board.get_attribute("aria-label").startswith("Board after ply ")
    sees(page, "#status", "Round 2 of 2")
    sees(page, "#status", "The tournament is over: ")
    lines = page.locator("#standings tbody tr")
    assert lines.count() == 4
    points = [float(line.locator("td").nth(1).inner_text()) for line in lines.all()]
    assert points == sorted(points, reverse=True)
    assert sum(points) == 8
    winner = lines.first.locator("th").inner_text()
    assert winner in page.locator("#status").inner_text()
    assert page.locator("#results tbody tr").count() == 8
    assert page.locator("#waiting-part").is_hidden()
    # The host ends; what was said stays, and is not taken for a loss.
    tournament.end(signal.SIGINT)
    page.wait_for_timeout(4000)
    assert page.locator("#lost").is_hidden()
    assert winner in page.locator("#status").inner_text()
    assert len(stored(tmp_path / "cup")) == 8


@pytest.mark.parametrize("seconds", [0.8])
def test_a_host_that_is_lost_and_comes_back(page: Any, tournament: Hosting) -> None:
    page.goto(tournament.address)
    page.locator(".live .board-svg").first.wait_for(timeout=WAIT)
    link = page.locator(".live.running .board-link").first
    match = page.context.new_page()
    match.goto(tournament.address + link.get_attribute("href").lstrip("/"))
    match.locator(".board-svg").wait_for(timeout=WAIT)
    sees(match, "#status", "Being played elsewhere")
    tournament.end()
    sees(page, "#lost", "Connection lost at ")
    sees(match, "#status", "The server does not answer; reconnecting")
    assert page.locator(".live .board-svg").count() > 0
    assert match.locator(".board-svg").count() == 1
    assert "over" not in page.locator("#status").inner_text()
    tournament.start()
    page.locator("#lost").wait_for(state="hidden", timeout=WAIT)
    sees(page, "#status", "The tournament is over: ")
    sees(match, "#status", "Finished: ")


def test_a_match_by_keyboard(page: Any, tournament: Hosting) -> None:
    page.goto(tournament.address)
    page.locator(".live").first.wait_for(timeout=WAIT)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.ariaLabel").startswith("Tic tac toe: ")
    page.keyboard.press("Enter")
    page.wait_for_url("**/matches/*")
    sees(page, "#status", "Finished: ")
    where = page.locator("#where").inner_text()
    page.keyboard.press("Home")
    sees(page, "#where", "0 / ")
    page.keyboard.press("End")
    sees(page, "#where", where)
    assert page.locator("#why-card").is_hidden()
    assert page.locator("#end").is_hidden()
    page.keyboard.press("Shift+Tab")
    page.locator(".brand").click()
    sees(page, "h1", "Spring cup")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(chromium: Any, tournament: Hosting, scheme: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    try:
        page.goto(tournament.address)
        sees(page, "#status", "The tournament is over: ")
        page.locator(".board-svg").first.wait_for(timeout=WAIT)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        for header in page.locator("thead th").all():
            assert header.get_attribute("scope") == "col"
        assert page.locator("h1").count() == 1
        assert page.locator("table caption").count() == page.locator("table").count() > 0
        assert page.locator("[role=status]").count() == 1
        breaks_no_rule(page)
    finally:
        context.close()


def test_a_single_match_ends_in_a_sentence(page: Any, tmp_path: Path) -> None:
    slow = slow_player(tmp_path, 0.1)
    host = Hosting("tic_tac_toe", "--player", f"xplayer={slow}", "--player", "oplayer=random", "--seed", "1")
    host.start()
    try:
        page.goto(host.address.removesuffix("/"))
        sees(page, "h1", "Tic tac toe")
        sees(page, "#status", "Tic tac toe is over after")
        sees(page, "#status", "slow (xplayer)")
    finally:
        host.end()


def test_several_matches_have_mean_goals(page: Any, tmp_path: Path) -> None:
    slow = slow_player(tmp_path, 0.1)
    players = ("--player", f"xplayer={slow}", "--player", "oplayer=random")
    host = Hosting("tic_tac_toe", *players, "--seed", "1", "--matches", "3")
    host.start()
    try:
        page.goto(host.address)
        sees(page, "#status", "All 3 matches are over.")
        rows = [line.inner_text().split() for line in page.locator("#standings tbody tr").all()]
        assert [row[:3] for row in rows] == [["xplayer", "slow", "3"], ["oplayer", "random", "3"]]
        assert sum(float(row[3]) for row in rows) == pytest.approx(100, abs=0.2)
    finally:
        host.end()
