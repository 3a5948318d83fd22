"""Random playouts in lanes: the loop around the machine code, and what comes out of it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from gdl.circuit.sampling import Lanes
from gdl.codegen.llvm.playout_loop import LANES
from gdl.errors import GoalError
from gdl.reasoner.joint_moves import WHOLE_NUMBER
from gdl.simulator.compiled_code import PlayoutCode, aligned_rows
from gdl.simulator.seeds import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.simulator.compiler import Compiler
    from gdl.simulator.packed_state import PackedState
    from gdl.simulator.simulator import Simulator

#: Ages have so many bits at first, by how many facts the game has at most: small games tend to be short, and in large
#: ones some bits more cost less than making the code anew. And so many more where playouts turn out to be longer.
_AGE_BITS = ((64, 5), (200, 7))
_LARGE_AGE_BITS = 11
_MORE_AGE_BITS = 4

#: One call of the machine code takes about so many seconds, so that Ctrl-C is heard soon.
_SLICE = 0.1


@final
@dataclass(frozen=True, slots=True, repr=False)
class PlayoutResult:
    """What came of random playouts.

    `counts[role][value]` is how many ended with that goal value; `undefined[role]` in how many terminal states the
    rules gave the role no goal value, several, or no whole number. `cut` playouts were stopped after `max_plies`;
    `stuck` ones came to a state that is not terminal, but where a role has no legal move: they have no goals.
    `transitions` are all plies together, made in `steps` of 512 lanes; `seconds` is the time of the playouts alone.
    """

    playouts: int
    transitions: int
    steps: int
    max_length: int
    cut: int
    stuck: int
    seconds: float
    counts: Mapping[str, Mapping[int, int]]
    undefined: Mapping[str, int]

    @property
    def mean_length(self) -> float:
        """Mean number of plies of a playout."""
        return self.transitions / self.playouts

    @property
    def sums(self) -> dict[str, int]:
        """The sum of each role's goal values."""
        return {role: sum(value * count for value, count in counts.items()) for role, counts in self.counts.items()}

    @property
    def goals(self) -> dict[str, float]:
        """Each role's mean goal value, over the playouts where it has one; nan where there is none."""
        totals = {role: sum(counts.values()) for role, counts in self.counts.items()}
        return {role: total / totals[role] if totals[role] else float("nan") for role, total in self.sums.items()}

    @property
    def playouts_per_second(self) -> float:
        return self.playouts / self.seconds if self.seconds else float("inf")

    @property
    def transitions_per_second(self) -> float:
        return self.transitions / self.seconds if self.seconds else float("inf")

    def __repr__(self) -> str:
        return f"<PlayoutResult of {self.playouts:,} playouts, mean goals: {self._mean_goals}>"

    @property
    def _mean_goals(self) -> str:
        return ", ".join(f"{role} {mean:.2f}" for role, mean in self.goals.items())

    def __str__(self) -> str:
        return (
            f"{self.playouts:,} playouts in {self.seconds:.3g} s ({self.transitions_per_second:,.0f} transitions/s), "
            f"mean goals: {self._mean_goals}, plies: mean {self.mean_length:.2f}, maximum {self.max_length}"
            + (f", {self.cut:,} cut off" if self.cut else "")
            + (f", {self.stuck:,} stuck without a legal move" if self.stuck else "")
        )


class _AgesOverflowError(Exception):
    """Playouts are longer than the bits for their ages can say."""


@final
class PlayoutRunner:
    """The machine code of playouts with its memory, for one run."""

    def __init__(self, code: PlayoutCode, begin: NDArray[np.bool_]) -> None:
        import numpy as np

        self.layout = layout = code.layout
        self.words = code.target.words
        self.parts = LANES // code.target.bits
        self._run = code.run
        self.steps = 0
        self.states = [aligned_rows(self.parts, layout.state, self.words) for _ in range(2)]
        self.base = aligned_rows(self.parts, layout.rows, self.words)
        full = np.uint64(2**64 - 1)
        for row, fact in enumerate(layout.facts):
            self.states[0][:, row] = full if begin[fact] else 0
            if layout.begin < layout.ended:
                self.base[:, layout.begin + row] = full if begin[fact] else 0

    def run(self, count: int, seed: int, max_plies: int) -> tuple[dict[str | tuple[int, str], int], int]:
        """The counters after so many playouts, by what they count, and the maximum length."""
        import numpy as np

        layout = self.layout
        seeds = np.array(words(seed, 4 * LANES // 64), np.uint64)
        self.base[:, layout.generators : layout.generators + 4] = seeds.reshape(4, self.parts, -1).swapaxes(0, 1)
        self.limit = 0
        self.max_plies = max_plies
        self._set_limit()
        self.lanes = np.zeros(LANES, np.bool_)
        self.lanes[: min(count, LANES)] = True
        self._set_active()
        # Every lane that ends begins again, as long as there are more to begin than could end in these steps.
        while (spare := count - LANES - self._counter("ended")) >= LANES:
            self._steps(spare // LANES, draining=False)
        # Then step by step: of the lanes that end, the first begin again, as many as are left to begin.
        while (spare := count - LANES - self._counter("ended")) > 0:
            self._steps(1, draining=False)
            ended = np.flatnonzero(self._lanes(layout.ended))
            if len(ended) > spare:
                self.lanes[ended[spare:]] = False
                self._set_active()
        while self._lanes(layout.active).any():
            self._steps(1 << 40, draining=True)
        longest = min(self.limit + bool(self.base[:, layout.longest].any()), max_plies)
        return {name: self._counter(name) for name in layout.counted}, longest

    _per_step = 1e-3

    def _steps(self, steps: int, *, draining: bool) -> None:
        """So many steps, or fewer; the limit grows where a playout is longer."""
        steps = max(1, min(steps, int(_SLICE / self._per_step)))
        here, there = self.states
        start = time.perf_counter()
        self.steps += (done := self._run(here, there, self.base, steps, draining))
        if done >= 50:
            self._per_step = max(1e-8, (time.perf_counter() - start) / done)
        if done % 2:
            self.states.reverse()
        if self.base[:, self.layout.longer].any():
            self.limit += 1
            if self.limit + 1 >= 2**self.layout.age_bits:
                raise _AgesOverflowError
            self._set_limit()

    def _set_limit(self) -> None:
        layout, full = self.layout, 2**64 - 1
        for bit in range(layout.age_bits):
            self.base[:, layout.limit + bit] = full if self.limit >> bit & 1 else 0
        self.base[:, layout.cutting] = full if self.limit >= self.max_plies - 1 else 0

    def _set_active(self) -> None:
        import numpy as np

        packed = np.packbits(self.lanes, bitorder="little").view(np.uint64)
        self.base[:, self.layout.active] = packed.reshape(self.parts, self.words)

    def _lanes(self, row: int) -> NDArray[np.bool_]:
        """A row as one truth value a lane."""
        import numpy as np

        bits = np.unpackbits(np.ascontiguousarray(self.base[:, row]).view(np.uint8), bitorder="little")
        return bits.reshape(LANES).view(np.bool_)

    def _counter(self, name: str | tuple[int, str]) -> int:
        return int(self.base[:, self.layout.counters + self.layout.counted.index(name)].sum())


def play(
    simulator: Simulator, compiler: Compiler, begin: PackedState, count: int, seed: int, max_plies: int
) -> PlayoutResult:
    """Playouts from a state."""
    import numpy as np

    facts = np.unpackbits(np.frombuffer(begin.bits, np.uint8), bitorder="little").astype(np.bool_)
    # Asked of the circuit: code for single states may take long to make.
    lane = Lanes(compiler.game, 1, [compiler.game.terminal])
    lane.set_facts([int(holds) for holds in facts[: len(compiler.game.facts)]])
    if lane.read([compiler.game.terminal]) == [1]:
        return _over(simulator, begin, count)
    given = begin != simulator.initial_state()
    count_facts = len(simulator.all_facts)
    first = next((bits for most, bits in _AGE_BITS if count_facts <= most), _LARGE_AGE_BITS)
    bits = compiler.note("age bits") or first
    while True:
        code = compiler.playouts(bits, given=given)
        start = time.perf_counter()
        try:
            runner = PlayoutRunner(code, facts)
            counters, longest = runner.run(count, seed, max_plies)
        except _AgesOverflowError:
            # The result is the same with any number of bits that is large enough.
            bits += _MORE_AGE_BITS
            compiler.keep("age bits", bits)
            continue
        return _result(counters, runner.steps, longest, simulator.roles, time.perf_counter() - start)


def _over(simulator: Simulator, state: PackedState, count: int) -> PlayoutResult:
    """The result of playouts from a terminal state."""
    counts: dict[str, dict[int, int]] = {role: {} for role in simulator.roles}
    for role in simulator.roles:
        with suppress(GoalError):
            counts[role][simulator.goal(state, role)] = count
    undefined = {role: 0 if own else count for role, own in counts.items()}
    return PlayoutResult(count, 0, 0, 0, 0, 0, 0.0, counts, undefined)


def _result(
    counters: Mapping[str | tuple[int, str], int], steps: int, longest: int, roles: Sequence[str], seconds: float
) -> PlayoutResult:
    counts: dict[str, dict[int, int]] = {role: {} for role in roles}
    for key, count in counters.items():
        if not isinstance(key, str) and WHOLE_NUMBER.fullmatch(key[1]):
            own = counts[roles[key[0]]]
            own[int(key[1])] = own.get(int(key[1]), 0) + count
    finished = counters["finished"]
    return PlayoutResult(
        playouts=counters["ended"],
        transitions=counters["plies"],
        steps=steps,
        max_length=longest,
        cut=counters["ended"] - finished - counters["stuck"],
        stuck=counters["stuck"],
        seconds=seconds,
        counts=counts,
        undefined={role: finished - sum(own.values()) for role, own in counts.items()},
    )
