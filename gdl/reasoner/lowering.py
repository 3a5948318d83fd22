"""Converts the rules of a game to a program for forward chaining, in which facts of states have relations of their own.

The engine indexes relations by their columns, so `(true (cell ?x ?y b))` is better read as a relation `true cell/3`
with three columns than as `true/1` with one. Facts of other shapes, which no rule names, are kept in one relation `true
?/1`. The facts that `next` derives are split likewise. These names contain a blank, so they cannot clash with a rule
file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from gdl.language.rules import Atom, Condition, Distinct, Literal, Rule, Signature, signature_text
from gdl.reasoner.budget import DerivationBudget
from gdl.reasoner.forward import Context, Program, rows_of
from gdl.reasoner.python_code import Value
from gdl.terms import Constant, Function, Term, Variable, name_key, shape_of

Rows = tuple[frozenset[Any], ...]

_OTHER: Signature = ("true ?", 1)
_DOES: Signature = ("does", 2)


class FactRelations:
    """The relations for the facts of a state: one for each name and arity, and a last one for all other facts.

    `names` are the spellings of the shapes' names. Values are compared by their spelling, so facts that are put
    together again have to be spelled as everywhere else in the program.
    """

    def __init__(self, spelled: Mapping[Signature, str]) -> None:
        """Create a relation for each shape, given with the spelling of its name."""
        self.shapes = tuple(sorted(spelled))
        self.names = tuple(spelled[shape] for shape in self.shapes)
        self._index = {shape: i for i, shape in enumerate(self.shapes)}
        self._arities = (*(arity for _, arity in self.shapes), 1)
        self.signatures: tuple[Signature, ...] = (*((f"true {name}", arity) for name, arity in self.shapes), _OTHER)
        self._texts = tuple(map(signature_text, self.signatures))
        self._zero_arity = [text for text, (_, arity) in zip(self._texts, self.signatures, strict=True) if not arity]
        self._next = tuple((f"next {name}", arity) for name, arity in self.shapes)

    def place(self, value: Value) -> tuple[int, Any]:
        """Return the index of the relation that a fact belongs to, and its row there."""
        if value.__class__ is tuple:
            index = self._index.get((name_key(value[0]), len(value) - 1))
            if index is not None:
                return index, (value[1] if len(value) == 2 else value[1:])
        else:
            index = self._index.get((name_key(value), 0))
            if index is not None:
                return index, ()
        return len(self.shapes), value

    def rows(self, values: Iterable[Value]) -> Rows:
        """Distribute facts over the relations."""
        spread: list[set[Any]] = [set() for _ in self.signatures]
        for value in values:
            index, row = self.place(value)
            spread[index].add(row)
        return tuple(map(frozenset, spread))

    def values(self, rows: Rows) -> Iterator[Value]:
        """Yield the facts of all relations: the inverse of `rows`."""
        for name, (_, arity), some in zip(self.names, self.shapes, rows, strict=False):
            for row in some:
                yield name if arity == 0 else (name, row) if arity == 1 else (name, *row)
        yield from rows[-1]

    def lowered(self, atom: Atom) -> Atom:
        """Return the atom of the program that corresponds to `(true F)`."""
        term = atom.args[0]
        if isinstance(term, Variable):
            return atom
        return _lowered(atom) if shape_of(term) in self._index else Atom(_OTHER[0], atom.args)

    def given(self, rows: Rows) -> dict[str, Any]:
        """Return the rows as tables for a context."""
        given: dict[str, Any] = dict(zip(self._texts, rows, strict=True))
        for text in self._zero_arity:
            given[text] = bool(given[text])
        return given

    def next_rows(self, context: Context) -> Rows:
        """Return the facts that `next` derives in a context with moves."""
        spread = [context.rows(relation) for relation in self._next]
        rows = [
            frozenset(some if arity else rows_of(some, 0)) for some, arity in zip(spread, self._arities, strict=False)
        ]
        loose = context.rows(("next", 1))
        if not loose:
            return (*rows, frozenset())
        return tuple(one | two for one, two in zip((*rows, frozenset()), self.rows(loose), strict=True))


def lower(rules: Iterable[Rule], budget: DerivationBudget | None = None) -> tuple[Program, FactRelations]:
    """Return the program for a game's rules, with a budget for its derivations, and its fact relations.

    The program's inputs are the fact relations and `does/2`. It derives `next` as one relation for each shape of fact.
    """
    rules = tuple(rules)
    facts = FactRelations({shape_of(fact): fact.name for rule in rules for fact in _facts(rule)})
    lowered = [_lowered_rule(rule) for rule in rules]
    if any(literal.atom.signature == ("true", 1) for rule in lowered for literal in rule.literals()):
        lowered += _any_fact(facts)
    return Program(lowered, [*facts.signatures, _DOES], budget), facts


def _facts(rule: Rule) -> Iterator[Constant | Function]:
    """Yield the facts that a rule names."""
    atoms = [literal.atom for literal in rule.literals() if literal.atom.signature == ("true", 1)]
    if rule.head.signature == ("next", 1):
        atoms.append(rule.head)
    for atom in atoms:
        fact = atom.args[0]
        if not isinstance(fact, Variable):
            yield fact


def _lowered_rule(rule: Rule) -> Rule:
    head = _lowered(rule.head) if rule.head.signature == ("next", 1) else rule.head
    return Rule(head, tuple(map(_lowered_condition, rule.body)), rule.location)


def _lowered_condition(condition: Condition) -> Condition:
    if isinstance(condition, Distinct) or condition.atom.signature != ("true", 1):
        return condition
    return replace(condition, atom=_lowered(condition.atom))


def _lowered(atom: Atom) -> Atom:
    """Return `(true (cell ?x ?y))` as an atom of the relation `true cell/2`. Atoms over a variable are unchanged."""
    term = atom.args[0]
    if isinstance(term, Variable):
        return atom
    return Atom(f"{atom.name} {term.name}", term.args if isinstance(term, Function) else ())


def _any_fact(facts: FactRelations) -> Iterator[Rule]:
    """Yield rules for `true/1`, which `(true ?fact)` uses: the union of all fact relations."""
    for name, (relation, arity) in zip(facts.names, facts.signatures, strict=False):
        args = tuple(Variable(f"x{i}") for i, _ in zip(count(), range(arity), strict=False))
        fact: Term = Function(name, args) if args else Constant(name)
        yield Rule(Atom("true", (fact,)), (Literal(Atom(relation, args)),))
    other = Variable("fact")
    yield Rule(Atom("true", (other,)), (Literal(Atom(_OTHER[0], (other,))),))
