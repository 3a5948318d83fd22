"""The pictures of the analysis of a match: its curve, its mistakes, and a variation."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from visiting import Server, ask

Write = Callable[[Path, bytes], None]

#: The screens and themes of the pictures.
TAKEN = {"wide-light": (1280, 860), "wide-dark": (1280, 860), "phone-light": (390, 844)}


def take(browser: Any, server: Server, folder: Path, write: Write) -> None:
    """Analyse a match of two programs, and take a picture on each screen."""
    match = _played(server)
    for name, (width, height) in TAKEN.items():
        screen, theme = name.split("-")
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
        _analyse(page, f"{server.address}/analyse/{match}?ply=6")
        write(folder / f"analysis-{name}.png", page.screenshot(full_page=screen == "phone"))
        page.close()


def _played(server: Server) -> str:
    """A match of programs that is over."""
    players = {"red": "mcts(simulations=200)", "yellow": "greedy"}
    made = ask(f"{server.address}/api/matches", {"game": "classics/connect_four", "players": players, "seed": 3})
    while ask(f"{server.address}/api/matches/{made['id']}")["state"]["result"] == "running":
        time.sleep(0.5)
    return str(made["id"])


def _analyse(page: Any, address: str) -> None:
    """Evaluate a whole match, try another move at its first mistake, and look at the position before it."""
    page.goto(address)
    page.locator("#where").get_by_text("ply 6").wait_for()
    page.locator("#pace").select_option("0.3")
    page.get_by_role("button", name="Whole match").click()
    page.locator("#whole", has_text="Whole match").wait_for(timeout=300_000)  # it says Cancel until it is over
    page.locator(".slip-mark").first.wait_for()
    page.locator(".slip-mark").first.click(force=True)
    page.wait_for_timeout(1000)
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(1000)
    page.locator("#moves .move").nth(2).click()
    page.wait_for_timeout(1000)
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(1000)
    page.mouse.move(0, 0)
    page.evaluate("() => scrollTo(0, 0)")
