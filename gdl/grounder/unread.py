"""Drops the columns of relations that no rule reads.

    (<= (threatened ?x ?y) (threatens ?piece ?x ?y))
    (<= (threatens ?piece ?x ?y) (true (at ?piece ?u ?v)) (open ?u ?v ?x ?y))

If nothing else reads `threatens`, it does not matter which piece it is: `(threatens of 3 2 3 ?x ?y)` has the last two
columns alone, and its rule can be split over them. A column is read unless there is a variable in it wherever the
relation is read, which occurs nowhere else in the rule, or only in the head, in a column that is not read either. So
columns that a recursive relation hands on are dropped, too (Ramakrishnan, Beeri, Krishnamurthy: Optimizing existential
Datalog queries, 1988).

**Why no answer changes.** The smaller relation holds for the rows of the larger one without these columns, by induction
over the steps that derive them: a condition with a variable of its own asks only whether there is some row.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gdl.grounder.projection import TARGETS
from gdl.language.rules import Atom, Condition, Literal, Rule, Signature
from gdl.terms import Variable


def read_only(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules, with the columns of relations that some rule reads."""
    kept: dict[Signature, set[int]] = {
        rule.head.signature: set() for rule in rules if rule.head.signature not in TARGETS
    }
    #: The columns of heads that depend on each column that is not known to be read.
    calls: defaultdict[tuple[Signature, int], list[tuple[Signature, int]]] = defaultdict(list)
    stack: list[tuple[Signature, int]] = []
    for rule in rules:
        occurrences = Counter(v for condition in (rule.head, *rule.body) for v in condition.variables())
        heads = {}
        if rule.head.signature in kept:
            heads = {arg: column for column, arg in enumerate(rule.head.args) if isinstance(arg, Variable)}
        for literal in rule.literals():
            relation = literal.atom.signature
            for column, arg in enumerate(literal.atom.args if relation in kept else ()):
                if isinstance(arg, Variable) and not literal.negated and occurrences[arg] == 1:
                    continue
                if isinstance(arg, Variable) and not literal.negated and occurrences[arg] == 2 and arg in heads:
                    calls[rule.head.signature, heads[arg]].append((relation, column))
                else:
                    stack.append((relation, column))
    while stack:
        relation, column = stack.pop()
        if column not in kept[relation]:
            kept[relation].add(column)
            stack += calls[relation, column]
    smaller = {relation: sorted(columns) for relation, columns in kept.items() if len(columns) < relation[1]}
    return list(
        dict.fromkeys(
            replace(rule, head=_read(rule.head, smaller), body=tuple(_condition(c, smaller) for c in rule.body))
            for rule in rules
        )
    )


def _condition(condition: Condition, kept: Mapping[Signature, Sequence[int]]) -> Condition:
    return replace(condition, atom=_read(condition.atom, kept)) if isinstance(condition, Literal) else condition


def _read(atom: Atom, kept: Mapping[Signature, Sequence[int]]) -> Atom:
    """Return an atom with the columns of its relation that are kept."""
    columns = kept.get(atom.signature)
    if columns is None:
        return atom
    name = " ".join((f"{atom.name} of {len(atom.args)}", *(str(column + 1) for column in columns)))
    return Atom(name, tuple(atom.args[column] for column in columns))
