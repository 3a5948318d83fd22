"""The spaces of a game's environments on the screen and as JSON: `ggp show FILE --spaces`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import final

from ggp.cli.json_output import print_json
from ggp.cli.screen import paragraph, progress_line, screen
from ggp.environments.game import EnvironmentGame
from ggp.environments.observations import OBSERVERS, observer_of
from ggp.environments.planes import NoBoardError


@final
@dataclass(frozen=True, slots=True)
class Spaces:
    """`observations` has, by the name of the observer, the shape and the legend along the first axis."""

    actions: tuple[str, ...]
    observations: dict[str, tuple[tuple[int, ...], tuple[str, ...]]]


def spaces_of(game: EnvironmentGame) -> Spaces:
    """Return the spaces of a game; planes only if a board was found, and only percepts if it hides its states."""
    found = {}
    for name in ("facts",) if game.hides_states else OBSERVERS:
        try:
            observer = observer_of(game, name)
        except NoBoardError:
            continue
        found["percepts" if game.hides_states else name] = observer.shape, observer.legend
    return Spaces(tuple(move.text for move in game.actions), found)


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
