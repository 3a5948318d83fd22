"""Players, matches and boards for games written in the Game Description Language.

>>> import ggp
>>> match = ggp.play("tic_tac_toe", xplayer="greedy", oplayer="random", seed=7)
>>> match
<MatchRecord tic_tac_toe: finished after 7 plies: xplayer 100, oplayer 0>

`gdl` implements the language; this package plays games with it. Its packages, in import order:

- `ggp.rules`: shipped games, checks, conformance tests, and game types
- `ggp.solver.planner`, `ggp.solver`: plans for one role; exact values and their proofs
- `ggp.board`: boards recognized in rules, and their drawings
- `ggp.rules.lsp`: the language server for editors
- `ggp.belief`: what a role knows where states are hidden
- `ggp.players`: the players, which choose moves
- `ggp.match`: matches and their records
- `ggp.environments`: environments for learning
- `ggp.work`: jobs for the processes of this machine or of a cluster
- `ggp.study.bench`: speed measurements of engines and searches
- `ggp.network`: matches over the network
- `ggp.tournament`: round robins and ratings
- `ggp.study`: figures of random and strong play
- `ggp.learning`: training by self-play
- `ggp.server`: the server for the browser
- `ggp.cli`: the `ggp` command
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ggp import players, tournament
    from ggp.board.picture import Picture
    from ggp.match.match import Match
    from ggp.match.playing import play
    from ggp.match.record import MatchRecord, Ply, Result, read_record
    from ggp.match.rendering import render
    from ggp.match.settings import Policy, Settings
    from ggp.players import Player, make_player
    from ggp.rules.shipped_games import find_game, shipped_games
    from ggp.solver.position_value import PositionValue, solve

__version__: Final = "0.1.0"

#: Names loaded on first use, so that `import ggp` stays quick.
_LAZY = {
    "Match": "ggp.match.match",
    "MatchRecord": "ggp.match.record",
    "Picture": "ggp.board.picture",
    "Player": "ggp.players",
    "Ply": "ggp.match.record",
    "Policy": "ggp.match.settings",
    "PositionValue": "ggp.solver.position_value",
    "Result": "ggp.match.record",
    "Settings": "ggp.match.settings",
    "find_game": "ggp.rules.shipped_games",
    "make_player": "ggp.players",
    "play": "ggp.match.playing",
    "players": "",
    "read_record": "ggp.match.record",
    "render": "ggp.match.rendering",
    "shipped_games": "ggp.rules.shipped_games",
    "solve": "ggp.solver.position_value",
    "tournament": "",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _LAZY[name]
    value = getattr(import_module(home), name) if home else import_module(f"ggp.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


__all__ = [
    "Match",
    "MatchRecord",
    "Picture",
    "Player",
    "Ply",
    "Policy",
    "PositionValue",
    "Result",
    "Settings",
    "__version__",
    "find_game",
    "make_player",
    "play",
    "players",
    "read_record",
    "render",
    "shipped_games",
    "solve",
    "tournament",
]
