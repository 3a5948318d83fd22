"""A board that is shaded by what its cells add to a learned value, on the pages of matches and of analyses."""

from __future__ import annotations

import time
from typing import Any

import pytest
from visiting import PATIENCE, Server, Visitor, ask

pytestmark = pytest.mark.slow

GAME = "classics/breakthrough"


class Reader(Visitor):
    """Somebody who wants to know what a value is made of."""

    def turns(self) -> None:
        self.page.get_by_role("button", name="What the value is made of").click()

    def reads(self, value: dict[str, Any]) -> None:
        """Wait until the page shows a value and everything that belongs to it."""
        sign = "+" if value["points"] > 0 else ""
        head = self._expect(self.page.locator("#value-sum"))
        head.to_contain_text(f"{sign}{value['points']:.1f} points: the goal of white less that of black")
        self._expect(self.page.locator("#value-card li").first).to_contain_text(value["facts"][0][0].strip("()"))
        self._expect(self.page.locator("#value-card li").last).to_have_text(
            f"and {value['more']} more facts, which matter less"
        )
        key, words = next(iter(value["cells"].items()))
        cell = self.page.locator(f'[data-place="{key}"]')
        assert cell.get_attribute("aria-label").endswith(f", {words}")
        assert self.shades() == len(value["shades"])
        legend = " ".join(self.page.locator(".legend").inner_text().split())
        assert legend == "blue: good for white orange: good for black"

    def shades(self) -> int:
        return int(self.page.locator("#board .first-gains, #board .second-gains").count())

    def sees_none(self) -> None:
        self._expect(self.page.locator("#value-card")).to_be_hidden()
        self._expect(self.page.locator(".legend")).to_be_hidden()
        assert self.shades() == 0
        assert "points" not in self.page.locator('[data-place="0,0,0"]').get_attribute("aria-label")


def over(server: Server, **players: str) -> str:
    """A match of programs that is over."""
    made = ask(f"{server.address}/api/matches", {"game": GAME, "players": players, "max_plies": 3})
    deadline = time.monotonic() + PATIENCE
    while ask(f"{server.address}/api/matches/{made['id']}")["state"]["result"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return str(made["id"])


def test_the_value_of_the_position_that_is_looked_at(page: Any, server: Server) -> None:
    match = over(server, white="legal", black="legal")
    visitor = Reader(page, server.address)
    values = [ask(f"{server.address}/api/matches/{match}/values/{ply}") for ply in range(4)]
    page.goto(f"{server.address}/match/{match}")
    visitor.at(3, 3)
    visitor.sees_none()
    visitor.turns()
    visitor.reads(values[3])
    for key, ply in (("ArrowLeft", 2), ("Home", 0), ("ArrowRight", 1), ("End", 3)):
        visitor.press(key)
        visitor.at(ply, 3)
        visitor.reads(values[ply])
    visitor.turns()
    visitor.sees_none()
    visitor.turns()
    # The choice is remembered, and holds for variations, too.
    page.goto(f"{server.address}/analyse/{match}")
    visitor.reads(values[0])
    page.locator("#moves").get_by_role("button", name="h2–h3", exact=True).click()
    line = {"moves": [["(move 8 2 8 3)", "noop"]]}
    visitor.reads(ask(f"{server.address}/api/analyses/{match}/value", line))
    visitor.press("ArrowLeft")
    visitor.reads(values[0])


def test_nobody_who_plays_is_helped(page: Any, server: Server) -> None:
    visitor = Reader(page, server.address)
    page.add_init_script('localStorage.setItem("value", "on")')
    page.on("dialog", lambda dialog: dialog.accept())
    visitor.begin(GAME, white="human", black="legal")
    visitor.sees("Your move")
    visitor.sees_none()
    assert page.locator("#value").is_hidden()
    page.get_by_role("button", name="End the match").click()
    page.locator("#value").wait_for()
    visitor.reads(ask(f"{server.address}/api/matches/{visitor.match}/values/0"))


def test_games_without_values_have_no_switch(page: Any, server: Server) -> None:
    visitor = Reader(page, server.address)
    visitor.begin("classics/tic_tac_toe", xplayer="human", oplayer="legal")
    visitor.sees("Your move")
    assert page.locator("#value").count() == 0
