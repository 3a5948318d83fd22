"""Pictures of states: SVG in notebooks and files, text in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import final

from gdl.language.rulesheet import Rulesheet
from gdl.system.files import write_file
from gdl.terms import Term
from ggp.board.drawing.svg import Frame, animated_svg, svg
from ggp.board.finding.find import find_boards
from ggp.board.terminal.text import render_text
from ggp.board.view import Layout
from ggp.board.wishes import Wishes
from ggp.rules.report_text import number_and_noun


@final
@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """One state of a game, or an animated sequence of states.

    `str(picture)` is the last state as text, `picture.svg` the SVG document. Notebooks show the SVG.
    """

    layout: Layout
    frames: tuple[Frame, ...]
    title: str = ""
    theme: str = "auto"
    wishes: Wishes = field(default_factory=Wishes)
    #: Seconds for each state; 0 shows only the last state, with an arrow for the move that led to it.
    seconds: float = 0.0

    @property
    def svg(self) -> str:
        """The SVG document."""
        title, colours = self.title or self.wishes.title, self.wishes.colours
        if self.seconds and len(self.frames) > 1:
            return animated_svg(
                self.layout, self.frames, seconds=self.seconds, title=title, theme=self.theme, colours=colours
            )
        last = self.frames[-1]
        before = self.frames[-2].state if len(self.frames) > 1 else None
        return svg(
            self.layout,
            last.state,
            last_moves=last.moves,
            before=before,
            title=title,
            theme=self.theme,
            colours=colours,
        )

    def save(self, path: str | Path) -> None:
        """Write the SVG document to a file. Raises OSError."""
        write_file(Path(path), self.svg)

    def __str__(self) -> str:
        """Return the last state as text, in lines of at most 80 characters."""
        last = self.frames[-1]
        return render_text(self.layout, last.state, last_moves=last.moves)

    def __repr__(self) -> str:
        """Return the number of states and boards."""
        states = "a state" if len(self.frames) == 1 or not self.seconds else f"{len(self.frames)} states"
        return f"<Picture of {states} on {number_and_noun(len(self.layout.boards), 'board')}>"

    def _repr_svg_(self) -> str:
        return self.svg


@final
class Pictures(Sequence[Picture]):
    """The states of a match as pictures, one for each ply; number 0 is the initial state."""

    def __init__(self, layout: Layout, frames: Sequence[Frame], title: str = "") -> None:
        """Lay out `frames`, of which the first is the initial state."""
        self._layout = layout
        self._frames = tuple(frames)
        self._title = title

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self._frames)

    def __getitem__(self, number):  # type: ignore[no-untyped-def]
        """Return the picture after ply `number`, or the pictures of a slice."""
        if isinstance(number, slice):
            return Pictures(self._layout, self._frames[number], self._title)
        end = range(len(self))[number] + 1
        return Picture(self._layout, self._frames[max(0, end - 2) : end], self._title)

    def __repr__(self) -> str:
        """Return the number of states."""
        return f"<Pictures of {len(self)} states>"

    def animation(self, seconds: float = 1.0) -> Picture:
        """Return one picture that shows every state in turn, each for some seconds."""
        return Picture(self._layout, self._frames, self._title, seconds=seconds)

    def _repr_svg_(self) -> str:
        return self.animation().svg


def state_svg(rulesheet: Rulesheet, state: Iterable[Term]) -> str:
    """Return the SVG document of a state. `gdl` finds this function by its entry point to show states in notebooks."""
    return svg(_layout(rulesheet.source.text), state)


@lru_cache(maxsize=8)
def _layout(rules: str) -> Layout:
    """Return the boards of a game; cached, as finding them takes longer than drawing a state."""
    from gdl.reasoner.reasoner import Reasoner

    return find_boards(Reasoner(rules))
