"""Samples of a game that is not compiled, stepped one by one."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, final

import numpy as np

from gdl.errors import NoLegalMoveError
from ggp.belief.samples import Samples, Step, mixed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from gdl.engine import Engine, State
    from gdl.terms import Term


@final
class EngineWorlds:
    """Samples as states of an engine with percepts; see `ggp.belief.samples.Worlds`."""

    def __init__(self, game: Engine, role: int) -> None:
        """Take the game, and the number of the role whose steps are taken."""
        self._game = game
        self._role = role
        #: Numbers for pairs of a role's move and percepts, from which hashes are made.
        self._numbers: dict[Any, int] = {}

    def initial(self, count: int) -> Samples:
        """Return `count` times the initial state."""
        return self._samples([self._game.initial_state()] * count, np.zeros((count, len(self._game.roles)), np.uint64))

    def drawn(self, samples: Samples, step: Step, random: np.random.Generator) -> Samples:
        """Return what follows a step if the other roles' moves are drawn uniformly, where it agrees with it."""
        found = []
        for number, state in enumerate(samples.states):
            choices = self._choices(state, step)
            if choices is not None:
                moves = tuple(own[random.integers(len(own))] for own in choices)
                found += self._after(samples, number, moves, step)
        return self._collected(found)

    def all_after(self, samples: Samples, step: Step, most: int) -> tuple[Samples, NDArray[np.int64], Any] | None:
        """Return all that may follow a step, the numbers of the samples before, and their probabilities."""
        found, parents, odds, total = [], [], [], 0
        for number, state in enumerate(samples.states):
            choices = self._choices(state, step)
            count = 0 if choices is None else prod(map(len, choices))
            total += count
            if total > most:
                return None
            for moves in product(*(choices or [()])):
                after = self._after(samples, number, moves, step)
                found += after
                parents += [number] * len(after)
                odds += [1 / count] * len(after)
        return self._collected(found), np.array(parents, np.int64), np.array(odds, np.float64)

    def _choices(self, state: State, step: Step) -> list[tuple[Term, ...]] | None:
        """Return the moves of each role that a step allows, or None if it is not possible in a state."""
        game = self._game
        if game.is_terminal(state):
            return None
        try:
            choices = [game.legal_moves(state, role) for role in game.roles]
        except NoLegalMoveError:
            return None
        if step.move not in choices[self._role]:
            return None
        choices[self._role] = (step.move,)
        return choices if all(choices) else None

    def _after(
        self, samples: Samples, number: int, moves: tuple[Term, ...], step: Step
    ) -> list[tuple[State, NDArray[np.uint64]]]:
        """Return the state after a joint move, and what the roles know then; nothing if it does not agree."""
        if not moves:
            return []
        state = samples.states[number]
        percepts = self._game.percepts(state, moves)  # type: ignore[attr-defined]
        roles = self._game.roles
        if frozenset(percepts[roles[self._role]]) != step.percepts:
            return []
        seen = [
            self._numbers.setdefault((role, move, percepts[role]), 1 + len(self._numbers))
            for role, move in zip(roles, moves, strict=True)
        ]
        return [(self._game.next_state(state, moves), mixed(samples.known[number], np.array(seen, np.uint64)))]

    def _collected(self, found: list[tuple[State, NDArray[np.uint64]]]) -> Samples:
        known = [row for _, row in found]
        empty = np.zeros((0, len(self._game.roles)), np.uint64)
        return self._samples([state for state, _ in found], np.array(known, np.uint64) if known else empty)

    def _samples(self, states: Iterable[State], known: NDArray[np.uint64]) -> Samples:
        column = np.empty(len(known), object)
        for number, state in enumerate(states):
            column[number] = state
        return Samples(column, known)

    def terminal(self, samples: Samples) -> NDArray[np.bool_]:
        """Return, for each sample, True if the game is over: (n,)."""
        return np.array([self._game.is_terminal(state) for state in samples.states], np.bool_)

    def keys(self, samples: Samples) -> list[Any]:
        """Return a key for each sample."""
        return [(state, row.tobytes()) for state, row in zip(samples.states, samples.known, strict=True)]

    def legal(self, samples: Samples, role: int) -> list[tuple[Term, ...]]:
        """Return the legal moves of a role in each sample; none where the game is over."""
        name, game = self._game.roles[role], self._game
        found: dict[State, tuple[Term, ...]] = {}
        for state in samples.states:
            if state not in found:
                found[state] = () if game.is_terminal(state) else game.legal_moves(state, name)
        return [found[state] for state in samples.states]

    def shares(self, samples: Samples) -> dict[Term, float]:
        """Return the share of the samples in which each fact holds, without those that hold in none."""
        counts = Counter(fact for state in samples.states for fact in state)
        return {fact: count / len(samples) for fact, count in counts.items()}

    def state(self, samples: Samples, number: int) -> State:
        """Return a sample as a state of the engine."""
        state: State = samples.states[number]
        return state
