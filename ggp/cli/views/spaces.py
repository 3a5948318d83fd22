"""The spaces of a game's environments on the screen and as JSON: `ggp show FILE --spaces`."""

from __future__ import annotations

from pathlib import Path

from ggp.cli.json_output import print_json
from ggp.cli.screen import paragraph, progress_line, screen
from ggp.environments.game import EnvironmentGame
from ggp.environments.spaces import spaces_of

_INDENT = 14


def show_spaces(path: Path, *, json: bool) -> None:
    """Print the actions and observations of a rule file's environments. Raises what compiling it raises."""
    with progress_line() as progress:
        game = EnvironmentGame(path, progress=progress)
        spaces = spaces_of(game)
    if json:
        observations = {
            name: {"shape": shape, "legend": legend} for name, (shape, legend) in spaces.observations.items()
        }
        print_json(
            "show",
            {
                "game": game.name,
                "file": str(path),
                "roles": game.agent_roles,
                "actions": spaces.actions,
                "observations": observations,
            },
        )
        return
    console = screen()
    paragraph(console, game.name, str(path), _INDENT)
    paragraph(console, "roles", ", ".join(game.agent_roles), _INDENT)
    paragraph(console, "actions", f"{len(spaces.actions):,}: {_numbered(spaces.actions)}", _INDENT)
    for name, (shape, legend) in spaces.observations.items():
        console.print()
        size = " x ".join(map(str, shape))
        paragraph(console, name, f"{size}: {_numbered(legend)}", _INDENT)


def _numbered(texts: tuple[str, ...]) -> str:
    return ", ".join(f"{number} {text}" for number, text in enumerate(texts))
