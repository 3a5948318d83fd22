"""Settings and empty records for matches at a host."""

from __future__ import annotations

import gdl
from ggp.match.match import Match
from ggp.match.record import MatchRecord
from ggp.match.settings import Settings
from ggp.players import make_player
from support.remote_players import DUEL

#: Long enough for whoever answers at once on a busy machine.
CLOCK = 10.0

SETTINGS = Settings(seed=1, start_clock=CLOCK, play_clock=CLOCK, max_plies=10)


def blank() -> MatchRecord:
    players = {"left": make_player("legal"), "right": make_player("legal")}
    return Match(gdl.Reasoner(DUEL), players, Settings(seed=1)).record
