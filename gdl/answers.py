"""What holds in one context of a game, looked up condition by condition: which instances of rules apply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, final

from gdl.forward import Context, rows_of
from gdl.joins import Match, Step, order
from gdl.lazy import Replan
from gdl.lowering import FactRelations
from gdl.matching import Terms, matches
from gdl.pycode import IndexKey, Value
from gdl.rules import Atom, Condition, Distinct, Literal, Rule, Signature
from gdl.rulesheet import Rulesheet
from gdl.terms import Function, Term, Variable

#: What variables stand for.
Binding = dict[Variable, Value]

#: A ground atom: the name of its relation without its case, and the values of its columns.
Ground = tuple[str, tuple[Value, ...]]

T = TypeVar("T")


@final
class Answers:
    """The rules of a game, and what they derive in a context: of a state, or of a state and a joint move."""

    def __init__(self, rulesheet: Rulesheet, facts: FactRelations, context: Context, terms: Terms) -> None:
        self.rulesheet = rulesheet
        self.facts = facts
        self.terms = terms
        self._context = context
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
        """The rules for a relation that have a body, in the order of the text."""
        return self._rules.get(relation, ())

    def fact(self, ground: Ground) -> Rule | None:
        """The fact of the file that says so; the first, where several do."""
        return self._facts.get(ground)

    def atom(self, ground: Ground) -> Atom:
        """A ground atom, spelled as in the file."""
        name, values = ground
        return Atom(self.rulesheet.spelling.get(name, name), tuple(self.terms[value] for value in values))

    def instance(self, condition: Condition, binding: Mapping[Variable, Value]) -> Condition:
        """A condition with its bound variables replaced."""
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
        """The ways in which a rule derives a ground atom."""
        binding: Binding = {}
        if not all(matches(arg, value, binding) for arg, value in zip(rule.head.args, ground[1], strict=True)):
            return
        if rule not in self._steps:
            lowered = Rule(rule.head, tuple(map(self._lowered, rule.body)))
            self._steps[rule] = order(lowered, self._program.estimate, known=binding)
        yield from self._solutions(self._steps[rule], 0, binding)

    def _solutions(self, steps: Sequence[Step], at: int, binding: Binding) -> Iterator[Binding]:
        if at == len(steps):
            yield binding
            return
        step = steps[at]
        condition = Literal(step.atom) if isinstance(step, Match) else step.condition
        for extended in self.extensions(condition, binding):
            yield from self._solutions(steps, at + 1, extended)

    def extensions(self, condition: Condition, binding: Binding) -> Iterable[Binding]:
        """The bindings that extend this one and under which a condition holds.

        Of a negation or inequality all variables must be bound.
        """
        if isinstance(condition, Distinct):
            return [binding] if _value(condition.left, binding) != _value(condition.right, binding) else []
        atom = self._lowered_atom(condition.atom)
        found = self._matching(atom, binding)
        if not condition.negated:
            return found
        return [] if any(True for _ in found) else [binding]

    def _matching(self, atom: Atom, binding: Binding) -> Iterator[Binding]:
        """The bindings that extend this one and under which an atom of the program holds."""
        values = [_value(arg, binding) for arg in atom.args]
        bound = tuple(column for column, value in enumerate(values) if value is not None)
        free = tuple(column for column, value in enumerate(values) if value is None)
        key = values[bound[0]] if len(bound) == 1 else tuple(values[column] for column in bound)
        rows = self._asked(lambda: self._rows(atom.signature, bound, free, key))
        for row in rows:
            extended = dict(binding)
            if all(matches(atom.args[column], value, extended) for column, value in zip(free, row, strict=True)):
                yield extended

    def _rows(
        self, relation: Signature, bound: tuple[int, ...], free: tuple[int, ...], key: Value
    ) -> Iterable[tuple[Value, ...]]:
        """The values of the free columns of the rows that have the key in the bound ones."""
        context, program = self._context, self._program
        lazy = relation in program.lazy
        if not bound:
            return rows_of(context.rows(relation), relation[1])
        if not lazy:
            try:
                rows = context[program.table(relation)]
            except RecursionError:
                rows = context.rows(relation)
            if not free:
                return [()] if key in rows else []
        index = context[program.table(IndexKey(relation, bound, free, lazy))]
        return rows_of(index[key] if lazy else index.get(key, ()), len(free))

    def _asked(self, question: Callable[[], T]) -> T:
        """The answer to a question, where the program may find that it has to derive in another way."""
        while True:
            try:
                return question()
            except Replan as change:
                self._program.replan(change)

    def _lowered(self, condition: Condition) -> Condition:
        return (
            condition
            if isinstance(condition, Distinct)
            else replace(condition, atom=self._lowered_atom(condition.atom))
        )

    def _lowered_atom(self, atom: Atom) -> Atom:
        return self.facts.lowered(atom) if atom.signature == ("true", 1) else atom

    def near(self, atom: Atom, most: int) -> tuple[Atom, ...]:
        """Atoms of the same relation that hold and agree with this one in as many columns as any."""
        lowered = self._lowered_atom(atom)
        if lowered.signature in self._program.lazy:
            return ()
        rows = list(self._asked(lambda: self._rows(lowered.signature, (), (), ())))
        alike: dict[tuple[bool, ...], list[tuple[Value, ...]]] = {}
        for row in rows:
            pairs = zip(lowered.args, row, strict=True)
            columns = tuple(not isinstance(arg, Variable) and matches(arg, value, {}) for arg, value in pairs)
            alike.setdefault(columns, []).append(row)
        if not alike:
            return ()
        # Of equally many columns those in which fewest agree: they say most.
        best = max(alike, key=lambda columns: (sum(columns), -len(alike[columns]), columns))
        nearest = alike[best]
        if not any(best) and len(nearest) > most:
            return ()
        found = [self._raised(atom, lowered, row) for row in nearest]
        return tuple(sorted(found, key=str)[:most])

    def _raised(self, atom: Atom, lowered: Atom, row: tuple[Value, ...]) -> Atom:
        """The atom of the rules that a row of the program means."""
        terms = tuple(self.terms[value] for value in row)
        if lowered is atom or not isinstance(atom.args[0], Function) or lowered.name == "true ?":
            return Atom(atom.name, terms or atom.args)
        return Atom(atom.name, (Function(atom.args[0].name, terms),))


def ground_of(atom: Atom, binding: Mapping[Variable, Value]) -> Ground:
    """A ground atom. Raises ValueError where a variable is not bound."""
    values = tuple(_value(arg, binding) for arg in atom.args)
    if None in values:
        raise ValueError(f"{atom} is not ground")
    return atom.name.lower(), values


def _value(term: Term, binding: Mapping[Variable, Value]) -> Value | None:
    """The value of a term; None where a variable is not bound."""
    if isinstance(term, Variable):
        return binding.get(term)
    if isinstance(term, Function):
        args = [_value(arg, binding) for arg in term.args]
        return None if None in args else (term.name, *args)
    return term.text


def schedule(rule: Rule) -> tuple[Condition, ...]:
    """The body in the order of the text, each negation and inequality behind what binds its variables."""
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
