"""Search for states that agree with a history, when replays at random find too few.

`all_states` finds all of them, as long as they are not too many. `some_states` goes through the joint moves in depth,
and backtracks where nothing agrees: it finds states if there are any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ggp.belief.samples import Samples, Step, Worlds, joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The number of samples whose successors are found at a time, in depth.
_BLOCK: Final = 64

#: The most joint moves that are tried at a time.
_JOINT_MOVES: Final = 1 << 18

#: States with their probabilities, of any sum.
Weighted = tuple[Samples, Any]


def all_states(worlds: Worlds, history: Sequence[Step], over: bool | None, most: int) -> Weighted | None:
    """Return all states after a history with their probabilities, which are exact if the others move at random.

    Return None if at any ply, there are more than `most` different ones, or if too many joint moves lead to them.
    """
    samples, odds = worlds.initial(1), np.ones(1)
    for step in history:
        found = worlds.all_after(samples, step, min(_JOINT_MOVES, 16 * most))
        if found is None:
            return None
        samples, parents, share = found
        samples, odds = _merged(worlds, samples, odds[parents] * share)
        if len(samples) > most:
            return None
        if not len(samples):
            return samples, odds
        odds /= odds.sum()
    if over is not None:
        agree = worlds.terminal(samples) == over
        samples, odds = samples.take(agree), odds[agree]
    return samples, odds


def some_states(
    worlds: Worlds,
    history: Sequence[Step],
    over: bool | None,
    most: int,
    random: np.random.Generator,
    time_is_up: Callable[[], bool],
) -> Weighted | None:
    """Return about `most` of the states after a history, or all if there are fewer; none if there are none.

    The weights are the probabilities of the first lines of play that were found to lead there. Return None if time is
    up before any is found.
    """
    tried: list[set[Any]] = [set() for _ in range(len(history) + 1)]
    stack: list[tuple[int, Samples, NDArray[np.float64]]] = [(0, worlds.initial(1), np.zeros(1))]
    found: list[tuple[Samples, NDArray[np.float64]]] = []
    while stack and sum(len(one) for one, _ in found) < most:
        if time_is_up():
            break
        ply, samples, logs = stack.pop()
        if ply == len(history):
            agree = np.ones(len(samples), np.bool_) if over is None else worlds.terminal(samples) == over
            found.append((samples.take(agree), logs[agree]))
            continue
        if len(samples) > _BLOCK:
            stack.append((ply, samples.take(np.arange(_BLOCK, len(samples))), logs[_BLOCK:]))
            samples, logs = samples.take(np.arange(_BLOCK)), logs[:_BLOCK]
        after = worlds.all_after(samples, history[ply], _JOINT_MOVES if len(samples) > 1 else 1 << 40)
        if after is None:  # fewer samples at a time
            half = len(samples) // 2
            stack.append((ply, samples.take(np.arange(half, len(samples))), logs[half:]))
            stack.append((ply, samples.take(np.arange(half)), logs[:half]))
            continue
        following, parents, share = after
        order = random.permutation(len(following))
        following, logs = following.take(order), (logs[parents] + np.log(share))[order]
        new = [number for number, key in enumerate(worlds.keys(following)) if _is_new(key, tried[ply + 1])]
        if new:
            stack.append((ply + 1, following.take(np.array(new)), logs[new]))
    if not found:
        return None if stack else (worlds.initial(0), np.zeros(0))
    logs = np.concatenate([one for _, one in found])
    return joined([one for one, _ in found]), np.exp(logs - logs.max(initial=-np.inf))


def _is_new(key: Any, tried: set[Any]) -> bool:
    if key in tried:
        return False
    tried.add(key)
    return True


def _merged(worlds: Worlds, samples: Samples, odds: NDArray[np.float64]) -> tuple[Samples, NDArray[np.float64]]:
    """Return each sample once, with the sum of its probabilities."""
    places: dict[Any, int] = {}
    numbers = np.array([places.setdefault(key, len(places)) for key in worlds.keys(samples)], np.int64)
    firsts = np.unique(numbers, return_index=True)[1]
    totals = np.zeros(len(places))
    np.add.at(totals, numbers, odds)
    return samples.take(firsts), totals
