"""The compiled Simulator of a match's game, made in a thread, so that no clock is missed over it.

    making = compilation(start)
    simulator = making.result(deadline)   # None if it is not ready in time
    ...
    simulator = making.ready()            # later, at a move: at once, None if it is still not ready
    making.reason                         # why there is none: one line, "" while there may still be one

States of the match become the Simulator's own by `simulator.state(state)`. Before a match, where nothing else waits,
`ggp.rules.engine_choice` compiles.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, final

from gdl.engine import rule_text
from gdl.errors import GdlError
from ggp.players.background import Background
from ggp.players.player import Start

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator

#: So many games are remembered in a process, so that players of one match, and later matches, share them.
_GAMES: Final = 4


def compilation(start: Start) -> Background[Simulator]:
    """The making of the compiled game of a match; players of the same rules in one process share it.

    A game that is a Simulator itself is ready at once. There is none of a game that was not made from rules.
    """
    from gdl.simulator.simulator import Simulator

    game = start.game
    if isinstance(game, Simulator):
        return _finished(game)
    text = start.rules or rule_text(game)
    return _compilation(text) if text.strip() else Background(_no_rules, "no compilation")


def compiled_game(making: Background[Simulator]) -> Simulator:
    """Wait for a compiled game. Raises NotCompiledError with the reason if there is none."""
    simulator = making.result()
    if simulator is None:
        raise NotCompiledError(making.reason)
    return simulator


@final
class NotCompiledError(GdlError):
    """There is no compiled game to search in."""

    code = "not-compiled"

    def __str__(self) -> str:
        return str(self.args[0])


@lru_cache(maxsize=_GAMES)
def _compilation(text: str) -> Background[Simulator]:
    def work() -> Simulator:
        import gdl

        return gdl.compile(gdl.Rulesheet(text) if "(" not in text else text, apart=True)

    return Background(work, "compilation")


def _finished(simulator: Simulator) -> Background[Simulator]:
    finished = Background(lambda: simulator, "compilation")
    finished.result()
    return finished


def _no_rules() -> Simulator:
    raise _NoRulesError


@final
class _NoRulesError(GdlError):
    """The game was not made from rules."""

    code = "no-rules"

    def __str__(self) -> str:
        return f"{self.code}: the game was not made from a rule text"
