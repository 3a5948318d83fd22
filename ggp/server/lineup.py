"""Checks of a match's line-up and settings. A role is played by a person, a built-in player, or a remote one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from gdl.errors import GdlError
from ggp.players.making import PlayerLoadError, parsed
from ggp.players.registry import PLAYERS

#: The name of a person at a browser.
HUMAN: Final = "human"

#: The players that the page offers, and how they play. An address, or a player with options, can be typed.
OFFERED: Final = {
    HUMAN: "you, or anyone who opens the match",
    **{name: entry.what for name, entry in PLAYERS.items() if entry.offered},
}

#: The longest name of a player with options.
_LONGEST_NAME: Final = 500

_ADDRESS: Final = re.compile(r"http://[A-Za-z0-9.\-\[\]:]{1,200}(/[A-Za-z0-9._~-]{0,200})?")

#: Seconds of the longest clock, and of the default clocks of remote players, which need one.
_LONGEST_CLOCK: Final = 24 * 3600.0
_START_CLOCK: Final = 10.0
_PLAY_CLOCK: Final = 10.0


#: What happens to a person whose clock for the whole match has run down: the match is lost, or moves are random.
LATE: Final = ("loses", "random")


class SetupError(GdlError):
    """A match cannot be set up as requested."""

    code = "setup"


def checked_players(players: Any, roles: list[str], offered: Mapping[str, str] = OFFERED) -> dict[str, str]:
    """Return a player's name for each role, given those that are offered. Raises SetupError."""
    if not isinstance(players, dict) or any(not isinstance(name, str) for name in players.values()):
        raise SetupError("players must be an object of names by role")
    if unknown := [role for role in players if role not in roles]:
        raise SetupError(f"no role {unknown[0]:.80}; the roles are {', '.join(roles)}")
    named = {role: players.get(role, "auto").strip() for role in roles}
    for role, name in named.items():
        if name not in offered and not _ADDRESS.fullmatch(name):
            _check_own(role, name, offered)
    return named


def _check_own(role: str, name: str, offered: Mapping[str, str]) -> None:
    """Check that a name denotes a player that is offered, with options that it has.

    A page names no files, neither of code nor of values, but those that are offered. Raises SetupError.
    """
    plain, options = name, None
    with suppress(PlayerLoadError):
        plain, options = parsed(name[:_LONGEST_NAME])
    if plain not in OFFERED or plain == HUMAN or options is None or "file" in options or len(name) > _LONGEST_NAME:
        raise SetupError(f"{role}: no player {name!r:.80}; the players are {', '.join(offered)}, or http://HOST:PORT")
    try:
        PLAYERS[plain].checked(options)
    except ValueError as error:
        raise SetupError(f"{role}: {plain}: {error}") from error


def checked_settings(fields: Any, players: dict[str, str], seed: int) -> dict[str, Any]:
    """Return the settings of a match, with `seed` unless another one is given. Raises SetupError."""
    start_clock, play_clock = _seconds(fields, "start_clock"), _seconds(fields, "play_clock")
    if any("://" in name for name in players.values()):
        start_clock, play_clock = start_clock or _START_CLOCK, play_clock or _PLAY_CLOCK
    plies = fields.get("max_plies")
    plies = 500 if plies is None else plies
    if not isinstance(plies, int) or isinstance(plies, bool) or not 1 <= plies <= 100_000:
        raise SetupError("max_plies must be a whole number from 1 to 100,000")
    given = fields.get("seed")
    if given is not None and (not isinstance(given, int) or isinstance(given, bool) or not 0 <= given < 2**63):
        raise SetupError("seed must be a whole number, 0 or more")
    return {
        "seed": seed if given is None else given,
        "start_clock": start_clock,
        "play_clock": play_clock,
        "max_plies": plies,
        **_for_people(fields),
    }


def _for_people(fields: Any) -> dict[str, Any]:
    """Return the settings that are about people: their clock for the whole match, and whether they can talk."""
    late, chat = fields.get("late", LATE[0]), fields.get("chat", True)
    if late not in LATE:
        raise SetupError(f"late must be one of {', '.join(LATE)}")
    if not isinstance(chat, bool):
        raise SetupError("chat must be true or false")
    clock = {"game_clock": _seconds(fields, "game_clock"), "increment": _seconds(fields, "increment") or 0.0}
    return {**clock, "late": late, "chat": chat}


def _seconds(fields: Any, name: str) -> float | None:
    value = fields.get(name)
    if value in (None, 0):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _LONGEST_CLOCK:
        raise SetupError(f"{name} must be a number of seconds, at most one day")
    return float(value)
