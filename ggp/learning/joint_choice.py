"""Choose moves by the values of what follows, for many states at once. Compiled by Numba, which this module loads.

Where one role has a choice, it takes the move whose followers are best for it. Where several choose at once, each gets
a mixed strategy by regret matching+ with linear averaging (Tammelin 2014), and a move is drawn from it. Chance draws
its moves uniformly.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gdl.codegen.array_types import B_1, F32_2, F64_2, I32_1, I32_2, I64_1, Int
from gdl.codegen.compiled_functions import compiled, part

#: Iterations of regret matching.
_ITERATIONS: Final = 32

#: Rows of `mixing`, by move: the strategy, its sum so far, the regret, the values of followers, and their weights.
STRATEGY, TOTAL, REGRET, VALUE, WEIGHT, ROWS = range(6)


@part
def _list_moves(moves: I32_2, first: Int, last: Int, listed: I32_2, counts: I64_1, known: I64_1) -> None:
    """List the different moves of each role in some joint moves; `known` is -1 for every move before and after."""
    for role in range(moves.shape[1]):
        count = 0
        for row in range(first, last):
            move = moves[row, role]
            if known[move] < 0:
                known[move] = count
                listed[role, count] = move
                count += 1
        for place in range(count):
            known[listed[role, place]] = -1
        counts[role] = count


@part
def _share(moves: I32_2, row: Int, mixing: F64_2, kind: Int, but: Int) -> Any:
    """Return the product of what the moves of all roles but one have in a row of `mixing`."""
    found = 1.0
    for role in range(moves.shape[1]):
        if role != but:
            found *= mixing[kind, moves[row, role]]
    return found


@part
def _match_regrets(
    moves: I32_2, first: Int, last: Int, values: F32_2, nature: Int, listed: I32_2, counts: I64_1, mixing: F64_2
) -> None:
    """Leave the average strategies of all roles in `mixing`, after some iterations."""
    roles = moves.shape[1]
    for role in range(roles):
        for place in range(counts[role]):
            move = listed[role, place]
            mixing[STRATEGY, move] = 1.0 / counts[role]
            mixing[TOTAL, move] = mixing[REGRET, move] = 0.0
    for iteration in range(1, _ITERATIONS + 1):
        for role in range(roles):
            if role == nature or counts[role] < 2:
                continue
            for place in range(counts[role]):
                mixing[VALUE, listed[role, place]] = mixing[WEIGHT, listed[role, place]] = 0.0
            for row in range(first, last):
                share = _share(moves, row, mixing, STRATEGY, role)
                mixing[VALUE, moves[row, role]] += share * values[row, role]
                mixing[WEIGHT, moves[row, role]] += share
            mean = 0.0
            for place in range(counts[role]):
                move = listed[role, place]
                mixing[VALUE, move] /= max(mixing[WEIGHT, move], 1e-12)
                mean += mixing[STRATEGY, move] * mixing[VALUE, move]
            total = 0.0
            for place in range(counts[role]):
                move = listed[role, place]
                mixing[REGRET, move] = max(0.0, mixing[REGRET, move] + mixing[VALUE, move] - mean)
                total += mixing[REGRET, move]
            for place in range(counts[role]):
                move = listed[role, place]
                mixing[STRATEGY, move] = mixing[REGRET, move] / total if total > 0 else 1.0 / counts[role]
                mixing[TOTAL, move] += iteration * mixing[STRATEGY, move]
    for role in range(roles):
        for place in range(counts[role]):
            move = listed[role, place]
            if role != nature and counts[role] > 1:
                mixing[STRATEGY, move] = mixing[TOTAL, move] / (0.5 * _ITERATIONS * (_ITERATIONS + 1))


@part
def _take_best(
    moves: I32_2,
    first: Int,
    last: Int,
    values: F32_2,
    role: Int,
    listed: I32_2,
    counts: I64_1,
    mixing: F64_2,
    draw: float,
) -> None:
    """Leave the strategies in `mixing` where one role has a choice: its best move, of equal ones at random."""
    for other in range(moves.shape[1]):
        for place in range(counts[other]):
            mixing[STRATEGY, listed[other, place]] = 1.0 / counts[other]
    for place in range(counts[role]):
        mixing[VALUE, listed[role, place]] = mixing[WEIGHT, listed[role, place]] = 0.0
    for row in range(first, last):
        mixing[VALUE, moves[row, role]] += values[row, role]
        mixing[WEIGHT, moves[row, role]] += 1.0
    top = -1.0
    equal = 0
    for place in range(counts[role]):
        move = listed[role, place]
        mixing[VALUE, move] /= mixing[WEIGHT, move]
        mixing[STRATEGY, move] = 0.0
        if mixing[VALUE, move] > top:
            top = mixing[VALUE, move]
            equal = 0
        equal += mixing[VALUE, move] == top
    wanted = np.int64(draw * equal)
    for place in range(counts[role]):
        move = listed[role, place]
        if mixing[VALUE, move] == top:
            if wanted == 0:
                mixing[STRATEGY, move] = 1.0
                break
            wanted -= 1


@compiled
def choose(
    offsets: I64_1,
    moves: I32_2,
    values: F32_2,
    nature: int,
    draws: F64_2,
    listed: I32_2,
    counts: I64_1,
    known: I64_1,
    mixing: F64_2,
    chosen: I32_2,
    said: F32_2,
) -> None:
    """Choose a joint move in each of n states, and say what it is worth.

    The joint moves of state `i` are the rows from `offsets[i]` up to the next offset of `moves`, (m, roles), numbered
    over all roles; all of them, or some at random. `values`, (m, roles), are the values of the states that follow.
    `nature` is the number of the chance role, or -1. `draws`, (n, roles), are random numbers from 0 to less than 1.
    Fills `chosen`, (n, roles), with moves, and `said`, (n, roles), with the values that the strategies have.

    `listed`, (roles, moves), `counts`, (roles,), `known`, (moves,), -1 each, and `mixing`, (ROWS, moves), are memory.
    """
    roles = moves.shape[1]
    for i in range(len(chosen)):
        first, last = offsets[i], offsets[i + 1]
        _list_moves(moves, first, last, listed, counts, known)
        choosing = 0
        mover = 0
        for role in range(roles):
            if role != nature and counts[role] > 1:
                choosing += 1
                mover = role
        if choosing > 1:
            _match_regrets(moves, first, last, values, nature, listed, counts, mixing)
        else:
            _take_best(moves, first, last, values, mover, listed, counts, mixing, draws[i, mover])
        total = 0.0
        for role in range(roles):
            said[i, role] = 0
        for row in range(first, last):
            share = _share(moves, row, mixing, STRATEGY, -1)
            total += share
            for role in range(roles):
                said[i, role] += share * values[row, role]
        for role in range(roles):
            said[i, role] /= max(total, 1e-12)
            rest = draws[i, role]
            if choosing == 1 and role == mover:
                rest = 0.5  # its draw has settled ties
            for place in range(counts[role]):
                move = listed[role, place]
                if mixing[STRATEGY, move] > 0:
                    chosen[i, role] = move
                    rest -= mixing[STRATEGY, move]
                    if rest < 0:
                        break


@compiled
def set_targets(following: I32_1, wild: B_1, said: F32_2, final: F32_2, trust: np.float32, targets: F32_2) -> None:
    """Set the targets of the states of games: TD(lambda), with `trust` as lambda.

    `following` is the number of the state after each in its game, which is higher, or -1 for the last one, whose target
    is in `final`. Where `wild` is set, the course of the game says nothing about a state, because its move was random:
    its target is what was `said`. Values are (n, roles).
    """
    for i in range(len(following) - 1, -1, -1):
        after = following[i]
        for role in range(said.shape[1]):
            if wild[i]:
                targets[i, role] = said[i, role]
            elif after < 0:
                targets[i, role] = final[i, role]
            else:
                targets[i, role] = (1 - trust) * said[after, role] + trust * targets[after, role]
