"""Players by name: those that come with the package, and any player class of your own."""

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
from ggp.players.alphabeta.array_file import ArrayFileError
from ggp.players.auto import AutoPlayer
from ggp.players.greedy import GreedyPlayer
from ggp.players.hyperplay2 import Hyperplay2Player
from ggp.players.ismcts import IsmctsPlayer
from ggp.players.learned import LearnedPlayer
from ggp.players.mcts import MctsPlayer
from ggp.players.pimc import PimcPlayer
from ggp.players.planner import PlannerPlayer
from ggp.players.player import End, Player, Start, Turn
from ggp.players.simple import LegalPlayer, RandomPlayer
from ggp.players.uct import UctPlayer

__all__ = [
    "PLAYERS",
    "End",
    "Player",
    "PlayerLoadError",
    "Start",
    "Turn",
    "UnknownPlayerError",
    "functions_of",
    "is_foreign",
    "make_player",
]


def _openspiel(**options: float) -> Player:
    from ggp.players.openspiel.player import OpenSpielPlayer  # OpenSpiel is optional

    return OpenSpielPlayer(**options)  # type: ignore[arg-type]  # an unknown option raises TypeError


#: The players that come with the package. Calling an entry makes a new player.
PLAYERS: Final[Mapping[str, Callable[..., Player]]] = MappingProxyType(
    {
        "auto": AutoPlayer,
        "random": RandomPlayer,
        "legal": LegalPlayer,
        "greedy": GreedyPlayer,
        "uct": UctPlayer,
        "alphabeta": AlphaBetaPlayer,
        "learned": LearnedPlayer,
        "mcts": MctsPlayer,
        "planner": PlannerPlayer,
        "pimc": PimcPlayer,
        "ismcts": IsmctsPlayer,
        "hyperplay2": Hyperplay2Player,
        "openspiel": _openspiel,
    }
)


def player_options(name: str) -> tuple[str, ...]:
    """Return the names of the options that a player of `PLAYERS` takes in parentheses."""
    from dataclasses import fields
    from inspect import signature

    from ggp.players.mcts.options import Options

    made: Callable[..., Player] = PLAYERS[name]
    if name == "openspiel":
        from ggp.players.openspiel.player import OpenSpielPlayer

        made = OpenSpielPlayer  # its entry of PLAYERS accepts any option
    own = tuple(
        parameter.name
        for parameter in signature(made).parameters.values()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD and not (name in _WITH_FILE and parameter.name == "file")
    )
    return (*own, *(field.name for field in fields(Options))) if name == "mcts" else own


def functions_of(name: str) -> tuple[str, ...]:
    """Return the modules of a player's functions that are compiled by Numba; none for players of your own."""
    match = _OPTIONS.fullmatch(name)
    found: tuple[str, ...] = getattr(PLAYERS.get(match["name"] if match else name), "functions", ())
    return found


#: The players whose first option is the name of a file.
_WITH_FILE: Final = frozenset({"learned", "planner"})

#: A player with options.
_OPTIONS: Final = re.compile(r"(?P<name>[^()]+)\((?P<options>[^()]*)\)")


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
    match = _OPTIONS.fullmatch(name)
    plain = match["name"] if match else name
    where, _, class_name = plain.rpartition(":")
    return plain not in PLAYERS and bool(where and class_name)


def make_player(name: str) -> Player:
    """Return a new player: one of `PLAYERS`, or an instance of the class `FILE.py:CLASS` or `MODULE:CLASS`.

    The code of such a class is run in this process; `ggp.match.isolation.local` runs it in another one.

    Numeric options may follow in parentheses: `mcts(simulations=1000)`. The first option of `learned` is a file, as
    may be that of `planner`: `learned(FILE.learned,nodes=1000)`. Raises `UnknownPlayerError` if there is no such
    player, and `PlayerLoadError` if its class cannot be loaded or does not accept the options.
    """
    numbers: dict[str, float] = {}
    file: dict[str, str] = {}
    if match := _OPTIONS.fullmatch(name):
        plain, text = match["name"], match["options"]
        if plain in _WITH_FILE:
            first, _, text = text.partition(",")
            file = {"file": first.strip()}
        numbers = _options(name, text)
    else:
        plain = name
    if plain in PLAYERS:
        known = player_options(plain)
        if unknown := next((option for option in numbers if option not in known), None):
            raise PlayerLoadError(name, _no_option(plain, unknown, known))
        try:
            return PLAYERS[plain](**file, **numbers)
        except (TypeError, ValueError, ArrayFileError) as error:
            raise PlayerLoadError(name, str(error)) from error
    return _loaded(plain, numbers)


def _no_option(name: str, option: str, known: tuple[str, ...]) -> str:
    """Say that a player has no such option, which ones it has, and which one may be meant."""
    near = nearest(option, known, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    has = f"its options are {', '.join(known)}" if known else "it has none"
    return f"{name} has no option {option}; {has}{hint}"


def _options(name: str, text: str) -> dict[str, float]:
    """Parse options such as `a=1, b=0.5`."""
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
    return cast(Player, player)


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
