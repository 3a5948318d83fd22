"""Sampled states, side by side, with what each role knows in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.engine import State
    from gdl.terms import Term

#: The factors of a hash of words (those of MurmurHash3, Appleby 2011).
_FACTORS = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT = np.uint64(33)


@final
@dataclass(frozen=True, slots=True)
class Samples:
    """States that may be the current one.

    `states` has packed states (n, state_words), uint64, or states of any engine (n,), objects. `known` (n, roles),
    uint64, has a hash of all that each role has done and seen on the way to a state: a role cannot tell states apart in
    which it is the same.
    """

    states: NDArray[Any]
    known: NDArray[np.uint64]

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self.states)

    def take(self, chosen: NDArray[Any]) -> Samples:
        """Return those of a mask, or those with certain numbers."""
        return Samples(self.states[chosen], self.known[chosen])


def joined(parts: Iterable[Samples]) -> Samples:
    """Return all samples of some parts, of which there is at least one."""
    some = list(parts)
    return Samples(np.concatenate([one.states for one in some]), np.concatenate([one.known for one in some]))


@final
@dataclass(frozen=True, slots=True)
class Step:
    """A ply as a role knows it: its own move, and what it saw of the joint move."""

    move: Term
    percepts: frozenset[Term]

    def __str__(self) -> str:
        """Return the move and the percepts."""
        seen = ", ".join(sorted(percept.text for percept in self.percepts)) or "nothing"
        return f"{self.move.text}, seeing {seen}"


class Worlds(Protocol):
    """Moves many samples of a game at once, as one role knows it.

    A step never leads on from terminal states, nor from states in which the role's own move is illegal or some
    role cannot move.
    """

    def initial(self, count: int) -> Samples:
        """Return `count` times the initial state."""
        ...

    def drawn(self, samples: Samples, step: Step, random: np.random.Generator) -> Samples:
        """Return what follows a step if the others' moves are drawn by the model, where it agrees with the percepts.

        From each sample follows at most one.
        """
        ...

    def all_after(self, samples: Samples, step: Step, most: int) -> tuple[Samples, NDArray[np.int64], Any] | None:
        """Return all that may follow a step, the number of the sample that each follows, and the probability of that.

        Return None if there are more than `most` joint moves.
        """
        ...

    def terminal(self, samples: Samples) -> NDArray[np.bool_]:
        """Return, for each sample, True if the game is over: (n,)."""
        ...

    def keys(self, samples: Samples) -> list[Any]:
        """Return a key for each sample, which is the same only for samples that are the same."""
        ...

    def legal(self, samples: Samples, role: int) -> list[tuple[Term, ...]]:
        """Return the legal moves of a role in each sample; none where the game is over."""
        ...

    def shares(self, samples: Samples) -> dict[Term, float]:
        """Return the share of the samples in which each fact holds, without those that hold in none."""
        ...

    def state(self, samples: Samples, number: int) -> State:
        """Return a sample as a state of the engine."""
        ...


def mixed(known: NDArray[np.uint64], word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return hashes combined with one more word each."""
    found = (known ^ word) * _FACTORS[0]
    found = (found ^ (found >> _SHIFT)) * _FACTORS[1]
    return found ^ (found >> _SHIFT)
