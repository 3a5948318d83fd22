"""A player asked for one move."""

from __future__ import annotations

from collections import Counter

from gdl.engine import Engine, State
from ggp.players import Start, Turn, make_player
from ggp.players.clock import NEVER, Deadline


def moves_of(
    name: str, game: Engine, role: str, state: State | None = None, *, seeds: int = 30, deadline: Deadline = NEVER
) -> Counter[str]:
    """Count the moves that a player of this name makes in a state, for many seeds."""
    state = game.initial_state() if state is None else state
    legal = game.legal_moves(state, role)
    played: Counter[str] = Counter()
    for seed in range(seeds):
        player = make_player(name)
        player.start(Start("match", game, role, seed), NEVER)
        played[str(player.move(Turn(1, state, legal, deadline=deadline)))] += 1
    return played
