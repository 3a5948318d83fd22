"""Measures what people wait for at the pages: `PYTHONPATH=.:tests python tests/browser/latency.py [--matches 8]`.

Prints a table in Markdown: from the start of `ggp serve` to all cards, from there to the first own move in each of the
five games, both with empty caches and with those of the run before; and from a click to the position after it, while
matches of programs keep the machine busy. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from visiting import Server, Visitor, ask

#: A person against a program in each of the five games; the person moves first, or at the same time.
GAMES = {
    "battle": {"north": "human", "south": "auto"},
    "fox_game": {"fox": "human", "sheep": "auto"},
    "knights_and_pawns": {"white": "human", "black": "auto"},
    "sliding_pieces": {"player": "human"},
    "wolf_sheep": {"wolf": "human", "sheep": "auto"},
}

#: Whole matches of tic-tac-toe between two people, whose clicks are timed.
ROUNDS = 12


def main() -> None:
    """Measure, and print the table."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--matches", type=int, default=8, help="matches of programs under way during the clicks")
    matches = options.parse_args().matches
    print("| what | empty caches | filled caches |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GDL_CACHE"] = str(Path(folder) / "cache")
        cold, warm = (dict(starts(Path(folder) / "matches")) for _ in range(2))
        for what, seconds in cold.items():
            print(f"| {what} | {seconds:.2f} s | {warm[what]:.2f} s |", flush=True)
        times = sorted(clicks(Path(folder) / "matches", matches))
    p95 = times[int(0.95 * len(times))]
    print(
        f"\nFrom a click to the next position, {matches} matches of programs under way, {len(times)} clicks: median"
        f" {1000 * statistics.median(times):.0f} ms, p95 {1000 * p95:.0f} ms, slowest {1000 * times[-1]:.0f} ms."
    )


def starts(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield what a person waits for after the start of a server, and the seconds."""
    with served(folder) as (server, browser):
        yield "`ggp serve` answers", server.seconds
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        begin = time.monotonic()
        page.goto(server.address)
        page.locator("a.game").first.wait_for()
        yield "the first card", time.monotonic() - begin
        # Pictures that are out of sight are loaded when they come into sight.
        page.evaluate("document.querySelectorAll('a.game img').forEach((one) => { one.loading = 'eager'; })")
        # Asked again and again, as the pages allow no scripts that are texts, by which Playwright would wait.
        while not page.evaluate("[...document.querySelectorAll('a.game img')].every((one) => one.complete)"):
            page.wait_for_timeout(20)
        yield "all cards, with pictures", time.monotonic() - begin
        for game, players in GAMES.items():
            visitor = Visitor(page, server.address)
            start = visitor.sets_up(game, **players)
            page.wait_for_timeout(1000)  # somebody reads what there is to choose
            begin = time.monotonic()
            start.click()
            page.locator("#status.mine").wait_for(timeout=300_000)
            yield f"{game}: from *Start* to one's first own move", time.monotonic() - begin
            ask(f"{server.address}/api/matches/{visitor.match}/end", {})
        page.close()


def clicks(folder: Path, matches: int) -> Iterator[float]:
    """Yield the seconds from clicks to the positions after them, while programs play each other."""
    with served(folder) as (server, browser):
        for number in range(matches):
            game, roles = [("classics/breakthrough", ("white", "black")), ("wolf_sheep", ("wolf", "sheep"))][number % 2]
            players = dict.fromkeys(roles, "auto")
            ask(f"{server.address}/api/matches", {"game": game, "players": players, "seed": number, "play_clock": 2})
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        for _ in range(ROUNDS):
            visitor = Visitor(page, server.address)
            visitor.begin("classics/tic_tac_toe", xplayer="human", oplayer="human")
            for ply, cell in enumerate([(0, 0), (1, 1), (2, 2), (0, 2), (2, 0), (1, 0), (1, 2)]):
                visitor.at(ply, ply)
                visitor.sees("Your move")
                before = time.monotonic()
                visitor.click(cell)
                # Looked at with every frame, unlike expectations, which wait longer and longer.
                page.locator(f'#where:text-is("{ply + 1} / {ply + 1}")').wait_for()
                yield time.monotonic() - before
        page.close()


@contextmanager
def served(folder: Path) -> Iterator[tuple[Server, Any]]:
    """Run a server and a browser."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("GGP_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        server = Server(folder)
        try:
            server.start()
            yield server, browser
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main()
