"""Matches in environments, followed by the Reasoner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest

import gdl
from gdl.simulator.packed_state import PackedState
from ggp.environments.game import EnvironmentGame

#: Two roles choose at once out of more than 64 moves; the match ends after three plies.
TOGETHER = (
    "(role a) (role b) (init (at 0)) (step 0 1) (step 1 2) (step 2 3)"
    + "".join(f"(n {i})" for i in range(70))
    + """(<= (legal ?r (say ?i)) (role ?r) (n ?i)) (<= (next (at ?m)) (true (at ?n)) (step ?n ?m))
    (<= (next (said ?r ?i)) (does ?r (say ?i))) (<= terminal (true (at 3)))
    (<= (goal ?r 100) (true (said ?r ?i)) (true (said ?o ?i)) (distinct ?r ?o))
    (<= (goal ?r 0) (role ?r) (not (same))) (<= (same) (true (said a ?i)) (true (said b ?i)))"""
)


class Followed:
    """A match followed by the Reasoner: the states in which it may be, and the moves chosen in its state."""

    def __init__(self, game: EnvironmentGame, asked: Sequence[int], always: bool, max_plies: int) -> None:
        self.game = game
        self.reasoner = game.simulator.reasoner
        self.asked, self.always, self.max_plies = asked, always, max_plies
        self.chosen: dict[int, str] = {}
        #: The possible states, each with the number of plies until then.
        self.states = set(self.settled(self.reasoner.initial_state(), 0))

    def legal(self, state: gdl.State, role: int) -> list[str]:
        return [move.text for move in self.reasoner.legal_moves(state, self.game.roles[role])]

    def next_asked(self, state: gdl.State) -> int | None:
        after = max(self.chosen, default=-1)
        waiting = (r for r in self.asked if r > after and (self.always or len(self.legal(state, r)) > 1))
        return next(waiting, None)

    def settled(self, state: gdl.State, plies: int) -> Iterator[tuple[gdl.State, int]]:
        """The states in which somebody is asked, or which are the last."""
        if self.reasoner.is_terminal(state) or plies >= self.max_plies or self.next_asked(state) is not None:
            yield state, plies
            return
        kept, self.chosen = self.chosen, {}
        options = [[kept[r]] if r in kept else self.legal(state, r) for r in range(len(self.game.roles))]
        for following in {self.reasoner.next_state(state, moves) for moves in product(*options)}:
            yield from self.settled(following, plies + 1)
        self.chosen = kept

    def check(self, packed: PackedState, plies: int, role: int, mask: np.ndarray) -> None:
        """Compare a state, the role that is asked there, negative at the end, and its legal actions."""
        state = self.reasoner.state(packed)
        assert (state, plies) in self.states
        self.states = {(state, plies)}
        over = self.reasoner.is_terminal(state) or plies >= self.max_plies
        assert (role < 0) == over
        allowed = {self.game.actions[action].text for action in np.flatnonzero(mask)}
        if over:
            assert not allowed
        else:
            assert role == self.next_asked(state)
            assert allowed == set(self.legal(state, role))

    def act(self, role: int, action: int) -> None:
        ((state, plies),) = self.states
        self.chosen[role] = self.game.actions[action].text
        if self.next_asked(state) is None:
            # The moves that were chosen count in the state in which they were chosen, not in those after it.
            self.states = set(self.settled(state, plies))
            self.chosen = {}

    def is_terminal(self) -> bool:
        ((state, _),) = self.states
        return self.reasoner.is_terminal(state)

    def check_rewards(self, rewards: np.ndarray) -> None:
        ((state, _),) = self.states
        if self.reasoner.is_terminal(state):
            goals = [self.reasoner.goal(state, role) for role in self.game.agent_roles]
            assert rewards.tolist() == pytest.approx([goal / 100 for goal in goals])
        else:
            assert not rewards.any()
