"""Looks up atoms that hold in one context of a game, by the columns that are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar, final

from gdl.language.rules import Atom, Condition, Distinct, Signature
from gdl.reasoner.forward import Context, rows_of
from gdl.reasoner.lazy import Replan
from gdl.reasoner.lowering import FactRelations
from gdl.reasoner.matching import Terms, matches
from gdl.reasoner.python_code import IndexKey, Value
from gdl.terms import Function, Term, Variable

#: The values of variables.
Binding = dict[Variable, Value]

T = TypeVar("T")


@final
class Lookup:
    """The relations of a context (a state, or a state and a joint move), except for `next`."""

    def __init__(self, facts: FactRelations, context: Context, terms: Terms) -> None:
        """Keep the context, and its program to read relations from."""
        self._facts = facts
        self._context = context
        self._program = context.program
        self._terms = terms

    def extensions(self, condition: Condition, binding: Binding) -> Iterable[Binding]:
        """Return the extensions of a binding under which a condition holds.

        All variables of a negation or inequality must be bound.
        """
        if isinstance(condition, Distinct):
            return [binding] if value_under(condition.left, binding) != value_under(condition.right, binding) else []
        found = self.matching(condition.atom, binding)
        if not condition.negated:
            return found
        return [] if any(True for _ in found) else [binding]

    def matching(self, atom: Atom, binding: Binding) -> Iterator[Binding]:
        """Yield the extensions of a binding under which an atom holds."""
        atom = self.lowered(atom)
        values = [value_under(arg, binding) for arg in atom.args]
        bound = tuple(column for column, value in enumerate(values) if value is not None)
        free = tuple(column for column, value in enumerate(values) if value is None)
        key = values[bound[0]] if len(bound) == 1 else tuple(values[column] for column in bound)
        rows = self._retried(lambda: self._rows(atom.signature, bound, free, key))
        meter = self._program.meter
        for row in rows:
            if meter.due:
                meter.check(self._context, (), self._program.rule_of(atom.signature))
            extended = dict(binding)
            if all(matches(atom.args[column], value, extended) for column, value in zip(free, row, strict=True)):
                yield extended

    def substitutions(self, atom: Atom) -> list[dict[str, Term]]:
        """Return the substitutions under which an atom holds, sorted by the text of their terms."""
        found = [{v.text: self._terms[value] for v, value in one.items()} for one in self.matching(atom, {})]
        return sorted(found, key=lambda substitution: [term.text for term in substitution.values()])

    def near(self, atom: Atom, most: int) -> tuple[Atom, ...]:
        """Return at most `most` atoms of the same relation that hold and agree with this one in most columns."""
        lowered = self.lowered(atom)
        if lowered.signature in self._program.lazy:
            return ()
        rows = list(self._retried(lambda: self._rows(lowered.signature, (), (), ())))
        alike: dict[tuple[bool, ...], list[tuple[Value, ...]]] = {}
        for row in rows:
            pairs = zip(lowered.args, row, strict=True)
            columns = tuple(not isinstance(arg, Variable) and matches(arg, value, {}) for arg, value in pairs)
            alike.setdefault(columns, []).append(row)
        if not alike:
            return ()
        # Among equal numbers of columns, prefer those in which the fewest rows agree: they are the most informative.
        best = max(alike, key=lambda columns: (sum(columns), -len(alike[columns]), columns))
        nearest = alike[best]
        if not any(best) and len(nearest) > most:
            return ()
        found = [self._raised(atom, lowered, row) for row in nearest]
        return tuple(sorted(found, key=str)[:most])

    def _rows(
        self, relation: Signature, bound: tuple[int, ...], free: tuple[int, ...], key: Value
    ) -> Iterable[tuple[Value, ...]]:
        """Return the free columns of the rows that have `key` in the bound columns."""
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

    def _retried(self, question: Callable[[], T]) -> T:
        """Call a function that reads tables, and call it again whenever the program has to change its plan."""
        while True:
            try:
                return question()
            except Replan as change:
                self._program.replan(change)

    def lowered(self, atom: Atom) -> Atom:
        """Return the atom of the program that corresponds to an atom of the rules."""
        return self._facts.lowered(atom) if atom.signature == ("true", 1) else atom

    def _raised(self, atom: Atom, lowered: Atom, row: tuple[Value, ...]) -> Atom:
        """Return the atom of the rules that corresponds to a row of the program."""
        terms = tuple(self._terms[value] for value in row)
        if lowered is atom or not isinstance(atom.args[0], Function) or lowered.name == "true ?":
            return Atom(atom.name, terms or atom.args)
        return Atom(atom.name, (Function(atom.args[0].name, terms),))


def value_under(term: Term, binding: Mapping[Variable, Value]) -> Value | None:
    """Return the value of a term, or None if a variable is not bound."""
    if isinstance(term, Variable):
        return binding.get(term)
    if isinstance(term, Function):
        args = [value_under(arg, binding) for arg in term.args]
        return None if None in args else (term.name, *args)
    return term.text
