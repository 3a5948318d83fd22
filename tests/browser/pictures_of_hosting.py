"""The pictures of a hosted tournament of four players: while it is played, and at its end."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hosting import Hosting
from support.schedules import schedule

Write = Callable[[Path, bytes], None]

#: The screens and themes of the pictures.
TAKEN = {"wide-light": (1280, 860), "phone-dark": (390, 844)}

#: Searches with clocks take all of them, so that there is something to watch.
PLAYERS = {"ann": "mcts", "bob": "alphabeta", "carl": "auto(level=2)", "dora": "greedy"}


def take(browser: Any, folder: Path, write: Write) -> None:
    """Host a tournament of two games, and take pictures of its page until it is over."""
    with tempfile.TemporaryDirectory() as place:
        games = '["connect_four", "breakthrough"]'
        keys = ('title = "Spring tournament"', "matches = 1", "at_once = 3")
        file = schedule(Path(place), PLAYERS, *keys, games=games)
        text = file.read_text(encoding="utf-8").replace("start_clock = 10", "start_clock = 8")
        file.write_text(text.replace("play_clock = 5", "play_clock = 1"), encoding="utf-8")
        host = Hosting(file)
        host.start()
        try:
            pages = {name: _opened(browser, host.address, name) for name in TAKEN}
            for page in pages.values():
                page.locator("#status", has_text=re.compile("[3-9] of 12 matches played")).wait_for(timeout=600_000)
                page.locator(".live.running .board-svg").nth(1).wait_for(timeout=60_000)
            _shoot(pages["wide-light"], folder / "hosting-wide-light.png", write)
            for page in pages.values():
                page.locator("#status", has_text="The tournament is over").wait_for(timeout=1_800_000)
                page.locator(".live .board-svg").nth(3).wait_for(timeout=60_000)
            _shoot(pages["phone-dark"], folder / "hosted-phone-dark.png", write, whole=True)
            for page in pages.values():
                page.context.close()
        finally:
            host.end()


def _opened(browser: Any, address: str, name: str) -> Any:
    width, height = TAKEN[name]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=name.split("-")[1])
    page = context.new_page()
    page.goto(address)
    return page


def _shoot(page: Any, path: Path, write: Write, *, whole: bool = False) -> None:
    page.wait_for_timeout(500)
    write(path, page.screenshot(full_page=whole))
