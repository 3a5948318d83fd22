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


#: Whoever begins wins if he takes.
TAKING = """
(role left) (role right) (init (control left)) (init (pile 1)) (init (pile 2))
(<= (legal ?r (take ?n)) (true (control ?r)) (true (pile ?n))) (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (taken ?r)) (does ?r (take ?n))) (<= terminal (true (taken ?r)))
(<= (goal ?r 100) (role ?r) (true (taken ?r))) (<= (goal ?r 0) (role ?r) (not (true (taken ?r))))
"""


def test_levels_that_were_beaten_are_kept(page: Any, server: Server) -> None:
    game = ask(f"{server.address}/api/games", {"name": "taking", "text": TAKING})["name"]
    visitor = Visitor(page, server.address)
    visitor.begin(game, left="human", right="auto")
    visitor.sees("Your move")
    page.locator("#moves button").first.click()
    visitor.sees("You won")
    Visitor._expect(page.locator("#ladder")).to_have_text("You have beaten level 2.")
    page.get_by_role("link", name="Play level 3").click()
    level = page.get_by_label("Level of right")
    Visitor._expect(level).to_have_value("3")
    assert "level 2, easy (beaten)" in level.locator("option").all_inner_texts()
    page.goto(server.address)
    card = page.locator(".game-card", has_text="level 2 beaten")
    Visitor._expect(card).to_have_count(1)
    page.get_by_role("button", name="Not beaten yet").click()
    Visitor._expect(card).to_be_hidden()
    assert page.locator(".game-card:visible").count() > 10


@pytest.mark.parametrize(
    ("players", "goals", "level"),
    [
        ({"a": "human", "b": "auto(level=3)", "c": "auto(level=5)"}, [100, 0, 0], 3),
        ({"a": "human", "b": "auto", "random": "random"}, [60, 40, 40], 8),
        ({"a": "human", "b": "auto(level=3)"}, [50, 50], 0),
        ({"a": "human", "b": "auto(level=3)"}, [0, 100], 0),
        ({"a": "human", "b": "mcts"}, [100, 0], 0),
        ({"a": "human"}, [100], 0),
    ],
    ids=["the lowest", "chance", "a draw", "lost", "another program", "alone"],
)
def test_which_level_was_beaten(
    page: Any, server: Server, players: dict[str, str], goals: list[int], level: int
) -> None:
    page.goto(server.address)
    state = {
        "source": "",
        "result": "finished",
        "game": "g",
        "players": players,
        "goals": goals,
        "record_roles": [*players],
    }
    found = page.evaluate(
        "async (state) => { const { beaten, climb } = await import('/static/ladder.js');"
        " const own = climb(state, ['a']); return [own, beaten('g'), climb({ ...state, source: 'host' }, ['a']),"
        " climb(state, ['a', 'b'])]; }",
        state,
    )
    assert found == [level, level, 0, 0]
