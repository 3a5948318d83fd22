"""`ggp games`: the games that come with the package."""

from __future__ import annotations

from ggp.cli.guard import guarded


@guarded
def games() -> None:
    """List the games that come with ggp."""
    from ggp.cli.screen import paragraph, screen
    from ggp.games import shipped_games

    console = screen()
    listed = shipped_games()
    indent = max((len(game.name) for game in listed), default=0) + 2
    for game in listed:
        paragraph(console, game.name, f"({', '.join(game.roles())}) {game.description()}", indent)
