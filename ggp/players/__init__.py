"""Players: `make_player` makes one by its name, and `ggp.players.registry` says which there are.

Names are loaded on first use, as the command line needs no more than the registry to begin.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ggp.players.making import PlayerLoadError, UnknownPlayerError, functions_of, is_foreign, make_player
    from ggp.players.player import End, Player, Start, Turn
    from ggp.players.policy_player import from_policy
    from ggp.players.registry import PLAYERS

_MAKING: Final = ("PlayerLoadError", "UnknownPlayerError", "functions_of", "is_foreign", "make_player")
_PLAYER: Final = ("End", "Player", "Start", "Turn")
_LAZY: Final = {
    "PLAYERS": "registry",
    "from_policy": "policy_player",
    **dict.fromkeys(_MAKING, "making"),
    **dict.fromkeys(_PLAYER, "player"),
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"ggp.players.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


__all__ = [
    "PLAYERS",
    "End",
    "Player",
    "PlayerLoadError",
    "Start",
    "Turn",
    "UnknownPlayerError",
    "from_policy",
    "functions_of",
    "is_foreign",
    "make_player",
]
