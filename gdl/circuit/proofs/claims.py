"""Claims about all states of a game, and the selection of those that are worth trying."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal, final

from gdl.circuit.game import GameCircuit
from gdl.terms import Function, Term

#: With more places than this, only single places and all places together are wildcards.
_PLACES: Final = 6

#: The largest number of facts of a relation that is taken for a turn or a phase of the game.
_FEW: Final = 4

#: A fact and a set of facts are only tried if they would be expected to meet this many times by chance.
_EXPECTED: Final = 1.0


@final
@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """A claim that none, at least one, or at most one of some literals holds, or that the first excludes all others.

    Each claim is made once: claims compare by identity.
    """

    kind: Literal["none", "some", "at most one", "first alone"]
    literals: tuple[int, ...]

    def broken(self, values: Sequence[int], full: int) -> int:
        """Return the lanes in which the claim does not hold, given the values of literals."""
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
        """Return the claim about the next state that corresponds to this claim about facts."""
        return Claim(self.kind, tuple(game.next[(literal >> 1) - 1] for literal in self.literals))


def union(values: Sequence[int], literals: Iterable[int]) -> int:
    """Return the lanes in which at least one literal holds."""
    found = 0
    for literal in literals:
        found |= values[literal]
    return found


@final
class Alike:
    """Sets of facts that agree on all but some places, and of which at most one is in the initial state.

    The places of a fact are the name of its relation and its arguments; and also, in a second pass, with functions
    among the arguments replaced by their own places.
    """

    def __init__(self, game: GameCircuit) -> None:
        """Find the sets of a game's facts."""
        #: A claim for each set, with the numbers of the patterns (choices of places) that it comes from.
        self.claims: dict[Claim, list[int]] = {}
        #: The patterns with a set that has more than one fact in the initial state.
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
    """Yield the choices of places on which facts agree."""
    sizes = range(1, length + 1) if length <= _PLACES else (1, length)
    for size in sizes:
        for wild in combinations(range(length), size):
            yield [place for place in range(length) if place not in wild]


def _sharing(rows: dict[int, tuple[int, ...]], kept: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the sets of facts with the same values at some places."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, places in rows.items():
        groups.setdefault(tuple([places[place] for place in kept]), []).append(number)
    return (tuple(numbers) for numbers in groups.values() if len(numbers) > 1)


def _rows(facts: Sequence[Term], nested: bool) -> Iterable[dict[int, tuple[int, ...]]]:
    """Return the places of each fact, as numbers, in one table for each number of places."""
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
    """Return the expected number of meetings by chance, of pairs of facts that held in `counts` of some states."""
    return (sum(counts) ** 2 - sum(count * count for count in counts)) / (2 * states)


@final
class Exclusions:
    """Facts that indicate the phase of the game, paired with sets of facts that they may exclude."""

    def __init__(self, game: GameCircuit) -> None:
        """Pair facts with families of facts of other relations."""
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
        """Yield the remaining pairs that could have met by chance, except those contained in others.

        `counts` has the number of states, out of `states`, in which each literal held.
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
