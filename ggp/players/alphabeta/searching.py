"""A search of one game: its memory, and iterative deepening in slices between which a clock is looked at."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Final, final

import numpy as np

import ggp.players.alphabeta.layout as layout
from ggp.players.alphabeta.descent import search
from ggp.players.alphabeta.rehearsal import games, playouts
from ggp.players.alphabeta.values import INFINITE, LONGEST, POINT, WIN, WON

if TYPE_CHECKING:
    from numpy.typing import NDArray

    #: States, (n, words), with a value in points for each, (n,).
    Examples = tuple[NDArray[np.uint64], NDArray[np.float32]]

    from gdl.simulator.kernels import Kernels
    from gdl.simulator.simulator import Simulator

#: A slice lasts about so long, in seconds; the first ones have so many nodes.
_SLICE: Final = 0.002
_FIRST_SLICE: Final = 64

#: The first window around the value of the depth before, either way.
_WINDOW: Final = 3 * POINT

#: Entries of the table when the search plays against itself.
_SMALL: Final = 1 << 15

#: More than any difference of goals.
_NEVER: Final = 1_000

#: States of the match that are remembered: those with equal last bits of their hashes replace each other.
_SEEN: Final = 4096


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """What a search came to: `value` for the first role, `move` as its place among those of the role that chooses.

    `proved`: neither the horizon nor a repetition has touched it, or it is a win or a loss for sure.
    """

    value: int
    move: int
    depth: int
    proved: bool


@final
class Search:
    """The arrays that `layout.search` works in, for a game of two roles; for one thread at a time.

    `me` is the number of the role that is played for: where both choose at once, the other is taken to know its move.
    Raises CircuitSizeError where the game has no kernels.
    """

    def __init__(self, simulator: Simulator, me: int, megabytes: int = 32) -> None:
        kernels = simulator.kernels
        self.words = kernels.state_words
        row = max(kernels.out_words, kernels.state_words)
        most = max(len(simulator.all_moves(role)) for role in simulator.roles)
        plies = LONGEST + 2
        #: By ply: the state, what it allows, the legal moves of the role that chooses, and their keys.
        self.states = np.zeros((plies, row), np.uint64)
        self.outs = np.zeros((plies, row), np.uint64)
        self.moves = np.zeros((plies, most), np.int32)
        self.keys = np.zeros((plies, most), np.int32)
        self.frames = np.zeros((plies, layout.FRAME), np.int64)
        self.hashes = np.zeros(plies, np.uint64)
        self.killers = np.full((plies, 2), -1, np.int32)
        #: By role and move: how often it was better than others.
        self.history = np.zeros((2, most), np.int32)
        #: A hash of a state and what is known of it: value + 32768 (16 bits), depth (8), kind (2), generation (6),
        #: move.
        size = 1 << ((megabytes << 20) // 16).bit_length() - 1
        self.table = np.empty((size, 2), np.uint64)
        self.table.fill(0)  # memory that is touched for the first time in the middle of a search makes it late
        self.seen = np.zeros(_SEEN, np.uint64)
        #: What facts count, summed for each half byte of a state.
        self.sums = np.zeros((256 * self.words, layout.COLUMNS), np.int64)
        self.goals = np.array([_goal(role, value.text) for role, value in kernels.goals], np.int32).reshape(-1, 2)
        self.tally = np.zeros(layout.TALLY, np.int64)
        self._work = np.zeros(kernels.work_words, np.uint64)
        #: What both roles do, counted among all moves; then room for a lone legal move.
        self.joint = np.zeros(3, np.int32)
        self._kernels = kernels  # its code must live as long as its addresses
        self.setup = self._setup(kernels, me)
        self._slice = _FIRST_SLICE

    def _setup(self, kernels: Kernels, me: int) -> NDArray[np.int64]:
        setup = np.zeros(layout.SETUP, np.int64)
        functions = ((layout.LOOK, kernels.look), (layout.LEGAL, kernels.legal), (layout.MOVE, kernels.move))
        for place, function in functions:
            setup[place] = ctypes.cast(function, ctypes.c_void_p).value or 0
        arrays = ((layout.STATES, self.states), (layout.OUTS, self.outs), (layout.WORK, self._work))
        for place, array in (*arrays, (layout.MOVES, self.moves), (layout.JOINT, self.joint)):
            setup[place] = array.ctypes.data
        setup[layout.LONE] = self.joint.ctypes.data + 8
        setup[layout.STATE_WORDS] = self.words
        setup[layout.ROW_WORDS] = self.states.shape[1]
        setup[layout.MOST_MOVES] = self.moves.shape[1]
        setup[layout.GOALS_WORD] = kernels.goals_word
        values = [[int(value) for role, value in self.goals if role == own] or [0] for own in range(2)]
        best, worst = max(values[0]) - min(values[1]), min(values[0]) - max(values[1])
        # Where all ends are worth the same, none is a win or a loss.
        setup[layout.BEST_GOAL] = best if best > worst else _NEVER
        setup[layout.WORST_GOAL] = worst if best > worst else -_NEVER
        setup[layout.ME] = me
        for role in range(2):
            setup[layout.LEGAL_WORD + role] = kernels.legal_words[role]
            setup[layout.MOVE_WORDS + role] = kernels.move_words[role]
            setup[layout.FIRST_MOVE + role] = kernels.first_moves[role]
        return setup

    @property
    def nodes(self) -> int:
        """Nodes visited so far, in all searches."""
        return int(self.tally[layout.NODES])

    def choices(self, bits: bytes) -> tuple[list[int], list[int]]:
        """The legal moves of both roles in a state, as places among the moves of each."""
        self._enter(bits)
        look, legal = self._kernels.look, self._kernels.legal
        look(self.states.ctypes.data, self.outs.ctypes.data, self._work.ctypes.data)
        found = []
        for role in range(2):
            first, words = self._kernels.legal_words[role], self._kernels.move_words[role]
            count = legal(self.outs.ctypes.data, first, words, self.moves.ctypes.data)
            found.append([int(move) for move in self.moves[0, :count]])
        return found[0], found[1]

    def remember(self, bits: bytes) -> None:
        """A state of the match that has passed: to come back to it counts as even."""
        key = hashed(bits)
        self.seen[key % _SEEN] = key

    def shuffle(self, seed: int) -> None:
        """Forget which moves were good; between moves of which nothing is known, chance decides."""
        self.history[:] = np.random.default_rng(seed).integers(0, 8, self.history.shape)
        self.killers[:] = -1

    def forget(self) -> None:
        """Forget all values of positions, as they are valued otherwise now."""
        self.table.fill(0)
        self.history //= 8
        self.killers[:] = -1

    def playouts(self, bits: bytes, room: int, seed: int) -> Examples:
        """States of random playouts from a state, and what they came to."""
        start = np.frombuffer(bits, np.uint64).copy()
        found, values = np.zeros((room, self.words), np.uint64), np.zeros(room, np.float32)
        playouts(
            *(self.setup, self.states, self.outs, self.moves, self.joint, self.goals, start, found, values, seed),
        )
        return found, values

    def play(self, bits: bytes, room: int, plan: list[int]) -> Examples:
        """States of games of the search against itself, and what they are worth; `rehearsal` says what the plan is."""
        start = np.frombuffer(bits, np.uint64).copy()
        found, values = np.zeros((room, self.words), np.uint64), np.zeros(room, np.float32)
        # A small table stays in the processor's cache; what it held was valued otherwise.
        table = self.table[:_SMALL]
        table.fill(0)
        self.seen.fill(0)
        games(
            *(self.setup, self.tally, self.frames, self.states, self.outs, self.moves, self.keys, self.joint, table),
            *(self.history, self.killers, self.hashes, self.seen, self.sums, self.goals),
            *(start, found, values, np.array(plan, np.int64)),
        )
        return found, values

    def run(
        self, bits: bytes, time_left: Callable[[], float], nodes: int | None = None, deepest: int = LONGEST
    ) -> Finding:
        """Search deeper and deeper from a state that is not terminal: until the value is proved, while time is left.

        `nodes` bounds the nodes that are visited, which no clock does if `time_left` never ends: then the same search
        gives the same. The move is -1 if there was no time for any.
        """
        self._enter(bits)
        self.setup[layout.GENERATION] = (self.setup[layout.GENERATION] + 1) & 63
        self.history //= 2
        limit = None if nodes is None else self.nodes + nodes
        found = Finding(0, -1, 0, proved=False)
        for depth in range(1, deepest + 1):
            low, high = -INFINITE, INFINITE
            if depth > 2 and abs(found.value) < WON:
                low, high = found.value - _WINDOW, found.value + _WINDOW
            while True:
                done = self._search(depth, low, high, time_left, limit)
                best = int(self.frames[0, layout.BEST_MOVE])
                if best >= 0:
                    found = Finding(found.value, best, found.depth, found.proved)
                if not done:
                    return found
                value = int(self.tally[layout.RESULT])
                if value <= low:
                    low = -INFINITE
                elif value >= high:
                    high = INFINITE
                else:
                    break
            exact = self.tally[layout.HORIZONS] == 0
            found = Finding(value, found.move, depth, proved=bool(exact or abs(value) >= WON))
            # Of all wins the shortest: that is found once everything up to its length has been looked at.
            if exact or (abs(value) >= WON and depth >= WIN - abs(value)):
                return found
        return found

    def at_depth(self, bits: bytes, depth: int, slices: int | None = None) -> int:
        """What a state is worth to the first role, looked at so deep; in slices of so many nodes, if they are given."""
        self._enter(bits)
        self._begin(depth, -INFINITE, INFINITE)
        while not self._go_on(slices or 1 << 40):
            pass
        return int(self.tally[layout.RESULT])

    def after(
        self, bits: bytes, pair: tuple[int, int], depth: int, time_left: Callable[[], float], nodes: int | None
    ) -> int:
        """What the state after a pair of moves is worth to the first role, looked at so deep; 0 if there is no time."""
        self._enter(bits)
        first_moves = self._kernels.first_moves
        self.joint[:2] = pair[0] + first_moves[0], pair[1] + first_moves[1]
        after = np.zeros(self.states.shape[1], np.uint64)
        self._kernels.move(self.states.ctypes.data, self.joint.ctypes.data, after.ctypes.data, self._work.ctypes.data)
        self.states[0] = after
        limit = None if nodes is None else self.nodes + nodes
        done = self._search(depth, -INFINITE, INFINITE, time_left, limit)
        return int(self.tally[layout.RESULT]) if done else 0

    def _search(self, depth: int, low: int, high: int, time_left: Callable[[], float], limit: int | None) -> bool:
        """One depth; whether it was finished in time."""
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
            # Slower if something else took the processor; then slices shrink for a while, which costs little.
            fitting = (self.nodes - before) * _SLICE / max(seconds, 1e-9)
            self._slice = int(max(_FIRST_SLICE, min(2 * self._slice, fitting)))
        return False

    def _begin(self, depth: int, low: int, high: int) -> None:
        frame = self.frames[0]
        frame[layout.DEPTH], frame[layout.LOW], frame[layout.HIGH] = depth, low, high
        frame[layout.FIXED] = frame[layout.BEST_MOVE] = -1
        self.tally[layout.PLY] = self.tally[layout.HORIZONS] = 0

    def _go_on(self, budget: int) -> bool:
        """Search on for so many nodes; whether it is done."""
        arrays = (self.setup, self.tally, self.frames, self.states, self.outs, self.moves, self.keys, self.joint)
        more = (self.table, self.history, self.killers, self.hashes, self.seen, self.sums, self.goals)
        return bool(search(*arrays, *more, budget))

    def _enter(self, bits: bytes) -> None:
        self.states[0, : self.words] = np.frombuffer(bits, np.uint64)


def hashed(bits: bytes) -> int:
    """The hash of a packed state, as `machine.hashed` has it."""
    every = 2**64 - 1
    found = 0x9E3779B97F4A7C15
    for start in range(0, len(bits), 8):
        found = ((found ^ int.from_bytes(bits[start : start + 8], "little")) * 0xFF51AFD7ED558CCD) & every
        found ^= found >> 32
    found = (found * 0xC4CEB9FE1A85EC53) & every
    return found ^ (found >> 29)


def _goal(role: int, value: str) -> tuple[int, int]:
    """A goal, as the role's number and value; what is no whole number from 0 to 100 is worth nothing."""
    return role, min(100, int(value)) if value.isascii() and value.isdigit() else 0
