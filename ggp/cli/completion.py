"""Shell completion: names of games, and players with their roles and options."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import suppress
from pathlib import Path

import typer

#: Bash breaks words at these, and replaces only the part after the last of them.
_BREAKS = ("=", "(", ",")

#: The environment variable for what Bash has broken off before the word that is completed.
_BEFORE = "_GGP_COMPLETE_BEFORE"

_HUMAN = "human"


def complete_game(incomplete: str) -> list[str]:
    """Complete a rule file or the name of a game."""
    from ggp.rules.shipped_games import shipped_games

    names = [game.name for game in shipped_games() if game.name.startswith(incomplete)]
    return [*names, *_files(incomplete)]


def complete_player(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete `NAME`, `ROLE=NAME` or `NAME(OPTION=`; the roles are those of the command's rule file."""
    broken_off = os.environ.get(_BEFORE, "")
    found = _players(broken_off + incomplete, lambda: _roles(ctx))
    return [one.removeprefix(broken_off) for one in found]


def _players(typed: str, roles: Callable[[], list[str]]) -> Iterator[str]:
    """Yield what a player may be that begins like this."""
    from ggp.players.registry import PLAYERS

    start, bracket, options = typed.partition("(")
    role, equals, name = start.rpartition("=")
    if bracket:
        yield from (f"{start}({option}" for option in _options(name, options))
        return
    yield from (f"{role}{equals}{one}" for one in (*PLAYERS, _HUMAN) if one.startswith(name))
    if not equals:
        yield from (f"{one}=" for one in roles() if one.startswith(typed))


def join_words(environment: MutableMapping[str, str]) -> None:
    """Put together, in the variables with which Bash asks for completions, what it breaks at `=`, `(` and `,`."""
    if environment.get("_GGP_COMPLETE") != "complete_bash" or not environment.get("COMP_CWORD", "").isdigit():
        return
    pieces = environment.get("COMP_WORDS", "").split("\n")[: int(environment["COMP_CWORD"]) + 1]
    words: list[list[str]] = []
    for piece in pieces:
        joined = words and (piece.startswith(_BREAKS) or words[-1][-1].endswith(_BREAKS))
        if joined:
            words[-1].append(piece)
        else:
            words.append([piece])
    *before, last = words
    if last[-1].endswith(_BREAKS):  # what follows is completed
        last.append("")
    environment[_BEFORE] = "".join(last[:-1])
    environment["COMP_WORDS"] = "\n".join([*map("".join, before), last[-1]])
    environment["COMP_CWORD"] = str(len(before))


def _options(player: str, typed: str) -> Iterator[str]:
    """Yield what may follow the opening parenthesis of a player."""
    from ggp.players.registry import PLAYERS

    *complete, last = typed.split(",")
    if player not in PLAYERS or "=" in last:
        return
    used = {part.partition("=")[0].strip() for part in complete}
    before = "".join(f"{part}," for part in complete)
    for option in PLAYERS[player].options:
        if option.kind != "file" and option.name.startswith(last.strip()) and option.name not in used:
            yield f"{before}{option.name}="


def _roles(ctx: typer.Context) -> list[str]:
    """Return the roles of the rule file on the command line; none without a file that can be read."""
    from gdl.errors import GdlError
    from gdl.reasoner.reasoner import Reasoner
    from ggp.rules.shipped_games import find_game

    # While an option lacks its value, the arguments have not been assigned to parameters.
    named = ctx.params.get("file") or next(iter(ctx.params.get("files") or ctx.args), None)
    # A shell that asks for a completion cannot show an error.
    with suppress(GdlError, OSError):
        if named:
            return [role for role in Reasoner.load(find_game(str(named))).roles if role != "random"]
    return []


def _files(incomplete: str) -> Iterator[str]:
    """Yield rule files and folders whose paths begin with what was typed."""
    folder, _, name = incomplete.rpartition("/")
    path = Path(folder or ("/" if incomplete.startswith("/") else "."))
    with suppress(OSError):
        for one in sorted(path.iterdir()):
            if one.name.startswith(name) and (name.startswith(".") or not one.name.startswith(".")):
                shown = f"{incomplete[: len(incomplete) - len(name)]}{one.name}"
                if one.is_dir():
                    yield f"{shown}/"
                elif one.suffix in (".kif", ".gdl"):
                    yield shown
