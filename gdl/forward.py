"""Forward chaining: what a program's rules derive from given rows, relation by relation, on demand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from gdl.components import MAX_ROUNDS, lazy_component, recursive_component, simple_component
from gdl.errors import DivergenceError
from gdl.lazy import LazyIndex, Replan
from gdl.pycode import IndexKey, Names, Scope, TableKey, Value, define, index_builder, row_of, table_text
from gdl.rules import Atom, Rule, Signature, signature_text
from gdl.strata import DependencyGraph

#: What is assumed of a relation whose rows are not known when rules are compiled.
_UNKNOWN_ROWS = 40.0
_UNKNOWN_SELECTIVITY = 5.0

#: Relations with more rows than this are read lazily where rules can: static ones, derived once, and all others.
_STATIC_LIMIT = 100_000
_DYNAMIC_LIMIT = 4_000


class Context(dict[str, Any]):
    """The rows and indexes derived from some given rows. What is missing is derived when it is asked for."""

    __slots__ = ("program",)

    def __init__(self, program: Program, given: dict[str, Any]) -> None:
        super().__init__(given)
        self.program = program

    def __missing__(self, text: str) -> Any:
        while text not in self:
            try:
                self.program.derive(text, self)
            except Replan as change:
                self.program.replan(change)
                if change.lazy and self.program.relation(text) == change.relation:
                    # Whoever asked for the whole relation is to ask for less.
                    raise
        return self[text]

    def rows(self, relation: Signature) -> Any:
        """The rows of a relation, however large."""
        text = signature_text(relation)
        try:
            return self[text]
        except Replan:
            return self[text]

    def extended(self, given: dict[str, Any]) -> Context:
        """All that is known here, and more given rows."""
        context = Context(self.program, self)
        context.update(given)
        return context


class Program:
    """Stratified rules, compiled to Python relation by relation as they are asked for.

    `inputs` are the relations whose rows a context is given; what depends on none of them is static, and derived
    once. `samples` may hold typical rows of inputs, which inform join orders. Tables are known by their text:
    `cell/3` has the rows of a relation, `cell/3 by 0,1 to 2` is an index.
    """

    def __init__(self, rules: Iterable[Rule], inputs: Iterable[Signature] = ()) -> None:
        self.graph = DependencyGraph(rules := tuple(rules))
        self.rules: dict[Signature, list[Rule]] = defaultdict(list)
        for rule in rules:
            self.rules[rule.head.signature].append(rule)
        self.inputs = frozenset(inputs)
        self.dynamic = frozenset(self.graph.reaches(self.inputs))
        self.samples: dict[str, Any] = {}
        self.code: dict[str, str] = {}
        self.lazy: set[Signature] = set()
        self._whole: set[Signature] = set()
        self._component = {member: component for component in self.graph.components for member in component}
        self._keys: dict[str, TableKey] = {}
        self._functions: dict[str, Callable[..., Any]] = {}
        self._estimates: dict[tuple[Signature, tuple[int, ...]], float] = {}
        self.static = Context(self, {})

    def relation(self, text: str) -> Signature:
        """The relation that a table is of."""
        key = self._key(text)
        return key.relation if isinstance(key, IndexKey) else key

    def derive(self, text: str, context: Context) -> None:
        """Put a table into a context. Raises Replan where the relation is too large for it."""
        key = self._key(text)
        relation = self.relation(text)
        if relation not in self.dynamic and context is not self.static:
            context[text] = self.static[text]
        elif isinstance(key, IndexKey) and key.lazy:
            # Compiled when first asked, as the rules of a recursive relation refer to this very index.
            context[text] = LazyIndex(relation, partial(self._solve, key, context))
        elif isinstance(key, IndexKey):
            build = index_builder(relation[1], key.bound, key.outputs)
            context[text] = build(context[signature_text(relation)])
        elif relation in self.inputs:
            raise KeyError(f"{text} is not given in this context")
        else:
            if text not in self._functions:
                self._compile(relation)
            self._functions[text](context)

    def replan(self, change: Replan) -> None:
        """Derive a relation, and those that it is recursive with, in another way from now on."""
        component = self._component[change.relation]
        if change.lazy:
            self.lazy.update(component)
        else:
            self.lazy.difference_update(component)
            self._whole.update(component)
        self._functions.clear()
        self._estimates.clear()

    def _key(self, text: str) -> TableKey:
        if text not in self._keys:
            name, _, arity = text.rpartition("/")
            self._keys[text] = (name, int(arity))
        return self._keys[text]

    def _compile(self, relation: Signature) -> None:
        component = self._component.get(relation, (relation,))
        members = frozenset(component)
        rules = [rule for member in component for rule in self.rules[member] if rule.body]
        facts = {member: [row_of(r.head.args) for r in self.rules[member] if not r.body] for member in component}
        limit = 0 if relation in self.lazy or relation in self._whole else self._limit(relation)
        if any(literal.atom.signature in members for rule in rules for literal in rule.literals()):
            scope = self._scope(members)
            code = recursive_component(component, rules, scope, self.estimate, limit)
        else:
            scope = self._scope()
            code = simple_component(relation, rules, scope, self.estimate, limit)
        function = self._define(code, scope)
        for member in component:
            self.code[signature_text(member)] = code
            self._functions[signature_text(member)] = partial(function, facts=facts)

    def _solve(self, key: IndexKey, context: Context, values: Any) -> Any:
        """What matches the values of an index's bound columns."""
        text = table_text(key)
        if text not in self._functions:
            rules = self.rules[key.relation]
            scope = self._scope()
            self.code[text] = lazy_component(key, [rule for rule in rules if rule.body], scope, self.estimate)
            rows = [row_of(rule.head.args) for rule in rules if not rule.body]
            facts = index_builder(key.relation[1], key.bound, key.outputs)(rows)
            function = self._define(self.code[text], scope)
            self._functions[text] = partial(function, facts=facts)
        return self._functions[text](context, key=values)

    def _scope(self, local: frozenset[Signature] = frozenset()) -> Scope:
        return Scope(Names(), lambda relation: relation not in self.dynamic, self.lazy, local)

    def _define(self, code: str, scope: Scope) -> Callable[..., Any]:
        """The function that code defines, with the static tables it refers to."""
        self._keys.update(scope.fetched)
        self._keys.update((table_text(key), key) for key in scope.constants.values())
        namespace = {name: self.static[table_text(key)] for name, key in scope.constants.items()}
        namespace.update(overflow=_overflow, diverged=_diverged, index_builder=index_builder)
        return define(code, "derive", namespace)

    def _limit(self, relation: Signature) -> int:
        return _DYNAMIC_LIMIT if relation in self.dynamic else _STATIC_LIMIT

    def estimate(self, atom: Atom, bound: tuple[int, ...]) -> float:
        """The number of rows that are expected to match an atom when these columns are bound."""
        key = (atom.signature, bound)
        if key not in self._estimates:
            self._estimates[key] = self._estimated(*key)
        return self._estimates[key]

    def _estimated(self, relation: Signature, bound: tuple[int, ...]) -> float:
        if relation in self.lazy:
            return _UNKNOWN_SELECTIVITY if bound else float("inf")
        rows = self.samples.get(signature_text(relation))
        if not rows:
            if relation in self.dynamic:
                return float(_UNKNOWN_ROWS / _UNKNOWN_SELECTIVITY ** len(bound))
            rows = self.static[signature_text(relation)]
        if isinstance(rows, bool) or not rows:
            return float(rows is True)
        keys = len(index_builder(relation[1], bound, ())(rows)) if bound else 1
        return len(rows) / keys


def _overflow(relation: Signature) -> None:
    raise Replan(relation, lazy=True)


def _diverged(relations: list[str]) -> None:
    raise DivergenceError(relations, f"{MAX_ROUNDS} rounds of derivation")


def rows_of(rows: Any, arity: int) -> list[tuple[Value, ...]]:
    """The rows of a relation as tuples, whatever its arity."""
    if arity == 0:
        return [()] if rows else []
    return [(row,) for row in rows] if arity == 1 else list(rows)
