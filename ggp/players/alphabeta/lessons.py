"""Lessons before the match: from random playouts, then from games of the search against itself while time is left.

The lessons need only the rules of the game. What was learned can be kept for the next match.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Final, final

import numpy as np

from ggp.players.alphabeta.search import Plan
from ggp.players.clock import StepTime
from ggp.players.learned_values.array_file import ArrayFile, packed, unpacked
from ggp.players.learned_values.network import Network
from ggp.players.learned_values.replay import Replay

if TYPE_CHECKING:
    from gdl.simulator.cache import Cache
    from ggp.players.alphabeta.search import Search
    from ggp.players.learned_values.images import Images
    from ggp.players.learned_values.replay import Examples

#: States to take from random playouts. Fewer than `_FEW` teach little, so that many are taken even without time if that
#: takes `_ANYWAY` seconds at most. The first batch is small, as some playouts take thousands of plies.
_PLAYOUTS: Final = 40_000
_FEW: Final = 2_000
_ANYWAY: Final = 0.25
_BATCH: Final = 125

#: The target length of a lesson of games, in seconds; its number of states at first, and at most; and that of lessons
#: that are counted, not timed. The first one must be short, as each state takes 20 ms where there are a hundred moves.
_LESSON: Final = 0.25
_FIRST: Final = 16
_LARGE: Final = 20_000
_COUNTED: Final = 500

#: The number of latest states of games that are kept.
_REMEMBERED: Final = 100_000

#: The depth of the search in its games at first, the states after which it grows by one ply, and its limit.
_DEPTH: Final = 2
_DEEPER: Final = 150_000
_DEEPEST: Final = 6

#: The most random plies at the beginning of a game; later, one ply in this many is random.
OPENING: Final = 8
RARELY: Final = 16

#: The weight (of 256) of the game's further course in the value of a state, against the search's value one ply later.
TRUST: Final = 200


#: The name of the entry in the cache, which is its format, too; and the most states that are kept there.
_ENTRY: Final = "lessons"
_KEPT: Final = 10_000


@final
class Lessons:
    """Teaches a search to evaluate the positions of its game."""

    def __init__(
        self, search: Search, facts: int, start: bytes, seed: int, images: Callable[[], Images | None] = lambda: None
    ) -> None:
        """Take a search, the number of facts of its game, and the packed state from which games start.

        As soon as `images` returns some, lessons are about images of states, too.
        """
        self._search = search
        self._start = start
        self._seed = seed % 2**40
        self._network = Network(facts, seed)
        self._images = images
        self._replay = Replay(_REMEMBERED)
        self._random = np.random.default_rng(seed)
        #: The number of states of games learned from so far.
        self.states = 0
        self._games = 0
        self._times = StepTime()
        self._size = _FIRST

    @property
    def plies(self) -> float:
        """The mean number of states of a game learned from so far; 0 if there were none."""
        return self.states / self._games if self._games else 0.0

    def recall(self, entries: Cache) -> None:
        """Go on from the lessons for earlier matches of the game, if there were any."""
        content = entries.read(_ENTRY)
        if content is None:
            return
        kept = unpacked(content, _ENTRY)
        self._network.restore(kept.arrays)
        self.states, self._games = kept.about["states"], kept.about["games"]
        self._replay.restore([(kept.arrays["replayed"], kept.arrays["replayed_values"])])
        self._search.install(self._network)

    def keep(self, entries: Cache) -> None:
        """Keep what has been learned for the next match of the game."""
        if not self.states:
            return
        states, values = self._replay.sample(_KEPT, self._random)
        arrays = {**self._network.progress(), "replayed": states, "replayed_values": values}
        entries.write(_ENTRY, packed(ArrayFile(_ENTRY, {"states": self.states, "games": self._games}, arrays)))

    def playouts(self, time_left: Callable[[], float]) -> None:
        """Give the first lesson: learn from random playouts which facts precede a good end."""
        parts: list[Examples] = []
        taken, size, began = 0, _BATCH, perf_counter()
        while taken < _PLAYOUTS and (
            not parts or time_left() > 0 or (taken < _FEW and perf_counter() - began < _ANYWAY)
        ):
            self._seed += 1
            parts.append(self._search.playouts(self._start, size, self._seed))
            taken += size
            # As many as there is time for, or a small batch.
            fitting = taken * max(0.0, time_left()) / max(perf_counter() - began, 1e-6)
            size = max(_BATCH, int(min(_LARGE, 2 * size, fitting, _PLAYOUTS - taken)))
        self._network.fit(np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))
        self._search.install(self._network)

    def games(self, time_left: Callable[[], float], lessons: int | None = None) -> None:
        """Give lessons of games while there is time for another, at most `lessons` of them."""
        given = 0
        while (lessons is None or given < lessons) and time_left() > 2 * self._times.slowest:
            began = perf_counter()
            self._lesson(self._size if lessons is None else _COUNTED)
            seconds = perf_counter() - began
            given += 1
            if lessons is None:
                self._times.add(seconds)
                fitting = int(self._size * _LESSON / max(seconds, 1e-6))
                self._size = max(1, min(_LARGE, 2 * self._size, fitting))
        self._search.forget()

    def _lesson(self, size: int) -> None:
        """Play some games, and learn from their states and some older ones."""
        depth = min(_DEEPEST, _DEPTH + self.states // _DEEPER)
        self._seed += 1
        played = self._search.play(self._start, size, Plan(self._seed, depth, OPENING, RARELY, TRUST))
        self.states += len(played.states)
        self._games += len(played.results)
        images = self._images()
        new = played.states, played.values
        if images is None:
            self._replay.teach([self._network], new, self._random)
        else:
            self._replay.teach([self._network], new, self._random, images.of)
        self._search.install(self._network)
