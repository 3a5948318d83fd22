"""Who plays which role, as the command line says it: `NAME` or `ROLE=NAME`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TextIO

from gdl.engine import is_nature
from gdl.errors import UnknownRoleError
from ggp.match.lineup import DEFAULT, LineupError
from ggp.players import Player, make_player

#: Whoever sits at the terminal.
HUMAN: Final = "human"


def lineup_players(
    roles: Sequence[str], assignments: Sequence[str], prompts: TextIO | None = None
) -> dict[str, Player]:
    """A player for each role but `random`; `human` sits at the terminal, and is asked on `prompts`.

    Raises UnknownRoleError, UnknownPlayerError, PlayerLoadError, or LineupError for what contradicts itself.
    """
    make = local_maker(prompts)
    return {role: make(name) for role, name in lineup_names(roles, assignments).items()}


def local_maker(prompts: TextIO | None = None) -> Callable[[str], Player]:
    """Make players in this process by their names; people are asked on `prompts`, standard output by default.

    What it gives raises UnknownPlayerError, PlayerLoadError.
    """
    from ggp.cli.human import HumanPlayer, Terminal
    from ggp.cli.screen import screen

    terminal, console = Terminal(), screen(prompts)
    return lambda name: HumanPlayer(terminal, console) if name == HUMAN else make_player(name)


def lineup_names(roles: Sequence[str], assignments: Sequence[str]) -> dict[str, str]:
    """The name of a player for each role but `random`. Role names may be in any case.

    Raises UnknownRoleError, or LineupError for what contradicts itself.
    """
    spelled = {role.lower(): role for role in roles if not is_nature(role)}
    names: dict[str, str] = {}
    for_all: list[str] = []
    for assignment in assignments:
        # An equals sign in brackets belongs to an option of the player.
        role, equals, name = assignment.partition("=")
        if not equals or "(" in role:
            for_all.append(assignment)
            continue
        role = role.strip().lower()
        if not role or not name.strip():
            raise LineupError(f"{assignment!r} is not ROLE=NAME")
        if role not in spelled:
            raise UnknownRoleError(assignment.partition("=")[0].strip(), list(spelled.values()))
        if role in names:
            raise LineupError(f"two players for {spelled[role]}: {names[role]} and {name}")
        names[role] = name.strip()
    if len(for_all) > 1:
        raise LineupError(f"two players for every role: {' and '.join(for_all)}; name the roles, as ROLE=NAME")
    default = for_all[0] if for_all else DEFAULT
    return {spelled[role]: names.get(role, default) for role in spelled}
