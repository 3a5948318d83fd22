"""Tournaments: every player against every other, in every game, as often in one role as in another.

`play` runs a round robin and returns its tables. Of the modules, `plan` lists the matches, `match_process` plays them
in separate processes, `pool` keeps these busy, `store` keeps the outcomes in a file, `standings` adds them up,
`ratings` computes ratings from them, and `chart` draws these.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ggp.tournament.round_robin import TournamentResult, play

__all__ = ["TournamentResult", "play"]


def __getattr__(name: str) -> object:
    # Late, as the processes that play matches need neither the store nor the pool.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ggp.tournament import round_robin

    return getattr(round_robin, name)
