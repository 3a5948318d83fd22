"""Previews of games in their initial position, computed once for each rule file and cached."""

from __future__ import annotations

import asyncio
import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from ggp.board.drawing.elements import Element, element, group
from ggp.board.drawing.palette import style
from ggp.match.whole_file import write_whole
from ggp.server.game_client import GameClients
from ggp.server.library import Rules

#: The largest number of game processes that make previews at a time.
_TOGETHER: Final = 2

#: The largest number of previews kept in memory.
_MOST: Final = 200


class Previews:
    """Previews by the contents of rule files, cached in memory and in a folder."""

    def __init__(self, folder: Path, clients: GameClients) -> None:
        """Use the previews in a folder, which is created when needed."""
        self._folder = folder
        self._code = _code()
        self._clients = clients
        self._known: dict[str, dict[str, Any]] = {}
        self._room = asyncio.Semaphore(_TOGETHER)

    async def preview(self, rules: Rules) -> dict[str, Any]:
        """Return a game and its initial position. Raises GameClientError, EndlessError."""
        key = rules.digest
        found = self._known.get(key)
        if found is None:
            found = self._read(key)
        if found is None:
            found = await self._ask(rules.name.rpartition("/")[2], rules.text, rules.wishes)
            self._write(key, found)
        if len(self._known) >= _MOST:
            self._known.pop(next(iter(self._known)))
        self._known[key] = found
        return found

    async def drawing(self, rules: Rules) -> str:
        """Return the initial position as an SVG document. Raises GameClientError, EndlessError."""
        found = await self.preview(rules)
        game, position = found["game"], found["position"]
        width, height = game["width"] or 200, game["height"] or 80
        parts = [*game["ground"], *position["under"], *position["pieces"], *position["over"]]
        root = element(
            "svg",
            Element("style", {}, (style(),)),
            group(map(_element, parts)),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {width:g} {height:g}",
        )
        return root.text()

    async def check(self, name: str, text: str) -> None:
        """Check that rules can be used. Raises GameClientError, EndlessError."""
        await self._ask(name, text, "")

    async def _ask(self, name: str, text: str, wishes: str) -> dict[str, Any]:
        async with self._room:
            client = await self._clients.take(lambda _: None)
            try:
                answer = await client.ask("open", rules=text, name=name, wishes=wishes)
                return {"game": answer["game"], "position": answer["position"]}
            finally:
                client.close()

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.{self._code}.json"

    def _read(self, key: str) -> dict[str, Any] | None:
        """Return a preview from the folder; None if it is missing or damaged."""
        try:
            digest, _, text = self._file(key).read_text(encoding="utf-8").partition("\n")
        except (OSError, ValueError):
            return None
        if digest != _digest(text):
            return None
        found: dict[str, Any] = json.loads(text)
        return found

    def _write(self, key: str, found: dict[str, Any]) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(found)
            write_whole(self._file(key), f"{_digest(text)}\n{text}")
        except OSError:
            pass  # without the cache, it is computed again after a restart


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _code() -> str:
    """Return a hash of the code that draws, so that previews of other versions are not used."""
    package = Path(__file__).parent.parent
    files = sorted([*(package / "board").rglob("*.py"), package / "server" / "table.py"])
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _element(data: list[Any]) -> Element:
    """Return an element from the data that `Element.data` wrote."""
    name, attributes, *children = data
    return Element(name, attributes, tuple(c if isinstance(c, str) else _element(c) for c in children))
