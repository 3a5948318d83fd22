"""No page breaks a rule of axe-core, in either theme, on a phone and on a wide screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from visiting import PATIENCE, Server, ask, breaks_no_rule

pytestmark = pytest.mark.slow

LOOKS = [(theme, width) for theme in ("light", "dark") for width in (390, 1280)]


@pytest.fixture(scope="module")
def places(server: Server) -> dict[str, tuple[str, str]]:
    """The addresses of pages, each with what it shows when it is ready."""
    tic_tac_toe = {"game": "classics/tic_tac_toe", "players": {"xplayer": "legal", "oplayer": "legal"}, "seed": 1}
    wolf = {"game": "wolf_sheep", "players": {"wolf": "human", "sheep": "human"}}
    empty = {"game": "knights_and_pawns", "players": {"white": "human", "black": "human"}}
    matches = {
        name: ask(f"{server.address}/api/matches", body)["id"]
        for name, body in (("over", tic_tac_toe), ("wolf", wolf), ("empty", empty))
    }
    return {
        "home": ("/", ".picture img"),
        "new": ("/new/fox_game", "#setup:visible"),
        "over": (f"/match/{matches['over']}", "#reason:visible"),
        "playing": (f"/match/{matches['wolf']}", "#status.mine"),
        "empty": (f"/match/{matches['empty']}", "#ahead:visible"),
        "edit": ("/edit", "h1"),
        "analyse": (f"/analyse/{matches['over']}", "#tree button"),
        "invite": (f"/match/{matches['wolf']}", "#invite:visible"),
        "how": ("/new/fox_game", "#setup:visible"),
    }


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def look(request: pytest.FixtureRequest, chromium: Any) -> Iterator[Any]:
    theme, width = request.param
    context = chromium.new_context(viewport={"width": width, "height": 844}, color_scheme=theme, bypass_csp=True)
    context.set_default_timeout(1000 * PATIENCE)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", ["home", "new", "over", "playing", "empty", "edit", "analyse", "how", "invite"])
def test_a_page_is_accessible(name: str, look: Any, server: Server, places: dict[str, tuple[str, str]]) -> None:
    path, ready = places[name]
    look.goto(server.address + path)
    look.locator(ready).first.wait_for()
    if name == "how":
        look.get_by_role("button", name="How to play").click()
        look.locator(".how h3").first.wait_for()
        look.locator(".how summary").click()
    if name == "invite":
        look.locator("#invite").click()
        look.locator(".seat img").first.wait_for()
    breaks_no_rule(look)
