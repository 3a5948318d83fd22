"""A role's knowledge of the current state: a sample of the states that agree with its moves and percepts.

    belief = Belief(gdl.Simulator.load("games/hidden/kuhn_poker.kif"), "alice")
    belief.update("noop", ["jack"])
    belief.shares()              # (hand alice jack) 1.0, (hand bob queen) 0.5, ...

The other roles are expected to move uniformly at random, as `random` does, or by a better model. So the sample is one
from the posterior distribution of the state under this model. It is found by a particle filter: lines of play are
continued side by side with moves of the others by the model, and those that disagree with the percepts are dropped. In
their place, lines are replayed from the start, as long as enough of these agree. Otherwise, all states that agree are
enumerated with their probabilities, which are exact for random moves; or, if they are too many, those that are left are
used several times. If none is left, a search in depth finds some.

Russell and Norvig (2021), Artificial Intelligence, 14.5.3; Schofield, Cerexhe and Thielscher (2012), HyperPlay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Final, final

import numpy as np

from gdl.engine import Engine, State, hides_states
from gdl.language.parser import parse_term
from gdl.reasoner.joint_moves import role_named
from gdl.simulator.seeds import checked_count, checked_seed
from gdl.terms import Term
from ggp.belief.engine_worlds import EngineWorlds
from ggp.belief.errors import BeliefError, ImpossiblePerceptsError, SearchLimitError
from ggp.belief.history_search import all_states, some_states
from ggp.belief.packed_worlds import PackedWorlds
from ggp.belief.samples import Samples, Step, Worlds, joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The default number of states, in a compiled game and in others.
PARTICLES: Final = 4096
SLOW_PARTICLES: Final = 200

#: The maximum number of replayed lines of play, as a multiple of the number of states wanted.
_REPLAYS: Final = 8

#: The maximum number of enumerated states, as a multiple of the number of states wanted.
_ENUMERATED: Final = 4


@final
class Belief:
    """A sample of the states that agree with what a role has done and seen; never empty.

    `samples` has them; `history` has the role's moves and percepts.
    """

    def __init__(self, game: Engine, role: str, *, seed: int = 0, particles: int | None = None) -> None:
        """Begin in the initial state. A compiled game (`gdl.Simulator`) is many times as fast as other engines.

        `particles` is the number of states wanted. Raises BeliefError if nothing is hidden in the game,
        UnknownRoleError, and ValueError for a number that makes no sense.
        """
        from gdl.simulator.simulator import Simulator

        if not hides_states(game):
            raise BeliefError("nothing is hidden in this game: its rules do not define sees")
        self.game = game
        self.role = role_named(role, game.roles)
        self._number = game.roles.index(self.role)
        default = PARTICLES if isinstance(game, Simulator) else SLOW_PARTICLES
        self.particles = checked_count("particles", default if particles is None else particles)
        self._random = np.random.default_rng(checked_seed(seed))
        self.worlds: Worlds = (
            PackedWorlds(game, self._number) if isinstance(game, Simulator) else EngineWorlds(game, self._number)
        )
        self.history: tuple[Step, ...] = ()
        self.samples: Samples = self.worlds.initial(self.particles)
        self._enumerable = True

    def update(
        self,
        move: Term | str,
        percepts: Iterable[Term | str] = (),
        *,
        over: bool | None = None,
        seconds: float = inf,
    ) -> None:
        """Take in a ply: the role's own move, and its percepts. `over` tells if the game is known to be over, or not.

        `seconds` limits the time. Raises ImpossiblePerceptsError if no state agrees, SearchLimitError if none was found
        in time, and TermError. After an error, the belief is as it was before.
        """
        seen = frozenset(parse_term(one) if isinstance(one, str) else one for one in percepts)
        step = Step(parse_term(move) if isinstance(move, str) else move, seen)
        self.follow([step], over=over, seconds=seconds)

    def follow(self, steps: Iterable[Step], *, over: bool | None = None, seconds: float = inf) -> None:
        """Take in several plies at once, like `update`; `over` is about the last one."""
        until = monotonic() + seconds
        history = self.history
        samples = self.samples
        for step in steps:
            history = (*history, step)
            samples = self.worlds.drawn(self._filled(samples), step, self._random)
        samples = self._agreeing(samples, over)
        self.samples = self._enough(samples, history, over, lambda: monotonic() > until)
        self.history = history

    def sample(self, count: int) -> Samples:
        """Return `count` states of the belief, drawn at random."""
        return self.samples.take(self._random.integers(len(self.samples), size=count))

    def states(self, count: int) -> list[State]:
        """Return `count` states of the belief as states of the engine, drawn at random."""
        samples = self.sample(count)
        return [self.worlds.state(samples, number) for number in range(count)]

    def shares(self) -> dict[Term, float]:
        """Return, for each fact that may hold, the share of the states in which it does, sorted by text."""
        found = self.worlds.shares(self.samples)
        return dict(sorted(found.items(), key=lambda item: item[0].text))

    def legal(self) -> tuple[Term, ...]:
        """Return the role's moves that are legal in all states of the belief, sorted by text.

        They are its legal moves, since rules are written so that a role can infer these.
        """
        choices = set(self.worlds.legal(self.samples, self._number))
        return tuple(sorted(set.intersection(*map(set, choices)), key=lambda move: move.text))

    def _agreeing(self, samples: Samples, over: bool | None) -> Samples:
        return samples if over is None else samples.take(self.worlds.terminal(samples) == over)

    def _filled(self, samples: Samples) -> Samples:
        """Return as many samples as are wanted, by repeating some."""
        missing = self.particles - len(samples)
        if missing <= 0 or not len(samples):
            return samples
        return joined([samples, samples.take(self._random.integers(len(samples), size=missing))])

    def _enough(
        self, samples: Samples, history: tuple[Step, ...], over: bool | None, time_is_up: Callable[[], bool]
    ) -> Samples:
        """Return enough samples after a history, given those that are left. Raises as `update` does."""
        parts, total = [samples], len(samples)
        for left in reversed(range(_REPLAYS)):
            if total >= self.particles or (total and time_is_up()):
                break
            again = self._replayed(history, over, time_is_up)
            parts.append(again)
            total += len(again)
            if total + left * len(again) < self.particles:
                break  # too few of them agree
        if total < self.particles and self._enumerable and not time_is_up():
            found = all_states(self.worlds, history, over, _ENUMERATED * self.particles)
            self._enumerable = found is not None
            if found is not None:
                return self._drawn(found[0], found[1], history)
        if total:
            return joined(parts)
        some = some_states(self.worlds, history, over, self.particles, self._random, time_is_up)
        if some is None:
            raise SearchLimitError(f"no state was found in time that agrees with {self._text(history)}")
        return self._drawn(some[0], some[1], history)

    def _replayed(self, history: tuple[Step, ...], over: bool | None, time_is_up: Callable[[], bool]) -> Samples:
        """Return those of as many replays as samples are wanted that agree with a history; none if time is up."""
        samples = self.worlds.initial(self.particles)
        for step in history:
            if not len(samples) or time_is_up():
                return samples.take(np.arange(0))
            samples = self.worlds.drawn(samples, step, self._random)
        return self._agreeing(samples, over)

    def _drawn(self, samples: Samples, weights: NDArray[np.float64], history: tuple[Step, ...]) -> Samples:
        """Return as many samples as are wanted, drawn by their weights."""
        if not len(samples):
            raise ImpossiblePerceptsError(f"no state agrees with what {self.role} did and saw: {self._text(history)}")
        return samples.take(self._random.choice(len(samples), self.particles, p=weights / weights.sum()))

    def _text(self, history: tuple[Step, ...]) -> str:
        return "; ".join(f"ply {ply}: {step}" for ply, step in enumerate(history, 1))
