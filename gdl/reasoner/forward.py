"""Forward chaining: derives the relations of a program from given rows, one by one, on demand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from typing import Any

from gdl.errors import DerivationLimitError
from gdl.language.demand import Demand, taken_apart
from gdl.language.rules import Atom, Rule, Signature, signature_text
from gdl.language.strata import DependencyGraph
from gdl.reasoner.budget import DerivationBudget, Meter, limit_error
from gdl.reasoner.components import lazy_component, recursive_component, simple_component
from gdl.reasoner.growth import growing_functions
from gdl.reasoner.lazy import LazyIndex, Replan, Search
from gdl.reasoner.python_code import IndexKey, Names, Scope, TableKey, Value, define, index_builder, row_of, table_text

#: The assumed size and selectivity of a relation whose rows are not known when rules are compiled.
_UNKNOWN_ROWS = 40.0
_UNKNOWN_SELECTIVITY = 5.0
#: The assumed number of values in each unbound column of a lazy relation.
_LAZY_ROWS = 8.0

#: Relations with more rows than this are read lazily if possible. Static relations, which are derived only once, have a
#: higher limit.
_STATIC_LIMIT = 100_000
_DYNAMIC_LIMIT = 4_000

#: The limits on questions that may never end: the rows of a whole relation, and the share of the budget's seconds.
_ENDLESS_LIMIT = 100_000
_ENDLESS_SHARE = 1 / 6


class Context(dict[str, Any]):
    """The tables derived from some given rows. Missing tables are derived when they are accessed."""

    __slots__ = ("_functions", "program", "search")

    def __init__(self, program: Program, given: Mapping[str, Any], functions: _Functions) -> None:
        """Start with the given tables."""
        super().__init__(given)
        self.program = program
        self._functions = functions
        self.search: Search | None = None

    def __missing__(self, text: str) -> Any:
        """Derive a table.

        Raises Replan if the table belongs to a relation that is to be read lazily from now on.
        """
        while True:
            try:
                function = self._functions.get(text) or self.program.function(text, self)
                return function(self)
            except Replan as change:
                self.program.replan(change)
                if change.lazy and self.program.relation(text) in self.program.component(change.relation):
                    # The caller must not use the whole relation any more.
                    raise

    def rows(self, relation: Signature) -> Any:
        """Return the rows of a relation.

        Works for relations of any size, and for any depth of dependencies. Raises DerivationLimitError.
        """
        text = signature_text(relation)
        try:
            return self[text]
        except Replan:
            return self.rows(relation)
        except RecursionError:
            return self._bottom_up(relation)
        except MemoryError:
            raise self.program.limit_error("memory", relation) from None

    def _bottom_up(self, relation: Signature) -> Any:
        """Return the rows of a relation whose dependencies are too deep to be derived recursively, on demand."""
        try:
            for need in self.program.needs(relation):
                if need not in self.program.inputs and need not in self.program.lazy:
                    self[signature_text(need)]
            return self[signature_text(relation)]
        except MemoryError:
            raise self.program.limit_error("memory", relation) from None
        except RecursionError:
            raise self.program.limit_error("stack", relation) from None

    def extended(self, text: str, rows: Any) -> Context:
        """Return a copy of this context with one more table."""
        context = Context(self.program, self, self._functions)
        context[text] = rows
        return context


#: Maps the text of a table to the function that adds the table to a context and returns it.
_Functions = dict[str, Callable[[Context], Any]]


class Program:
    """Stratified rules, compiled to Python relation by relation, on demand.

    `inputs` are the relations whose rows are given in a context. Relations that depend on none of them are static, and
    derived only once. Tables are identified by their text: `cell/3` for the rows of a relation, `cell/3 by 0,1 to 2`
    for an index.
    """

    def __init__(
        self, rules: Iterable[Rule], inputs: Iterable[Signature] = (), budget: DerivationBudget | None = None
    ) -> None:
        """Analyse the dependencies of the rules; nothing is compiled yet."""
        self.meter = Meter(budget or DerivationBudget())
        self.graph = DependencyGraph(rules := tuple(taken_apart(tuple(rules))))
        self.rules: dict[Signature, list[Rule]] = defaultdict(list)
        for rule in rules:
            self.rules[rule.head.signature].append(rule)
        self.growing = growing_functions(rules, self.meter.budget)
        self.inputs = frozenset(inputs)
        self.dynamic = frozenset(self.graph.reaches(self.inputs))
        self._samples: dict[Signature, list[Any]] = {}
        self.code: dict[str, str] = {}
        self.demand = Demand(rules, self.graph)
        self.lazy: set[Signature] = set(self.demand.reasons)
        self._whole: set[Signature] = set()
        self._read = {literal.atom.signature for rule in rules for literal in rule.literals()}
        self._component = {member: component for component in self.graph.components for member in component}
        self._keys: dict[str, TableKey] = {}
        self._solvers: dict[str, Callable[..., Any]] = {}
        # Static relations being compiled, whose rows are not available yet.
        self._underway: frozenset[Signature] = frozenset()
        self._estimates: dict[tuple[Signature, tuple[int, ...]], float] = {}
        # The greatest numbers of rows for a key of static tables.
        self._sizes: dict[str, int] = {}
        self._functions: _Functions = {}
        self.static = Context(self, {}, {})

    def context(self, given: Mapping[str, Any]) -> Context:
        """Return a context with the given rows of the inputs."""
        return Context(self, given, self._functions)

    def component(self, relation: Signature) -> tuple[Signature, ...]:
        """Return the relations that are mutually recursive with this one, including itself."""
        return self._component.get(relation, (relation,))

    def needs(self, relation: Signature) -> Iterator[Signature]:
        """Return an iterator over the relations that this one depends on, in dependency order."""
        needed = {relation}
        stack = [relation]
        while stack:
            for need in self.graph.edges.get(stack.pop(), ()):
                if need not in needed:
                    needed.add(need)
                    stack.append(need)
        return (member for component in self.graph.components for member in component if member in needed)

    def relation(self, text: str) -> Signature:
        """Return the relation of a table."""
        key = self._key(text)
        return key.relation if isinstance(key, IndexKey) else key

    def table(self, key: TableKey) -> str:
        """Return the text of a table, and make it known to contexts even if no rule reads it."""
        text = table_text(key)
        self._keys.setdefault(text, key)
        return text

    def function(self, text: str, context: Context) -> Callable[[Context], Any]:
        """Return the function that derives a table in contexts like this one.

        Raises Replan if a static relation is too large.
        """
        key = self._key(text)
        relation = self.relation(text)
        functions = context._functions
        if relation not in self.dynamic and context is not self.static:
            functions[text] = partial(_copy, text, self.static)
        elif isinstance(key, IndexKey) and key.lazy:
            # Its rules are compiled at the first access, since those of a recursive relation refer to this very index.
            functions[text] = partial(_lazy_index, text, relation, partial(self._solve, key), key.outputs)
        elif isinstance(key, IndexKey):
            functions[text] = partial(_index, text, signature_text(relation), _builder(key))
        elif relation in self.inputs:
            raise KeyError(f"{text} is not given in this context")
        else:
            self._compile(relation, functions)
        return functions[text]

    def replan(self, change: Replan) -> None:
        """Change how a relation and those mutually recursive with it are derived from now on."""
        if not change.lazy and change.relation in self.demand.reasons:
            raise self.limit_error("stack", change.relation) from None
        component = self.component(change.relation)
        if change.lazy:
            self.lazy.update(component)
        else:
            self.lazy.difference_update(component)
            self._whole.update(component)
        self._forget_code()

    def learn(self, contexts: Sequence[Mapping[str, Any]]) -> None:
        """Choose new join orders, based on the sizes of relations in these contexts. No derivation may be running."""
        for relation in self.dynamic:
            text = signature_text(relation)
            samples = [context[text] for context in contexts if text in context]
            # A relation that is empty in one sample, such as the initial state, may well fill up later.
            if relation[1] and (len(samples) > 1 or any(samples)):
                self._samples[relation] = samples
        self._forget_code()
        self.meter.forget()

    def limit_error(self, limit: str, relation: Signature) -> DerivationLimitError:
        """Return the error for a limit of the process that was met while a relation was derived: memory or stack."""
        return limit_error(limit, 0, self.rule_of(relation))

    def rule_of(self, relation: Signature) -> Rule | None:
        """Return the first rule for a relation, to name it in a message."""
        return next(iter(self.rules.get(relation, ())), None)

    def _forget_code(self) -> None:
        self._functions.clear()
        self.static._functions.clear()
        self._solvers.clear()
        self._estimates.clear()

    def _key(self, text: str) -> TableKey:
        if text not in self._keys:
            name, _, arity = text.rpartition("/")
            self._keys[text] = (name, int(arity))
        return self._keys[text]

    def _compile(self, relation: Signature, functions: _Functions) -> None:
        component = self.component(relation)
        members = frozenset(component)
        rules = [rule for member in component for rule in self.rules[member] if rule.body]
        facts = {member: [row_of(r.head.args) for r in self.rules[member] if not r.body] for member in component}
        limit = self._limit(relation)
        if any(literal.atom.signature in members for rule in rules for literal in rule.literals()):
            scope = self._scope(members)
            outer, self._underway = self._underway, self._underway | members
            try:
                endless = relation in self.demand.reasons
                code = recursive_component(component, rules, scope, self.estimate, limit, endless=endless)
            finally:
                self._underway = outer
        else:
            scope = self._scope()
            code = simple_component(relation, rules, scope, self.estimate, limit)
        derive = self._define(code, scope, facts)
        for member in component:
            text = signature_text(member)
            self.code[text] = code
            functions[text] = derive if len(component) == 1 else partial(_member, text, derive)

    def _solve(self, key: IndexKey, context: Context, values: Any) -> Any:
        """Derive the answer for the values of the bound columns of a lazy index."""
        text = table_text(key)
        if text not in self._solvers:
            rules = self.rules[key.relation]
            scope = self._scope()
            self.code[text] = lazy_component(key, [rule for rule in rules if rule.body], scope, self.estimate)
            facts = _builder(key)([row_of(rule.head.args) for rule in rules if not rule.body])
            self._solvers[text] = self._define(self.code[text], scope, facts)
        if self.meter.due:
            share = 1.0 if self.demand.is_safe(key.relation, key.bound) else _ENDLESS_SHARE
            self.meter.check(context, (), self.rule_of(key.relation), share=share)
        return self._solvers[text](context, values)

    def _scope(self, local: frozenset[Signature] = frozenset()) -> Scope:
        return Scope(
            Names(),
            lambda relation: relation not in self.dynamic,
            self.lazy,
            local,
            growing=self.growing,
            most=self._most,
            risky=lambda atom, bound: atom.signature not in local and self.risky(atom, bound),
        )

    def _most(self, key: TableKey) -> float:
        """Return the number of rows in a static table, or the greatest for a key of a static index."""
        relation = key.relation if isinstance(key, IndexKey) else key
        if relation in self._underway or relation in self.lazy:
            return inf
        text = table_text(key)
        if text not in self._sizes:
            self._keys.setdefault(text, key)
            table = self.static[text]
            rows = map(len, table.values()) if isinstance(table, dict) else [len(table)]
            self._sizes[text] = max(rows, default=0)
        return self._sizes[text]

    def _define(self, code: str, scope: Scope, facts: Any) -> Callable[..., Any]:
        """Compile code to a function, with access to the static tables that it refers to."""
        self._keys.update(scope.fetched)
        self._keys.update((table_text(key), key) for key in scope.constants.values())
        namespace = {name: self.static[table_text(key)] for name, key in scope.constants.items()}
        namespace.update(facts=facts, overflow=self._overflow, index_builder=index_builder)
        meter = self.meter
        namespace.update(check=meter.check, measure=meter.measure, rules=scope.rules)
        namespace.update(small_key=partial(_small_key, self))
        derive = define(code, "derive", namespace)
        meter.enter(derive.__globals__)
        return derive

    def _overflow(self, relation: Signature) -> None:
        """Give up a relation that has more rows than its limit as a whole."""
        if (reason := self.demand.reasons.get(relation)) is not None:
            raise limit_error("rows", _ENDLESS_LIMIT, reason)
        raise Replan(relation, lazy=True)

    def _limit(self, relation: Signature) -> int:
        """Return the greatest number of rows of a relation that is derived as a whole; 0 for no limit."""
        if relation in self.demand.reasons:
            return _ENDLESS_LIMIT
        if relation not in self._read or relation in self.lazy or relation in self._whole:
            return 0
        return _DYNAMIC_LIMIT if relation in self.dynamic else _STATIC_LIMIT

    def risky(self, atom: Atom, bound: tuple[int, ...]) -> bool:
        """Return True if it may never end to ask for the rows that match an atom when these columns are bound."""
        return not self.demand.is_safe(atom.signature, bound)

    def estimate(self, atom: Atom, bound: tuple[int, ...]) -> float:
        """Return the expected number of rows that match an atom when these columns are bound."""
        key = (atom.signature, bound)
        if atom.signature in self._underway:
            return _unknown(bound)
        if key not in self._estimates:
            self._estimates[key] = self._estimated(*key)
        return self._estimates[key]

    def _estimated(self, relation: Signature, bound: tuple[int, ...]) -> float:
        if relation in self.lazy:
            # The more columns are bound, the less has to be derived, so other conditions should come first.
            return float(_LAZY_ROWS ** (relation[1] - len(bound))) if bound else inf
        samples = self._samples.get(relation)
        if samples is None:
            if relation in self.dynamic:
                return _unknown(bound)
            samples = [self.static[signature_text(relation)]]
        if not relation[1]:
            return 1.0
        return sum(_matches(rows, relation[1], bound) for rows in samples) / len(samples)


def _unknown(bound: tuple[int, ...]) -> float:
    return float(_UNKNOWN_ROWS / _UNKNOWN_SELECTIVITY ** len(bound))


def _matches(rows: Collection[Any], arity: int, bound: tuple[int, ...]) -> float:
    """Return the average number of rows per combination of values in the bound columns."""
    keys = len(index_builder(arity, bound, ())(rows)) if bound and rows else 1
    return len(rows) / keys


def _builder(key: IndexKey) -> Callable[..., Any]:
    return index_builder(key.relation[1], key.bound, key.outputs)


def _copy(text: str, source: Context, context: Context) -> Any:
    table = context[text] = source[text]
    return table


def _index(text: str, relation: str, build: Callable[..., Any], context: Context) -> Any:
    table = context[text] = build(context[relation])
    return table


def _lazy_index(
    text: str, relation: Signature, solve: Callable[..., Any], outputs: Sequence[int], context: Context
) -> Any:
    if context.search is None:
        context.search = Search()
    empty: frozenset[Any] | bool = frozenset() if outputs else False
    table = context[text] = LazyIndex(relation, partial(solve, context), context.search, empty)
    return table


def _member(text: str, derive: Callable[[Context], Any], context: Context) -> Any:
    derive(context)
    return context[text]


def _small_key(program: Program, relation: Signature, value: Any) -> None:
    """Derive a relation as a whole if the terms in its keys grow, unless it needs demand."""
    if (excess := program.meter.excess(value)) is None:
        return
    if relation in program.demand.reasons:
        raise limit_error(*excess, program.demand.reasons[relation])
    raise Replan(relation, lazy=False)


def rows_of(rows: Any, arity: int) -> list[tuple[Value, ...]]:
    """Return the rows of a relation of any arity as tuples."""
    if arity == 0:
        return [()] if rows else []
    return [(row,) for row in rows] if arity == 1 else list(rows)
