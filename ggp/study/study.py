"""A study of a game, made in steps, so that it can be shown while it grows, and be interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, final

from gdl.engine import hides_states
from gdl.reasoner.reasoner import Reasoner
from ggp.rules.engine_choice import compiled_or_reasoner
from ggp.rules.shipped_games import game_name
from ggp.study.figures import Figure
from ggp.study.ladder import HIDDEN, SEEN
from ggp.study.random_play import play_randomly
from ggp.study.sample import Sample, figures_of, join
from ggp.study.strong_play import StrongPlay, play_strongly
from ggp.study.theory import Theory, theory_of
from ggp.study.tree_size import Seen, TreeSize
from ggp.work.job import Note, work_text

if TYPE_CHECKING:
    from gdl.engine import Engine
    from gdl.errors import Source

#: The shares of the time for random play, and for what can be proved.
_RANDOM: Final = 0.15
_THEORY: Final = 0.25


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a study; `seconds` limit its length, apart from compiling the game.

    `matches` is the number of matches of each pair of players in strong play, `jobs` the number of processes for them.
    With `ray`, the address of a cluster, its nodes play them. `memory`, in GB, is that of the solver.
    """

    seed: int
    playouts: int = 10_000
    seconds: float = 60.0
    max_plies: int = 500
    matches: int = 30
    jobs: int | None = None
    memory: float = 1.0
    ray: str | None = None


@final
@dataclass(slots=True)
class Study:
    """The findings about a game so far.

    `engine` is `simulator` or `reasoner`, and `note` says why it is not the former. `random` has the figures of random
    play, `playouts` their number. `unreached` says what was left out, and why.
    """

    path: Path
    name: str
    settings: Settings
    roles: tuple[str, ...] = ()
    engine: str = ""
    note: str = ""
    theory: Theory | None = None
    random: dict[str, Figure] = field(default_factory=dict)
    playouts: int = 0
    size: TreeSize | None = None
    strong: StrongPlay | None = None
    #: Why there is no strong play; empty if there is.
    no_strong: str = ""
    unreached: list[str] = field(default_factory=list)
    seconds: float = 0.0


def study(
    path: Path, settings: Settings, tell: Callable[[str], None] = lambda _: None, note: Note = lambda _: None
) -> Iterator[Study]:
    """Study a game, and yield the study, always the same object, whenever it has grown.

    `tell` is called with what is being done, `note` with a line for each match that is played again. Raises FileError
    and RulesheetError if the rules cannot be read, and FaultyRulesError or NoLegalMoveError if they leave a role
    without a move.
    """
    found = Study(path, game_name(path), settings)
    reasoner = Reasoner.load(path)
    tell("compiling")
    choice = compiled_or_reasoner(reasoner, tell)
    found.engine, found.note, found.roles = choice.engine, choice.reason, choice.player_roles
    yield found
    began = monotonic()

    def ends(share: float) -> float:
        return monotonic() + share * max(0.0, settings.seconds - (monotonic() - began))

    for _ in _random_play(found, choice.game, ends(_RANDOM), tell):
        found.seconds = monotonic() - began
        yield found
    found.theory = theory_of(
        reasoner, choice.game, until=ends(_THEORY), memory=settings.memory, seed=settings.seed, tell=tell
    )
    found.seconds = monotonic() - began
    yield found
    if found.theory.value.interrupted:
        raise KeyboardInterrupt
    for _ in _strong_play(found, reasoner.rulesheet.source, choice.game, began + settings.seconds, tell, note):
        found.seconds = monotonic() - began
        yield found
    found.seconds = monotonic() - began


def _random_play(found: Study, game: Engine, until: float, tell: Callable[[str], None]) -> Iterator[None]:
    settings = found.settings
    samples: list[Sample] = []
    seen = Seen()
    tell("random play")
    try:
        for sample in play_randomly(game, settings.playouts, settings.seed, settings.max_plies, until, seen):
            samples.append(sample)
            found.playouts += len(sample)
            tell(f"random play: {found.playouts} of {settings.playouts} playouts")
    finally:  # an interrupt keeps what was played
        if samples:
            found.random = figures_of(join(samples))
            found.size = seen.size()
        if found.playouts < settings.playouts:
            found.unreached.append(f"random play: {found.playouts:,} of {settings.playouts:,} playouts in the time")
    yield


def _strong_play(
    found: Study, rules: Source, game: Engine, until: float, tell: Callable[[str], None], note: Note
) -> Iterator[None]:
    settings, theory = found.settings, found.theory
    hidden = hides_states(game)
    if not settings.matches:
        found.no_strong = "no matches were asked for"
    elif hidden and found.engine != "simulator":
        found.no_strong = "the players that search games with hidden states need the game compiled"
    if found.no_strong:
        yield
        return
    total = theory.kind.total if theory is not None and len(found.roles) == 2 else None
    found.strong = strong = StrongPlay(found.roles, total, HIDDEN if hidden else SEEN)
    tell("strong play: starting")
    try:
        for _ in play_strongly(
            rules,
            found.name,
            strong,
            engine=found.engine,
            matches=settings.matches,
            seed=settings.seed,
            max_plies=settings.max_plies,
            jobs=settings.jobs,
            ray=settings.ray,
            until=until,
            note=note,
        ):
            state = f", {work_text(strong.work)}" if strong.work is not None else ""
            tell(f"strong play: {len(strong.played)} of {strong.planned} matches{state}")
            yield
    finally:  # an interrupt keeps what was played
        if strong.lost:
            found.unreached.append(f"strong play: {len(strong.lost)} matches failed: {strong.lost[0]}")
        if len(strong.played) + len(strong.lost) < strong.planned:
            found.unreached.append(f"strong play: {len(strong.played):,} of {strong.planned:,} matches in the time")
