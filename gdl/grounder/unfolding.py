"""Replaces wide static relations by their definitions where rules can then be split further.

    (<= row (true (cell 1 ?y ?a)) (true (cell 2 ?y ?b)) (true (cell 3 ?y ?c)) (alike ?a ?b ?c))
    (<= (alike ?a ?b ?c) (shape ?a ?s) (shape ?b ?s) (shape ?c ?s))

The first rule has an instance for every row of `alike`. With the definition in its place, each piece is related to the
shape alone, and what needs to be grounded grows with the number of pieces, not with its third power.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from gdl.grounder.projection import renamed
from gdl.language.rules import Condition, Literal, Rule, Signature
from gdl.language.strata import DependencyGraph
from gdl.terms import Term, Variable

#: Relations with fewer columns are left alone.
_COLUMNS = 3


def unfolded(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules, with static relations that keep them from being split replaced by their definitions."""
    graph = DependencyGraph(rules)
    dynamic = graph.reaches([("true", 1), ("does", 2)])
    defining: dict[Signature, list[Rule]] = {}
    for rule in rules:
        defining.setdefault(rule.head.signature, []).append(rule)
    alone = {part[0] for part in graph.components if len(part) == 1 and part[0] not in graph.edges[part[0]]}
    definitions = {
        relation: own[0]
        for relation, own in defining.items()
        if relation in alone - dynamic and relation[1] >= _COLUMNS and len(own) == 1
        if own[0].body and len({arg for arg in own[0].head.args if isinstance(arg, Variable)}) == relation[1]
    }
    return [_unfolded(rule, definitions) if rule.head.signature in dynamic else rule for rule in rules]


def _unfolded(rule: Rule, definitions: Mapping[Signature, Rule]) -> Rule:
    for place, condition in enumerate(rule.body):
        if isinstance(condition, Literal) and not condition.negated and condition.atom.signature in definitions:
            meaning = _meaning(
                definitions[condition.atom.signature],
                condition,
                {*rule.head.variables(), *(v for c in rule.body for v in c.variables())},
            )
            other = replace(rule, body=(*rule.body[:place], *meaning, *rule.body[place + 1 :]))
            if _width(other) < _width(rule):
                return _unfolded(other, definitions)
    return rule


def _meaning(definition: Rule, call: Literal, taken: Collection[Variable]) -> Iterator[Condition]:
    """Return the body of a definition for the arguments of a call, with its other variables renamed."""
    fresh = (new for new in (Variable(f"u{number}") for number in count()) if new not in taken)
    names: dict[Variable, Term] = {}
    for parameter, argument in zip(definition.head.args, call.atom.args, strict=True):
        assert isinstance(parameter, Variable)
        names[parameter] = argument
    for variable in (v for c in definition.body for v in c.variables()):
        if variable not in names:
            names[variable] = next(fresh)
    return (renamed(condition, names) for condition in definition.body)


def _width(rule: Rule) -> int:
    """Return the number of variables of the largest part into which a rule is split."""
    kept = frozenset(rule.head.variables())
    bags = [frozenset(condition.variables()) for condition in rule.body]
    width = 0
    while True:
        everything = kept.union(*bags)
        parts = {v: frozenset[Variable]().union(*(bag for bag in bags if v in bag)) for v in everything - kept}
        variable = min(parts, key=lambda v: len(parts[v]), default=None)
        if variable is None or len(parts[variable]) == len(everything):
            return max(width, len(everything))
        width = max(width, len(parts[variable]))
        bags = [*(bag for bag in bags if variable not in bag), parts[variable] - {variable}]
