"""A search of one game: its memory, and iterative deepening in slices, with a look at the clock between them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from copy import copy
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple, final

import numpy as np

import ggp.players.alphabeta.search_memory as layout
from gdl.codegen.array_types import U64_2_READ
from gdl.codegen.compiled_functions import compiled
from gdl.simulator.hashing import hash_row
from gdl.simulator.kernel_calls import address_of
from ggp.players.alphabeta.search_loop import search
from ggp.players.alphabeta.search_memory import Memory
from ggp.players.alphabeta.self_play import games, playouts
from ggp.players.alphabeta.values import INFINITE, LONGEST, UNDEFINED, WIN, WON
from ggp.players.helpers import Helpers
from ggp.players.learned_values.units import HIDDEN, MOST, POINT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.simulator.kernels import Kernels
    from gdl.simulator.simulator import Simulator
    from ggp.players.learned_values.network import Network
    from ggp.players.learned_values.replay import Examples

#: The target length of a slice, in seconds, and the number of nodes in the first one, which is also the minimum.
_SLICE: Final = 0.002
_FIRST_SLICE: Final = 64

#: The half width of the first window around the value of the previous depth.
_WINDOW: Final = 3 * POINT

#: The number of table entries when the search plays against itself.
_SMALL: Final = 1 << 15

#: The largest integer that may represent 1 in a hidden unit, and a limit that keeps sums within 16 bits.
_ONE: Final = 1024
_LIMIT: Final = 32_000

#: Larger than any difference of goals.
_NEVER: Final = 1_000

#: Places for states of the match; states whose hashes have the same low bits replace each other.
_SEEN: Final = 4096


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a search: the `value` for the first role, and the `move` as an index into the chooser's moves.

    `proved` is True if the value depends on neither the horizon nor a repetition, or is a certain win or loss.
    """

    value: int
    move: int
    depth: int
    proved: bool


class Plan(NamedTuple):
    """The way in which the search plays against itself.

    `trust` is the weight (of 256) of the game's further course in the value of a state, against the search's value one
    ply later. `rival_role` is the role that a rival plays, -1 for none.
    """

    seed: int
    #: The depth of the search in plies.
    depth: int
    #: The most random plies at the beginning of a game; later, one ply in `rarely` is random.
    opening: int
    rarely: int
    trust: int
    rival_role: int = -1
    #: The most games.
    most: int = 1 << 40


@final
@dataclass(frozen=True, slots=True)
class Games:
    """States of games (n, words), their values in points (n,), and the results of the games, in points (games,).

    Values and results are those of the first role: its goal minus the other's.
    """

    states: NDArray[np.uint64]
    values: NDArray[np.float32]
    results: NDArray[np.float32]


@final
class Search:
    """A search of a game of two roles, with the arrays that `search_loop.search` works in. Not thread-safe."""

    def __init__(self, simulator: Simulator, me: int, megabytes: int = 32) -> None:
        """Allocate the arrays, among them a transposition table of this many megabytes.

        `me` is the number of the player's own role: where both roles choose at once, the other is assumed to know its
        move. Raises CompileError if the game has no kernels.
        """
        kernels = simulator.kernels
        self.words = kernels.state_words
        row = max(kernels.out_words, kernels.state_words)
        most = max(len(simulator.all_moves(role)) for role in simulator.roles)
        plies = LONGEST + 2
        size = 1 << ((megabytes << 20) // 16).bit_length() - 1
        table = np.empty((size, 2), np.uint64)
        table.fill(0)  # touching memory for the first time in the middle of a search would delay it
        goals = [(role, -1 if value is None else value) for role, value in simulator.goal_table]
        self.memory = Memory(
            setup=np.zeros(layout.SETUP, np.int64),
            tally=np.zeros(layout.TALLY, np.int64),
            frames=np.zeros((plies, layout.FRAME), np.int64),
            states=np.zeros((plies, row), np.uint64),
            outs=np.zeros((plies, row), np.uint64),
            moves=np.zeros((plies, most), np.int32),
            keys=np.zeros((plies, most), np.int32),
            joint=np.zeros(3, np.int32),
            table=table,
            history=np.zeros((2, most), np.int32),
            killers=np.full((plies, 2), -1, np.int32),
            hashes=np.zeros(plies, np.uint64),
            seen=np.zeros(_SEEN, np.uint64),
            sums=np.zeros((64 * self.words, layout.COLUMNS), np.int64),
            starts=np.zeros(64 * self.words + 1, np.int32),
            links=np.zeros((0, 2), np.int32),
            entries=np.zeros(0, np.int16),
            places=np.zeros(0, np.int32),
            summed=np.zeros((plies, layout.COLUMNS), np.int64),
            patterns=np.zeros((plies, 0), np.int32),
            sums_of=np.zeros(plies, np.uint64),
            goals=np.array(goals, np.int32).reshape(-1, 2),
        )
        self._work = np.zeros(kernels.work_words, np.uint64)
        self._kernels = kernels  # the code must live as long as its addresses are in use
        self._fill_setup(kernels, me, simulator.circuit.one_goal)
        self._slice = _FIRST_SLICE
        #: The nodes visited by other threads.
        self._helped = 0
        self._helpers = Helpers("alphabeta")

    def _fill_setup(self, kernels: Kernels, me: int, one_goal: Collection[int]) -> None:
        memory = self.memory
        setup = memory.setup
        functions = ((layout.LOOK, kernels.look), (layout.LEGAL, kernels.legal), (layout.MOVE, kernels.move))
        for place, function in functions:
            setup[place] = address_of(function)
        self._point_at_arrays()
        setup[layout.STATE_WORDS] = self.words
        setup[layout.ROW_WORDS] = memory.states.shape[1]
        setup[layout.MOST_MOVES] = memory.moves.shape[1]
        setup[layout.GOALS_WORD] = kernels.goals_word
        values: tuple[list[int], list[int]] = [], []
        for role, value in memory.goals:
            values[role].append(int(value) if value >= 0 else UNDEFINED)
        for role, own in enumerate(values):
            if role not in one_goal or not own:
                own.append(UNDEFINED)
        best, worst = max(values[0]) - min(values[1]), min(values[0]) - max(values[1])
        # If all outcomes have the same value, none is a win or a loss.
        setup[layout.BEST_GOAL] = best if best > worst else _NEVER
        setup[layout.WORST_GOAL] = worst if best > worst else -_NEVER
        setup[layout.ME] = me
        for role in range(2):
            setup[layout.LEGAL_WORD + role] = kernels.legal_words[role]
            setup[layout.MOVE_WORDS + role] = kernels.move_words[role]
            setup[layout.FIRST_MOVE + role] = kernels.first_moves[role]

    def _point_at_arrays(self) -> None:
        """Put the addresses of arrays into the setup."""
        memory = self.memory
        arrays = ((layout.STATES, memory.states), (layout.OUTS, memory.outs), (layout.WORK, self._work))
        for place, array in (*arrays, (layout.MOVES, memory.moves), (layout.JOINT, memory.joint)):
            memory.setup[place] = array.ctypes.data
        memory.setup[layout.LONE] = memory.joint.ctypes.data + 8

    def install(self, network: Network) -> None:
        """Evaluate positions with a network from now on."""
        self._helpers.wait()
        weights, heads = network.weights.astype(np.float64), network.heads.astype(np.float64)
        # The sum over all facts is an upper bound, so that even rare states cannot overflow.
        spread = np.abs(weights[:, :HIDDEN]).sum(axis=0) + np.abs(heads[HIDDEN : 2 * HIDDEN])
        one = int(min(_ONE, _LIMIT / max(1e-9, spread.max())))
        lanes = np.zeros((64 * self.words, HIDDEN), np.int64)
        lanes[: network.facts] = np.rint(weights[:, :HIDDEN] * one)
        alone = np.zeros((64 * self.words, 1), np.int64)
        alone[: network.facts, 0] = np.clip(np.rint(weights[:, HIDDEN] * 100 * POINT), -MOST, MOST)
        self._install_tuples(network)
        self.memory.sums[:] = np.concatenate([_packed(lanes), alone], axis=1)
        setup = self.memory.setup
        thresholds = np.rint(heads[HIDDEN : 2 * HIDDEN] * one).astype(np.int64)
        setup[layout.START : layout.START + 4] = _packed(thresholds[None, :])[0]
        setup[layout.START + 4] = round(heads[2 * HIDDEN] * 100 * POINT)
        setup[layout.UNIT] = one
        setup[layout.HEADS : layout.HEADS + HIDDEN] = np.rint(heads[:HIDDEN] * (100 * POINT * 65536 / one))

    def _install_tuples(self, network: Network) -> None:
        """Install the tuples, in arrays of their own."""
        tuples = network.tuples
        plies = len(self.memory.sums_of)
        self.memory = self.memory._replace(
            starts=tuples.starts(64 * self.words),
            links=tuples.links[:, 1:].copy(),
            entries=network.rounded(),
            places=tuples.places,
            patterns=np.zeros((plies, len(tuples.sizes)), np.int32),
        )
        # Sums that were made with other weights are of no state.
        self.memory.sums_of.fill(0)

    @property
    def nodes(self) -> int:
        """The number of nodes visited so far, in all searches and threads."""
        return int(self.memory.tally[layout.NODES]) + self._helped

    def best_value(self, role: int) -> int:
        """Return the value of the best outcome for a role, in its view, as an estimate: not as a proved win."""
        setup = self.memory.setup
        return POINT * int(setup[layout.BEST_GOAL] if role == 0 else -setup[layout.WORST_GOAL])

    @property
    def exact(self) -> bool:
        """True if the value of the last search depends on neither the horizon nor a repetition."""
        return bool(self.memory.tally[layout.HORIZONS] == 0)

    def choices(self, bits: bytes) -> tuple[list[int], list[int]]:
        """Return the legal moves of both roles in a state, as indices into the moves of each."""
        self._enter(bits)
        look, legal = self._kernels.look, self._kernels.legal
        look(self.memory.states.ctypes.data, self.memory.outs.ctypes.data, self._work.ctypes.data)
        found = []
        for role in range(2):
            first, words = self._kernels.legal_words[role], self._kernels.move_words[role]
            count = legal(self.memory.outs.ctypes.data, first, words, self.memory.moves.ctypes.data)
            found.append([int(move) for move in self.memory.moves[0, :count]])
        return found[0], found[1]

    def remember(self, bits: bytes) -> None:
        """Record a state that the match has passed through: returning to it counts as a draw."""
        key = hashed(bits)
        self.memory.seen[key % _SEEN] = key

    def shuffle(self, seed: int) -> None:
        """Forget which moves were good, and order moves at random until more is known."""
        self.memory.history[:] = np.random.default_rng(seed).integers(0, 8, self.memory.history.shape)
        self.memory.killers[:] = -1

    def forget(self) -> None:
        """Forget all values of positions, because the evaluation has changed."""
        self._helpers.wait()
        self.memory.table.fill(0)
        self.memory.history[:] //= 8
        self.memory.killers[:] = -1

    def playouts(self, bits: bytes, room: int, seed: int) -> Examples:
        """Return `room` states of random playouts from a state, and the results of the playouts."""
        start = np.frombuffer(bits, np.uint64).copy()
        found, values = np.zeros((room, self.words), np.uint64), np.zeros(room, np.float32)
        playouts(self.memory, start, found, values, seed)
        return found, values

    def play(self, bits: bytes, room: int, plan: Plan, rival: Search | None = None) -> Games:
        """Return `room` states of games of the search against itself or, in one role, against another evaluation."""
        start = np.frombuffer(bits, np.uint64).copy()
        found, values = np.zeros((room, self.words), np.uint64), np.zeros(room, np.float32)
        results = np.full(min(room, plan.most), np.nan, np.float32)
        # A small table stays in the processor's cache. Clear it, because its values are out of date.
        memory = self.memory._replace(table=self.memory.table[:_SMALL])
        other = memory
        if rival is not None:
            setup = memory.setup.copy()
            setup[layout.START :] = rival.memory.setup[layout.START :]
            evaluation = {name: getattr(rival.memory, name) for name in layout.EVALUATION}
            other = memory._replace(table=rival.memory.table[:_SMALL], setup=setup, **evaluation)
            other.table.fill(0)
        memory.table.fill(0)
        memory.seen.fill(0)
        filled = games(memory, other, start, found, values, results, np.array(plan, np.int64))
        return Games(found[:filled], values[:filled], results[~np.isnan(results)])

    def run(
        self,
        bits: bytes,
        time_left: Callable[[], float],
        nodes: int | None = None,
        deepest: int = LONGEST,
        threads: int = 1,
    ) -> Finding:
        """Search deeper and deeper from a state that is not terminal, until the value is proved or time is up.

        `nodes` limits the nodes visited. If that is the only limit, because `time_left` never ends, and if there is one
        thread, results are reproducible. The move is -1 if there was no time to find one.
        """
        self._enter(bits)
        self.memory.setup[layout.GENERATION] = (self.memory.setup[layout.GENERATION] + 1) & 63
        self.memory.history[:] //= 2
        if nodes is not None:
            nodes = -(-nodes // threads)
        if threads == 1:
            return [*self._deepen(time_left, nodes, deepest)][-1]
        return self._deepen_together(time_left, nodes, deepest, threads)

    def _deepen_together(
        self, time_left: Callable[[], float], nodes: int | None, deepest: int, threads: int
    ) -> Finding:
        """Search in several threads, which help each other by the values in the table ("lazy SMP")."""
        helpers = self._helpers
        #: The latest finding of each thread that has a move.
        findings: dict[int, Finding] = {}
        twins = [self._twin(number) for number in range(1, threads)]

        def help_with(number: int, twin: Search) -> None:
            # Half of the threads are a ply ahead, so that they do not all search the same at the same time.
            for found in twin._deepen(lambda: 0.0 if helpers.ended.is_set() else 1.0, None, deepest, 1 + number % 2):
                if found.move >= 0:
                    findings[number] = found
            if found.proved:
                helpers.ended.set()

        helpers.begin([partial(help_with, *numbered) for numbered in enumerate(twins, 1)])
        try:
            for found in self._deepen(lambda: 0.0 if helpers.ended.is_set() else time_left(), nodes, deepest):
                findings[0] = found
        finally:
            helpers.end(time_left())
            self._helped += sum(twin.nodes for twin in twins)
        return max((findings[number] for number in sorted(findings)), key=lambda one: (one.proved, one.depth))

    def _twin(self, number: int) -> Search:
        """Return a search for another thread: the table and the evaluation are those of this one."""
        twin, memory = copy(self), self.memory
        twin._work = np.zeros_like(self._work)
        twin.memory = memory = memory._replace(**{name: getattr(memory, name).copy() for name in layout.OWN})
        memory.tally.fill(0)
        memory.sums_of.fill(0)
        # Moves that are worth the same to one thread are tried in another order by the next one.
        memory.history[:] += np.random.default_rng(number).integers(0, 8, memory.history.shape, np.int32)
        twin._helped = 0
        twin._point_at_arrays()
        return twin

    def _deepen(
        self, time_left: Callable[[], float], nodes: int | None, deepest: int, first: int = 1
    ) -> Iterator[Finding]:
        """Search the state that was entered to one depth after another; yield what is found so far, at least once."""
        limit = None if nodes is None else self.nodes + nodes
        found = Finding(0, -1, 0, proved=False)
        for depth in range(first, deepest + 1):
            low, high = -INFINITE, INFINITE
            if depth > 2 and abs(found.value) < WON:
                low, high = found.value - _WINDOW, found.value + _WINDOW
            while True:
                done = self._search(depth, low, high, time_left, limit)
                best = int(self.memory.frames[0, layout.BEST_MOVE])
                if best >= 0:
                    found = Finding(found.value, best, found.depth, found.proved)
                if not done:
                    yield found
                    return
                value = int(self.memory.tally[layout.RESULT])
                if value <= low:
                    low = -INFINITE
                elif value >= high:
                    high = INFINITE
                else:
                    break
            exact = self.memory.tally[layout.HORIZONS] == 0
            found = Finding(value, found.move, depth, proved=bool(exact or abs(value) >= WON))
            yield found
            # Go on until the shortest win is found, that is until the search is as deep as the win is long.
            if exact or (abs(value) >= WON and depth >= WIN - abs(value)):
                return

    def at_depth(self, bits: bytes, depth: int, slices: int | None = None) -> int:
        """Return the value of a state for the first role at a depth, searched in slices of `slices` nodes if given."""
        self._enter(bits)
        self._begin(depth, -INFINITE, INFINITE)
        while not self._go_on(slices or 1 << 40):
            pass
        return int(self.memory.tally[layout.RESULT])

    def after(
        self,
        bits: bytes,
        pair: tuple[int, int],
        depth: int,
        time_left: Callable[[], float],
        nodes: int | None,
        window: tuple[int, int] = (-INFINITE, INFINITE),
    ) -> int:
        """Return the first role's value at a depth of the state after a pair of moves; 0 if time runs out."""
        self._enter(bits)
        first_moves = self._kernels.first_moves
        self.memory.joint[:2] = pair[0] + first_moves[0], pair[1] + first_moves[1]
        after = np.zeros(self.memory.states.shape[1], np.uint64)
        self._kernels.move(
            self.memory.states.ctypes.data, self.memory.joint.ctypes.data, after.ctypes.data, self._work.ctypes.data
        )
        self.memory.states[0] = after
        limit = None if nodes is None else self.nodes + nodes
        done = self._search(depth, *window, time_left, limit)
        return int(self.memory.tally[layout.RESULT]) if done else 0

    def _search(self, depth: int, low: int, high: int, time_left: Callable[[], float], limit: int | None) -> bool:
        """Search to one depth; return True if that was finished in time."""
        self._begin(depth, low, high)
        while time_left() > 0:
            budget = self._slice
            if limit is not None:
                budget = min(budget, limit - self.nodes)
                if budget <= 0:
                    return False
            before, began = self.nodes, perf_counter()
            if self._go_on(budget):
                return True
            seconds = perf_counter() - began
            # If something else took the processor, slices shrink for a while, which costs little.
            fitting = (self.nodes - before) * _SLICE / max(seconds, 1e-9)
            self._slice = int(max(_FIRST_SLICE, min(2 * self._slice, fitting)))
        return False

    def _begin(self, depth: int, low: int, high: int) -> None:
        frame = self.memory.frames[0]
        frame[layout.DEPTH], frame[layout.LOW], frame[layout.HIGH] = depth, low, high
        frame[layout.FIXED] = frame[layout.BEST_MOVE] = -1
        self.memory.tally[layout.PLY] = self.memory.tally[layout.HORIZONS] = 0

    def _go_on(self, budget: int) -> bool:
        """Continue the search for this many nodes; return True if it is done."""
        return bool(search(self.memory, budget))

    def _enter(self, bits: bytes) -> None:
        self.memory.states[0, : self.words] = np.frombuffer(bits, np.uint64)


@compiled
def _hash(states: U64_2_READ) -> np.uint64:
    return np.uint64(hash_row(states, 0, states.shape[1]))


def hashed(bits: bytes) -> int:
    """Return the search's hash of a packed state."""
    return int(_hash(np.frombuffer(bits, np.uint64).reshape(1, -1)))


def _packed(lanes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pack integers (n, 4 k) into 64-bit ones (n, k): sums of four, with the weights 1, 2 ** 16, 2 ** 32, 2 ** 48."""
    four = lanes.reshape(len(lanes), -1, 4)
    found: NDArray[np.int64] = (four << (16 * np.arange(4))).sum(axis=2)
    return found
