"""Finds the rules that can never fire only because other rules cannot: the consequences of one mistake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from gdl.checker.domains import Domains
from gdl.language.rules import Atom, Rule

#: Identifies a flat rule: the number of its statement, and its index among the flat rules of that statement.
RuleNumber = tuple[int, int]

#: If more rules than this never fire, each is reported separately, as all domains are computed once for each of them.
#: The same holds if more rules than this would have to be applied for all of these domains.
_MOST: Final = 50
_MOST_APPLIED: Final = 100_000


@final
@dataclass(frozen=True, slots=True)
class Consequences:
    """The rules that never fire only because others do not.

    `of` maps each root cause to its consequences. `supposed` holds, for each root cause, the domains under the
    assumption that it fires.
    """

    of: dict[RuleNumber, tuple[RuleNumber, ...]]
    supposed: tuple[Domains, ...]

    @property
    def all(self) -> frozenset[RuleNumber]:
        """All rules that are a consequence."""
        return frozenset(place for places in self.of.values() for place in places)

    def would_be_possible(self, atom: Atom) -> bool:
        """Return True if an instance of an atom may hold once one of the root causes fires."""
        return any(domains.possible(atom) for domains in self.supposed)


def consequences(rules_of: Sequence[Sequence[Rule]], domains: Domains) -> Consequences:
    """Find the consequences: assume of each failing rule in turn that it fires, and see which others then can."""
    failing = {place: rule for place, rule in _placed(rules_of) if domains.failures(rule)}
    rules = [rule for _, rule in _placed(rules_of)]
    if not 1 < len(failing) <= _MOST or len(failing) * len(rules) > _MOST_APPLIED:
        return Consequences({}, ())
    supposed = {place: Domains(rules, supposed=rule) for place, rule in failing.items()}
    freed = {
        place: {other for other, rule in failing.items() if other != place and not supposed[place].failures(rule)}
        for place in failing
    }
    reached = {place: _reached(place, freed) for place in failing}
    # If two rules free each other, the first of them is the root cause.
    first = [
        place
        for place in failing
        if all(other in reached[place] and place <= other for other in failing if place in reached[other])
    ]
    found: dict[RuleNumber, tuple[RuleNumber, ...]] = {}
    known = set(first)
    for place in first:
        if own := sorted(reached[place] - known):
            found[place] = tuple(own)
            known.update(own)
    return Consequences(found, tuple(supposed[place] for place in found))


def _placed(rules_of: Sequence[Sequence[Rule]]) -> Iterator[tuple[RuleNumber, Rule]]:
    for number, rules in enumerate(rules_of):
        for alternative, rule in enumerate(rules):
            yield (number, alternative), rule


def _reached(place: RuleNumber, freed: dict[RuleNumber, set[RuleNumber]]) -> set[RuleNumber]:
    """Return the rules that a rule frees, directly or indirectly."""
    reached: set[RuleNumber] = set()
    stack = [place]
    while stack:
        for other in freed[stack.pop()] - reached:
            reached.add(other)
            stack.append(other)
    return reached
