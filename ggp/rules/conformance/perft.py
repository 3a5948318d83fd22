"""Perft: count the sequences of joint moves of each length. A count that differs reveals a rule that differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import prod

from gdl.engine import Engine


def perft(game: Engine) -> Iterator[int]:
    """Yield the number of sequences of 0, 1, 2, ... joint moves from the initial state, without end.

    Sequences do not pass through terminal states before their end. Raises NoLegalMoveError.
    """
    # Transpositions are visited once: `level` has each state with the number of sequences that lead to it.
    level = Counter({game.initial_state(): 1})
    yield 1
    while True:
        inner = [
            (state, count, [game.legal_moves(state, role) for role in game.roles])
            for state, count in level.items()
            if not game.is_terminal(state)
        ]
        yield sum(count * prod(map(len, legal)) for _, count, legal in inner)
        level = Counter()
        for state, count, legal in inner:
            for joint_move in product(*legal):
                level[game.next_state(state, joint_move)] += count
