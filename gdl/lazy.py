"""Relations that are too large to derive as a whole, and are asked key by key.

A rule such as "how many stones stand along this line" can have a hundred thousand instances of which a state needs a
dozen. When deriving a relation overflows, it is read through lazy indexes from then on: the first time that a key is
asked for, its rules are run with the key's columns bound, and the answer is kept (tabling, see Warren: Memoing for
logic programs, 1992). That is complete as long as no key needs itself; where one does, the relation is derived as a
whole after all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gdl.rules import Signature


class Replan(Exception):
    """A relation must be derived in another way: lazily, or as a whole. The rules that use it are compiled anew."""

    def __init__(self, relation: Signature, *, lazy: bool) -> None:
        super().__init__(relation, lazy)
        self.relation = relation
        self.lazy = lazy


class LazyIndex(dict[Any, Any]):
    """From keys to what matches them, derived when first asked for. Raises Replan where a key needs itself."""

    __slots__ = ("_active", "_relation", "_solve")

    def __init__(self, relation: Signature, solve: Callable[[Any], Any]) -> None:
        super().__init__()
        self._relation = relation
        self._solve = solve
        self._active: set[Any] = set()

    def __missing__(self, key: Any) -> Any:
        if key in self._active:
            raise Replan(self._relation, lazy=False)
        self._active.add(key)
        try:
            answer = self[key] = self._solve(key)
        except RecursionError:
            raise Replan(self._relation, lazy=False) from None
        finally:
            self._active.discard(key)
        return answer
