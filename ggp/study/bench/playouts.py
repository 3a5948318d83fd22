"""The speed of engines, and of OpenSpiel, measured by random playouts on one core.

A transition is the work of one ply: computing the legal moves of all roles, a random joint move, the next state, and
whether that is terminal. A playout ends by computing all goals. The setup, from reading the file to the end of a first
playout, is timed separately.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Final, Protocol, final

from gdl.engine import Engine, is_nature
from gdl.errors import GdlError, GoalError, NoLegalMoveError
from gdl.simulator.seeds import SEEDS

if TYPE_CHECKING:
    from gdl import PartialGame, Simulator
    from ggp.players.openspiel.games import Rollouts

#: The number of playouts that a Simulator runs in parallel.
LANES: Final = 512

#: The rate is estimated from a trial that takes at least this share of the time.
_TRY: Final = 0.2

#: Maximum share of a run's time that may be spent on loading code.
_MADE: Final = 0.05


@dataclass(frozen=True, slots=True)
class Speed:
    """The work of one run, with its processor time and its wall-clock time.

    `seconds` is the processor time of this process, which excludes other work on the machine; with several threads, it
    is the wall-clock time. `cut` counts the playouts
    that were not over at the limit of plies.
    """

    playouts: int
    transitions: int
    cut: int
    seconds: float
    wall_seconds: float

    @property
    def playouts_per_second(self) -> float:
        """Playouts per second of processor time."""
        return self.playouts / self.seconds

    @property
    def transitions_per_second(self) -> float:
        """Transitions per second of processor time."""
        return self.transitions / self.seconds

    @property
    def mean_length(self) -> float:
        """Plies per playout."""
        return self.transitions / self.playouts


@final
class Stopwatch:
    """A stopwatch for processor time and wall-clock time."""

    def __init__(self) -> None:
        """Start it."""
        self._began = time.process_time(), time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds of processor time so far, never 0."""
        return max(time.process_time() - self._began[0], time.get_clock_info("process_time").resolution)

    @property
    def wall_seconds(self) -> float:
        """Seconds of wall-clock time so far."""
        return time.perf_counter() - self._began[1]

    def speed(self, playouts: int, transitions: int, cut: int = 0) -> Speed:
        """Return the speed of the work done since the start."""
        return Speed(playouts, transitions, cut, self.seconds, self.wall_seconds)


class Runner(Protocol):
    """A runner that is set up to play one game at random."""

    @property
    def engine(self) -> str:
        """The name shown for the engine."""
        ...

    @property
    def setup_seconds(self) -> float:
        """Wall-clock seconds from reading the rule file to the end of a first playout."""
        ...

    def run(self, seconds: float, seed: int) -> Speed:
        """Run at least one random playout, for about `seconds` of processor time."""
        ...


@final
class OneByOne:
    """A runner that plays one playout after another, using the engine's interface for single states."""

    def __init__(self, load: Callable[[], Engine], *, max_plies: int, engine: str = "reasoner") -> None:
        """Load the engine and play once. Raises the errors of the rules, such as NoLegalMoveError."""
        stopwatch = Stopwatch()
        self.engine = engine
        self.game = load()
        self._max_plies = max_plies
        playout(self.game, random.Random(0), max_plies)
        self.setup_seconds = stopwatch.wall_seconds

    def run(self, seconds: float, seed: int) -> Speed:
        """Play until the time is up; the last playout is completed, so that short ones are not favoured."""
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
    """Play uniformly random moves. Return the number of plies, and True if a terminal state was reached."""
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
            if not is_nature(role):  # the role `random` needs no goal
                raise
    return plies, True


class FaultyRulesError(GdlError):
    """Some of a Simulator's playouts reached a state that valid rules do not allow."""

    template = "{code}: {1:,} of {2:,} playouts {3}"

    def __init__(self, code: str, faulty: int, playouts: int, what: str) -> None:
        """Store how many of how many playouts are faulty; `what` completes the sentence about them."""
        self.code = code
        self.what = what
        self.faulty = faulty
        self.playouts = playouts
        super().__init__(code, faulty, playouts, what)


@final
class InLanes:
    """A runner that plays a Simulator's playouts in parallel lanes."""

    engine: Final = "simulator"

    def __init__(self, load: Callable[[], Simulator], *, max_plies: int, threads: int = 1) -> None:
        """Compile the game and play once. Raises CompileError, FaultyRulesError and RulesheetError."""
        stopwatch = Stopwatch()
        self.game = load()
        self._max_plies = max_plies
        self._threads = threads
        self._rate: float | None = None
        self._timed(1, 0)
        self.setup_seconds = stopwatch.wall_seconds

    def run(self, seconds: float, seed: int) -> Speed:
        """Run the estimated number of playouts for the time, all to their end. Raises FaultyRulesError."""
        if self._rate is None:
            playouts = LANES
            while (speed := self._play(playouts, seed)).seconds < _TRY * seconds:
                playouts *= 4
            self._rate = speed.playouts_per_second
        return self._play(max(LANES, round(self._rate * seconds)), seed)

    def _play(self, playouts: int, seed: int) -> Speed:
        """Run the playouts, and again if code had to be compiled for playouts longer than any before."""
        setup = self.game.setup_seconds
        speed = self._timed(playouts, seed)
        made = self.game.setup_seconds - setup
        return self._timed(playouts, seed) if made > _MADE * speed.wall_seconds else speed

    def _timed(self, playouts: int, seed: int) -> Speed:
        stopwatch = Stopwatch()
        result = self.game.playouts(playouts, seed=seed, max_plies=self._max_plies, threads=self._threads)
        speed = stopwatch.speed(result.playouts, result.transitions, result.cut)
        if self._threads > 1:
            speed = replace(speed, seconds=speed.wall_seconds)
        if result.stuck:
            raise FaultyRulesError("no-legal-move", result.stuck, playouts, "leave a role without a legal move")
        for role, count in result.undefined.items():
            if count and not is_nature(role):
                raise FaultyRulesError("goal-value", count, playouts, f"end without one goal value for {role}")
        return speed


def compiled(load: Callable[[], Simulator | PartialGame], *, max_plies: int, threads: int = 1) -> InLanes | OneByOne:
    """Compile a game and play once; one of which only a part is compiled is played one playout after another.

    Raises what both do.
    """
    from gdl.simulator.simulator import Simulator

    stopwatch = Stopwatch()
    game = load()
    runner = (
        InLanes(lambda: game, max_plies=max_plies, threads=threads)
        if isinstance(game, Simulator)
        else OneByOne(lambda: game, max_plies=max_plies, engine="part")
    )
    runner.setup_seconds = stopwatch.wall_seconds
    return runner


@dataclass(frozen=True, slots=True)
class Measurement:
    """The results of several runs of one engine with one game. Rates are medians."""

    engine: str
    setup_seconds: float
    speeds: tuple[Speed, ...]

    @property
    def playouts_per_second(self) -> float:
        """The median of playouts per second."""
        return median(speed.playouts_per_second for speed in self.speeds)

    @property
    def transitions_per_second(self) -> float:
        """The median of transitions per second."""
        return median(speed.transitions_per_second for speed in self.speeds)

    @property
    def spread(self) -> float:
        """The difference between the fastest and the slowest run, as a share of the median."""
        rates = [speed.playouts_per_second for speed in self.speeds]
        return (max(rates) - min(rates)) / median(rates)

    @property
    def total(self) -> Speed:
        """The sum of all runs."""
        return Speed(
            sum(speed.playouts for speed in self.speeds),
            sum(speed.transitions for speed in self.speeds),
            sum(speed.cut for speed in self.speeds),
            sum(speed.seconds for speed in self.speeds),
            sum(speed.wall_seconds for speed in self.speeds),
        )

    def times(self, other: Measurement) -> float:
        """Return the ratio of playouts per second to another engine's."""
        return self.playouts_per_second / other.playouts_per_second


@final
class Comparison:
    """Runs of several engines with one game, in turn, so that a slowdown of the machine affects all engines alike."""

    def __init__(self, runners: Sequence[Runner]) -> None:
        """Start without any runs."""
        self._runners = runners
        self._speeds: list[list[Speed]] = [[] for _ in runners]

    def run(self, *, seconds: float, repeat: int, seed: int) -> None:
        """Run each engine `repeat` times. If this is interrupted, earlier measurements are kept."""
        for turn in range(repeat):
            for runner, speeds in zip(self._runners, self._speeds, strict=True):
                speeds.append(runner.run(seconds, (seed + turn) % SEEDS))

    @property
    def measurements(self) -> list[Measurement]:
        """The measurements of the engines that have played."""
        return [
            Measurement(runner.engine, runner.setup_seconds, tuple(speeds))
            for runner, speeds in zip(self._runners, self._speeds, strict=True)
            if speeds
        ]


#: Seconds that the C++ code plays at a time; interrupts are only noticed in between.
PORTION: Final = 0.05


@final
class ByOpenSpiel:
    """A runner for a game of OpenSpiel, played by its own C++ code."""

    engine: Final = "openspiel"

    def __init__(self, rollouts: Rollouts) -> None:
        """Measure the game of these rollouts."""
        self._rollouts = rollouts
        self._portion = 16

    @property
    def setup_seconds(self) -> float:
        """Wall-clock seconds from loading the game to the end of a first playout."""
        return self._rollouts.setup_seconds

    def run(self, seconds: float, seed: int) -> Speed:
        """Play for about this many seconds; the number of plies is estimated."""
        seeds = random.Random(seed)
        length = self._rollouts.sample.length
        playouts = 0
        stopwatch = Stopwatch()
        while not playouts or stopwatch.seconds < seconds:
            before = stopwatch.seconds
            self._rollouts.outcome(self._portion, seeds.getrandbits(31))
            playouts += self._portion
            if stopwatch.seconds - before < PORTION:
                self._portion = min(2 * self._portion, 2**20)
        return stopwatch.speed(playouts, round(playouts * length))
