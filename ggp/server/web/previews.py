"""Previews of games in their initial position, and how to play them, computed once for each rule file and cached."""

from __future__ import annotations

import asyncio
import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from gdl.system.files import read_input, write_whole
from ggp.board.drawing.elements import Element, element, group
from ggp.board.drawing.palette import style
from ggp.board.drawing.tally import SIDE, tally
from ggp.server.messages import HowToPlay, Json, Open
from ggp.server.web.game_client import GameClients
from ggp.server.web.library import Rules

#: The largest number of game processes that make previews at a time.
_TOGETHER: Final = 2

#: The largest number of answers kept in memory.
_MOST: Final = 200

#: The largest number of bytes of the folder; what was not used for the longest time is deleted first.
_ROOM: Final = 64 << 20


#: What a position adds to the ground, bottom layer first.
_LAYERS: Final = ("under", "pieces", "over")


class Previews:
    """Previews by the contents of rule files, cached in memory and in a folder."""

    def __init__(self, folder: Path, clients: GameClients, room: int = _ROOM) -> None:
        """Use the previews in a folder, which is created when needed and holds at most `room` bytes."""
        self._folder = folder
        self._most_bytes = room
        self._code = _code()
        self._clients = clients
        self._known: dict[str, Json] = {}
        self._turn = asyncio.Semaphore(_TOGETHER)

    async def preview(self, rules: Rules) -> Json:
        """Return a game and its initial position. Raises GameClientError, EndlessError."""
        return await self._cached(rules, how=False)

    async def how_to_play(self, rules: Rules) -> Json:
        """Return how to play a game, and its rules. Raises GameClientError, EndlessError."""
        return await self._cached(rules, how=True)

    async def _cached(self, rules: Rules, *, how: bool) -> Json:
        key = f"{rules.digest}.how" if how else rules.digest
        # The one used last is at the end.
        found = self._known.pop(key, None) or self._read(key)
        if found is None:
            found = await self._ask(rules.name.rpartition("/")[2], rules.text, rules.wishes, how=how)
            self._write(key, found)
        if len(self._known) >= _MOST:
            self._known.pop(next(iter(self._known)))
        self._known[key] = found
        return found

    async def drawing(self, rules: Rules) -> str:
        """Return the initial position as an SVG document. Raises GameClientError, EndlessError."""
        found = await self.preview(rules)
        game, position = found["game"], found["position"]
        width, height = game["width"] or SIDE, game["height"] or SIDE
        parts = [_element(one) for part in (game["ground"], *(position[name] for name in _LAYERS)) for one in part]
        if not game["width"]:
            notes = [(name, rows) for name, rows in position["notes"]]
            words = {word: shown["text"] for word, shown in position["words"].items()}
            parts = tally(notes, words or (dict.fromkeys("1234", "?") if not notes else {}))
        root = element(
            "svg",
            Element("style", {}, (style(),)),
            group(parts),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {width:g} {height:g}",
        )
        return root.text()

    async def check(self, name: str, text: str) -> None:
        """Check that rules can be used. Raises GameClientError, EndlessError."""
        await self._ask(name, text, "", how=False)

    async def _ask(self, name: str, text: str, wishes: str, *, how: bool) -> Json:
        async with self._turn, self._clients.lend() as client:
            opened = await client.ask(Open(text, name, wishes))
            return await client.ask(HowToPlay()) if how else {**opened}

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.{self._code}.json"

    def _read(self, key: str) -> Json | None:
        """Return a preview from the folder; None if it is missing or damaged."""
        try:
            file = self._file(key)
            digest, _, text = read_input(file).decode().partition("\n")
            os.utime(file)  # it is in use, so it stays
        except (OSError, ValueError):
            return None
        if digest != _digest(text):
            return None
        return dict(json.loads(text))

    def _write(self, key: str, found: Json) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(found)
            write_whole(self._file(key), f"{_digest(text)}\n{text}")
            self._make_room()
        except OSError:
            pass  # without the cache, it is computed again after a restart

    def _make_room(self) -> None:
        """Delete the files that were not used for the longest time, if all together are too large. Raises OSError."""
        files = [
            (status.st_mtime_ns, status.st_size, file)
            for file in self._folder.glob("*.json")
            if (status := file.stat())
        ]
        size = sum(entry[1] for entry in files)
        for _, own, file in sorted(files):
            if size <= self._most_bytes:
                break
            file.unlink(missing_ok=True)
            size -= own


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _code() -> str:
    """Return a hash of the code that draws and words, so that previews of other versions are not used."""
    package = Path(__file__).parents[2]
    pages = [package / "server" / "game" / f"{name}.py" for name in ("choosing", "table")]
    words = [package / "rules" / f"{name}.py" for name in ("comments", "how_to_play", "wording")]
    files = sorted([*(package / "board").rglob("*.py"), *words, *pages])
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _element(data: list[Any]) -> Element:
    """Return an element from the data that `Element.data` wrote."""
    name, attributes, *children = data
    return Element(name, attributes, tuple(c if isinstance(c, str) else _element(c) for c in children))
