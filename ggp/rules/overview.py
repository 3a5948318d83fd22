"""What a rulesheet consists of: its relations, what they depend on, and how many rules and facts they have."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from gdl.engine import State
from gdl.language.rules import Signature, signature_text
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Function

#: What the state and the moves are given as; it is no relation that rules define.
GIVEN: tuple[Signature, ...] = (("true", 1), ("does", 2))


class Dependence(StrEnum):
    """What a relation depends on."""

    #: Neither on the state nor on the moves: it holds the same through the whole match.
    STATIC = "static"
    #: On the state.
    STATE = "state"
    #: On the joint move, and mostly on the state too.
    MOVES = "moves"


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation: how it is known (`cell/3`), what it depends on, and its rules with and without a body.

    `undefined` ones are read by a rule, but no rule and no fact defines them: mostly a slip of the pen.
    """

    name: str
    dependence: Dependence
    rules: int
    facts: int

    @property
    def undefined(self) -> bool:
        return not (self.rules or self.facts)


def relations(rulesheet: Rulesheet) -> tuple[Relation, ...]:
    """The relations of a rulesheet in the order in which the text defines them, then those that nothing defines."""
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
    """How many facts of each relation hold in a state: `{"cell/3": 64, "control/1": 1}`, the most first."""
    names = (f"{fact.name}/{len(fact.args)}" if isinstance(fact, Function) else f"{fact.text}/0" for fact in state)
    return dict(Counter(names).most_common())
