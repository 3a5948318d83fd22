"""Compile a game, or fall back to the Reasoner and say why in one line.

Before a match, where nothing else waits:

    choice = compiled_or_reasoner(reasoner, progress)
    choice.game                           # the Simulator, else the Reasoner
    choice.reason                         # why the Reasoner plays: one line, "" for the Simulator

During a match, for a player whose clock runs, in a thread:

    making = compilation(start)
    simulator = making.result(deadline)   # None if it is not ready in time
    simulator = making.ready()            # later, at a move: at once, None if it is still not ready
    making.reason                         # why there is none: one line, "" while there may still be one

States of the match become the Simulator's own by `simulator.state(state)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from gdl.engine import Engine, player_roles, rule_text
from gdl.errors import GdlError
from gdl.reasoner.reasoner import Reasoner
from ggp.players.background import FAILURES, Background, one_line
from ggp.players.player import Start

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator

#: So many games are remembered in a process, so that players of one match, and later matches, share them.
_GAMES: Final = 4


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """The engine of a game: `simulator` if the rules were compiled, else the Reasoner, and `reason` says why.

    `digest` identifies the rule text.
    """

    game: Engine
    simulator: Simulator | None
    reason: str
    digest: str

    @property
    def engine(self) -> str:
        """The engine's name: "simulator" or "reasoner"."""
        return "reasoner" if self.simulator is None else "simulator"

    @property
    def player_roles(self) -> tuple[str, ...]:
        """The roles that players take: all but chance."""
        return player_roles(self.game)


def compiled_or_reasoner(reasoner: Reasoner, progress: Callable[[str], None] | None = None) -> EngineChoice:
    """Compile the rules of a Reasoner, or fall back to that Reasoner. `progress` is told each stage."""
    import gdl

    digest = sha256(reasoner.rulesheet.source.text.encode()).hexdigest()
    try:
        simulator = gdl.compile(reasoner.rulesheet, progress=progress)
        simulator.is_terminal(simulator.initial_state())  # code for single states is made now, and kept
    except FAILURES as error:
        return EngineChoice(reasoner, None, one_line(error), digest)
    return EngineChoice(simulator, simulator, "", digest)


def load_compiled(path: Path) -> EngineChoice:
    """Load a rule file, and compile it or fall back to the Reasoner. Raises FileError, RulesheetError."""
    return compiled_or_reasoner(Reasoner.load(path))


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
