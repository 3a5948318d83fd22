"""The pictures of a board that is shaded by what its cells add to a learned value, on the page of an analysis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from visiting import Server, ask

Write = Callable[[Path, bytes], None]

#: The screens and themes of the pictures.
TAKEN = {"wide-light": (1280, 930), "phone-dark": (390, 844)}

#: A pawn comes ahead, and another one guards its way.
MOVES = ("(move 4 2 4 3)", "(move 5 7 5 6)", "(move 4 3 5 4)", "(move 5 6 4 5)")


def take(browser: Any, server: Server, folder: Path, write: Write) -> None:
    """Look at a position of breakthrough, and take a picture on each screen."""
    path = f"/analyse/{_begun(server)}"
    for name, (width, height) in TAKEN.items():
        screen, theme = name.split("-")
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
        page.goto(server.address + path)
        for ply in range(len(MOVES)):
            page.locator("#where").get_by_text(f"ply {ply}").wait_for()
            page.keyboard.press("ArrowRight")
        page.get_by_role("button", name="What the value is made of").click()
        page.locator("#value-card strong").wait_for()
        page.mouse.move(0, 0)
        page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
        page.wait_for_timeout(1000)
        if screen == "phone":  # up to the end of the list
            height = int(page.evaluate("document.querySelector('#value-card').getBoundingClientRect().bottom")) + 12
        write(folder / f"value-{name}.png", page.screenshot(full_page=True, clip=_area(width, height)))
        page.close()


def _area(width: int, height: int) -> dict[str, int]:
    return {"x": 0, "y": 0, "width": width, "height": height}


def _begun(server: Server) -> str:
    """An analysis with a line of moves."""
    made = str(ask(f"{server.address}/api/analyses", {"game": "classics/breakthrough"})["id"])
    joint = [[move, "noop"] if ply % 2 == 0 else ["noop", move] for ply, move in enumerate(MOVES)]
    rows = [{}, *({"after": ply, "moves": moves} for ply, moves in enumerate(joint))]
    ask(f"{server.address}/api/analyses/{made}/variations", {"variations": rows})
    return made
