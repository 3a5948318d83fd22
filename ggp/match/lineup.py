"""The line-up of a match: the player of each role."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from gdl.engine import is_nature
from gdl.errors import GdlError, UnknownRoleError
from gdl.terms import name_key

#: The player of roles without a named player.
DEFAULT: Final = "auto"

#: A kind of player.
P = TypeVar("P")


class LineupError(GdlError):
    """The players named for a match contradict each other."""

    code = "lineup"
    template = "{code}: {0}"


def lineup_of(
    roles: Sequence[str],
    players: str | P | Mapping[str, str | P],
    by_role: Mapping[str, str | P],
    make: Callable[[str], P],
    default: str = DEFAULT,
) -> dict[str, P]:
    """Return a player for each role except `random`. Role names are case-insensitive.

    `make` makes a player by its name, such as `default` for roles without one.
    """
    known = {name_key(role): role for role in roles if not is_nature(role)}
    named: dict[str, str | P] = {}
    everyone: str | P = default
    mappings = [by_role]
    if isinstance(players, Mapping):
        mappings.insert(0, players)
    else:
        everyone = players
    for mapping in mappings:
        for role, player in mapping.items():
            if name_key(role) not in known:
                raise UnknownRoleError(role, tuple(known.values()))
            if known[name_key(role)] in named:
                raise LineupError(f"two players for {known[name_key(role)]}")
            named[known[name_key(role)]] = player
    if not isinstance(everyone, str) and len(known) - len(named) > 1:
        raise LineupError("one player object for several roles; give each role a player of its own")
    chosen = {role: named.get(role, everyone) for role in known.values()}
    return {role: make(player) if isinstance(player, str) else player for role, player in chosen.items()}
