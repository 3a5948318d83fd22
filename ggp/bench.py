"""How fast an engine plays: random playouts on one core.

A transition is what a playout does at every ply: ask for the legal moves of all roles, make a joint move, and ask
whether the new state is terminal. At its end a playout asks for all goals. Loading the rules does not count.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from gdl.errors import GoalError, NoLegalMoveError
from ggp.engine import Engine, is_nature


@dataclass(frozen=True, slots=True)
class Speed:
    """What was done in how many seconds. `cut` playouts of all were not over after the ply limit."""

    playouts: int
    transitions: int
    seconds: float
    cut: int

    @property
    def playouts_per_second(self) -> float:
        return self.playouts / self.seconds

    @property
    def transitions_per_second(self) -> float:
        return self.transitions / self.seconds

    @property
    def mean_length(self) -> float:
        """Plies per playout."""
        return self.transitions / self.playouts


def measure(game: Engine, *, seconds: float, seed: int, max_plies: int) -> Speed:
    """Random playouts, one after the other, until the time is over; the last is played to its end.

    So every playout that is begun counts, however long it takes, and short ones are not favoured. One playout
    beforehand does not count: engines prepare themselves while they answer their first questions. Raises
    NoLegalMoveError and whatever else is wrong with the rules.
    """
    generator = random.Random(seed)
    playout(game, generator, max_plies)
    playouts = transitions = cut = 0
    elapsed = 0.0
    began = time.perf_counter()
    while not playouts or elapsed < seconds:
        plies, finished = playout(game, generator, max_plies)
        playouts += 1
        transitions += plies
        cut += not finished
        elapsed = time.perf_counter() - began
    return Speed(playouts, transitions, elapsed, cut)


def playout(game: Engine, generator: random.Random, max_plies: int) -> tuple[int, bool]:
    """One playout of uniformly random moves: how many plies it took, and whether a terminal state was reached."""
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
            if not is_nature(role):  # chance need not have a goal
                raise
    return plies, True
