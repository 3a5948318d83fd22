"""`ggp games`: the games that come with the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ggp.cli.guard import guarded
from ggp.cli.json_output import print_json
from ggp.cli.options import JsonOption

if TYPE_CHECKING:
    from ggp.rules.shipped_games import ShippedGame


@guarded
def games(json: JsonOption = False) -> None:
    """List the games that come with ggp."""
    from ggp.rules.shipped_games import shipped_games

    listed = shipped_games()
    if json:
        print_json("games", {"games": [_fields(game) for game in listed]})
        return
    _print(listed)


def _fields(game: ShippedGame) -> dict[str, object]:
    return {"game": game.name, "file": str(game.path), "roles": game.roles(), "description": game.description()}


def _print(listed: tuple[ShippedGame, ...]) -> None:
    from ggp.cli.screen import line, paragraph, screen

    console = screen()
    width = max((len(game.name) for game in listed), default=0) + 2
    for game in listed:
        roles = ", ".join(game.roles())
        if console.is_terminal:
            line(console, (game.name, "bold"), f"  {roles}")
            paragraph(console, "", game.description(), 4)
        else:
            line(console, game.name.ljust(width), f"({roles}) {game.description()}")
