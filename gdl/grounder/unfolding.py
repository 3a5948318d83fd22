"""Replaces wide static relations by their definitions where rules can then be split further.

    (<= row (true (cell 1 ?y ?a)) (true (cell 2 ?y ?b)) (true (cell 3 ?y ?c)) (alike ?a ?b ?c))
    (<= (alike ?a ?b ?c) (shape ?a ?s) (shape ?b ?s) (shape ?c ?s))

The first rule has an instance for every row of `alike`. With the definition in its place, each piece is related to the
shape alone, and what needs to be grounded grows with the number of pieces, not with its third power.

A relation with several rules, such as "exactly one of `?a`, `?b` and `?c` is `?v`", has a case for each of them: the
rule that reads it becomes several rules. This is done only if they have far fewer instances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gdl.grounder.complement import StaticRules, complement
from gdl.grounder.sizes import Sizes, parts
from gdl.language.resolution import resolved
from gdl.language.rules import Rule, Signature
from gdl.language.strata import DependencyGraph
from gdl.terms import Variable

#: Relations with fewer columns are left alone.
_COLUMNS: Final = 3

#: The cases of relations that may have more rows are distinguished, if a rule becomes at most `_CASES` rules with at
#: most this share of its instances.
_LARGE: Final = 20_000
_CASES: Final = 64
_SHARE: Final = 0.25


def unfolded(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules, with static relations that keep them from being split replaced by their definitions."""
    graph = DependencyGraph(rules)
    dynamic = graph.reaches([("true", 1), ("does", 2)])
    defining: dict[Signature, list[Rule]] = {}
    for rule in rules:
        defining.setdefault(rule.head.signature, []).append(rule)
    alone = {part[0] for part in graph.components if len(part) == 1 and part[0] not in graph.edges[part[0]]}
    wide = {
        relation: own
        for relation, own in defining.items()
        if relation in alone - dynamic and relation[1] >= _COLUMNS and all(rule.body for rule in own)
    }
    single = {
        relation: own[0]
        for relation, own in wide.items()
        if len(own) == 1 and len({arg for arg in own[0].head.args if isinstance(arg, Variable)}) == relation[1]
    }
    found = [_unfolded(rule, single) if rule.head.signature in dynamic else rule for rule in rules]
    several = {relation: own for relation, own in wide.items() if 1 < len(own) <= _CASES}
    if not several:
        return found
    sizes = Sizes(found)
    large = {relation: own for relation, own in several.items() if sizes.rows(relation) > _LARGE}
    static = {relation: own for relation, own in defining.items() if relation not in dynamic}
    cases = _Cases(large, sizes, static)
    return [case for rule in found for case in (cases.of(rule, _CASES) if rule.head.signature in dynamic else [rule])]


class _Cases:
    """Distinguishes the cases of static relations with several rules."""

    def __init__(self, definitions: StaticRules, sizes: Sizes, static: StaticRules) -> None:
        """Take the relations that may be replaced, the sizes of all, and the rules of all static ones."""
        self._definitions = definitions
        self._sizes = sizes
        self._static = static

    def of(self, rule: Rule, most: int) -> list[Rule]:
        """Return a rule, or at most `most` rules that mean the same and have far fewer instances."""
        complemented = complement(rule, self._static)
        usual = complemented.usual if complemented is not None else ()
        for call in rule.literals():
            if call.negated or call.atom.signature not in self._definitions or call in usual:
                continue
            definitions = self._definitions[call.atom.signature]
            cases = [case for definition in definitions if (case := resolved(rule, call, definition)) is not None]
            if len(cases) <= most and sum(map(self._sizes.cost, cases)) <= _SHARE * self._sizes.cost(rule):
                return [other for case in cases for other in self.of(case, most // max(1, len(cases)))]
        return [rule]


def _unfolded(rule: Rule, definitions: Mapping[Signature, Rule]) -> Rule:
    for call in rule.literals():
        if not call.negated and call.atom.signature in definitions:
            other = resolved(rule, call, definitions[call.atom.signature])
            if other is not None and _width(other) < _width(rule):
                return _unfolded(other, definitions)
    return rule


def _width(rule: Rule) -> int:
    """Return the number of variables of the largest part into which a rule is split."""
    return max(map(len, parts(rule)))
