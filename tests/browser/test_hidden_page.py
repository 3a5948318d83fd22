"""The page of a seat in a game with hidden information: what the role did and saw, and nothing else until the end."""

from __future__ import annotations

from typing import Any

import pytest
from visiting import Server, Visitor

pytestmark = pytest.mark.slow


def without_belief(page: Any) -> str:
    """The page without what its role can work out."""
    html: str = page.evaluate(
        """() => { const copy = document.documentElement.cloneNode(true);
                   copy.querySelector("#belief-card").remove(); return copy.outerHTML; }"""
    )
    return html


def percent(text: str) -> int:
    """The share in an entry of the belief."""
    return int(text.partition("%")[0])


def test_a_person_sees_the_own_role_until_the_end(page: Any, server: Server) -> None:
    answers: list[str] = []
    page.on("response", lambda response: answers.append(response.url) if "/api/matches" in response.url else None)
    page.add_init_script('localStorage.setItem("likely", "off")')
    visitor = Visitor(page, server.address)
    visitor.begin("hidden/kuhn_poker", alice="human", bob="legal")
    page.locator("#status.mine").wait_for()
    assert page.locator("#history-title").inner_text() == "What alice did and saw"
    seen = page.locator("#history .saw").all_inner_texts()
    assert len(seen) == 1
    own = seen[0].removeprefix("you saw ")
    assert page.locator("#notes").inner_text().startswith(f"You saw {own}")
    # The own card is on the board, and nothing else is.
    assert page.locator("#board .piece .ink").all_text_contents() == [own]
    assert page.locator("#words").inner_text() == f"Board after ply 1: hand of alice, 1 {own}"
    assert not page.locator("#moves .ask").count()
    others = {"jack", "queen", "king"} - {own}
    assert not [card for card in others if card in without_belief(page)]
    believed = page.locator("#beliefs li")
    believed.first.wait_for()
    told = believed.all_inner_texts()
    assert all(any(f"hand bob {card}" in one for one in told) for card in others)
    assert sum(map(percent, told)) == 100
    page.locator("#likely").click()
    pale = page.locator("#board .pieces g[opacity] .ink")
    pale.first.wait_for(state="attached")
    assert sorted(pale.all_text_contents()) == sorted(others)
    page.locator("#likely").click()
    assert page.locator("#board .piece .ink").all_text_contents() == [own]
    assert not page.locator("#undo, #record, #facts-card, #why-card, #thoughts-card").filter(visible=True).count()
    page.locator('#moves [data-move="check"]').click()
    page.locator("#history .saw", has_text="did bob bet").wait_for()
    page.locator("#status.mine").wait_for()
    assert not [card for card in others if card in without_belief(page)]
    # Somebody without a seat sees that the match goes on.
    stranger = page.context.browser.new_context()
    other = stranger.new_page()
    other.goto(page.url.partition("?")[0])
    other.locator("#status", has_text="shown when it is over").wait_for()
    assert not [card for card in (*others, own) if card in other.content()]
    page.locator('#moves [data-move="call"]').click()
    for one in (page, other):
        one.locator("#status", has_text="Finished").wait_for()
        one.locator("#history button", has_text="deal").wait_for()
        assert one.locator("#record").is_visible()
    assert answers
    stranger.close()


def test_pieces_that_are_uncertain_are_pale(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("hidden/phantom_connect_four", red="human", yellow="legal")
    page.locator("#status.mine").wait_for()
    page.locator('#moves [data-move="(drop 4)"]').click()
    page.locator("#belief-hint", has_text="The paler a piece").wait_for()
    page.locator("#status.mine").wait_for()
    pale = page.locator("#board .pieces g[opacity]")
    pale.first.wait_for(state="attached")
    assert all(0 < float(one.get_attribute("opacity")) < 1 for one in pale.all())
    assert page.locator("#board .pieces > g:not([opacity])").count() == 1
    assert "likely" in page.locator("#words").inner_text()
    page.locator("#likely").click()
    assert not pale.count()
    assert "likely" not in page.locator("#words").inner_text()
    assert "last seen" in page.locator("#notes").inner_text()
