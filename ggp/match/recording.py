"""A match that is played, kept in a file, and told to others while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

from ggp.match.match import Match
from ggp.match.record import MatchRecord, Ply, RecordFile


def play_recorded(
    match: Match, file: Path | None = None, tell: Callable[[MatchRecord], None] = lambda _: None
) -> Generator[Ply, None, None]:
    """The plies of a match as they are played; each is in the file, and told, before it is given.

    `tell` hears of the start and of the end, too. The match is closed, whatever happens. Raises RecordError where the
    file cannot be written: before the match, if it cannot be from the first.
    """
    saved = None if file is None else RecordFile(file)

    def conclude() -> None:
        tell(match.record)
        if saved:
            saved.finish(match.record)

    with ExitStack() as afterwards, match:
        if saved:
            saved.finish(match.record)
        afterwards.callback(conclude)
        tell(match.record)
        for ply in match.plies():
            if saved:
                saved.update(match.record)
            tell(match.record)
            yield ply
