"""An overview of a rulesheet: its relations, their dependencies, and their numbers of rules and facts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from gdl.engine import State
from gdl.language.rules import Signature, signature_text
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Function

#: The relations for the state and the moves, which no rules define.
GIVEN: tuple[Signature, ...] = (("true", 1), ("does", 2))


class Dependence(StrEnum):
    """The dependency of a relation on state and moves."""

    #: Depends neither on the state nor on the moves: the same throughout a match.
    STATIC = "static"
    #: Depends on the state.
    STATE = "state"
    #: Depends on the joint move, and mostly on the state, too.
    MOVES = "moves"


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation: its name (`cell/3`), its dependency, and its numbers of rules with and without a body.

    `undefined` relations are used in a rule, but defined by no rule or fact: usually a spelling mistake.
    """

    name: str
    dependence: Dependence
    rules: int
    facts: int

    @property
    def undefined(self) -> bool:
        """True if no rule or fact defines the relation."""
        return not (self.rules or self.facts)


def relations(rulesheet: Rulesheet) -> tuple[Relation, ...]:
    """Return the relations of a rulesheet in order of definition, then the undefined ones."""
    spelled: dict[Signature, str] = {}
    rules: Counter[Signature] = Counter()
    facts: Counter[Signature] = Counter()
    for rule in rulesheet.rules:
        signature = rule.head.signature
        spelled.setdefault(signature, f"{rule.head.name}/{signature[1]}")
        (rules if rule.body else facts)[signature] += 1
    for signature in sorted(rulesheet.graph.edges):
        if signature not in GIVEN:
            spelled.setdefault(signature, signature_text(signature))
    by_state = rulesheet.graph.reaches([("true", 1)])
    by_moves = rulesheet.graph.reaches([("does", 2)])

    def dependence(signature: Signature) -> Dependence:
        if signature in by_moves:
            return Dependence.MOVES
        return Dependence.STATE if signature in by_state else Dependence.STATIC

    return tuple(Relation(name, dependence(key), rules[key], facts[key]) for key, name in spelled.items())


def fact_counts(state: State) -> dict[str, int]:
    """Return the number of facts per relation in a state, largest first: `{"cell/3": 64, "control/1": 1}`."""
    names = (f"{fact.name}/{len(fact.args)}" if isinstance(fact, Function) else f"{fact.text}/0" for fact in state)
    return dict(Counter(names).most_common())
