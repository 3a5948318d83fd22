"""What may hold in every state of a game: claims about its facts, and which of them are worth a try."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal, final

from gdl.circuit.game import GameCircuit
from gdl.terms import Function, Term

#: With more places than this, only single ones and all together are wildcards.
_PLACES: Final = 6

#: A relation with so many facts at most tells whose turn it is, or which phase of the game.
_FEW: Final = 4

#: A fact and a set of facts are only tried if they would have met so many times by chance.
_EXPECTED: Final = 1.0


@final
@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """That no, at least one, or at most one of some literals holds, or the first of them with none of the others.

    Each is made once: they compare by identity.
    """

    kind: Literal["none", "some", "at most one", "first alone"]
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
        if self.kind == "first alone":
            first, *others = self.literals
            return values[first] and values[first] & union(values, others)
        one = union(values, self.literals)
        return one if self.kind == "none" else one ^ full

    def after(self, game: GameCircuit) -> Claim:
        """The same about the next state, of a claim about facts."""
        return Claim(self.kind, tuple(game.next[(literal >> 1) - 1] for literal in self.literals))


def union(values: Sequence[int], literals: Iterable[int]) -> int:
    """The lanes in which some literal holds."""
    found = 0
    for literal in literals:
        found |= values[literal]
    return found


@final
class Alike:
    """Sets of facts that agree on all but some places, and of which one at most is in the initial state.

    The places of a fact are the name of its relation and its arguments; once more with the places of arguments that
    are functions in their place.
    """

    def __init__(self, game: GameCircuit) -> None:
        #: A claim for each set, with the numbers of the patterns (a choice of places) that it comes from.
        self.claims: dict[Claim, list[int]] = {}
        #: The patterns of which some sets have more than one fact in the initial state.
        self.broken: set[int] = set()
        patterns: dict[tuple[int, ...], list[int]] = {}
        number = -1
        for nested in (False, True) if any(map(_has_functions, game.facts)) else (False,):
            for rows in _rows(game.facts, nested):
                for kept in _kept_places(len(next(iter(rows.values())))):
                    number += 1
                    for group in _sharing(rows, kept):
                        if sum(map(game.init.__getitem__, group)) > 1:
                            self.broken.add(number)
                        else:
                            patterns.setdefault(group, []).append(number)
        for group in sorted(patterns, key=lambda group: (len(group), group)):
            self.claims[Claim("at most one", tuple(map(game.fact, group)))] = patterns[group]


def _kept_places(length: int) -> Iterator[list[int]]:
    """The choices of places on which facts agree."""
    sizes = range(1, length + 1) if length <= _PLACES else (1, length)
    for size in sizes:
        for wild in combinations(range(length), size):
            yield [place for place in range(length) if place not in wild]


def _sharing(rows: dict[int, tuple[int, ...]], kept: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The facts with the same values on some places."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, places in rows.items():
        groups.setdefault(tuple([places[place] for place in kept]), []).append(number)
    return (tuple(numbers) for numbers in groups.values() if len(numbers) > 1)


def _rows(facts: Sequence[Term], nested: bool) -> Iterable[dict[int, tuple[int, ...]]]:
    """The places of each fact, as numbers, in a table for each number of places."""
    names: dict[object, int] = {}
    tables: dict[int, dict[int, tuple[int, ...]]] = {}
    for number, fact in enumerate(facts):
        places = tuple([names.setdefault(place, len(names)) for place in _places(fact, nested)])
        tables.setdefault(len(places), {})[number] = places
    return tables.values()


def _has_functions(fact: Term) -> bool:
    return isinstance(fact, Function) and any(isinstance(arg, Function) for arg in fact.args)


def _places(fact: Term, nested: bool) -> Iterator[object]:
    if not isinstance(fact, Function):
        yield fact
        return
    yield fact.name
    for arg in fact.args:
        if nested and isinstance(arg, Function):
            yield from _places(arg, nested)
        else:
            yield arg


def coincidences(counts: Sequence[int], states: int) -> float:
    """How many pairs of facts would have met by chance, of facts that held in so many of some states."""
    return (sum(counts) ** 2 - sum(count * count for count in counts)) / (2 * states)


@final
class Exclusions:
    """Facts that tell the phase of the game, and sets of facts that may be excluded by them."""

    def __init__(self, game: GameCircuit) -> None:
        families: dict[tuple[object, ...], list[int]] = {}
        relation_of: dict[int, tuple[object, int]] = {}
        for number, fact in enumerate(game.facts):
            args = fact.args if isinstance(fact, Function) else ()
            literal = game.fact(number)
            relation = relation_of[literal] = (fact.name if isinstance(fact, Function) else fact, len(args))
            families.setdefault(relation, []).append(literal)
            for place, arg in enumerate(args):
                families.setdefault((*relation, place, arg), []).append(literal)
        #: Sets of facts: a relation, or its facts with one given argument.
        self.families = list(dict.fromkeys(map(tuple, families.values())))
        few = [literal for literal, relation in relation_of.items() if len(families[relation]) <= _FEW]
        initially = [game.fact(number) for number, holds in enumerate(game.init) if holds]
        later = tuple(game.fact(number) for number, holds in enumerate(game.init) if not holds)
        #: Pairs of a fact and the number of a family of another relation.
        self._pairs = [
            (literal, number)
            for literal in few
            for number, family in enumerate(self.families)
            if relation_of[literal] != relation_of[family[0]]
        ]
        if later:
            self._pairs += [(literal, len(self.families)) for literal in initially]
            self.families.append(later)

    def filter(self, values: Sequence[int]) -> None:
        """Drop pairs that occur together."""
        unions = [union(values, family) for family in self.families]
        self._pairs = [(literal, number) for literal, number in self._pairs if not values[literal] & unions[number]]

    def claims(self, counts: Mapping[int, int], states: int) -> Iterator[Claim]:
        """The pairs that are left, where chance would have let them meet, each without those that others contain.

        `counts`: in how many of so many states each literal held.
        """
        often = [sum(counts[literal] for literal in family) for family in self.families]
        sets: dict[int, list[frozenset[int]]] = {}
        for literal, number in self._pairs:
            if 0 < counts[literal] < states and counts[literal] * often[number] > states * _EXPECTED:
                sets.setdefault(literal, []).append(frozenset(self.families[number]))
        for literal, families in sets.items():
            for family in families:
                if not any(family < other for other in families):
                    yield Claim("first alone", (literal, *sorted(family)))
