"""The rule files of a server: the shipped ones, those in a folder, and uploaded ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from gdl.engine import is_nature
from gdl.errors import GdlError
from gdl.language.parser import read_source
from gdl.system.files import read_input, write_whole
from gdl.terms import name_key
from ggp.board.wishes import text_of, wishes_beside
from ggp.players.learned_values.value import value_beside
from ggp.rules.shipped_games import SUFFIX, ShippedGame, games_folder, shipped_games
from ggp.rules.titles import title_of
from ggp.server.messages import Json

#: The largest uploaded rule file, in characters.
LONGEST: Final = 1_000_000

#: The largest number of uploaded rule files that are kept.
_MOST_SENT: Final = 500

#: Valid names of games, which are neither paths nor hidden files.
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")

_COMMENT: Final = re.compile(r";.*")
_ROLE: Final = re.compile(r"\(\s*role\s+([^\s()?]+)\s*\)", re.IGNORECASE)
_SEES: Final = re.compile(r"\(\s*sees\s", re.IGNORECASE)

_SENT: Final = "sent"
_OTHERS: Final = "folder"


class LibraryError(GdlError):
    """A game does not exist, or cannot be kept."""

    code = "library"


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a game for a game process. `wishes` is the text of a board file, or empty."""

    name: str
    title: str
    text: str
    wishes: str

    @property
    def digest(self) -> str:
        """A hash of the rules and the board file, in hexadecimal digits."""
        return sha256(f"{self.text}\0{self.wishes}".encode(errors="surrogateescape")).hexdigest()[:32]


class Library:
    """Finds games by name: `fox_game` or `classics/othello`; others as `folder/NAME` and `sent/NAME`."""

    def __init__(self, sent: Path, folder: Path | None = None) -> None:
        """Keep uploaded rules in the folder `sent`, and also offer those in `folder`."""
        self._sent = sent
        self._folder = folder

    def listed(self) -> list[Json]:
        """Return a summary of each game, group by group."""
        return [
            {
                "group": group,
                "name": f"{prefix}{game.name}",
                "title": _title(game),
                "text": _description(game),
                **_traits(game.path, game.path.stat().st_mtime_ns),
            }
            for group, prefix, games in self._groups()
            for game in games
        ]

    def rules(self, name: str) -> Rules:
        """Return a game by its name. Raises LibraryError, FileError, WishError."""
        for _, prefix, games in self._groups():
            for game in games:
                if prefix + game.name == name:
                    text = read_source(str(game.path)).text
                    return Rules(name, _title(game), text, text_of(wishes_beside(game.path)))
        raise LibraryError(f"there is no game {name}")

    def has(self, name: str) -> bool:
        """Return True if there is a game with this name."""
        return any(prefix + game.name == name for _, prefix, games in self._groups() for game in games)

    def learned(self, name: str) -> Path | None:
        """Return the file of learned values beside the rules of a game; None if there is none.

        Records name games without their folders, so any game with the same last part of the name will do: whoever reads
        the file has to compare the rules.
        """
        own = name.rpartition("/")[2]
        games = [(prefix + game.name, game) for _, prefix, games in self._groups() for game in games]
        alike = [(full, game.path) for full, game in games if full.rpartition("/")[2] == own]
        files = (value_beside(path) for full, path in sorted(alike, key=lambda one: one[0] != name))
        return next(filter(None, files), None)

    def keep(self, name: str, text: str) -> str:
        """Store uploaded rules and return the name of the game. Raises LibraryError."""
        plain = name.removesuffix(SUFFIX)
        if not _NAME.fullmatch(plain):
            raise LibraryError("a name consists of letters, digits, dots, hyphens and underscores")
        if len(text) > LONGEST:
            raise LibraryError(f"the rules have more than {LONGEST:,} characters")
        self._sent.mkdir(parents=True, exist_ok=True)
        path = self._sent / f"{plain}{SUFFIX}"
        number = 1
        while path.exists() and not _holds(path, text):
            number += 1
            path = self._sent / f"{plain}-{number}{SUFFIX}"
        if not path.exists() and sum(1 for _ in self._sent.iterdir()) >= _MOST_SENT:
            raise LibraryError(f"there are already {_MOST_SENT} uploaded rule files; delete some in {self._sent}")
        write_whole(path, text)
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
    return wished or title_of(game.name)


def _description(game: ShippedGame) -> str:
    try:
        return game.description()[:300]
    except OSError:
        return ""


@lru_cache(maxsize=1000)
def _traits(path: Path, changed: int) -> Json:  # noqa: ARG001
    """Return how many people can play, and whether chance and hidden information are part of the game.

    It is read off the text, as rules need not be valid to be listed; `changed` is the time of the last change.
    """
    try:
        text = _COMMENT.sub("", read_input(path).decode(errors="replace"))
    except OSError:
        text = ""
    roles = {name_key(name) for name in _ROLE.findall(text)}
    chance = any(map(is_nature, roles))
    return {"people": len(roles) - chance, "chance": chance, "hidden": bool(_SEES.search(text))}


def _holds(path: Path, text: str) -> bool:
    """Return True if a file has this text."""
    try:
        return read_input(path).decode(errors="replace") == text
    except OSError:
        return False
