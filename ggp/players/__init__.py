"""Players by name: those that come with the package, and any class of somebody else's."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final, cast

from gdl.errors import GdlError, nearest
from ggp.players.alphabeta import AlphaBetaPlayer
from ggp.players.auto import AutoPlayer
from ggp.players.greedy import GreedyPlayer
from ggp.players.mcts import MctsPlayer
from ggp.players.planner import PlannerPlayer
from ggp.players.player import End, Player, Start, Turn
from ggp.players.simple import LegalPlayer, RandomPlayer
from ggp.players.uct import UctPlayer

__all__ = ["PLAYERS", "End", "Player", "PlayerLoadError", "Start", "Turn", "UnknownPlayerError", "make_player"]


def _openspiel(**options: float) -> Player:
    from ggp.players.openspiel.player import OpenSpielPlayer  # whoever does not name it need not have OpenSpiel

    return OpenSpielPlayer(**options)  # type: ignore[arg-type]  # an option that it does not take is its TypeError


#: The players that come with the package. Each name makes a new player when called.
PLAYERS: Final[Mapping[str, Callable[..., Player]]] = MappingProxyType(
    {
        "auto": AutoPlayer,
        "random": RandomPlayer,
        "legal": LegalPlayer,
        "greedy": GreedyPlayer,
        "uct": UctPlayer,
        "alphabeta": AlphaBetaPlayer,
        "mcts": MctsPlayer,
        "planner": PlannerPlayer,
        "openspiel": _openspiel,
    }
)


#: A player with options.
_OPTIONS: Final = re.compile(r"(?P<name>[^()]+)\((?P<options>[^()]*)\)")


class UnknownPlayerError(GdlError):
    """A player was named that there is not."""

    code = "unknown-player"

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        self.name = name
        self.known = known
        super().__init__(name, known)

    def __str__(self) -> str:
        near = nearest(self.name.lower(), self.known)
        hint = f"; did you mean {near[0]}?" if near else ""
        return (
            f"{self.code}: no player {self.name}; the players are {', '.join(self.known)}, "
            f"or a class of your own as FILE.py:CLASS or MODULE:CLASS{hint}"
        )


class PlayerLoadError(GdlError):
    """A player's own code cannot be loaded."""

    code = "player-load"

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self.reason = reason
        super().__init__(name, reason)

    def __str__(self) -> str:
        return f"{self.code}: {self.name}: {self.reason}"


def make_player(name: str) -> Player:
    """A new player: one of `PLAYERS`, or the class named by `FILE.py:CLASS` or `MODULE:CLASS`.

    Options that are numbers may follow: `mcts(simulations=1000)`. Raises `UnknownPlayerError`, or `PlayerLoadError` if
    that class cannot be had, or does not take these options.
    """
    options: dict[str, float] = {}
    if match := _OPTIONS.fullmatch(name):
        plain = match["name"]
        options = _options(name, match["options"])
    else:
        plain = name
    if plain in PLAYERS:
        try:
            return PLAYERS[plain](**options)
        except (TypeError, ValueError) as error:
            raise PlayerLoadError(name, str(error)) from error
    return _loaded(plain, options)


def _options(name: str, text: str) -> dict[str, float]:
    """Options as they are written: `a=1, b=0.5`."""
    options: dict[str, float] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        option, equals, value = part.partition("=")
        try:
            options[option.strip()] = float(value) if "." in value or "e" in value else int(value)
        except ValueError:
            raise PlayerLoadError(name, f"{part!r} is not OPTION=NUMBER") from None
        if not equals:
            raise PlayerLoadError(name, f"{part!r} is not OPTION=NUMBER")
    return options


def _loaded(name: str, options: Mapping[str, float]) -> Player:
    """A player of somebody else's class."""
    where, colon, class_name = name.rpartition(":")
    if not colon or not where or not class_name:
        raise UnknownPlayerError(name, tuple(PLAYERS))
    try:
        player = getattr(_import(where), class_name)(**options)
        missing = [part for part in ("name", "start", "move", "stop") if not hasattr(player, part)]
    except (Exception, SystemExit) as error:  # whatever that code does, the person who named it is told
        raise PlayerLoadError(name, f"{type(error).__name__}: {error}") from error
    if missing:
        raise PlayerLoadError(name, f"not a player: it has no {', '.join(missing)}")
    return cast(Player, player)


def _import(where: str) -> ModuleType:
    """The module of this name, or made from the Python file of this path."""
    path = Path(where)
    if path.suffix != ".py":
        return importlib.import_module(where)
    name = f"ggp_player_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"not a Python file: {path}")
    module = importlib.util.module_from_spec(spec)
    # A class looks its own module up here, as dataclasses and pickle do.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
