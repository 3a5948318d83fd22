"""The rule files that ship with the package, by name: `wolf_sheep`, `classics/connect_four`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from gdl.engine import Engine
from gdl.errors import FileError, GdlError, nearest
from gdl.language.rulesheet import Rulesheet
from gdl.system.files import read_input
from ggp.rules.comments import opening_comment

SUFFIX: Final = ".kif"

#: The number of files in a folder with which an unknown name is compared.
_MOST_FILES: Final = 1000


class UnknownGameError(GdlError):
    """A name is neither that of a file nor that of a shipped game; `files` are the rule files in its folder."""

    code = "unknown-game"

    def __init__(self, name: str, known: tuple[str, ...], files: tuple[str, ...] = ()) -> None:
        """Keep the unknown name, the known ones, and the files that may be meant."""
        self.name = name
        self.known = known
        self.files = files
        super().__init__(name, known, files)

    def __str__(self) -> str:
        """Return the name in question with the most similar files, or else games."""
        stems = [file.removesuffix(SUFFIX) for file in self.files]
        near = [str(Path(self.name).with_name(stem + SUFFIX)) for stem in nearest(_bare(self.name), stems, 3, 0.7)]
        near = near or nearest(_bare(self.name), sorted(set(map(_bare, self.known))), 3)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `ggp games` lists the games"
        return f"{self.code}: no file and no game {self.name}{hint}"


class AmbiguousGameError(GdlError):
    """Several shipped games have the name."""

    code = "ambiguous-game"

    def __init__(self, name: str, candidates: tuple[str, ...]) -> None:
        """Keep the name and the games that have it."""
        self.name = name
        self.candidates = candidates
        super().__init__(name, candidates)

    def __str__(self) -> str:
        """Return the name in question with the games that have it."""
        return f"{self.code}: {self.name} may be any of {', '.join(self.candidates)}"


@dataclass(frozen=True, slots=True)
class ShippedGame:
    """A rule file of the package: `name` is its path below the games folder, without suffix, with forward slashes."""

    name: str
    path: Path

    def description(self) -> str:
        """Return the first sentence of the comment at the top of the file, after its title; empty if there is none."""
        return opening_comment(read_input(self.path).decode(errors="replace")).first_sentence

    def roles(self) -> tuple[str, ...]:
        """Return the roles that the file declares, in its order. Raises RulesheetError."""
        rules = Rulesheet.load(self.path).defining(("role", 1))
        return tuple(str(rule.head.args[0]) for rule in rules if not rule.body)


def games_folder() -> Path:
    """Return the folder of the shipped rule files: inside an installed package, next to it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "games"
    return inside if inside.is_dir() else package.parent / "games"


def shipped_games(folder: Path | None = None) -> tuple[ShippedGame, ...]:
    """Return the shipped games: first those at the top level, then those of each folder, by name."""
    root = folder or games_folder()
    games = [ShippedGame(path.relative_to(root).with_suffix("").as_posix(), path) for path in root.rglob(f"*{SUFFIX}")]
    return tuple(sorted(games, key=lambda game: (game.name.count("/"), game.name)))


def find_game(name: str, folder: Path | None = None) -> Path:
    """Return the rule file for a path, or for the name of a shipped game.

    The name may leave out folder and suffix, and case does not matter. An existing file takes precedence. Raises
    `UnknownGameError`, `AmbiguousGameError`, or `gdl.FileError` for a folder.
    """
    games = shipped_games(folder)
    wanted = name.replace("\\", "/").lower().removesuffix(SUFFIX)
    exact = [game for game in games if game.name.lower() == wanted]
    matches = exact or [game for game in games if "/" not in wanted and _bare(game.name) == wanted]
    path = Path(name)
    try:
        is_folder, exists = bool(name) and path.is_dir(), path.exists()
    except OSError as error:  # no permission, a name too long
        raise FileError(name, error.strerror or str(error)) from None
    if name and exists and not is_folder:
        return path
    if len(matches) == 1:
        return matches[0].path
    if matches:
        raise AmbiguousGameError(name, tuple(game.name for game in matches))
    if is_folder:
        raise FileError(name, "a folder, not a rule file")
    raise UnknownGameError(name, tuple(game.name for game in games), _rule_files_beside(path))


def _rule_files_beside(path: Path) -> tuple[str, ...]:
    """Return the names of the rule files in the folder of a path."""
    try:
        with os.scandir(path.parent) as entries:
            names = (entry.name for entry in entries if entry.name.endswith(SUFFIX))
            return tuple(sorted(islice(names, _MOST_FILES))) if path.name else ()
    except (OSError, ValueError):  # no such folder, no permission, a null byte
        return ()


def load_game(rules: str | Path | Rulesheet | Engine) -> tuple[Engine, str]:
    """Return an engine for a game and the name of the game.

    A string is a path or the name of a shipped game, as on the command line. An engine is returned as it is; for
    everything else the engine is a Reasoner. Raises `UnknownGameError`, `AmbiguousGameError`, `gdl.FileError`,
    `gdl.RulesheetError`.
    """
    from gdl.reasoner.reasoner import Reasoner

    if isinstance(rules, str | Path):
        path = find_game(str(rules))
        return Reasoner.load(path), game_name(path)
    game = Reasoner(rules) if isinstance(rules, Rulesheet) else rules
    rulesheet = getattr(game, "rulesheet", None)
    return game, game_name(Path(rulesheet.source.name)) if isinstance(rulesheet, Rulesheet) else ""


def game_name(path: Path) -> str:
    """Return the name of a rule file in records and on screen: the file's name without its suffix."""
    return path.name.removesuffix(SUFFIX)


def _bare(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2].removesuffix(SUFFIX).lower()
