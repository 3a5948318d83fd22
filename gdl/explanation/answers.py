"""The rules of a game, and the instances of them that apply in one context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import final

from gdl.language.rules import Atom, Condition, Distinct, Literal, Rule, Signature
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.forward import Context
from gdl.reasoner.joins import Match, Step, order
from gdl.reasoner.lookup import Binding, Lookup, value_under
from gdl.reasoner.lowering import FactRelations
from gdl.reasoner.matching import Terms, matches
from gdl.reasoner.python_code import Value
from gdl.terms import Function, Term, Variable

#: A ground atom: the key of its relation's name, and the values of its columns.
Ground = tuple[str, tuple[Value, ...]]


@final
class Answers:
    """The rules of a game, and their consequences in a context.

    A context is a state, or a state and a joint move.
    """

    def __init__(self, rulesheet: Rulesheet, facts: FactRelations, context: Context, terms: Terms) -> None:
        """Sort the rules by the relation that they define."""
        self.rulesheet = rulesheet
        self.terms = terms
        self.lookup = Lookup(facts, context, terms)
        self._program = context.program
        self._steps: dict[Rule, tuple[Step, ...]] = {}
        self._rules: dict[Signature, list[Rule]] = {}
        self._facts: dict[Ground, Rule] = {}
        for rule in rulesheet.rules:
            if rule.body:
                self._rules.setdefault(rule.head.signature, []).append(rule)
            else:
                self._facts.setdefault(ground_of(rule.head, {}), rule)

    def rules(self, relation: Signature) -> Sequence[Rule]:
        """Return the rules for a relation that have a body, in the order of the text."""
        return self._rules.get(relation, ())

    def fact(self, ground: Ground) -> Rule | None:
        """Return the fact of the file that states a ground atom (the first, if there are several)."""
        return self._facts.get(ground)

    def atom(self, ground: Ground) -> Atom:
        """Return a ground atom, spelled as in the file."""
        name, values = ground
        return Atom(self.rulesheet.spelling.get(name, name), tuple(self.terms[value] for value in values))

    def instance(self, condition: Condition, binding: Mapping[Variable, Value]) -> Condition:
        """Return a condition with its bound variables replaced."""
        known = {variable: self.terms[value] for variable, value in binding.items()}

        def filled(term: Term) -> Term:
            if isinstance(term, Variable):
                return known.get(term, term)
            return Function(term.name, tuple(map(filled, term.args))) if isinstance(term, Function) else term

        if isinstance(condition, Distinct):
            return replace(condition, left=filled(condition.left), right=filled(condition.right))
        atom = condition.atom
        return replace(condition, atom=replace(atom, args=tuple(map(filled, atom.args))))

    def applications(self, rule: Rule, ground: Ground) -> Iterator[Binding]:
        """Yield each binding under which a rule derives a ground atom."""
        binding: Binding = {}
        if not all(matches(arg, value, binding) for arg, value in zip(rule.head.args, ground[1], strict=True)):
            return
        if rule not in self._steps:
            lowered = Rule(rule.head, tuple(map(self._lowered, rule.body)))
            self._steps[rule] = order(lowered, self._program.estimate, known=binding, risky=self._program.risky)
        yield from self._solutions(self._steps[rule], 0, binding)

    def _solutions(self, steps: Sequence[Step], at: int, binding: Binding) -> Iterator[Binding]:
        if at == len(steps):
            yield binding
            return
        step = steps[at]
        condition = Literal(step.atom) if isinstance(step, Match) else step.condition
        for extended in self.lookup.extensions(condition, binding):
            yield from self._solutions(steps, at + 1, extended)

    def _lowered(self, condition: Condition) -> Condition:
        if isinstance(condition, Distinct):
            return condition
        return replace(condition, atom=self.lookup.lowered(condition.atom))


def ground_of(atom: Atom, binding: Mapping[Variable, Value]) -> Ground:
    """Return an instance of an atom as a ground atom. Raises ValueError if a variable is not bound."""
    values = tuple(value_under(arg, binding) for arg in atom.args)
    if None in values:
        raise ValueError(f"{atom} is not ground")
    return atom.signature[0], values


def schedule(rule: Rule) -> tuple[Condition, ...]:
    """Return the conditions of a body in an order in which they can be checked.

    It is the order of the text, but each negation or inequality comes after the conditions that bind its variables.
    """
    left = list(rule.body)
    bound: set[Variable] = set()
    found: list[Condition] = []
    while left:
        ready = next(c for c in left if _is_positive(c) or bound.issuperset(c.variables()))
        left.remove(ready)
        found.append(ready)
        bound.update(ready.variables())
    return tuple(found)


def _is_positive(condition: Condition) -> bool:
    return isinstance(condition, Literal) and not condition.negated
