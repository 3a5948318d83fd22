"""A server, and what a person does at its pages: choosing players, clicking cells, reading what is there."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

#: Seconds that a page may take for anything: programs are compiled meanwhile.
PATIENCE = 90.0


class Server:
    """`ggp serve` in a process of its own, that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self._port}"
        self._process: subprocess.Popen[bytes] | None = None
        #: The seconds from the last start to the first answer.
        self.seconds = 0.0

    def start(self) -> None:
        command = [sys.executable, "-m", "ggp", "serve", "--port", str(self._port), "--matches", str(self._folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        begin = time.monotonic()
        while True:
            try:
                with urlopen(f"{self.address}/static/icon.svg", timeout=5):
                    self.seconds = time.monotonic() - begin
                    return
            except OSError:
                assert time.monotonic() < begin + 60, "the server does not start"
                time.sleep(0.02)

    def kill(self) -> None:
        """End it as a crash would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(timeout=30)


class Visitor:
    """Somebody who looks at a page of a server."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address

    def begin(self, game: str, **players: str) -> None:
        """Set up a match by the form, and start it."""
        self.sets_up(game, **players).click()
        self.page.wait_for_url("**/match/**")

    def sets_up(self, game: str, **players: str) -> Any:
        """Choose players in the form, and return the button that starts the match."""
        self.page.goto(f"{self.address}/new/{game}")
        for role, player in players.items():
            self.page.locator(f"select[data-role={role}]").select_option(player)
        return self.page.get_by_role("button", name="Start")

    def click(self, *cells: tuple[int, int]) -> None:
        """Click cells, by column from the left and row from the top, when there is a move to be made."""
        self.sees("Your move")  # a click that comes sooner means nothing
        for column, row in cells:
            self.page.locator(f'[data-place="0,{column},{row}"]').click(force=True)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def sees(self, text: str) -> None:
        """Wait until the line above the board begins so."""
        self._expect(self.page.locator("#status")).to_contain_text(text, timeout=1000 * PATIENCE)

    def at(self, ply: int, plies: int) -> None:
        """Wait until a ply of so many is shown."""
        self._expect(self.page.locator("#where")).to_have_text(f"{ply} / {plies}", timeout=1000 * PATIENCE)

    def cell(self, column: int, row: int, text: str) -> None:
        """Wait until a cell is called so, by its name or by what stands on it."""
        cell = self.page.locator(f'[data-place="0,{column},{row}"]')
        self._expect(cell).to_have_attribute("aria-label", re.compile(re.escape(text)), timeout=1000 * PATIENCE)

    @property
    def match(self) -> str:
        return str(self.page.url.split("/match/")[1].split("?")[0])

    def moves(self) -> list[list[str]]:
        """The moves that the server has."""
        return ask(f"{self.address}/api/matches/{self.match}/moves")["moves"]

    @staticmethod
    def _expect(locator: Any) -> Any:
        from playwright.sync_api import expect

        return expect(locator)


#: What is looked at: the WCAG's criteria up to AA, and what axe-core calls best practice.
_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def breaks_no_rule(page: Any) -> None:
    """Check a page by axe-core; its context has to bypass the Content-Security-Policy. Skips where axe is missing."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed (extra: browser)")
    violations = axe.Axe().run(page, options=_RULES).response["violations"]
    broken = [(one["id"], node["target"], node.get("failureSummary")) for one in violations for node in one["nodes"]]
    assert not broken, broken
    # Nothing is wider than the screen.
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def ask(address: str, body: object = None) -> Any:
    """The answer of a server, as JSON."""
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(address, data, {"Content-Type": "application/json"}), timeout=PATIENCE) as response:
        return json.load(response)
