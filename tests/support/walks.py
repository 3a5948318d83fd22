"""Random matches by the Reasoner, with all states that one more ply leads to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from time import monotonic

import gdl
from gdl.errors import NoLegalMoveError


def walks(
    reasoner: gdl.Reasoner, matches: int, plies: int, seconds: float
) -> Iterator[tuple[int, gdl.State, list[gdl.State]]]:
    """Yield the ply, the state and those that may follow, for each state of some matches, as long as there is time.

    No state follows if it is terminal, or if a role has no legal move.
    """
    random, until = Random(1), monotonic() + seconds
    for _ in range(matches):
        state = reasoner.initial_state()
        for ply in range(plies):
            if monotonic() > until:
                return
            following: list[gdl.State] = []
            if not reasoner.is_terminal(state):
                try:
                    pairs = list(product(*(reasoner.legal_moves(state, role) for role in reasoner.roles)))
                except NoLegalMoveError:
                    pairs = []
                following = [reasoner.next_state(state, pair) for pair in pairs]
            yield ply, state, following
            if not following:
                break
            state = random.choice(following)
