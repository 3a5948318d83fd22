"""Draws the boards of many rule files on one sheet.

    PYTHONPATH=.:tests python tests/board/contact_sheet.py FOLDER SHEET [NAME ...]

SHEET is a PNG file. Each rule file of FOLDER is drawn after some random moves, with its name above; names of files
choose some of them. Where there is no drawing, because a file cannot be read or takes too long, there is the reason.
Look at every drawing: is it what people would draw?
"""

from __future__ import annotations

import re
import sys
from concurrent.futures import ProcessPoolExecutor
from math import ceil, sqrt
from pathlib import Path
from random import Random
from typing import Final

from support.small_png import write_small

from gdl.errors import GdlError
from gdl.reasoner.budget import DerivationBudget
from gdl.reasoner.reasoner import Reasoner
from ggp.board.drawing.elements import element
from ggp.board.drawing.svg import svg
from ggp.board.finding.find import find_boards
from ggp.environments.pixels import png_of

#: The plies before the drawing, the width and height of a drawing, and the room for the name above it, in pixels.
PLIES: Final = 6
SIZE: Final = 200
NAME: Final = 20

#: Seconds for one question about a game.
SECONDS: Final = 20.0


def drawing(path: Path) -> str:
    """Return the drawing of a game after some random moves, or the reason why there is none, as an SVG element."""
    try:
        game = Reasoner.load(path, budget=DerivationBudget(seconds=SECONDS))
        random = Random(1)
        states, moves = [game.initial_state()], None
        for _ in range(PLIES):
            if game.is_terminal(states[-1]):
                break
            moves = {role: random.choice(game.legal_moves(states[-1], role)) for role in game.roles}
            states.append(game.next_state(states[-1], moves))
        before = states[-2] if len(states) > 1 else None
        return svg(find_boards(game), states[-1], last_moves=moves, before=before, theme="light")
    except GdlError as error:
        return element("text", str(error)[:60], x=4, y=20, font_size=11).text()


def sheet(paths: list[Path], drawings: list[str]) -> str:
    """Return all drawings in rows, each with the name of its file."""
    columns = ceil(sqrt(1.3 * len(paths)))
    rows = ceil(len(paths) / columns)
    width, height = columns * (SIZE + 10), rows * (SIZE + NAME + 10)
    parts = []
    for number, (path, drawn) in enumerate(zip(paths, drawings, strict=True)):
        x, y = number % columns * (SIZE + 10) + 5, number // columns * (SIZE + NAME + 10) + 5
        name = path.name.removesuffix(".kif")[:28]
        parts.append(element("text", name, x=x + 2, y=y + 14, font_size=13, font_family="sans-serif").text())
        box = f'x="{x}" y="{y + NAME}" width="{SIZE}" height="{SIZE}"'
        if drawn.startswith("<svg"):
            bare = re.sub(r' (width|height)="[^"]*"', "", drawn[: drawn.index(">")])
            parts.append(f"{bare} {box}{drawn[drawn.index('>') :]}")
        else:
            parts.append(f"<svg {box}>{drawn}</svg>")
    root = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
    return f"{root}{''.join(parts)}</svg>"


def main(folder: Path, target: Path, names: list[str]) -> None:
    """Draw the files, and write the sheet."""
    paths = [folder / f"{name}.kif" for name in names] or sorted(
        folder.glob("*.kif"), key=lambda path: path.name.lower()
    )
    with ProcessPoolExecutor(2) as pool:
        drawings = list(pool.map(drawing, paths))
    write_small(target, png_of(sheet(paths, drawings), background="#ffffff"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
