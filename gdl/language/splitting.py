"""Splits relations so that rules that are only locally stratified become stratified.

`(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))` negates its own relation, yet no atom depends on its own negation. A
relation in such a cycle is split by the heads of its rules: heads that do not unify define different parts, and a
literal that unifies with heads of one part only reads only that part. This often breaks the cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gdl.language.rules import Atom, Distinct, Literal, Rule, Signature, signature_text, substitute, unify
from gdl.language.strata import DependencyGraph
from gdl.terms import Term, Variable, name_key


def stratified(rules: Sequence[Rule], graph: DependencyGraph) -> tuple[Sequence[Rule], DependencyGraph]:
    """Return the rules with the relations in negative cycles split, and their dependency graph.

    If there are no negative cycles, both are returned unchanged. The names of parts contain a blank, so that they do
    not clash with any name in a rule file. The result may still have negative cycles.
    """
    cyclic = {dependency.rule.head.signature for cycle in graph.negative_cycles() for dependency in cycle}
    if not cyclic:
        return rules, graph
    parts = {relation: _parts([r.head for r in rules if r.head.signature == relation]) for relation in cyclic}
    split = [*_renamed(rules, parts), *_wholes(parts)]
    return split, DependencyGraph(split)


def _parts(heads: Iterable[Atom]) -> list[list[Atom]]:
    """Group the heads of one relation's rules, such that heads of different groups do not unify."""
    groups: list[list[Atom]] = []
    for head in heads:
        near = [group for group in groups if any(_overlap(head, other) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([head, *(other for group in near for other in group)])
    return groups


def _overlap(left: Atom, right: Atom) -> bool:
    """Return True if two atoms, whose variables are unrelated, have a common instance."""
    names = {variable: Variable(f"{variable.name} other") for variable in right.variables()}
    binding: dict[Variable, Term] = {}
    return all(unify(a, substitute(b, names), binding) for a, b in zip(left.args, right.args, strict=True))


def _renamed(rules: Iterable[Rule], parts: dict[Signature, list[list[Atom]]]) -> Iterator[Rule]:
    def renamed(atom: Atom) -> Atom:
        groups = parts.get(atom.signature, [])
        matching = [i for i, group in enumerate(groups) if any(_overlap(atom, head) for head in group)]
        if not groups or len(matching) > 1:
            return atom
        # An atom that unifies with no head never holds; it gets a part that no rule defines.
        return replace(atom, name=_part_name(atom.name, matching[0] if matching else len(groups)))

    for rule in rules:
        body = tuple(
            condition if isinstance(condition, Distinct) else replace(condition, atom=renamed(condition.atom))
            for condition in rule.body
        )
        yield replace(rule, head=renamed(rule.head), body=body)


def _wholes(parts: dict[Signature, list[list[Atom]]]) -> Iterator[Rule]:
    """Yield rules that define each split relation as the union of its parts."""
    for (name, arity), groups in parts.items():
        args = tuple(Variable(f"x{column}") for column in range(arity))
        for i in range(len(groups)):
            yield Rule(Atom(name, args), (Literal(Atom(_part_name(name, i), args)),))


def _part_name(name: str, number: int) -> str:
    return f"{name_key(name)} part {number + 1}"


def whole_text(signature: Signature) -> str:
    """Return the text of a signature; for a part, that of the original relation."""
    name, arity = signature
    return signature_text((name.partition(" ")[0], arity))
