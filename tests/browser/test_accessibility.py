"""No page breaks a rule of axe-core, in either theme, on a phone and on a wide screen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hosting import Hosting
from support.schedules import slow_player
from visiting import PATIENCE, Server, ask, breaks_no_rule

pytestmark = pytest.mark.slow

PAGES = (
    *("home", "new", "over", "playing", "empty", "edit", "analyse", "how", "invite"),
    *("host", "hidden", "boardless", "value"),
)

LOOKS = [(theme, width) for theme in ("light", "dark") for width in (390, 1280)]


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosting]:
    """A host whose match goes on for longer than anybody looks on."""
    slow = slow_player(tmp_path_factory.mktemp("host"), 3600)
    made = Hosting("tic_tac_toe", "--player", f"xplayer={slow}", "--player", "oplayer=random", "--play-clock", "3600")
    made.start()
    yield made
    made.end()


def played(hosted: Hosting) -> str:
    """The identifier of the host's match."""
    deadline = time.monotonic() + PATIENCE
    while not (matches := ask(f"{hosted.address}matches")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return str(matches[0]["matchId"])


@pytest.fixture(scope="module")
def places(server: Server, hosted: Hosting) -> dict[str, tuple[str, str]]:
    """The addresses of pages, each with what it shows when it is ready."""
    tic_tac_toe = {"game": "classics/tic_tac_toe", "players": {"xplayer": "legal", "oplayer": "legal"}, "seed": 1}
    wolf = {"game": "wolf_sheep", "players": {"wolf": "human", "sheep": "human"}}
    pennies = {"game": "hidden/matching_pennies", "players": {"matcher": "legal", "mismatcher": "legal"}}
    phantom = {"game": "hidden/phantom_connect_four", "players": {"red": "human", "yellow": "legal"}}
    empty = {"game": "knights_and_pawns", "players": {"white": "human", "black": "human"}}
    matches = {
        name: ask(f"{server.address}/api/matches", body)["id"]
        for name, body in (("over", tic_tac_toe), ("wolf", wolf), ("empty", empty), ("pennies", pennies))
    }
    value = ask(f"{server.address}/api/analyses", {"game": "classics/breakthrough"})
    hidden = ask(f"{server.address}/api/matches", phantom)
    return {
        "home": ("/", ".picture img"),
        "new": ("/new/fox_game", "#setup:visible"),
        "over": (f"/match/{matches['over']}", "#reason:visible"),
        "playing": (f"/match/{matches['wolf']}", "#status.mine"),
        "empty": (f"/match/{matches['empty']}", "#ahead:visible"),
        "edit": ("/edit", "h1"),
        "analyse": (f"/analyse/{matches['over']}", "#tree button"),
        "invite": (f"/match/{matches['wolf']}", "#invite:visible"),
        "hidden": (f"/match/{hidden['id']}?as=red&seat={hidden['seats']['red']}", "#status.mine"),
        "boardless": (f"/match/{matches['pennies']}", "#reason:visible, #again:visible"),
        "host": (f"{hosted.address}matches/{played(hosted)}", "#status:has-text('Being played elsewhere')"),
        "how": ("/new/fox_game", "#setup:visible"),
        "value": (f"/analyse/{value['id']}", "#value:visible"),
    }


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def look(request: pytest.FixtureRequest, chromium: Any) -> Iterator[Any]:
    theme, width = request.param
    context = chromium.new_context(viewport={"width": width, "height": 844}, color_scheme=theme, bypass_csp=True)
    context.set_default_timeout(1000 * PATIENCE)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", list(PAGES))
def test_a_page_is_accessible(name: str, look: Any, server: Server, places: dict[str, tuple[str, str]]) -> None:
    path, ready = places[name]
    look.goto(path if "://" in path else server.address + path)
    look.locator(ready).first.wait_for()
    if name == "how":
        look.get_by_role("button", name="How to play").click()
        look.locator(".how h3").first.wait_for()
        look.locator(".how summary").last.click()
    if name == "invite":
        look.locator("#invite").click()
        look.locator(".seat img").first.wait_for()
    if name == "value":
        look.locator("#value").click()
        look.locator("#value-card[aria-busy=false] li").first.wait_for()
    breaks_no_rule(look)
