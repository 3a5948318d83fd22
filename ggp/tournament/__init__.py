"""Tournaments: round robins, in which all players meet, and Swiss tournaments.

`play` runs a tournament and returns its tables. Of the modules, `plan` lists the matches, of which `swiss` draws the
rounds; `match_process` plays them in separate processes, `pool` keeps these busy, `store` keeps the outcomes in a file,
`scoring` and `standings` add them up, `ratings` computes ratings from them, and `chart` draws these. `schedule` reads
the file of a tournament that is hosted, and `hosted` plays it between players on any machine.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ggp.tournament.tournament import TournamentResult, play

__all__ = ["TournamentResult", "play"]


def __getattr__(name: str) -> object:
    # Imported late, because the processes that play matches need neither the store nor the pool.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ggp.tournament import tournament

    return getattr(tournament, name)
