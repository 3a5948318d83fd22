"""Packed keys of states, equal for states that need not be distinguished; and sets of keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from gdl.circuit.gates import Group
from gdl.terms import Constant, Term, fold, leaves, name_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]


@final
@dataclass(frozen=True, slots=True)
class Block:
    """Interchangeable objects of one class: for each object its facts, as pairs of number and position in the block.

    Facts that differ only in the object have the same position. `width` is the number of bits of an object's block.
    """

    objects: tuple[tuple[tuple[int, int], ...], ...]
    width: int


def blocks_of(facts: Sequence[Term], kept: Iterable[int], classes: Iterable[Sequence[str]]) -> list[Block]:
    """Return the blocks of those classes that can be sorted: no kept fact (by number) contains two of their objects."""
    numbers = list(kept)
    names = {number: [leaf.key for leaf in leaves(facts[number]) if isinstance(leaf, Constant)] for number in numbers}
    taken: set[int] = set()
    blocks = []
    for own in classes:
        members = {name: i for i, name in enumerate(own)}
        with_one = {number: [name for name in names[number] if name in members] for number in numbers}
        with_one = {number: found for number, found in with_one.items() if found}
        if not with_one or any(len(set(found)) > 1 or number in taken for number, found in with_one.items()):
            continue
        places: dict[str, int] = {}
        objects: list[list[tuple[int, int]]] = [[] for _ in own]
        for number, found in with_one.items():
            place = places.setdefault(_without(facts[number], found[0]), len(places))
            objects[members[found[0]]].append((number, place))
        taken.update(with_one)
        blocks.append(Block(tuple(tuple(one) for one in objects), len(places)))
    return blocks


def _without(fact: Term, name: str) -> str:
    """Return the text of a fact with an object replaced by a placeholder."""
    return fold(
        fact,
        lambda leaf: "@" if leaf.key == name else leaf.key,
        lambda function, args: f"({name_key(function.name)} {' '.join(args)})",
    )


@final
class Keys:
    """Makes the keys of states, in which only `kept` facts matter, and the order of objects in `blocks` does not.

    In a reachable state, at most one fact of a group holds; the key has its number in the group.
    """

    def __init__(self, facts: int, kept: Iterable[int], groups: Iterable[Group], blocks: Sequence[Block]) -> None:
        """Lay out the keys of states of `facts` facts."""
        import numpy as np

        self._owner = np.full(facts, -1, np.int32)
        self._place = np.full(facts, -1, np.int32)
        self._code = np.zeros(facts, np.int32)
        classes, at, objects = [], 0, 0
        for block in blocks:
            classes.append((objects, objects + len(block.objects), block.width, at))
            at += len(block.objects) * block.width
            for own in block.objects:
                for number, place in own:
                    self._owner[number], self._place[number] = objects, place
                objects += 1
        self._classes = np.array(classes, np.int32).reshape(-1, 4)
        self._blocks = np.zeros((objects, max(1, max((-(-b.width // 64) for b in blocks), default=1))), np.uint64)
        left = {number for number in kept if self._owner[number] < 0}
        for members in _disjoint(groups, left):
            width = len(members).bit_length()
            if at % 64 + width > 64:
                at += -at % 64
            for code, number in enumerate(members, 1):
                self._place[number], self._code[number] = at, code
            at += width
        #: The number of 64-bit words of a key.
        self.words = max(1, -(-at // 64))

    def of(self, states: Words) -> Words:
        """Return the keys of states: (n, words)."""
        import numpy as np

        from ggp.solver.planner.state_keys import keys

        out = np.empty((len(states), self.words), np.uint64)
        states = np.ascontiguousarray(states)
        keys(states, self._owner, self._place, self._code, self._classes, self._blocks, out)
        return out


def _disjoint(groups: Iterable[Group], left: set[int]) -> list[list[int]]:
    """Return all facts that are left, in groups of which at most one holds; those that save most bits come first."""
    found = []
    for group in sorted(groups, key=lambda group: -len(group.nodes)):
        members = [node - 1 for node in group.nodes if node - 1 in left]
        if len(members) > 1:
            found.append(members)
            left = left - set(members)
    return [*found, *([number] for number in sorted(left))]


@final
class Known:
    """A set of keys in flat arrays, within a limit of memory."""

    def __init__(self, words: int, memory: int, extra: int) -> None:
        """Start without keys, of `words` words each; `memory` (bytes) includes `extra` bytes per key for the caller."""
        import numpy as np

        # When the table grows, it is at least a third full, and the old one is needed meanwhile.
        self.capacity = max(1024, min(2**31 - 2, memory // (8 * words + extra + 12)))
        # The system only provides memory that is written to.
        self._store = np.empty((self.capacity, words), np.uint64)
        self._table = np.full(1 << 12, -1, np.int32)
        self.count = 0

    def clear(self) -> None:
        """Forget all keys."""
        self._table[:] = -1
        self.count = 0

    def room(self) -> int:
        """Return the number of keys that can still be added."""
        return self.capacity - self.count

    def add(self, keys: Words) -> NDArray[np.bool_]:
        """Add keys, for which there must be room; return True for each that was not known: (n,)."""
        import numpy as np

        from ggp.solver.planner.state_keys import insert, rehash

        size = len(self._table)
        while 3 * (self.count + len(keys)) > 2 * size:
            size *= 2
        if size > len(self._table):
            self._table = np.full(size, -1, np.int32)
            rehash(self._table, self._store, self.count)
        fresh = np.empty(len(keys), np.bool_)
        self.count = insert(keys, self._table, self._store, self.count, fresh)
        return fresh
