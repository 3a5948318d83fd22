"""Compile the game of a match in a background thread, so that no deadline is missed because of it.

    making = compilation(start)
    simulator = making.result(deadline)   # None if it is not ready in time
    ...
    simulator = making.ready()            # later, without waiting: None if it is still not ready
    making.reason                         # why it failed, in one line; "" if it has not failed

`simulator.state(state)` converts a state of the match to the Simulator's own. Before a match, when nothing else is
waiting, `ggp.rules.engine_choice` compiles the game.
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

#: The number of compiled games kept in a process, to be shared by the players of a match and by later matches.
_GAMES: Final = 4


def compilation(start: Start) -> Background[Simulator]:
    """Start compiling the game of a match, or join a compilation of the same rules in this process.

    If the game is a Simulator already, the result is ready at once. For a game that was not made from rules, the
    compilation fails.
    """
    from gdl.simulator.simulator import Simulator

    game = start.game
    if isinstance(game, Simulator):
        return _finished(game)
    text = start.rules or rule_text(game)
    return _compilation(text) if text.strip() else Background(_no_rules, "no compilation")


def compiled_game(making: Background[Simulator]) -> Simulator:
    """Wait for a compiled game and return it. Raises NotCompiledError with the reason if compiling failed."""
    simulator = making.result()
    if simulator is None:
        raise NotCompiledError(making.reason)
    return simulator


@final
class NotCompiledError(GdlError):
    """The game could not be compiled."""

    code = "not-compiled"

    def __str__(self) -> str:
        """Return the reason."""
        return str(self.args[0])


@lru_cache(maxsize=_GAMES)
def _compilation(text: str) -> Background[Simulator]:
    def work() -> Simulator:
        import gdl

        return gdl.compile(gdl.Rulesheet(text) if "(" not in text else text, separate_process=True)

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
        """Return the code and the reason in one line."""
        return f"{self.code}: the game was not made from a rule text"
