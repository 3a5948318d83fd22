"""`ggp games`: the games that come with the package."""

from __future__ import annotations

from ggp.cli.guard import guarded


@guarded
def games() -> None:
    """List the games that come with ggp."""
    from ggp.cli.screen import line, paragraph, screen
    from ggp.rules.shipped_games import shipped_games

    console = screen()
    listed = shipped_games()
    width = max((len(game.name) for game in listed), default=0) + 2
    for game in listed:
        roles = ", ".join(game.roles())
        if console.is_terminal:
            line(console, (game.name, "bold"), f"  {roles}")
            paragraph(console, "", game.description(), 4)
        else:
            line(console, game.name.ljust(width), f"({roles}) {game.description()}")
