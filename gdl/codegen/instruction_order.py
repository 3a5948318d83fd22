"""Order the instructions of straight-line code so that few values have to leave their registers.

Finding the best order is hard. These orders are greedy: of some instructions that could come next, they take the one
with the highest score. There are two kinds. One goes from the beginning of the code to its end: an instruction scores
if it needs values for the last time, reads few that may have left their registers, and continues what was done just
now. The other one goes from the end to the beginning: an instruction scores if its result is needed soon after it, and
if most of its arguments are needed later, too. Which of them is better, and with which weights, depends on the code:
some of it has half as many stores in the best order as in most others. So it pays to try several.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple, final

from gdl.compile_budget import check_budget

#: The values that an instruction reads, and the one that it makes. A store makes None, and reads one value.
Instruction = tuple[Sequence[int], int | None]


class _Forward(NamedTuple):
    """Weights of an order from the beginning to the end.

    The last `candidates` instructions that have become ready are looked at, besides the first one. A score falls by one
    for each instruction since the latest use of an argument. In this unit: `last` is what an argument adds that is
    needed for the last time, `old` what one costs that has not been used for `kept` instructions, and `later` what each
    place costs by which the instruction comes later in the given order.
    """

    candidates: int
    last: float
    old: float
    later: float
    kept: int


class _Backward(NamedTuple):
    """Weights of an order from the end to the beginning.

    The last `candidates` instructions that have become ready are looked at, besides the last one. `new` is what an
    argument costs that nothing after the instruction needs, `distance` what each instruction costs between this one and
    the first that needs its result, `unused` what a result costs that only stores need, and `earlier` each place by
    which the instruction comes earlier in the given order.
    """

    candidates: int
    new: float
    distance: float
    unused: float
    earlier: float


#: Orders to try, those first that were the best ones most often or by most. In the code of 34 games, with 32 registers
#: and with 16, two more made two stores less in 10,000 instructions.
_WAYS: Final[tuple[_Forward | _Backward, ...]] = (
    _Backward(8, 5, 1, 100, 0),
    _Forward(4, 50, 100, 0.1, 100),
    _Forward(16, 100, 25, 0.1, 30),
    _Backward(4, 20, 0.2, 20, 0.02),
    _Backward(1000, 60, 0.2, 100, 0.02),
    _Forward(64, 100, 25, 0.1, 20),
)

#: At most this many instructions are ordered, over all ways; the first way is always tried.
_WORK: Final = 50_000

#: The use of a value that has not been used, as the number of an instruction.
_LONG_AGO: Final = -100

#: Distances are limited to this many instructions.
_FARTHEST: Final = 200

#: A value costs half as much as a new one if it is needed only after this many instructions.
_FAR: Final = 60


def orders(instructions: Sequence[Instruction]) -> Iterator[list[int]]:
    """Yield orders to try, as the numbers of the instructions.

    A store comes right after the instruction that makes its value. One of a value that is not made here comes anywhere.
    """
    tries = max(1, _WORK // max(1, len(instructions)))
    values = 1 + max((value for reads, made in instructions for value in (*reads, made or 0)), default=0)
    for way in _WAYS[:tries]:
        yield _forward(instructions, values, way) if isinstance(way, _Forward) else _backward(instructions, values, way)


@final
class _Ready:
    """The instructions that may come next, of which some are candidates: the first one and those added last."""

    def __init__(self, numbers: Iterable[int], candidates: int, *, backward: bool = False) -> None:
        """Take those that may begin. If the order is made `backward`, the first one is that with the largest number."""
        self._sign = -1 if backward else 1
        self._heap = [self._sign * number for number in numbers]
        heapify(self._heap)
        self._limit = candidates
        self._recent: list[int] = []
        self._done: set[int] = set()

    def add(self, number: int) -> None:
        """Add an instruction."""
        heappush(self._heap, self._sign * number)
        self._recent.append(number)

    def remove(self, number: int) -> None:
        """Remove the instruction that comes next."""
        self._done.add(number)

    def candidates(self) -> list[int]:
        """Return the candidates; none if no instruction is left."""
        check_budget()
        heap, done = self._heap, self._done
        while heap and self._sign * heap[0] in done:
            heappop(heap)
        if not heap:
            return []
        self._recent = [number for number in self._recent[-self._limit :] if number not in done]
        return [self._sign * heap[0], *self._recent]


def _forward(instructions: Sequence[Instruction], values: int, weights: _Forward) -> list[int]:
    """Return an order that is made from the beginning to the end."""
    limit, last, old, later, kept = weights
    readers: list[list[int]] = [[] for _ in range(values)]
    #: The instructions that still have to read each value; very many if it is not made here.
    left = [1 << 60] * values
    for number, (reads, made) in enumerate(instructions):
        if made is not None:
            left[made] = 0
        for value in reads:
            readers[value].append(number)
    missing = [sum(not left[value] for value in reads) for reads, _ in instructions]
    left = [count + len(own) for count, own in zip(left, readers, strict=True)]
    ready = _Ready((number for number, count in enumerate(missing) if not count), limit)
    used = [_LONG_AGO] * values
    order: list[int] = []
    while candidates := ready.candidates():
        now = len(order)
        chosen, best = -1, 0.0
        for number in candidates:
            latest, score = _LONG_AGO, -later * number
            for value in instructions[number][0]:
                if left[value] == 1:
                    score += last
                use = used[value]
                if now - use > kept:
                    score -= old
                if use > latest:
                    latest = use
            score += latest - now
            if chosen < 0 or score > best:
                chosen, best = number, score
        stack = [chosen]
        while stack:
            number = stack.pop()
            ready.remove(number)
            order.append(number)
            reads, made = instructions[number]
            for value in reads:
                left[value] -= 1
                used[value] = len(order)
            if made is None:
                continue
            used[made] = len(order)
            for reader in readers[made]:
                missing[reader] -= 1
                if not missing[reader]:
                    if instructions[reader][1] is None:
                        stack.append(reader)
                    else:
                        ready.add(reader)
    return order


def _backward(instructions: Sequence[Instruction], values: int, weights: _Backward) -> list[int]:
    """Return an order that is made from the end to the beginning."""
    limit, new, distance, unused, earlier = weights
    stores: dict[int, list[int]] = {}
    makers: list[int | None] = [None] * values
    readers = [0] * values
    for number, (reads, made) in enumerate(instructions):
        if made is None:
            stores.setdefault(reads[0], []).append(number)
            continue
        makers[made] = number
        for value in reads:
            readers[value] += 1
    unread = (number for number, (_, made) in enumerate(instructions) if made is not None and not readers[made])
    ready = _Ready(unread, limit, backward=True)
    used: list[int | None] = [None] * values
    order: list[int] = []
    while candidates := ready.candidates():
        now = len(order)
        chosen, best = -1, 0.0
        for number in candidates:
            reads, made = instructions[number]
            use = used[made] if made is not None else None
            score = earlier * number - (unused if use is None else distance * min(now - use, _FARTHEST))
            for value in reads:
                use = used[value]
                if use is None:
                    score -= new
                elif now - use > _FAR:
                    score -= new / 2
            if chosen < 0 or score > best:
                chosen, best = number, score
        ready.remove(chosen)
        reads, made = instructions[chosen]
        if made is not None:
            order += stores.pop(made, ())
        order.append(chosen)
        for value in reads:
            if (maker := makers[value]) is not None:
                readers[value] -= 1
                if not readers[value]:
                    ready.add(maker)
            else:  # Its stores come right after its last use.
                order[-1:-1] = stores.pop(value, ())
            used[value] = len(order)
    # The others store values that nothing here makes or reads.
    for others in stores.values():
        order += others
    order.reverse()
    return order
