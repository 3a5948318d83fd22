"""Order the instructions of straight-line code so that few values have to leave their registers.

Finding the best order is hard. This one is greedy: of some instructions that could come next, it takes the one that
needs most values for the last time, reads few that may have left their registers, and continues what was done just now.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import Final

from gdl.compile_budget import check_budget

#: The last instructions that have become ready are candidates, this many, besides the first one that is ready.
_CANDIDATES: Final = 16

#: A candidate's score falls by one for each instruction since the latest use of its arguments. In this unit: what an
#: argument adds that is needed for the last time, what one costs that may have left its register, and what each place
#: costs by which the candidate comes later in the given order.
_LAST: Final = 100
_OLD: Final = 25
_LATER: Final = 0.1

#: When a value has not been used for this many instructions, it may have left its register.
_KEPT: Final = 30


def ordered(instructions: Sequence[tuple[Sequence[int], int | None]]) -> list[int]:
    """Return the numbers of instructions in a new order.

    Each has the values that it reads, and the one that it makes, or None; then it comes right after the last value that
    it reads.
    """
    made_here = {made for _, made in instructions}
    readers: dict[int, list[int]] = {}
    missing = []
    for number, (reads, _) in enumerate(instructions):
        check_budget()
        for value in reads:
            readers.setdefault(value, []).append(number)
        missing.append(sum(value in made_here for value in reads))
    left = {value: len(own) for value, own in readers.items()}
    ready = [number for number, count in enumerate(missing) if not count]
    heapify(ready)
    done = bytearray(len(instructions))
    used: dict[int, int] = {}
    recent: list[int] = []
    order: list[int] = []
    while True:
        while ready and done[ready[0]]:
            heappop(ready)
        if not ready:
            return order
        recent = [number for number in recent[-_CANDIDATES:] if not done[number]]
        now = len(order)
        chosen, best = -1, 0.0
        for number in (ready[0], *recent):
            latest, score = -_LAST, -_LATER * number
            for value in instructions[number][0]:
                if left[value] == 1 and value in made_here:
                    score += _LAST
                use = used.get(value, -_LAST)
                if now - use > _KEPT:
                    score -= _OLD
                latest = max(latest, use)
            score += latest - now
            if chosen < 0 or score > best:
                chosen, best = number, score
        stack = [chosen]
        while stack:
            number = stack.pop()
            done[number] = True
            order.append(number)
            reads, made = instructions[number]
            for value in reads:
                left[value] -= 1
                used[value] = len(order)
            if made is None:
                continue
            used[made] = len(order)
            for reader in readers.get(made, ()):
                missing[reader] -= 1
                if not missing[reader]:
                    if instructions[reader][1] is None:
                        stack.append(reader)
                    else:
                        heappush(ready, reader)
                        recent.append(reader)
