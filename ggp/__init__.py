"""Players, matches and what is seen of them, for games written in the Game Description Language.

`gdl` knows the language; this package plays with it. Its packages, in the direction of imports:

- `ggp.rules`: rule files as a whole: shipped games, checks, conformance tests, the type of a game
- `ggp.planner`, `ggp.solver`: plans for one role; exact values and their proofs
- `ggp.board`: boards found in rules, and drawn
- `ggp.lsp`: the language server for editors
- `ggp.players`: who chooses moves
- `ggp.match`: one play of a game from its start to its end, and its record
- `ggp.bench`: how fast engines and searches are
- `ggp.network`: matches over the network
- `ggp.tournament`: round robins and ratings
- `ggp.server`: the browser's side
- `ggp.cli`: the `ggp` command
"""

from typing import Final

__version__: Final = "0.1.0"
