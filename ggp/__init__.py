"""Players, matches and what is seen of them, for games written in the Game Description Language.

`gdl` knows the language; this package plays with it, in one direction of flow:

- `gdl.engine`: the questions that a game answers, and `ggp.rules.shipped_games`: the rule files shipped with the package
- `ggp.players`: who chooses moves
- `ggp.match.match`: one play of a game from its start to its end, and `ggp.match.record`: what is kept of it
- `ggp.bench.playouts`: how fast an engine plays
- `ggp.cli`: the `ggp` command
"""

from typing import Final

__version__: Final = "0.1.0"
