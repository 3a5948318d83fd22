"""The pictures of games with hidden information, as a person at a seat sees them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from visiting import Server, ask

Write = Callable[[Path, bytes], None]

#: The role of the person, the player of the other, and the person's moves.
GAMES: dict[str, tuple[str, str, str, list[str]]] = {
    "kuhn_poker": ("alice", "bob", "legal", ["check"]),
    "kriegspiel_tic_tac_toe": ("x", "o", "legal", ["(mark 2 2)"]),
    "blind_breakthrough_6x6": (
        "white", "black", "legal", ["(move 3 2 3 3)", "(move 3 3 3 4)", "(move 3 4 3 5)"],
    ),
}  # fmt: skip

#: The screens and themes of the pictures.
TAKEN = {"wide-light": (1280, 860)}


def take(browser: Any, server: Server, folder: Path, write: Write) -> None:
    """Play some moves of each game, and take pictures of the person's page."""
    for game, (person, other, program, moves) in GAMES.items():
        players = {person: "human", other: program}
        made = ask(f"{server.address}/api/matches", {"game": f"hidden/{game}", "players": players, "seed": 1})
        seat = made["seats"][person]
        for name, (width, height) in TAKEN.items():
            theme = name.split("-")[1]
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
            page = context.new_page()
            page.goto(f"{server.address}/match/{made['id']}?as={person}&seat={seat}")
            if name == next(iter(TAKEN)):
                for move in moves:
                    page.locator("#status.mine").wait_for()
                    page.locator(f'#moves [data-move="{move}"]').click()
                    page.locator(f'#history button:has-text("{move.strip("()")}")').first.wait_for()
            page.locator("#status.mine").wait_for()
            page.locator("#belief-hint", has_text="By all that").wait_for()
            page.wait_for_timeout(700)
            write(folder / f"{game}-{name}.png", page.screenshot(full_page=name.startswith("phone")))
            context.close()
