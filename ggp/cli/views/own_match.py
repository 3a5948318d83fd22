"""A match with hidden information on the screen of a person who plays in it: nothing is given away before the end."""

from __future__ import annotations

from typing import final

from gdl.engine import NATURE, is_nature
from ggp.cli.screen import columns, line, screen
from ggp.cli.views.match import MatchView, Shown, View
from ggp.match.match import Match
from ggp.match.record import Ply
from ggp.match.replay import Replay


@final
class OwnMatchView:
    """A view that prints who plays, and the whole match when it is over.

    Meanwhile, `HumanPlayer` shows what the person's role sees.
    """

    def __init__(self, match: Shown, *, quiet: bool = False) -> None:
        """Show a match; with `quiet`, only its result."""
        self._match = match
        self._quiet = quiet
        self._begun = False

    def go_on(self, match: Shown) -> None:
        """Continue with the resumed match."""
        self._match = match

    def take_back(self, match: Shown) -> None:
        """Continue with a match in which moves have been taken back."""
        self._match = match

    def begin(self) -> None:
        """Print the players, the first time this is called."""
        if self._begun:
            return
        self._begun = True
        record, console = self._match.record, screen()
        line(console, (record.game_name or record.match_id, "bold"), "   hidden information")
        rows = zip(record.roles, record.players, strict=True)
        for role, player in columns([(role, NATURE if is_nature(role) else player) for role, player in rows]):
            line(console, f"  {role}  {player}")
        line(console, ("you see your own moves and percepts; all is shown when the match is over", "dim"))

    def ply(self, ply: Ply) -> None:
        """Print nothing: who has moved, and how, is not for everybody to see."""

    def end(self) -> None:
        """Print the whole match, unless it was never shown or goes on."""
        record = self._match.record
        if not self._begun or not record.over:
            return
        if not self._quiet:
            line(screen(), ("the match as it was", "bold"))
        again = Replay(record, self._match.game)
        whole = MatchView(again, quiet=self._quiet)
        whole.begin()
        for ply in again.plies():
            whole.ply(ply)
        whole.end()


def match_view(match: Match, *, quiet: bool = False, show_all: bool = False) -> View:
    """Return the view of a match that is shown at this terminal. With `show_all`, nothing is hidden from a person."""
    if match.private and not show_all:
        return OwnMatchView(match, quiet=quiet)
    return MatchView(match, quiet=quiet)
