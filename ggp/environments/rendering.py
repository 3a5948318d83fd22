"""Rendering of episodes: text, SVG, pixels, or text printed to the terminal."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, final, get_args

from ggp.environments.game import EnvironmentGame
from ggp.environments.position import Position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ggp.board.picture import Picture
    from ggp.board.view import Layout
    from ggp.board.wishes import Wishes

#: The modes of `Renderer`.
RenderMode = Literal["ansi", "svg", "rgb_array", "human"]
RENDER_MODES: Final[tuple[str, ...]] = get_args(RenderMode)


@final
class Renderer:
    """The pictures of a game's positions, in one mode. They show the whole state, even if roles see only percepts."""

    def __init__(self, game: EnvironmentGame, mode: RenderMode | None) -> None:
        """Take the game and a mode, or None for no pictures. Raises ValueError for an unknown mode."""
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(f"unknown render_mode {mode!r}: there are {', '.join(RENDER_MODES)}")
        self.mode = mode
        self._game = game

    def render(self, position: Position) -> str | NDArray[np.uint8] | None:
        """Return the picture of a position; None in the mode `human`, which prints it, and without a mode.

        Raises MissingLibraryError for `rgb_array` without resvg-py, and WishError.
        """
        match self.mode:
            case "ansi":
                return str(self.picture(position))
            case "svg":
                return self.picture(position).svg
            case "rgb_array":
                from ggp.environments.pixels import pixels

                return pixels(self.picture(position).svg)
            case "human":
                print(self.picture(position), end="\n\n", flush=True)
        return None

    def picture(self, position: Position) -> Picture:
        """Return the picture of a position, with the last joint move."""
        from ggp.board.drawing.svg import Frame
        from ggp.board.picture import Picture

        layout, wishes = self._layout
        moves = self._game.joint_move(position.last_actions)
        theme = "light" if self.mode == "rgb_array" else "auto"  # pixels have no reader whose theme could be used
        return Picture(layout, (Frame(position.state, moves or None),), theme=theme, wishes=wishes)

    @cached_property
    def _layout(self) -> tuple[Layout, Wishes]:
        from ggp.board.finding.find import find_boards
        from ggp.board.wishes import fulfil, wishes_beside

        simulator = self._game.simulator
        wishes = wishes_beside(Path(simulator.rulesheet.source.name))
        return fulfil(find_boards(simulator.reasoner, wishes.hands), wishes), wishes
