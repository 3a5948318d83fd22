"""Matches recorded in a file and reported while they are played."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

from ggp.match.match import Match
from ggp.match.record import MatchRecord, Ply, RecordFile


def play_recorded(
    match: Match, file: Path | None = None, tell: Callable[[MatchRecord], None] = lambda _: None
) -> Generator[Ply, None, None]:
    """Play a match and yield its plies; each is written to `file` and passed to `tell` before it is yielded.

    `tell` is called with the record at the start, after each ply and at the end. The match is always closed. Raises
    RecordError if the file cannot be written; if possible, before the match starts.
    """
    saved = None if file is None else RecordFile(file, fsync=match.settings.fsync)

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
