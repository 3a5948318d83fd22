"""Make players by name: those that come with the package, and any player class of your own."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final, cast

from gdl.errors import GdlError, nearest
from ggp.players.registry import PLAYERS, Value

if TYPE_CHECKING:
    from ggp.players.player import Player

#: A player with options, and one of these.
_OPTIONS: Final = re.compile(r"(?P<name>[^()]+)\((?P<options>[^()]*)\)")
_OPTION: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*?)\s*")


def functions_of(name: str) -> tuple[str, ...]:
    """Return the modules of a player's functions that are compiled by Numba; none for players of your own."""
    entry = PLAYERS.get(_split(name)[0])
    found: tuple[str, ...] = () if entry is None else getattr(entry.load(), "functions", ())
    return found


class UnknownPlayerError(GdlError):
    """No player has the given name."""

    code = "unknown-player"

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        """Keep the unknown name and the names that are known."""
        self.name = name
        self.known = known
        super().__init__(name, known)

    def __str__(self) -> str:
        """Return one line with the known names and, if one is close, a suggestion."""
        near = nearest(self.name.lower(), self.known)
        hint = f"; did you mean {near[0]}?" if near else ""
        return (
            f"{self.code}: no player {self.name}; the players are {', '.join(self.known)}, "
            f"or a class of your own as FILE.py:CLASS or MODULE:CLASS{hint}"
        )


class PlayerLoadError(GdlError):
    """A player cannot be created."""

    code = "player-load"
    template = "{code}: {0}: {1}"

    def __init__(self, name: str, reason: str) -> None:
        """Keep the player's name as it was given, and the reason in one line."""
        self.name = name
        self.reason = reason
        super().__init__(name, reason)


def is_foreign(name: str) -> bool:
    """Return True if a player's name denotes a class that is loaded by `FILE.py:CLASS` or `MODULE:CLASS`."""
    plain, _, _ = _split(name)
    where, _, class_name = plain.rpartition(":")
    return plain not in PLAYERS and bool(where and class_name)


def make_player(name: str) -> Player:
    """Return a new player: one of `PLAYERS`, or an instance of the class `FILE.py:CLASS` or `MODULE:CLASS`.

    The code of such a class is run in this process; `ggp.match.isolation.local` runs it in another one.

    Options may follow in parentheses: `mcts(simulations=1000)`. The first one of `learned` and `onnx` is a file, as may
    be that of `planner`: `learned(FILE.learned,nodes=1000)`. The name of a file may stand for the player, too:
    `FILE.learned(nodes=1000)`, `FILE.onnx`. Raises `UnknownPlayerError` if there is no such player, and
    `PlayerLoadError` if its class cannot be loaded or does not accept the options.
    """
    plain, options = parsed(name)
    if plain not in PLAYERS:
        return _loaded(plain, {option: _number(name, option, text) for option, text in options.items()})
    try:
        return PLAYERS[plain](**options)
    except (TypeError, ValueError, GdlError) as error:
        raise PlayerLoadError(name, f"{plain}: {error}" if isinstance(error, ValueError) else str(error)) from error


def parsed(name: str) -> tuple[str, dict[str, Value]]:
    """Return a player's name without its options, and the texts of these. Raises PlayerLoadError."""
    plain, file, given = _split(name)
    parts = given.split(",")
    options: dict[str, Value] = {"file": file} if file else {}
    takes_file = not file and plain in PLAYERS and PLAYERS[plain].takes_file
    if takes_file and parts[0].strip() and not _OPTION.fullmatch(parts[0]):
        options["file"] = parts.pop(0).strip()
    for part in filter(None, map(str.strip, parts)):
        option = _OPTION.fullmatch(part)
        if option is None:
            raise PlayerLoadError(name, f"{part!r} is not OPTION=VALUE")
        options[option[1]] = option[2]
    return plain, options


def _split(name: str) -> tuple[str, str, str]:
    """Return a player's name without options, its file if it is named by that, and the text of its options."""
    match = _OPTIONS.fullmatch(name)
    plain, options = (match["name"], match["options"]) if match else (name, "")
    for player, entry in PLAYERS.items():
        if entry.suffix and plain.endswith(entry.suffix):
            return player, plain, options
    return plain, "", options


def _number(name: str, option: str, text: Value) -> float:
    """Return the value of an option for a player's own class."""
    try:
        return int(text) if re.fullmatch(r"[+-]?[0-9]+", str(text)) else float(text)
    except ValueError:
        raise PlayerLoadError(name, f"'{option}={text}' is not OPTION=NUMBER") from None


def _loaded(name: str, options: Mapping[str, float]) -> Player:
    """Return a new instance of a user's player class."""
    where, colon, class_name = name.rpartition(":")
    if not colon or not where or not class_name:
        raise UnknownPlayerError(name, tuple(PLAYERS))
    try:
        player = getattr(_import(where), class_name)(**options)
        missing = [part for part in ("name", "start", "move", "stop") if not hasattr(player, part)]
    except (Exception, SystemExit) as error:  # the user's code may raise anything
        raise PlayerLoadError(name, f"{type(error).__name__}: {error}") from error
    if missing:
        raise PlayerLoadError(name, f"not a player: it has no {', '.join(missing)}")
    return cast("Player", player)


def _import(where: str) -> ModuleType:
    """Import a module by name, or from the path of a Python file."""
    path = Path(where)
    if path.suffix != ".py":
        return importlib.import_module(where)
    if path.exists() and not path.is_file():
        raise ImportError(f"not a regular file: {path}")
    name = f"ggp_player_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"not a Python file: {path}")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and pickle look up a class's module here.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
