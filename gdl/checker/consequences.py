"""Of rules that can never fire, which ones only cannot because others cannot: what follows from one mistake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from gdl.checker.domains import Domains
from gdl.language.rules import Atom, Rule

#: A rule by the number of its statement, and its own among the alternatives of that.
RuleNumber = tuple[int, int]

#: With more rules that never fire, each is told by itself: all columns are found again for each of them.
_MOST: Final = 50


@final
@dataclass(frozen=True, slots=True)
class Consequences:
    """The rules that never fire only because others do not, by the first rule that this goes back to."""

    of: dict[RuleNumber, tuple[RuleNumber, ...]]
    supposed: tuple[Domains, ...]

    @property
    def all(self) -> frozenset[RuleNumber]:
        """All of these rules."""
        return frozenset(place for places in self.of.values() for place in places)

    def would_be_possible(self, atom: Atom) -> bool:
        """Whether an instance of an atom may hold if one of the rules fires from which others follow."""
        return any(domains.possible(atom) for domains in self.supposed)


def consequences(rules_of: Sequence[Sequence[Rule]], domains: Domains) -> Consequences:
    """Suppose of each rule that never fires that it does, and see which of the others then do."""
    failing = {place: rule for place, rule in _placed(rules_of) if domains.failures(rule)}
    if not 1 < len(failing) <= _MOST:
        return Consequences({}, ())
    rules = [rule for _, rule in _placed(rules_of)]
    supposed = {place: Domains(rules, supposed=rule) for place, rule in failing.items()}
    freed = {
        place: {other for other, rule in failing.items() if other != place and not supposed[place].failures(rule)}
        for place in failing
    }
    reached = {place: _reached(place, freed) for place in failing}
    # What two rules free for each other goes back to the first of them.
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
    """The rules that are freed by one, by those that it frees, and so on."""
    reached: set[RuleNumber] = set()
    stack = [place]
    while stack:
        for other in freed[stack.pop()] - reached:
            reached.add(other)
            stack.append(other)
    return reached
