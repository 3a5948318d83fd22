"""How fast engines play: random playouts on one core.

A transition is what a playout does at every ply: the legal moves of all roles, a random joint move, the next state, and
whether it is terminal. At its end a playout asks for all goals. What comes before the first playout is over, from
reading the file on, is the setup, and counted apart.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final, Protocol, final

from gdl.engine import Engine, is_nature
from gdl.errors import GdlError, GoalError, NoLegalMoveError

if TYPE_CHECKING:
    from gdl import Simulator

#: A Simulator plays so many playouts side by side.
LANES: Final = 512

#: How many playouts fit into the time is reckoned from those of at least this share of it.
_TRY: Final = 0.2

#: Of a run's time, so much may go into reading the code that it needs.
_MADE: Final = 0.05


@dataclass(frozen=True, slots=True)
class Speed:
    """What was done in how many seconds of computing, and how many passed by the clock meanwhile.

    Seconds of computing are those that the processor gave to this process: other work on the machine does not count.
    `cut` playouts of all were not over after the ply limit.
    """

    playouts: int
    transitions: int
    cut: int
    seconds: float
    wall_seconds: float

    @property
    def playouts_per_second(self) -> float:
        return self.playouts / self.seconds

    @property
    def transitions_per_second(self) -> float:
        return self.transitions / self.seconds

    @property
    def mean_length(self) -> float:
        """Plies per playout."""
        return self.transitions / self.playouts


@final
class Stopwatch:
    """Runs from when it is made."""

    def __init__(self) -> None:
        self._began = time.process_time(), time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds of computing so far, never 0."""
        return max(time.process_time() - self._began[0], time.get_clock_info("process_time").resolution)

    @property
    def wall_seconds(self) -> float:
        """Seconds that have passed."""
        return time.perf_counter() - self._began[1]

    def speed(self, playouts: int, transitions: int, cut: int = 0) -> Speed:
        """What was done since the start."""
        return Speed(playouts, transitions, cut, self.seconds, self.wall_seconds)


class Runner(Protocol):
    """Something that plays one game at random, ready to begin."""

    @property
    def engine(self) -> str:
        """What it is called on the screen."""
        ...

    @property
    def setup_seconds(self) -> float:
        """How long it took, by the clock, from the rule file to the end of a first playout."""
        ...

    def run(self, seconds: float, seed: int) -> Speed:
        """Random playouts for about so many seconds of computing, at least one."""
        ...


@final
class OneByOne:
    """Playouts of an engine, one after the other, by its interface for single states."""

    def __init__(self, load: Callable[[], Engine], *, max_plies: int, engine: str = "reasoner") -> None:
        """Load the engine, and play once. Raises what is wrong with the rules, NoLegalMoveError among others."""
        stopwatch = Stopwatch()
        self.engine = engine
        self.game = load()
        self._max_plies = max_plies
        playout(self.game, random.Random(0), max_plies)
        self.setup_seconds = stopwatch.wall_seconds

    def run(self, seconds: float, seed: int) -> Speed:
        """Playouts until the time is over; the last is played to its end, so that short ones are not favoured."""
        generator = random.Random(seed)
        playouts = transitions = cut = 0
        stopwatch = Stopwatch()
        while not playouts or stopwatch.seconds < seconds:
            plies, finished = playout(self.game, generator, self._max_plies)
            playouts += 1
            transitions += plies
            cut += not finished
        return stopwatch.speed(playouts, transitions, cut)


def playout(game: Engine, generator: random.Random, max_plies: int) -> tuple[int, bool]:
    """One playout of uniformly random moves: how many plies it took, and whether a terminal state was reached."""
    state = game.initial_state()
    roles = game.roles
    plies = 0
    while not game.is_terminal(state):
        if plies == max_plies:
            return plies, False
        joint_move = []
        for role in roles:
            legal = game.legal_moves(state, role)
            if not legal:
                raise NoLegalMoveError(role)
            joint_move.append(generator.choice(legal))
        state = game.next_state(state, joint_move)
        plies += 1
    for role in roles:
        try:
            game.goal(state, role)
        except GoalError:
            if not is_nature(role):  # chance need not have a goal
                raise
    return plies, True


class FaultyRulesError(GdlError):
    """Some of a Simulator's playouts came to where rules must not lead."""

    def __init__(self, code: str, faulty: int, playouts: int, what: str) -> None:
        self.code = code
        self.what = what
        self.faulty = faulty
        self.playouts = playouts
        super().__init__(code, faulty, playouts, what)

    def __str__(self) -> str:
        return f"{self.code}: {self.faulty:,} of {self.playouts:,} playouts {self.what}"


@final
class InLanes:
    """Playouts of a Simulator, side by side."""

    engine: Final = "simulator"

    def __init__(self, load: Callable[[], Simulator], *, max_plies: int) -> None:
        """Compile the game, and play once. Raises GroundingError, FaultyRulesError and RulesheetError."""
        stopwatch = Stopwatch()
        self.game = load()
        self._max_plies = max_plies
        self._rate: float | None = None
        self._timed(1, 0)
        self.setup_seconds = stopwatch.wall_seconds

    def run(self, seconds: float, seed: int) -> Speed:
        """As many playouts as should fit into the time, all played to their end. Raises FaultyRulesError."""
        if self._rate is None:
            playouts = LANES
            while (speed := self._play(playouts, seed)).seconds < _TRY * seconds:
                playouts *= 4
            self._rate = speed.playouts_per_second
        return self._play(max(LANES, round(self._rate * seconds)), seed)

    def _play(self, playouts: int, seed: int) -> Speed:
        """So many playouts; once more if code had to be made for playouts longer than any before."""
        setup = self.game.setup_seconds
        speed = self._timed(playouts, seed)
        made = self.game.setup_seconds - setup
        return self._timed(playouts, seed) if made > _MADE * speed.wall_seconds else speed

    def _timed(self, playouts: int, seed: int) -> Speed:
        stopwatch = Stopwatch()
        result = self.game.playouts(playouts, seed=seed, max_plies=self._max_plies)
        speed = stopwatch.speed(result.playouts, result.transitions, result.cut)
        if result.stuck:
            raise FaultyRulesError("no-legal-move", result.stuck, playouts, "leave a role without a legal move")
        for role, count in result.undefined.items():
            if count and not is_nature(role):
                raise FaultyRulesError("goal-value", count, playouts, f"end without one goal value for {role}")
        return speed


@dataclass(frozen=True, slots=True)
class Measurement:
    """What several runs of one engine with one game showed: rates are medians."""

    engine: str
    setup_seconds: float
    speeds: tuple[Speed, ...]

    @property
    def playouts_per_second(self) -> float:
        return median(speed.playouts_per_second for speed in self.speeds)

    @property
    def transitions_per_second(self) -> float:
        return median(speed.transitions_per_second for speed in self.speeds)

    @property
    def spread(self) -> float:
        """How far the fastest run and the slowest one are apart, as a share of the median."""
        rates = [speed.playouts_per_second for speed in self.speeds]
        return (max(rates) - min(rates)) / median(rates)

    @property
    def total(self) -> Speed:
        """All runs together."""
        return Speed(
            sum(speed.playouts for speed in self.speeds),
            sum(speed.transitions for speed in self.speeds),
            sum(speed.cut for speed in self.speeds),
            sum(speed.seconds for speed in self.speeds),
            sum(speed.wall_seconds for speed in self.speeds),
        )

    def times(self, other: Measurement) -> float:
        """How many times as many playouts a second as another engine."""
        return self.playouts_per_second / other.playouts_per_second


@final
class Comparison:
    """Several engines with one game. They play in turn, so that all suffer alike if the machine slows down."""

    def __init__(self, runners: Sequence[Runner]) -> None:
        self._runners = runners
        self._speeds: list[list[Speed]] = [[] for _ in runners]

    def run(self, *, seconds: float, repeat: int, seed: int) -> None:
        """Let each play so many times. Where that is interrupted, what was measured before is kept."""
        for turn in range(repeat):
            for runner, speeds in zip(self._runners, self._speeds, strict=True):
                speeds.append(runner.run(seconds, seed + turn))

    @property
    def measurements(self) -> list[Measurement]:
        """Those engines that have played."""
        return [
            Measurement(runner.engine, runner.setup_seconds, tuple(speeds))
            for runner, speeds in zip(self._runners, self._speeds, strict=True)
            if speeds
        ]
