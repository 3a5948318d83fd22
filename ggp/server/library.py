"""The rule files of a server: those that come with the package, those in a folder, and those that were sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from gdl.errors import GdlError
from gdl.language.parser import read_source
from ggp.board.wishes import wishes_beside
from ggp.rules.shipped_games import SUFFIX, ShippedGame, games_folder, shipped_games

#: Characters of a rule file that is sent.
LONGEST: Final = 1_000_000

#: At most so many files are kept of those that were sent.
_MOST_SENT: Final = 500

#: What a game may be called: no path, nothing hidden.
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")

_SENT: Final = "sent"
_OTHERS: Final = "folder"


class LibraryError(GdlError):
    """There is no such game, or it cannot be kept."""

    code = "library"

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a game as they are given to a worker; `wishes` is the text of the file beside them."""

    name: str
    title: str
    text: str
    wishes: str

    @property
    def digest(self) -> str:
        """Tells files with other contents apart."""
        return sha256(f"{self.text}\0{self.wishes}".encode()).hexdigest()[:32]


class Library:
    """Finds games by name: `fox_game`, `classics/othello`; `folder/NAME` and `sent/NAME` for others."""

    def __init__(self, sent: Path, folder: Path | None = None) -> None:
        self._sent = sent
        self._folder = folder

    def listed(self) -> list[dict[str, Any]]:
        """The games in short, in groups."""
        return [
            {"group": group, "name": f"{prefix}{game.name}", "title": _title(game), "text": _description(game)}
            for group, prefix, games in self._groups()
            for game in games
        ]

    def rules(self, name: str) -> Rules:
        """A game by its name. Raises LibraryError, FileError, WishError."""
        for _, prefix, games in self._groups():
            for game in games:
                if prefix + game.name == name:
                    text = read_source(str(game.path)).text
                    wishes_beside(game.path)  # what is wrong with it is told by name
                    beside = game.path.with_name(game.path.name.removesuffix(SUFFIX) + ".board.toml")
                    wishes = beside.read_text(encoding="utf-8") if beside.is_file() else ""
                    return Rules(name, _title(game), text, wishes)
        raise LibraryError(f"there is no game {name}")

    def keep(self, name: str, text: str) -> str:
        """Keep rules that were sent, and give the name by which they are found. Raises LibraryError."""
        plain = name.removesuffix(SUFFIX)
        if not _NAME.fullmatch(plain):
            raise LibraryError("a name of letters, digits, hyphens and underscores is needed")
        if len(text) > LONGEST:
            raise LibraryError(f"the rules have more than {LONGEST:,} characters")
        self._sent.mkdir(parents=True, exist_ok=True)
        path = self._sent / f"{plain}{SUFFIX}"
        number = 1
        while path.exists() and path.read_text(encoding="utf-8", errors="replace") != text:
            number += 1
            path = self._sent / f"{plain}-{number}{SUFFIX}"
        if not path.exists() and sum(1 for _ in self._sent.iterdir()) >= _MOST_SENT:
            raise LibraryError(f"{_MOST_SENT} rule files were sent already; delete some in {self._sent}")
        path.write_text(text, encoding="utf-8")
        return f"{_SENT}/{path.name.removesuffix(SUFFIX)}"

    def _groups(self) -> list[tuple[str, str, tuple[ShippedGame, ...]]]:
        groups = [("Games", "", shipped_games(games_folder()))]
        if self._folder is not None:
            groups.append((self._folder.name or str(self._folder), f"{_OTHERS}/", shipped_games(self._folder)))
        if self._sent.is_dir():
            groups.append(("Your files", f"{_SENT}/", shipped_games(self._sent)))
        return groups


def _title(game: ShippedGame) -> str:
    try:
        wished = wishes_beside(game.path).title
    except GdlError:
        wished = ""
    return wished or game.name.rpartition("/")[2].replace("_", " ").strip().capitalize()


def _description(game: ShippedGame) -> str:
    try:
        return game.description()[:300]
    except OSError:
        return ""
