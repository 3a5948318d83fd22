"""Compile a game, or fall back to the Reasoner, whole or for a part, and say why in one line.

    choice = compiled_or_reasoner(reasoner, progress)
    choice.game       # the Simulator; a PartialGame if the rules are too large; else the Reasoner
    choice.reason     # why it is no Simulator: one line, "" for the Simulator

Players compile in a thread while their clock is running, and fall back in their own ways: see
`ggp.players.compilation`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gdl.engine import player_roles
from gdl.errors import GdlError
from gdl.reasoner.reasoner import Reasoner

if TYPE_CHECKING:
    from gdl.simulator.partial_game import PartialGame
    from gdl.simulator.simulator import Simulator

#: Errors for games that cannot be compiled. Any other error is a bug in the compiler.
FAILURES: Final = (GdlError, MemoryError)


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """The engine of a game: `simulator` if the rules were compiled whole; else the Reasoner answers, for a `reason`."""

    game: Reasoner | Simulator | PartialGame
    simulator: Simulator | None
    reason: str

    @property
    def engine(self) -> str:
        """The engine's name: "simulator" or "reasoner"."""
        return "reasoner" if self.simulator is None else "simulator"

    @property
    def uses_reasoner(self) -> bool:
        """True if the Reasoner answers all questions, or some."""
        return self.simulator is None and bool(getattr(self.game, "by_reasoner", True))

    @property
    def player_roles(self) -> tuple[str, ...]:
        """The roles that players take: all except chance."""
        return player_roles(self.game)


def compiled_or_reasoner(reasoner: Reasoner, progress: Callable[[str], None] | None = None) -> EngineChoice:
    """Compile the rules of a Reasoner, or fall back to that Reasoner. `progress` is called with each stage."""
    import gdl

    try:
        simulator = gdl.compile(reasoner.rulesheet, progress=progress)
        if not isinstance(simulator, gdl.Simulator):
            return EngineChoice(simulator, None, simulator.reason)
        simulator.is_terminal(simulator.initial_state())  # makes and caches the code for single states now
    except FAILURES as error:
        return EngineChoice(reasoner, None, one_line(error))
    return EngineChoice(simulator, simulator, "")


def one_line(error: BaseException) -> str:
    """Return the first line of an error's message, or its type if it has none."""
    lines = str(error).strip().splitlines()
    return lines[0].strip() if lines else type(error).__name__
