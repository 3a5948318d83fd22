"""The values of many states for several roles at once, compiled by Numba. This module loads Numba.

The networks of the roles have the same tuples, so what a state looks up is found once for all of them. States of a
batch are often the children of one state, which differ in few facts: the sums of a state are made from those of the
one before it, if that is less work.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from gdl.codegen.array_types import F32_1, F32_2, I32_1, I32_2, I64_1, U64_2_READ, Int
from gdl.codegen.compiled_functions import compiled, part
from gdl.simulator.bits import count_ones, lowest_one
from ggp.players.learned_values.units import HIDDEN

#: The number of states after which sums are computed afresh, so that rounding errors do not accumulate.
_ANEW: Final = 64


class RoleWeights(NamedTuple):
    """The weights of the networks of some roles, side by side, in hundreds of points.

    `weights`: (64 * words, roles * (HIDDEN + 1)), the hidden units of all roles, then the facts' own weights for each.
    `start`: (roles * (HIDDEN + 1),), the same of a state without facts. `heads`: (roles * HIDDEN,). `entries`:
    (patterns, roles). `starts`, `links` and `places` are those of the tuples.
    """

    weights: F32_2
    start: F32_1
    heads: F32_1
    entries: F32_2
    starts: I32_1
    links: I32_2
    places: I32_1
    #: Room for the sums of a state, (roles * (HIDDEN + 1),), and for the places of its patterns, (tuples,).
    sums: F32_1
    now: I64_1


@part
def _change(given: RoleWeights, roles: Int, fact: Int, sign: Int) -> None:
    """Add a fact to the sums, or take it away (`sign` 1 or -1)."""
    weights, sums, entries, links, now = given.weights, given.sums, given.entries, given.links, given.now
    share = np.float32(sign)
    for column in range(len(sums)):
        sums[column] += share * weights[fact, column]
    own = len(sums) - roles
    for k in range(given.starts[fact], given.starts[fact + 1]):
        number = links[k, 0]
        place = now[number]
        after = place + sign * links[k, 1]
        for role in range(roles):
            sums[own + role] += entries[after, role] - entries[place, role]
        now[number] = after


@part
def _change_all(given: RoleWeights, roles: Int, word: Int, bits: np.uint64, sign: Int) -> None:
    while bits:
        _change(given, roles, 64 * word + np.int64(lowest_one(bits)), sign)
        bits &= bits - np.uint64(1)


@part
def _begin(given: RoleWeights, roles: Int) -> None:
    """Make the sums those of a state without facts."""
    sums, places, now = given.sums, given.places, given.now
    for column in range(len(sums)):
        sums[column] = given.start[column]
    own = len(sums) - roles
    for number in range(len(now)):
        now[number] = places[number]
        for role in range(roles):
            sums[own + role] += given.entries[places[number], role]


@compiled(fastmath=True)
def evaluate(states: U64_2_READ, given: RoleWeights, values: F32_2) -> None:
    """Fill `values` (n, roles) with the values of states (n, words), as goals from 0 to 1."""
    roles, words = values.shape[1], states.shape[1]
    heads, sums = given.heads, given.sums
    own = len(sums) - roles
    for i in range(len(states)):
        held = changed = np.uint64(0)
        for word in range(words):
            held += count_ones(states[i, word])
            if i > 0:
                changed += count_ones(states[i, word] ^ states[i - 1, word])
        if i % _ANEW == 0 or changed > held:
            _begin(given, roles)
            for word in range(words):
                _change_all(given, roles, word, states[i, word], 1)
        else:
            # First what no longer holds, so that no cell ever holds two things.
            for word in range(words):
                _change_all(given, roles, word, states[i - 1, word] & ~states[i, word], -1)
            for word in range(words):
                _change_all(given, roles, word, states[i, word] & ~states[i - 1, word], 1)
        for role in range(roles):
            value = sums[own + role]
            for unit in range(role * HIDDEN, (role + 1) * HIDDEN):
                value += heads[unit] * min(max(sums[unit], np.float32(0)), np.float32(1))
            values[i, role] = min(max(value, np.float32(0)), np.float32(1))
