"""The order of coordinates: `1 2 3`, `c1 c2 c3`, `a b c`, or symbols chained by a relation such as `(succ one two)`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

#: The pairs of a static binary relation, under its name.
Chain = tuple[str, frozenset[tuple[str, str]]]

_NUMBER = re.compile(r"-?\d{1,9}")
_PREFIXED = re.compile(r"(\D+?)(\d{1,9})")
_NUMBERS = re.compile(r"(\d+)")
_COMPOSITE = re.compile(r"([a-z])(\d{1,2})")
#: Words in the names of relations that run from the larger to the smaller value.
_BACKWARD = ("pred", "prev", "before", "dec", "minus", "lower")
#: Boards with more columns or rows than this are not drawn.
_MAX_LENGTH = 60


class OrderKind(Enum):
    """The source of a domain's order."""

    NUMBER = "number"
    PREFIX = "prefix"
    LETTER = "letter"
    CHAIN = "chain"


_NUMBERED = (OrderKind.NUMBER, OrderKind.PREFIX)


@dataclass(frozen=True, slots=True)
class Axis:
    """An ordered domain. `prefix` is the text that all symbols share before their numbers (`c` in `c1`)."""

    values: tuple[str, ...]
    kind: OrderKind
    prefix: str = ""

    @property
    def chained(self) -> bool:
        """True if the rules depend on this order; letters alone may be mere names."""
        return self.kind is not OrderKind.LETTER

    @property
    def lettered(self) -> bool:
        """True if all values are single letters."""
        return all(len(value) == 1 and value.isalpha() for value in self.values)

    @property
    def even(self) -> bool:
        """True if the numbers are consecutive."""
        numbers = [int(value[len(self.prefix) :]) for value in self.values] if self.kind in _NUMBERED else []
        return all(b - a == 1 for a, b in pairwise(numbers))

    def within(self, values: Iterable[str]) -> Axis:
        """Return the part of the axis with these values."""
        kept = set(values)
        return Axis(tuple(value for value in self.values if value in kept), self.kind, self.prefix)


def ordered(values: Iterable[str], chains: Sequence[Chain]) -> Axis | None:
    """Return the values in order, or None if they have no order, are fewer than two, or are too many."""
    found = sorted(values)
    if not 2 <= len(found) <= _MAX_LENGTH:
        return None
    if all(_NUMBER.fullmatch(value) for value in found):
        return Axis(tuple(sorted(found, key=int)), OrderKind.NUMBER)
    parts = [_PREFIXED.fullmatch(value) for value in found]
    prefixes = {part[1] for part in parts if part is not None}
    if None not in parts and len(prefixes) == 1:
        prefix = prefixes.pop()
        return Axis(tuple(sorted(found, key=lambda value: int(value[len(prefix) :]))), OrderKind.PREFIX, prefix)
    chain = _chain(found, chains)
    letters = len(found) >= 3 and all(len(value) == 1 and value.isalpha() for value in found)
    if letters and ord(found[-1]) - ord(found[0]) == len(found) - 1:
        return Axis(tuple(found), OrderKind.CHAIN if chain == tuple(found) else OrderKind.LETTER)
    return Axis(chain, OrderKind.CHAIN) if chain else None


def split_composite(symbols: Iterable[str]) -> dict[str, tuple[str, str]] | None:
    """Split symbols that name a row and a column at once, such as `b3`; return None unless all of them do."""
    found = {}
    for symbol in symbols:
        match = _COMPOSITE.fullmatch(symbol)
        if match is None:
            return None
        found[symbol] = (match[1], match[2])
    letters, numbers = (sorted({part[i] for part in found.values()}) for i in (0, 1))
    lettered = len(letters) > 2 and ord(letters[-1]) - ord(letters[0]) == len(letters) - 1
    return found if lettered and len(numbers) > 1 else None


def _chain(values: Sequence[str], chains: Sequence[Chain]) -> tuple[str, ...] | None:
    """Return the values in the order of the first relation that links all of them in one line."""
    members = set(values)
    for name, pairs in chains:
        inside = [(a, b) for a, b in pairs if a in members and b in members and a != b]
        if any(word in name for word in _BACKWARD):
            inside = [(b, a) for a, b in inside]
        after = dict(inside)
        starts = members - set(after.values())
        if len(inside) != len(members) - 1 or len(after) != len(inside) or len(starts) != 1:
            continue
        line = [starts.pop()]
        while line[-1] in after:
            line.append(after[line[-1]])
        if len(line) == len(members):
            return tuple(line)
    return None


def naturally(name: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts `p2` before `p10`, and words after numbers."""
    parts = [part for part in _NUMBERS.split(name) if part]
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]
