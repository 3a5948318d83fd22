"""Relations that are too large to derive as a whole, and are asked key by key.

A rule such as "how many stones stand along this line" can have a hundred thousand instances of which a state needs a
dozen. When deriving a relation overflows, it is read through lazy indexes from then on: the first time that a key is
asked for, its rules are run with the key's columns bound, and the answer is kept (tabling, see Warren: Memoing for
logic programs, 1992).

A key may need itself, as on a board that wraps around. It is then given the answer found so far, and the first key of
such a cycle runs its rules again until no answer in the cycle grows. Only then are these answers complete, and kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gdl.language.rules import Signature


class Replan(Exception):
    """A relation must be derived in another way: lazily, or as a whole. The rules that use it are compiled anew."""

    def __init__(self, relation: Signature, *, lazy: bool) -> None:
        super().__init__(relation, lazy)
        self.relation = relation
        self.lazy = lazy


#: A key of one lazy index, told from those of others by the index's identity.
_Goal = tuple[int, Any]


@dataclass(slots=True)
class Search:
    """What the lazy indexes of one context have under way.

    `depths` are the goals that are being answered, each in the course of the one before, and `lowest[i]` is the depth
    of the first of them that goal i was found to need. `partial` are answers so far of goals in cycles, `growth`
    counts how often one of them grew. `pending` are goals answered in this round that wait for the first of their
    cycle, with the lowest depth they need.
    """

    depths: dict[_Goal, int] = field(default_factory=dict)
    lowest: list[int] = field(default_factory=list)
    needed: set[_Goal] = field(default_factory=set)
    partial: dict[_Goal, Any] = field(default_factory=dict)
    growth: int = 0
    pending: dict[_Goal, tuple[LazyIndex, int]] = field(default_factory=dict)

    def need(self, depth: int) -> None:
        """The innermost goal needs the one at this depth."""
        if self.lowest:
            self.lowest[-1] = min(self.lowest[-1], depth)


class LazyIndex(dict[Any, Any]):
    """From keys to what matches them: a set of outputs, or whether there is a row. Derived when first asked for."""

    __slots__ = ("_empty", "_relation", "_search", "_solve")

    def __init__(self, relation: Signature, solve: Callable[[Any], Any], search: Search, empty: Any) -> None:
        super().__init__()
        self._relation = relation
        self._solve = solve
        self._search = search
        self._empty = empty

    def __missing__(self, key: Any) -> Any:
        """Raises Replan where so many keys need each other that Python's stack does not suffice."""
        search = self._search
        goal = (id(self), key)
        depth = search.depths.get(goal)
        if depth is not None:
            search.needed.add(goal)
            search.need(depth)
            return search.partial.get(goal, self._empty)
        if goal in search.pending:
            search.need(search.pending[goal][1])
            return search.partial[goal]
        depth = search.depths[goal] = len(search.lowest)
        search.lowest.append(depth)
        before = len(search.pending)
        try:
            return self._answer(key, goal, depth)
        except BaseException as error:
            # What waited for this goal waits in vain: it is answered anew where it is asked for again.
            for other in list(search.pending)[before:]:
                del search.pending[other]
            if isinstance(error, RecursionError):
                raise Replan(self._relation, lazy=False) from None
            raise
        finally:
            del search.depths[goal]
            search.needed.discard(goal)
            lowest = search.lowest.pop()
            search.need(lowest)
            if not depth:
                search.partial.clear()
                search.pending.clear()

    def _answer(self, key: Any, goal: _Goal, depth: int) -> Any:
        search = self._search
        before = len(search.pending)
        while True:
            growth = search.growth
            answer = self._solve(key)
            in_cycle = goal in search.needed or search.lowest[depth] < depth
            if in_cycle and answer != search.partial.get(goal, self._empty):
                search.partial[goal] = answer
                search.growth += 1
            if search.lowest[depth] < depth:
                # A goal further out is the first of this cycle.
                search.partial.setdefault(goal, answer)
                search.pending[goal] = (self, search.lowest[depth])
                return answer
            waiting = list(search.pending)[before:]
            if search.growth == growth or not in_cycle:
                break
            for other in waiting:
                del search.pending[other]
        # Complete, and all that waited for this goal with it.
        for other in waiting:
            index, _ = search.pending.pop(other)
            index[other[1]] = search.partial.pop(other)
        search.partial.pop(goal, None)
        self[key] = answer
        return answer
