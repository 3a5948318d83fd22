"""The engine that runs matches: the compiled one where a file can be compiled, else the Reasoner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from gdl.engine import Engine, is_nature
from gdl.errors import GdlError
from gdl.reasoner.reasoner import Reasoner


@dataclass(frozen=True, slots=True)
class Loaded:
    """A game ready to be played: `note` says in one line why the Reasoner plays it, if it does."""

    game: Engine
    engine: str
    note: str
    digest: str

    @property
    def seated(self) -> tuple[str, ...]:
        """The roles that players take."""
        return tuple(role for role in self.game.roles if not is_nature(role))


def load(path: Path, progress: Callable[[str], None] | None = None) -> Loaded:
    """Load and compile a rule file; `progress` is told each stage. Raises FileError, RulesheetError."""
    return compiled(Reasoner.load(path), progress)


def compiled(reasoner: Reasoner, progress: Callable[[str], None] | None = None) -> Loaded:
    """Compile what a Reasoner plays; `progress` is told each stage."""
    digest = sha256(reasoner.rulesheet.source.text.encode()).hexdigest()
    import gdl

    try:
        simulator = gdl.compile(reasoner.rulesheet, progress=progress)
        simulator.is_terminal(simulator.initial_state())  # code for single states is made now, and kept
    except GdlError as error:
        return Loaded(reasoner, "reasoner", str(error).splitlines()[0], digest)
    return Loaded(simulator, "simulator", "", digest)
