"""Random play: playouts in which each role plays uniformly random legal moves.

A compiled game is played in lanes, many playouts at a time; other engines play one playout after another.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import prod
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gdl.engine import Engine, is_nature
from gdl.errors import GoalError, NoLegalMoveError
from gdl.simulator.seeds import derive, generator
from ggp.study.bench.playouts import FaultyRulesError
from ggp.study.sample import NO_GOAL, Sample
from ggp.study.tree_size import Seen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.simulator.arrays import Arrays
    from gdl.simulator.simulator import Simulator

#: The number of playouts of a compiled game that are played at a time.
LANES: Final = 2048


def play_randomly(game: Engine, playouts: int, seed: int, max_plies: int, until: float, seen: Seen) -> Iterator[Sample]:
    """Yield samples of playouts until there are enough of them, or `until` (a time of `monotonic`) has passed.

    The same seed gives the same playouts. `seen` notes the states and the numbers of moves. Raises FaultyRulesError or
    NoLegalMoveError if a role has no legal move.
    """
    from gdl.simulator.simulator import Simulator

    done = 0
    while done < playouts and (not done or monotonic() < until):
        if isinstance(game, Simulator):
            sample = _play_lanes(
                game, min(LANES, playouts - done), derive(seed, "random play", str(done)), max_plies, seen
            )
        else:
            sample = _play_once(game, derive(seed, "random play", str(done)), max_plies, seen)
        done += len(sample)
        yield sample


def _play_lanes(game: Simulator, count: int, seed: int, max_plies: int, seen: Seen) -> Sample:
    arrays = game.arrays
    draws = np.random.Generator(np.random.PCG64(seed))
    players = [number for number, role in enumerate(game.roles) if not is_nature(role)]
    plies, choices, decisions, tree = (np.zeros(count) for _ in range(4))
    finished = np.zeros(count, np.bool_)
    goals = np.full((count, len(players)), NO_GOAL, np.int64)
    lanes = np.arange(count)
    states = np.repeat(arrays.pack([game.initial_state()]), count, axis=0)
    for ply in range(max_plies + 1):
        seen.note_states(states)
        looked = arrays.look(states)
        over = arrays.terminal(looked)
        goals[lanes[over]] = arrays.goal_values(looked)[over][:, players]
        finished[lanes[over]] = True
        lanes, states, looked = lanes[~over], states[~over], looked[~over]
        if not len(lanes) or ply == max_plies:
            break
        moves, counts = _draw_moves(arrays, game, looked, draws)
        if not counts.all():
            stuck = int((counts == 0).any(axis=1).sum())
            raise FaultyRulesError("no-legal-move", stuck, count, "leave a role without a legal move")
        own = counts[:, players]
        choices[lanes] += own.prod(axis=1)
        decisions[lanes] += (own > 1).any(axis=1)
        tree[lanes] += np.log(counts).sum(axis=1)
        plies[lanes] += 1
        states = arrays.move(states, moves)
    seen.note_lines(tree)
    return Sample(tuple(game.roles[number] for number in players), plies, finished, goals, choices, decisions)


def _draw_moves(
    arrays: Arrays, game: Simulator, looked: NDArray[np.uint64], draws: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return a random legal move of each role in each state, and the numbers of legal moves."""
    moves = np.zeros((len(looked), len(game.roles)), np.int32)
    counts = np.zeros((len(looked), len(game.roles)))
    ones, places = _bits()
    for role, first in enumerate(arrays.first_moves):
        words = looked[:, arrays.legal_words[role] : arrays.legal_words[role] + arrays.move_words[role]]
        octets = np.ascontiguousarray(words.astype("<u8")).view(np.uint8)
        # The bits of a role's words beyond its moves belong to other things.
        spare = -len(game.all_moves(game.roles[role])) % 8
        octets = octets[:, : (len(game.all_moves(game.roles[role])) + spare) // 8].copy()
        octets[:, -1] &= 0xFF >> spare
        so_far = ones[octets].cumsum(axis=1, dtype=np.int32)
        number = so_far[:, -1]
        # The drawn move is in the first octet up to which there are more legal moves than its number.
        drawn = (draws.random(len(looked)) * number).astype(np.int32)
        octet = (so_far > drawn[:, None]).argmax(axis=1)
        here = octets[lanes := np.arange(len(looked)), octet]
        before = so_far[lanes, octet] - ones[here]
        moves[:, role] = first + 8 * octet + places[here, np.maximum(drawn - before, 0)]
        counts[:, role] = number
    return moves, counts


@cache
def _bits() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the number of bits of each octet, and the place of each of its bits, from the lowest on: (256, 8)."""
    octets = np.arange(256, dtype=np.uint8)[:, None]
    bits = np.unpackbits(octets, axis=1, bitorder="little").astype(np.int32)
    places = np.zeros((256, 8), np.int32)
    for octet, row in enumerate(bits):
        places[octet, : row.sum()] = np.flatnonzero(row)
    return bits.sum(axis=1, dtype=np.int32), places


def _play_once(game: Engine, seed: int, max_plies: int, seen: Seen) -> Sample:
    """Play one playout by an engine's interface for single states."""
    draws = generator(seed, "playout")
    players = [number for number, role in enumerate(game.roles) if not is_nature(role)]
    state: Any = game.initial_state()
    plies = choices = decisions = 0
    tree = 0.0
    while not (over := game.is_terminal(state)) and plies < max_plies:
        legal = [game.legal_moves(state, role) for role in game.roles]
        for role, moves in zip(game.roles, legal, strict=True):
            if not moves:
                raise NoLegalMoveError(role)
        own = [len(legal[number]) for number in players]
        choices += prod(own)
        decisions += any(number > 1 for number in own)
        tree += float(np.log([len(moves) for moves in legal]).sum())
        state = game.next_state(state, [draws.choice(moves) for moves in legal])
        plies += 1
    seen.note_lines(np.array([tree]))
    goals = [_goal_of(game, state, game.roles[number]) if over else NO_GOAL for number in players]
    return Sample(
        tuple(game.roles[number] for number in players),
        np.array([plies], np.float64),
        np.array([over]),
        np.array([goals], np.int64),
        np.array([choices], np.float64),
        np.array([decisions], np.float64),
    )


def _goal_of(game: Engine, state: Any, role: str) -> int:
    try:
        return game.goal(state, role)
    except GoalError:
        return NO_GOAL
