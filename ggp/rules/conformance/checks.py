"""The checks of a rule file, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from gdl.errors import GdlError
from gdl.language.parser import read_source
from gdl.reasoner.reasoner import Reasoner
from gdl.simulator.seeds import checked_seed
from ggp.rules.conformance.expectation_file import outline
from ggp.rules.conformance.expectations import Expectations, Position, expectations_path
from ggp.rules.conformance.perft import perft
from ggp.rules.conformance.playouts import Playouts, run_playouts
from ggp.rules.conformance.positions import check_position

#: The checks that a file passes by being read without errors.
RULES: Final = "rules"
EXPECTATIONS: Final = "expectations"

_PLAYOUTS: Final = "playouts"
_PERFT: Final = "perft"


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings for playouts. `max_plies` overrides the ply limit of the expectations.

    Raises TypeError and ValueError for a seed that is not a whole number from 0 to 2^64 - 1.
    """

    playouts: int = 20
    seed: int = 0
    max_plies: int | None = None

    def __post_init__(self) -> None:
        """Check the seed."""
        checked_seed(self.seed)


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check: a text for each failure, and the playouts if it made any."""

    failures: tuple[str, ...] = ()
    playouts: Playouts | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """A named check of a game."""

    name: str
    run: Callable[[], Finding]


def load_game(rule_file: Path, name: str) -> Reasoner:
    """Load the game of a rule file, called `name` in messages. Raises FileError, RulesheetError and other GdlErrors."""
    return Reasoner(read_source(rule_file).text, name)


def check_names(rule_file: Path, settings: Settings) -> list[str]:
    """Return the names of all checks of a rule file, without reading its rules."""
    names = [RULES]
    if expectations_path(rule_file).exists():
        names.append(EXPECTATIONS)
    if settings.playouts:
        names.append(_PLAYOUTS)
    counts, positions = outline(rule_file)
    if counts:
        names.append(_PERFT)
    return names + [_position(name) for name in positions]


def checks(
    game: Reasoner, expectations: Expectations, settings: Settings, tell: Callable[[str], None] = lambda _: None
) -> list[Check]:
    """Return the checks of a game that could be read, and of its expectations. `tell` is called with the progress."""
    made = []
    if settings.playouts:
        made.append(Check(_PLAYOUTS, partial(_play, game, expectations, settings, tell)))
    if expectations.perft:
        made.append(Check(_PERFT, partial(_count, game, expectations.perft, tell)))
    looks = [Check(_position(one.name), partial(_look, game, one, tell)) for one in expectations.positions]
    return made + looks


def _position(name: str) -> str:
    return f"position[{name}]"


def _play(game: Reasoner, expectations: Expectations, settings: Settings, tell: Callable[[str], None]) -> Finding:
    try:
        playouts = run_playouts(
            game,
            playouts=settings.playouts,
            seed=settings.seed,
            max_plies=settings.max_plies or expectations.max_plies,
            ends=expectations.ends,
            tell=tell,
        )
    except GdlError as error:
        return Finding((str(error),))
    return Finding(tuple(playouts.failures()), playouts)


def _count(game: Reasoner, expected: Sequence[int], tell: Callable[[str], None]) -> Finding:
    counts = perft(game)
    for depth, count in enumerate(expected):
        tell(f"perft[{depth}]")
        try:
            found = next(counts)
        except GdlError as error:
            return Finding((f"perft[{depth}]: expected {count}, but {error}",))
        if found != count:
            return Finding((f"perft[{depth}]: expected {count}, found {found}",))
    return Finding()


def _look(game: Reasoner, position: Position, tell: Callable[[str], None]) -> Finding:
    tell(_position(position.name))
    failure = check_position(game, position)
    return Finding(() if failure is None else (failure,))
