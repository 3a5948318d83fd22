"""Lazy indexes, for relations that are too large to derive as a whole.

A rule such as "the number of stones along a line" can have a hundred thousand instances, of which a state needs a
dozen. Once a relation overflows while it is derived, it is read through lazy indexes: at the first access to a key, the
rules are run with the key's columns bound, and the answer is kept (tabling, see Warren: Memoing for logic programs,
1992).

A key may need itself, as on a board that wraps around. It then gets the answer found so far, and the first key of such
a cycle runs its rules again until no answer in the cycle grows. Only then are these answers complete, and kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gdl.language.rules import Signature


class Replan(Exception):
    """Raised when a relation must be derived in another way: lazily, or as a whole.

    The rules that use it are then compiled again.
    """

    def __init__(self, relation: Signature, *, lazy: bool) -> None:
        """Name the relation, and whether it is to be derived lazily."""
        super().__init__(relation, lazy)
        self.relation = relation
        self.lazy = lazy


#: A goal: the identity of a lazy index, and one of its keys.
_Goal = tuple[int, Any]


@dataclass(slots=True)
class Search:
    """The goals that the lazy indexes of one context are working on.

    `goals` are those in progress, each started by the one before, and `depths` their positions there. `lowest[i]` is
    the lowest depth that the goal at depth i is known to need. `partial` holds the answers so far of goals in cycles;
    `growth` counts how often one of them grew. `pending` maps the goals that were answered in this round, but wait for
    the first goal of their cycle, to their index and a goal that they need: one in progress, or one that waits itself.
    """

    goals: list[_Goal] = field(default_factory=list)
    depths: dict[_Goal, int] = field(default_factory=dict)
    lowest: list[int] = field(default_factory=list)
    needed: set[_Goal] = field(default_factory=set)
    partial: dict[_Goal, Any] = field(default_factory=dict)
    growth: int = 0
    pending: dict[_Goal, tuple[LazyIndex, _Goal]] = field(default_factory=dict)

    def need(self, depth: int) -> None:
        """Record that the innermost goal needs the goal at this depth."""
        if self.lowest:
            self.lowest[-1] = min(self.lowest[-1], depth)

    def awaited(self, goal: _Goal) -> int:
        """Return the depth of the goal in progress that a pending one waits for."""
        path = []
        while goal in self.pending:
            path.append(goal)
            goal = self.pending[goal][1]
        for other in path:
            self.pending[other] = self.pending[other][0], goal  # so that the next search is short
        return self.depths[goal]


class LazyIndex(dict[Any, Any]):
    """An index whose entries are derived when they are first accessed.

    Maps a key to the set of matching outputs or, for an index without outputs, to True if there is a matching row.
    """

    __slots__ = ("_empty", "_relation", "_search", "_solve")

    def __init__(self, relation: Signature, solve: Callable[[Any], Any], search: Search, empty: Any) -> None:
        """Start with no entries. `solve` derives the answer for a key; `empty` is the answer if nothing matches."""
        super().__init__()
        self._relation = relation
        self._solve = solve
        self._search = search
        self._empty = empty

    def __missing__(self, key: Any) -> Any:
        """Derive the answer for a key.

        Raises Replan if too many keys need each other for Python's stack.
        """
        search = self._search
        goal = (id(self), key)
        depth = search.depths.get(goal)
        if depth is not None:
            search.needed.add(goal)
            search.need(depth)
            return search.partial.get(goal, self._empty)
        if goal in search.pending:
            search.need(search.awaited(goal))
            return search.partial[goal]
        depth = search.depths[goal] = len(search.goals)
        search.goals.append(goal)
        search.lowest.append(depth)
        before = len(search.pending)
        try:
            return self._answer(key, goal, depth)
        except BaseException as error:
            # Drop the goals that wait for this one; they are derived again if they are needed again.
            for other in list(search.pending)[before:]:
                del search.pending[other]
            if isinstance(error, RecursionError):
                raise Replan(self._relation, lazy=False) from None
            raise
        finally:
            del search.depths[goal], search.goals[depth:]
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
                # The first goal of this cycle is further out.
                search.partial.setdefault(goal, answer)
                search.pending[goal] = (self, search.goals[search.lowest[depth]])
                return answer
            waiting = list(search.pending)[before:]
            if search.growth == growth or not in_cycle:
                break
            for other in waiting:
                del search.pending[other]
        # The answer is complete, and so are those of the goals that waited for this one.
        for other in waiting:
            index, _ = search.pending.pop(other)
            index[other[1]] = search.partial.pop(other)
        search.partial.pop(goal, None)
        self[key] = answer
        return answer
