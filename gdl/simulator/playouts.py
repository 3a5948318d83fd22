"""Random playouts in lanes: the loop around the machine code, and its results.

Many playouts are divided into shares, each with its own seed and memory, which threads play at the same time. The
shares depend on the number of playouts alone, so that results do not depend on the number of threads.
"""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Final, final

from gdl.circuit.sampling import Lanes
from gdl.codegen.llvm.playout_loop import LANES
from gdl.errors import GoalError
from gdl.reasoner.joint_moves import goal_number
from gdl.simulator.compiled_code import PlayoutCode
from gdl.simulator.seeds import derive, words
from gdl.system.childprocess import usable_cores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.simulator.compiler import Compiler
    from gdl.simulator.packed_state import PackedState
    from gdl.simulator.simulator import Simulator

#: The number of bits of ages, at first, for games of up to a number of facts. Small games tend to be short; in large
#: ones, a few spare bits cost less than making the code again. If playouts turn out to be longer, ages get more bits,
#: an even number: two generators fill the rows of random bits in turn, by the numbers of these rows, which come after
#: those of ages.
_AGE_BITS = ((32, 4), (64, 5), (200, 7))
_LARGE_AGE_BITS = 11
_MORE_AGE_BITS = 4

#: The approximate duration of one call of the machine code in seconds, so that Ctrl-C takes effect soon.
_SLICE = 0.1

#: The number of playouts from which there are several shares is four times this; with n times as many, there are twice
#: the square root of n, up to the most. While the last playouts of a share end, most of its lanes rest, which takes
#: about as long as one round of 512 playouts.
_SHARE: Final = 4_096
_SHARES: Final = 32

#: One thread plays shares for this many seconds before others join it. In fast games, a share is hardly more than what
#: Python does for it, and threads would only wait for each other.
_ALONE: Final = 0.01

#: The number of operations for each bit of ages, in a step and in a restart. They are left out of estimates on which
#: results depend.
_AGE_OPERATIONS: Final = 3

#: The number of steps between restarts: before the length of playouts is known, and at most.
_FIRST_INTERVAL: Final = 7
_LONGEST_INTERVAL: Final = 64


#: The default number of plies after which playouts are cut off.
MAX_PLIES: Final = 10_000


@final
@dataclass(frozen=True, slots=True, repr=False)
class PlayoutResult:
    """The results of random playouts.

    `counts[role][value]` is the number of playouts that ended with a goal value for a role; `undefined[role]` is the
    number of those that ended without exactly one goal value for the role. `cut` playouts were stopped
    after `max_plies`; `stuck` ones reached a state that is not terminal but in which a role has no legal move. Neither
    have goals. `transitions` is the total number of plies, made in `steps` of 512 lanes, with `operations` on 512
    lanes each. A step makes one ply, or one in each phase of the game. `seconds` is the time of the playouts alone.
    """

    playouts: int
    transitions: int
    steps: int
    operations: int
    max_length: int
    cut: int
    stuck: int
    seconds: float
    counts: Mapping[str, Mapping[int, int]]
    undefined: Mapping[str, int]

    @property
    def mean_length(self) -> float:
        """The mean number of plies of a playout."""
        return self.transitions / self.playouts

    @property
    def sums(self) -> dict[str, int]:
        """The sum of each role's goal values."""
        return {role: sum(value * count for value, count in counts.items()) for role, counts in self.counts.items()}

    @property
    def goals(self) -> dict[str, float]:
        """Each role's mean goal value, over the playouts in which it has one; NaN if there are none."""
        totals = {role: sum(counts.values()) for role, counts in self.counts.items()}
        return {role: total / totals[role] if totals[role] else float("nan") for role, total in self.sums.items()}

    @property
    def playouts_per_second(self) -> float:
        """The number of playouts per second."""
        return self.playouts / self.seconds if self.seconds else float("inf")

    @property
    def transitions_per_second(self) -> float:
        """The number of plies per second."""
        return self.transitions / self.seconds if self.seconds else float("inf")

    def __repr__(self) -> str:
        """Return the number of playouts and the mean goals."""
        return f"<PlayoutResult of {self.playouts:,} playouts, mean goals: {self._mean_goals}>"

    @property
    def _mean_goals(self) -> str:
        return ", ".join(f"{role} {mean:.2f}" for role, mean in self.goals.items())

    def __str__(self) -> str:
        """Return the results in one line."""
        return (
            f"{self.playouts:,} playouts in {self.seconds:.3g} s ({self.transitions_per_second:,.0f} transitions/s), "
            f"mean goals: {self._mean_goals}, plies: mean {self.mean_length:.2f}, maximum {self.max_length}"
            + (f", {self.cut:,} cut off" if self.cut else "")
            + (f", {self.stuck:,} stuck without a legal move" if self.stuck else "")
        )


class _AgesOverflowError(Exception):
    """A playout is longer than the bits of ages can express."""


class _StoppedError(Exception):
    """Another share has failed, or the call is interrupted."""


@final
class PlayoutRunner:
    """The machine code of playouts and its memory, for one run."""

    def __init__(self, code: PlayoutCode, begin: NDArray[np.bool_], stop: Event | None = None) -> None:
        """Prepare playouts from a state, given as the values of its facts. They end early when `stop` is set."""
        import numpy as np

        self.layout = layout = code.layout
        self.code = code
        self.parts = LANES // code.target.bits
        self.steps = 0
        self._stop = stop
        self._interval = _FIRST_INTERVAL
        self.memory = memory = code.memory()
        self.base = memory.base
        full = np.uint64(2**64 - 1)
        for row, fact in enumerate(layout.facts):
            memory.states[0][:, row] = full if begin[fact] else 0
            if layout.begin < layout.longest:
                self.base[:, layout.begin + row] = full if begin[fact] else 0

    def prepare(self, count: int, seed: int, max_plies: int) -> None:
        """Seed the generators, and begin the first of `count` playouts, of at most `max_plies` plies."""
        import numpy as np

        layout = self.layout
        seeds = np.array(words(seed, 4 * LANES // 64), np.uint64)
        self.base[:, layout.generators : layout.generators + 4] = seeds.reshape(4, self.parts, -1).swapaxes(0, 1)
        # Without a limit, playouts that are too long for their bits overflow.
        limit = min(max_plies - 1, 2**layout.age_bits - 1)
        for bit in range(layout.age_bits):
            self.base[:, layout.limit + bit] = np.uint64(2**64 - 1) if limit >> bit & 1 else 0
        self.active = np.zeros(LANES, np.bool_)
        self.active[: min(count, LANES)] = True
        self._set_active()

    def run(self, count: int, seed: int, max_plies: int) -> tuple[dict[str | tuple[int, str], int], int]:
        """Play `count` playouts; return the counters by their meaning, and the maximum length."""
        import numpy as np

        layout = self.layout
        self.prepare(count, seed, max_plies)
        # Every lane that ends begins again, as long as more playouts are left to begin than can end in these rounds.
        while (spare := count - LANES - self._counter("ended")) >= LANES:
            self._rounds(self._sample(spare // LANES), draining=False)
        # Then round by round: when lanes end, only as many begin again as there are playouts left to begin.
        while (spare := count - LANES - self._counter("ended")) > 0:
            self._rounds(1, draining=False)
            ended = np.flatnonzero(self._row(layout.ended))
            if len(ended) > spare:
                self.active[ended[spare:]] = False
                self._set_active()
        while self._row(layout.active).any():
            self._rounds(1 << 40, draining=True)
        ages = np.zeros(LANES, np.int64)
        for bit in range(layout.age_bits):
            ages |= self._row(layout.longest + bit).astype(np.int64) << bit
        return {**self.counters(), "plies": self._plies()}, int(ages.max())

    def counters(self) -> dict[str | tuple[int, str], int]:
        """Return the counters by their meaning."""
        return {name: self._counter(name) for name in self.layout.counted}

    def state(self) -> NDArray[np.bool_]:
        """Return the rows of the state of all lanes: (rows, lanes)."""
        return _lanes(self.memory.states[0][:, : self.layout.state].swapaxes(0, 1))

    _per_round = 1e-3
    _sampled = False

    def _sample(self, rounds: int) -> int:
        """Return how many rounds to make at once; set their length once the length of playouts is known.

        It is a function of the playouts and the game alone, so that results depend on nothing else.
        """
        ended = self._counter("ended")
        if self._sampled:
            return rounds
        if ended < LANES:
            return 1
        self._sampled = True
        ages = _AGE_OPERATIONS * self.layout.age_bits
        step, restart = self.layout.operations
        step, restart = step - self.layout.plies * ages, restart - ages
        length = self._plies() / ended / self.layout.plies
        # In a round of n steps, a lane whose playout is over rests for n / 2 steps. So a playout of L steps takes
        # (L + n / 2) (step + restart / n) operations, which is least for this n.
        self._interval = max(1, min(_LONGEST_INTERVAL, round(math.sqrt(2 * length * max(0, restart) / step))))
        return 1

    def _rounds(self, rounds: int, *, draining: bool) -> None:
        """Make at most `rounds` rounds."""
        if self._stop is not None and self._stop.is_set():
            raise _StoppedError
        rounds = max(1, min(rounds, int(_SLICE / self._per_round)))
        start = time.perf_counter()
        done = self.code.run(self.memory, rounds, self._interval, draining)
        self.steps += done
        if done >= 50:
            self._per_round = max(1e-8, (time.perf_counter() - start) / (done / self._interval))
        if self.base[:, self.layout.overflow].any():
            raise _AgesOverflowError

    @property
    def operations(self) -> int:
        """The number of operations on 512 lanes."""
        step, restart = self.layout.operations
        return self.steps * step + (self._counter("restarts") // LANES * restart if restart else 0)

    def _set_active(self) -> None:
        import numpy as np

        packed = np.packbits(self.active, bitorder="little").view(np.uint64)
        self.base[:, self.layout.active] = packed.reshape(self.parts, -1)

    def _row(self, row: int) -> NDArray[np.bool_]:
        """Return a row as one truth value per lane."""
        return _lanes(self.base[:, row : row + 1].swapaxes(0, 1)).reshape(LANES)

    def _plies(self) -> int:
        """Return the number of plies that count."""
        return sum(self._counter(f"plies {number}") for number in range(self.layout.plies))

    def _counter(self, name: str | tuple[int, str]) -> int:
        return int(self.base[:, self.layout.counter(name)].sum())


def _lanes(rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return rows (rows, parts, words) as truth values (rows, lanes)."""
    import numpy as np

    packed = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), LANES // 8)
    return np.unpackbits(packed, axis=1, bitorder="little").view(np.bool_)


@dataclass(frozen=True, slots=True)
class _Played:
    """The counters of a share by their meaning, the number of plies of its longest playout, and what it took."""

    counters: Mapping[str | tuple[int, str], int]
    longest: int
    steps: int
    operations: int


def play(
    simulator: Simulator,
    compiler: Compiler,
    begin: PackedState,
    count: int,
    seed: int,
    max_plies: int,
    threads: int | None,
) -> PlayoutResult:
    """Play random playouts from a state, in some threads; None stands for one for each core."""
    import numpy as np

    facts = np.unpackbits(np.frombuffer(begin.bits, np.uint8), bitorder="little").astype(np.bool_)
    # The circuit is evaluated directly, as code for single states may take long to make.
    lane = Lanes(compiler.game, 1, [compiler.game.terminal])
    lane.set_facts([int(holds) for holds in facts[: len(compiler.game.facts)]])
    if lane.read([compiler.game.terminal]) == [1]:
        return _over(simulator, begin, count)
    given = begin != simulator.initial_state()
    count_facts = len(simulator.all_facts)
    first = next((bits for most, bits in _AGE_BITS if count_facts <= most), _LARGE_AGE_BITS)
    bits = compiler.note("age bits") or first
    shares = _shares(count, seed)
    threads = min(len(shares), usable_cores() if threads is None else threads)
    while True:
        code = compiler.playouts(bits, given=given)
        start = time.perf_counter()
        try:
            played = _played(code, facts, shares, max_plies, threads)
        except _AgesOverflowError:
            # The result does not depend on the number of bits, as long as it is large enough.
            bits += _MORE_AGE_BITS
            compiler.keep("age bits", bits)
            continue
        return _result(played, simulator.roles, time.perf_counter() - start)


def _shares(count: int, seed: int) -> list[tuple[int, int]]:
    """Return the number of playouts and the seed of each share."""
    number = max(1, min(_SHARES, math.isqrt(count // _SHARE)))
    bounds = [count * share // number for share in range(number + 1)]
    sizes = [end - begin for begin, end in pairwise(bounds)]
    return [(size, derive(seed, "share", str(share)) if share else seed) for share, size in enumerate(sizes)]


def _played(
    code: PlayoutCode, begin: NDArray[np.bool_], shares: Sequence[tuple[int, int]], max_plies: int, threads: int
) -> list[_Played]:
    """Play shares of playouts in threads. Raises what the first one that fails raises."""
    stop = Event()

    def work(share: tuple[int, int]) -> _Played:
        try:
            runner = PlayoutRunner(code, begin, stop)
            counters, longest = runner.run(*share, max_plies)
            return _Played(counters, longest, runner.steps, runner.operations)
        except BaseException:
            stop.set()
            raise

    if threads == 1:
        return list(map(work, shares))
    alone, left = monotonic() + _ALONE, deque(shares)
    played = []
    while left and monotonic() < alone:
        played.append(work(left.popleft()))
    with ThreadPoolExecutor(threads, "playouts") as pool:
        futures = [pool.submit(work, share) for share in left]
        try:
            done = wait(futures, return_when=FIRST_EXCEPTION).done
        except BaseException:  # Ctrl-C
            stop.set()
            raise
        for future in done:
            error = future.exception()
            if error is not None and not isinstance(error, _StoppedError):
                raise error
    return played + [future.result() for future in futures]


def _over(simulator: Simulator, state: PackedState, count: int) -> PlayoutResult:
    """Return the result of playouts from a terminal state."""
    counts: dict[str, dict[int, int]] = {role: {} for role in simulator.roles}
    for role in simulator.roles:
        with suppress(GoalError):
            counts[role][simulator.goal(state, role)] = count
    undefined = {role: 0 if own else count for role, own in counts.items()}
    return PlayoutResult(count, 0, 0, 0, 0, 0, 0, 0.0, counts, undefined)


def _result(played: Sequence[_Played], roles: Sequence[str], seconds: float) -> PlayoutResult:
    counters: Counter[str | tuple[int, str]] = Counter()
    for share in played:
        counters.update(share.counters)
    counts: dict[str, dict[int, int]] = {role: {} for role in roles}
    for key, count in counters.items():
        if not isinstance(key, str) and (value := goal_number(key[1])) is not None:
            own = counts[roles[key[0]]]
            own[value] = own.get(value, 0) + count
    finished = counters["finished"]
    return PlayoutResult(
        playouts=counters["ended"],
        transitions=counters["plies"],
        steps=sum(share.steps for share in played),
        operations=sum(share.operations for share in played),
        max_length=max(share.longest for share in played),
        cut=counters["ended"] - finished - counters["stuck"],
        stuck=counters["stuck"],
        seconds=seconds,
        counts=counts,
        undefined={role: finished - sum(own.values()) for role, own in counts.items()},
    )
