"""Pictures in one call: `ggp.render`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gdl.engine import Engine
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term
from ggp.board.drawing.svg import Frame
from ggp.board.finding.find import find_boards
from ggp.board.picture import Picture
from ggp.board.wishes import Wishes, fulfil, wishes_beside
from ggp.match.record import MatchRecord
from ggp.match.record.pictures import frames_of, layout_of
from ggp.rules.shipped_games import find_game, load_game
from ggp.solver.line import position_after


def render(
    source: str | Path | Rulesheet | Engine | MatchRecord,
    moves: str = "",
    *,
    state: Iterable[Term] | None = None,
    title: str = "",
    theme: str = "auto",
    seconds: float = 1.0,
) -> Picture:
    """Return a picture of a position, or of a whole match that plays itself.

    `str(picture)` is text, `picture.svg` the SVG document, `picture.save(path)` writes it; notebooks show it.

    >>> import ggp
    >>> print(ggp.render("tic_tac_toe", "(mark 2 2)"))
    3  . . .
    2  .[x].
    1  . . .
       1 2 3
    <BLANKLINE>
    control oplayer

    Args:
        source: A path, the name of a shipped game, a `gdl.Rulesheet`, an engine, or the record of a match.
        moves: The line of moves that leads to the position, as `ggp render --moves` takes it.
        state: The position itself, instead of moves.
        title: A heading; by default that of a `NAME.board.toml` beside the rules.
        theme: `"light"`, `"dark"`, or `"auto"` for that of the reader.
        seconds: How long a match shows each ply; 0 draws its last state only.

    Raises:
        UnknownGameError, AmbiguousGameError, FileError, RulesheetError, RecordError: The source cannot be read.
        TermError, LineError: The moves are not legal.
        ValueError: Moves or a state were given for a record, or both at once.
    """
    if isinstance(source, MatchRecord):
        if moves or state is not None:
            raise ValueError("a record has its own moves and states")
        frames = tuple(frames_of(source))
        return Picture(layout_of(source, source.match_id), frames, title, theme, seconds=seconds)
    if moves and state is not None:
        raise ValueError("either moves or a state")
    game, _ = load_game(source)
    wishes = wishes_beside(find_game(str(source))) if isinstance(source, str | Path) else Wishes()
    layout = fulfil(find_boards(game, wishes.hands), wishes)
    if state is not None:
        return Picture(layout, (Frame(state),), title, theme, wishes)
    _, played = position_after(game, moves, "moves")
    return Picture(layout, tuple(frames_after(game, played))[-2:], title, theme, wishes)


def frames_after(game: Engine, line: Iterable[tuple[Term, ...]]) -> list[Frame]:
    """Return the initial state and the states after each joint move of a line."""
    current = game.initial_state()
    frames = [Frame(current)]
    for joint_move in line:
        current = game.next_state(current, joint_move)
        frames.append(Frame(current, joint_move))
    return frames
