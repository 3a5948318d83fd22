"""Takes the pictures in docs/pictures: `python tests/browser/pictures.py docs/pictures`.

Each of the five games after some moves, on a wide screen and on a phone, in light and in dark.
"""

from __future__ import annotations

import os
import shutil
import struct
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from visiting import Server, ask

GAMES: dict[str, dict[str, Any]] = {
    "wolf_sheep": {
        "players": {"wolf": "human", "sheep": "mcts"},
        "moves": ["(move c4 c8 c5 c7)", "(move c5 c7 c4 c6)"],
    },
    "knights_and_pawns": {
        "players": {"white": "human", "black": "mcts"},
        "moves": ["(place whitepawn whiteknight whitepawn)", "(move 3 2 4 4)", "(move 4 4 5 6)"],
    },
    "fox_game": {
        "players": {"fox": "human", "sheep": "mcts"},
        "moves": ["(move 3 3 2 3)", "(move 4 2 5 1)"],
    },
    "battle": {"players": {"north": "human", "south": "mcts"}, "moves": ["(move 4 7 4 6)", "(defend 4 6)"]},
    "sliding_pieces": {"players": {"player": "human"}, "moves": ["(move piece4 south)", "(move piece2 south)"]},
}

SCREENS = {"wide": (1280, 860), "phone": (390, 844)}


def main(folder: Path) -> None:
    """Start a server, play, and take the pictures."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("GGP_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as matches, sync_playwright() as driver:
        server = Server(Path(matches))
        server.start()
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            for game, plan in GAMES.items():
                match = _played(server, game, plan)
                for theme in ("light", "dark"):
                    for screen, (width, height) in SCREENS.items():
                        page = browser.new_page(
                            viewport={"width": width, "height": height}, color_scheme=theme, device_scale_factor=1
                        )
                        page.goto(f"{server.address}/match/{match}")
                        page.locator("#status.mine").wait_for(timeout=120_000)
                        page.wait_for_timeout(1000)
                        _write(folder / f"{game}-{screen}-{theme}.png", page.screenshot(full_page=screen == "phone"))
                        page.close()
            for theme in ("light", "dark"):
                page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme=theme)
                page.goto(server.address)
                page.wait_for_load_state("networkidle")
                page.wait_for_timeout(2000)
                _write(folder / f"games-{theme}.png", page.screenshot())
                page.close()
        finally:
            browser.close()
            server.stop()


def _write(path: Path, png: bytes) -> None:
    """Write a picture in at most 256 colours, as pages have few: a third of the size."""
    size, pixels = _pixels(png)
    packed = pixels.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    colours, counts = np.unique(packed, return_counts=True)
    kept = colours[np.argsort(-counts)[:256]]
    palette = np.stack([kept >> 16, kept >> 8 & 255, kept & 255], axis=1).astype(np.int32)
    every = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(np.int32)
    nearest = np.array([np.argmin(((palette - colour) ** 2).sum(axis=1)) for colour in every], np.uint8)
    rows = nearest[np.searchsorted(colours, packed)].reshape(size[1], size[0])
    data = zlib.compress(np.hstack([np.zeros((size[1], 1), np.uint8), rows]).tobytes(), 9)
    header = struct.pack(">IIBBBBB", *size, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", palette.astype(np.uint8).tobytes()), (b"IDAT", data), (b"IEND", b""))
    written = b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + written)


def _pixels(png: bytes) -> tuple[tuple[int, int], Any]:
    """The size and the colours (pixels, 3) of a picture as browsers take them: 8 bits, transparency or none."""
    at, data, size, depth = 8, b"", (0, 0), 3
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            size, depth = struct.unpack(">II", body[:8]), 4 if body[9] == 6 else 3
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    raw = np.frombuffer(zlib.decompress(data), np.uint8).reshape(size[1], 1 + size[0] * depth)
    above = np.zeros(size[0] * depth, np.int32)
    lines = []
    for line in raw:
        above = _unfiltered(int(line[0]), line[1:].astype(np.int32), above, depth)
        lines.append(above.reshape(-1, depth)[:, :3])
    return size, np.concatenate(lines)


def _unfiltered(kind: int, line: Any, above: Any, depth: int) -> Any:
    """A row without its filter (PNG specification, section 9)."""
    if kind in (0, 2):
        return (line + above) % 256 if kind else line
    if kind == 1:
        return np.cumsum(line.reshape(-1, depth), axis=0).reshape(-1) % 256
    row, upper = line.tolist(), above.tolist()
    found = [0] * len(row)
    for i, value in enumerate(row):
        left, corner = (found[i - depth], upper[i - depth]) if i >= depth else (0, 0)
        up = upper[i]
        if kind == 3:
            guess = (left + up) // 2
        else:
            a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            guess = left if a <= b and a <= c else up if b <= c else corner
        found[i] = (value + guess) % 256
    return np.array(found, np.int32)


def _played(server: Server, game: str, plan: dict[str, Any]) -> str:
    """A match after some moves of the person."""
    import time

    made = ask(f"{server.address}/api/matches", {"game": game, "players": plan["players"], "seed": 1})
    address = f"{server.address}/api/matches/{made['id']}"
    patience = 10 if "mcts" in plan["players"].values() else 0
    person = next(role for role, player in plan["players"].items() if player == "human")

    def ready() -> int:
        while True:
            state = ask(address)["state"]
            if person in state["waiting"]:
                return int(state["plies"])
            time.sleep(0.2)

    for move in plan["moves"]:
        ply = ready() + 1
        ask(f"{address}/move", {"role": person, "ply": ply, "move": move})
        while ask(address)["state"]["plies"] < ply:
            time.sleep(0.1)
        time.sleep(patience)  # until the program has compiled the game
    ready()
    return str(made["id"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
