"""Takes the pictures in docs/pictures: `PYTHONPATH=.:tests python tests/browser/pictures.py docs/pictures`.

Games after some moves; a game that is written in the page, an analysis, a learned value, a hosted tournament, and games
with hidden information. A further argument, `games`, `writing`, `analysis`, `values`, `hosting` or `hidden`, takes only
these.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pictures_of_analysis
import pictures_of_hidden
import pictures_of_hosting
import pictures_of_values
import pictures_of_writing
from support.small_png import write_small
from visiting import Server, ask

#: For each game, who plays, the person's moves, and the screens and themes that pages of the documentation show.
GAMES: dict[str, dict[str, Any]] = {
    "knights_and_pawns": {
        "players": {"white": "human", "black": "mcts"},
        "moves": ["(place whitepawn whiteknight whitepawn)", "(move 3 2 4 4)", "(move 4 4 5 6)"],
        "taken": ["wide-light", "wide-dark", "phone-dark"],
    },
    "fox_game": {
        "players": {"fox": "human", "sheep": "mcts"},
        "moves": ["(move 3 3 2 3)", "(move 4 2 5 1)"],
        "taken": ["wide-light"],
    },
    "battle": {
        "players": {"north": "human", "south": "mcts"},
        "moves": ["(move 4 7 4 6)", "(defend 4 6)"],
        "taken": ["phone-light"],
    },
    "sliding_pieces": {
        "players": {"player": "human"},
        "moves": ["(move piece4 south)", "(move piece2 south)"],
        "taken": ["phone-light"],
    },
}

#: What the browser is known by.
BROWSER = "pictures"

SCREENS = {"wide": (1280, 860), "phone": (390, 844)}


def main(folder: Path, part: str = "all") -> None:
    """Start a server, play, and take the pictures; `part` may be one of those in the docstring above."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("GGP_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as matches, sync_playwright() as driver:
        server = Server(Path(matches))
        server.start()
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            if part in ("all", "games"):
                _games(browser, server, folder)
            if part in ("all", "writing"):
                pictures_of_writing.take(browser, server, folder, write_small)
            if part in ("all", "analysis"):
                pictures_of_analysis.take(browser, server, folder, write_small)
            if part in ("all", "values"):
                pictures_of_values.take(browser, server, folder, write_small)
            if part in ("all", "hidden"):
                pictures_of_hidden.take(browser, server, folder, write_small)
            if part in ("all", "hosting"):
                pictures_of_hosting.take(browser, folder, write_small)
        finally:
            browser.close()
            server.stop()


def _games(browser: Any, server: Server, folder: Path) -> None:
    for game, plan in GAMES.items():
        match = _played(server, game, plan)
        for name in plan["taken"]:
            screen, theme = name.split("-")
            width, height = SCREENS[screen]
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=theme, device_scale_factor=1
            )
            page.add_init_script(f"localStorage.setItem('browser', '{BROWSER}')")  # which has made the moves
            page.goto(f"{server.address}/match/{match}")
            page.locator("#status.mine").wait_for(timeout=120_000)
            page.wait_for_timeout(1000)
            write_small(folder / f"{game}-{name}.png", page.screenshot(full_page=screen == "phone"))
            page.close()


def _played(server: Server, game: str, plan: dict[str, Any]) -> str:
    """A match after some moves of the person.

    With a start clock alone, the match begins when the program is ready, and its moves do not depend on the machine.
    """
    body = {"game": game, "players": plan["players"], "seed": 1, "start_clock": 300}
    made = ask(f"{server.address}/api/matches", body)
    address = f"{server.address}/api/matches/{made['id']}"
    person = next(role for role, player in plan["players"].items() if player == "human")

    def ready() -> int:
        while True:
            state = ask(address)["state"]
            if person in state["waiting"]:
                return int(state["plies"])
            time.sleep(0.2)

    for move in plan["moves"]:
        ply = ready() + 1
        ask(f"{address}/move", {"browser": BROWSER, "role": person, "ply": ply, "move": move})
        while ask(address)["state"]["plies"] < ply:
            time.sleep(0.1)
    ready()
    return str(made["id"])


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:3])
