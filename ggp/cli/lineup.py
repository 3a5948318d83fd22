"""Line-ups on the command line: `NAME` or `ROLE=NAME`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final, TextIO

from gdl.engine import Engine, hides_states, is_nature
from gdl.errors import UnknownRoleError
from gdl.terms import name_key
from ggp.match.lineup import DEFAULT, LineupError
from ggp.players import PLAYERS, Player

#: The name of the person at the terminal.
HUMAN: Final = "human"

#: Entered while the person is asked.
Asking = Callable[[], AbstractContextManager[object]]


def lineup_players(
    roles: Sequence[str],
    assignments: Sequence[str],
    make: Callable[[str], Player],
    prompts: TextIO | None = None,
    asking: Asking = nullcontext,
    *,
    takes_back: bool = False,
    draws: bool = True,
) -> dict[str, Player]:
    """Return a player for each role except `random`; `human` is the person at the terminal, prompted on `prompts`.

    `make` makes all other players by name. `asking` is entered while the person is asked. `takes_back` and `draws` are
    those of `HumanPlayer`.
    Raises UnknownRoleError, UnknownPlayerError, PlayerLoadError, or LineupError for contradictory assignments.
    """
    local = local_maker(make, prompts, asking, takes_back=takes_back, draws=draws)
    return {role: local(name) for role, name in lineup_names(roles, assignments).items()}


def local_maker(
    make: Callable[[str], Player],
    prompts: TextIO | None = None,
    asking: Asking = nullcontext,
    *,
    takes_back: bool = False,
    draws: bool = True,
) -> Callable[[str], Player]:
    """Return a function that makes local players by name: programs by `make`, and `human`.

    People are prompted on `prompts`, by default standard output; `takes_back` and `draws` are those of `HumanPlayer`.
    The function raises UnknownPlayerError and PlayerLoadError.
    """
    from ggp.cli.human import HumanPlayer
    from ggp.cli.screen import screen
    from ggp.cli.terminal import Terminal

    terminal, console = Terminal(prompts), screen(prompts)

    def local(name: str) -> Player:
        if name != HUMAN:
            return make(name)
        return HumanPlayer(terminal, console, asking, takes_back=takes_back, draws=draws)

    return local


def check_one_screen(game: Engine, names: Mapping[str, str]) -> None:
    """Check that no two people share this terminal in a game with hidden information. Raises LineupError."""
    if hides_states(game) and list(names.values()).count(HUMAN) > 1:
        raise LineupError(
            "two people at one terminal would see what only the other role may see; play in the browser (ggp serve), "
            "where each has a seat, or show everything to both (ggp play --show-all)"
        )


def with_limit(make: Callable[[str], Player], simulations: int | None) -> Callable[[str], Player]:
    """Return a function like `make` that limits the work of searching players that are named without options."""
    if simulations is None:
        return make

    def limited(name: str) -> Player:
        entry = PLAYERS.get(name)
        return make(f"{name}({entry.limit}={simulations})" if entry is not None and entry.limit else name)

    return limited


def lineup_names(roles: Sequence[str], assignments: Sequence[str], default: str = DEFAULT) -> dict[str, str]:
    """Return the name of a player for each role except `random`. Role names are case-insensitive.

    `default` is the player of roles for which none is named. Raises UnknownRoleError, or LineupError for contradictory
    assignments.
    """
    spelled = {name_key(role): role for role in roles if not is_nature(role)}
    names: dict[str, str] = {}
    for_all: list[str] = []
    for assignment in assignments:
        # An equals sign in brackets belongs to an option of the player.
        role, equals, name = assignment.partition("=")
        if not equals or "(" in role:
            for_all.append(assignment)
            continue
        role = name_key(role.strip())
        if not role or not name.strip():
            raise LineupError(f"{assignment!r} is not ROLE=NAME")
        if role not in spelled:
            raise UnknownRoleError(assignment.partition("=")[0].strip(), list(spelled.values()))
        if role in names:
            raise LineupError(f"two players for {spelled[role]}: {names[role]} and {name}")
        names[role] = name.strip()
    if len(for_all) > 1:
        raise LineupError(f"two players for every role: {' and '.join(for_all)}; name the roles, as ROLE=NAME")
    rest = for_all[0] if for_all else default
    return {spelled[role]: names.get(role, rest) for role in spelled}
