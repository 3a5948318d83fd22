"""Matches recorded in a file and reported while they are played."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

from ggp.match.match import Match
from ggp.match.record import MatchRecord, Ply, RecordFile


def play_recorded(
    match: Match,
    file: Path | None = None,
    tell: Callable[[MatchRecord], None] = lambda _: None,
    *,
    open_to_all: bool = False,
) -> Generator[Ply, None, None]:
    """Play a match and yield its plies; each is written to `file` and passed to `tell` before it is yielded.

    `tell` is called with the record at the start, after each ply and at the end. The match is always closed. If a
    person plays a role that does not see everything, plies are written when the match is over, unless it is
    `open_to_all`. Raises RecordError if the file cannot be written; if possible, before the match starts.
    """
    sealed = match.private and not open_to_all
    saved = None if file is None else RecordFile(file, fsync=match.settings.fsync)

    def conclude() -> None:
        tell(match.record)
        if saved:
            saved.finish(match.record)

    with ExitStack() as afterwards, match:
        if saved:
            saved.finish(match.record.concealed() if sealed else match.record)
        afterwards.callback(conclude)
        tell(match.record)
        for ply in match.plies():
            if saved and not sealed:
                saved.update(match.record)
            tell(match.record)
            yield ply
