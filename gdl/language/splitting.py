"""Splits relations so that rules that are only locally stratified become stratified.

`(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))` negates its own relation, yet no atom depends on its own negation. A
relation in such a cycle is split by the heads of its rules: heads that do not unify define different parts, and a
literal that unifies with heads of one part only reads only that part. This often breaks the cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import final

from gdl.language.rules import Atom, Distinct, Literal, Rule, Signature, signature_text, substitute, unify
from gdl.language.strata import DependencyGraph
from gdl.terms import Constant, Term, Variable, name_key, shape_of


def stratified(rules: Sequence[Rule], graph: DependencyGraph) -> tuple[Sequence[Rule], DependencyGraph]:
    """Return the rules with the relations in negative cycles split, and their dependency graph.

    If there are no negative cycles, both are returned unchanged. The names of parts contain a blank, so that they do
    not clash with any name in a rule file. The result may still have negative cycles.
    """
    cyclic = {dependency.rule.head.signature for cycle in graph.negative_cycles() for dependency in cycle}
    if not cyclic:
        return rules, graph
    heads: dict[Signature, list[Atom]] = {relation: [] for relation in cyclic}
    for rule in rules:
        if rule.head.signature in heads:
            heads[rule.head.signature].append(rule.head)
    parts = {relation: _Parts(found) for relation, found in heads.items()}
    split = [*_renamed(rules, parts), *_wholes(parts)]
    return split, DependencyGraph(split)


@final
class _Parts:
    """The parts of one relation: its heads, grouped such that heads of different groups do not unify."""

    def __init__(self, heads: Iterable[Atom]) -> None:
        """Group the heads; the parts are numbered in their order."""
        self._heads = list(dict.fromkeys(heads))
        # By column, the heads with a constant or function there, by its shape, and under None those with a variable.
        self._columns: list[dict[tuple[str, int] | None, list[int]]] = []
        self._sorted = 0
        leader = list(range(len(self._heads)))

        def lead(number: int) -> int:
            while leader[number] != number:
                leader[number] = number = leader[leader[number]]
            return number

        for number, head in enumerate(self._heads):
            for other in self._overlapping(head):
                leader[lead(other)] = lead(number)
            self._sort(number, head)
        numbers: dict[int, int] = {}
        self._part = [numbers.setdefault(lead(number), len(numbers)) for number in range(len(self._heads))]
        self.count = len(numbers)

    def of(self, atom: Atom) -> set[int]:
        """Return the numbers of the parts with a head that unifies with an atom."""
        return {self._part[number] for number in self._overlapping(atom)}

    def _sort(self, number: int, head: Atom) -> None:
        self._columns = self._columns or [{} for _ in head.args]
        for column, arg in zip(self._columns, head.args, strict=True):
            column.setdefault(_shape(arg), []).append(number)
        self._sorted += 1

    def _overlapping(self, atom: Atom) -> list[int]:
        """Return the numbers of the heads that unify with an atom, among those sorted so far."""
        choices = [
            [*column.get(_shape(arg), ()), *column.get(None, ())]
            for column, arg in zip(self._columns, atom.args, strict=False)
            if not isinstance(arg, Variable)
        ]
        near = min(choices, key=len) if choices else range(self._sorted)
        return [number for number in near if overlap(atom, self._heads[number])]


def _shape(term: Term) -> tuple[str, int] | None:
    return None if isinstance(term, Variable) else shape_of(term)


def overlap(left: Atom, right: Atom) -> bool:
    """Return True if two atoms, whose variables are unrelated, have a common instance."""
    names = {variable: Variable(f"{variable.name} other") for variable in right.variables()}
    binding: dict[Variable, Term] = {}
    return all(unify(a, substitute(b, names), binding) for a, b in zip(left.args, right.args, strict=True))


def subsumes(general: Atom, special: Atom) -> bool:
    """Return True if every instance of the special atom is one of the general one; their variables are unrelated."""
    values = {variable: Constant(f"{variable.name} value") for variable in special.variables()}
    binding: dict[Variable, Term] = {}
    return all(unify(a, substitute(b, values), binding) for a, b in zip(general.args, special.args, strict=True))


def _renamed(rules: Iterable[Rule], parts: dict[Signature, _Parts]) -> Iterator[Rule]:
    def renamed(atom: Atom) -> Atom:
        own = parts.get(atom.signature)
        if own is None:
            return atom
        matching = own.of(atom)
        if len(matching) > 1:
            return atom
        # An atom that unifies with no head never holds; it gets a part that no rule defines.
        return replace(atom, name=_part_name(atom.name, matching.pop() if matching else own.count))

    for rule in rules:
        body = tuple(
            condition if isinstance(condition, Distinct) else replace(condition, atom=renamed(condition.atom))
            for condition in rule.body
        )
        yield replace(rule, head=renamed(rule.head), body=body)


def _wholes(parts: dict[Signature, _Parts]) -> Iterator[Rule]:
    """Yield rules that define each split relation as the union of its parts."""
    for (name, arity), own in parts.items():
        args = tuple(Variable(f"x{column}") for column in range(arity))
        for i in range(own.count):
            yield Rule(Atom(name, args), (Literal(Atom(_part_name(name, i), args)),))


def _part_name(name: str, number: int) -> str:
    return f"{name_key(name)} part {number + 1}"


def whole(signature: Signature) -> Signature:
    """Return a signature; for what a relation has been replaced by, that of the original relation.

    If it has another arity, its name goes on with `of` and the original arity.
    """
    name, *rest = signature[0].split(" ")
    return name, int(rest[1]) if rest[:1] == ["of"] else signature[1]


def whole_text(signature: Signature) -> str:
    """Return the text of a signature; for what a relation has been replaced by, that of the original relation."""
    return signature_text(whole(signature))
