"""What may hold in every state of a game: claims about its facts, and which of them are worth a try."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal, final

from gdl.circuit.game import GameCircuit
from gdl.terms import Function, Term

#: With more places than this, only single ones and all together are wildcards.
_PLACES: Final = 6


@final
@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """That no, at least one, or at most one of some literals holds. Each is made once: they compare by identity."""

    kind: Literal["none", "some", "at most one"]
    literals: tuple[int, ...]

    def broken(self, values: Sequence[int], full: int) -> int:
        """The lanes in which it does not hold, by the values of literals."""
        one = two = 0
        if self.kind == "at most one":
            for literal in self.literals:
                value = values[literal]
                two |= one & value
                one |= value
            return two
        for literal in self.literals:
            one |= values[literal]
        return one if self.kind == "none" else one ^ full

    def after(self, game: GameCircuit) -> Claim:
        """The same about the next state, of a claim about facts."""
        return Claim(self.kind, tuple(game.next[(literal >> 1) - 1] for literal in self.literals))


def group_claims(game: GameCircuit) -> Iterator[Claim]:
    """Claims about facts that are alike but for some places."""
    for group in sorted(set(_wildcard_groups(game.facts)), key=lambda numbers: (len(numbers), numbers)):
        literals = tuple(map(game.fact, group))
        yield Claim("at most one", literals)
        yield Claim("some", literals)


def _wildcard_groups(facts: Sequence[Term]) -> Iterator[tuple[int, ...]]:
    """The numbers of facts that agree on all places but the wildcards, for every choice of wildcards."""
    for nested in (False, True):
        by_length: dict[int, list[tuple[int, tuple[object, ...]]]] = {}
        for number, fact in enumerate(facts):
            places = tuple(_places(fact, nested))
            by_length.setdefault(len(places), []).append((number, places))
        for length, rows in by_length.items():
            for wild in _wildcards(length):
                found: dict[tuple[object, ...], list[int]] = {}
                for number, places in rows:
                    key = tuple(place for i, place in enumerate(places) if i not in wild)
                    found.setdefault(key, []).append(number)
                yield from (tuple(numbers) for numbers in found.values() if len(numbers) > 1)


def _wildcards(length: int) -> Iterator[frozenset[int]]:
    sizes = range(1, length + 1) if length <= _PLACES else (1, length)
    for size in sizes:
        yield from map(frozenset, combinations(range(length), size))


def _places(fact: Term, nested: bool) -> Iterator[object]:
    """The name of a fact's relation and its arguments; if `nested`, names and arguments of functions in their place."""
    if not isinstance(fact, Function):
        yield fact
        return
    yield fact.name
    for arg in fact.args:
        if nested and isinstance(arg, Function):
            yield from _places(arg, nested)
        else:
            yield arg
