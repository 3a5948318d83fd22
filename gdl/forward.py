"""Forward chaining: what a program's rules derive from given rows, component by component, on demand.

The semi-naive idea: in each round of a recursive component, a rule needs matching only with at least one of its
recursive literals restricted to the rows that were new in the round before; whatever joins only older rows has been
found already (Bancilhon: Naive evaluation of recursively defined relations, 1986).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from gdl.blocks import Block, insert, render
from gdl.errors import DivergenceError
from gdl.joins import order
from gdl.pycode import IndexKey, Names, RuleWriter, Scope, TableKey, Value, define, index_builder, row_of, table_text
from gdl.rules import Atom, Literal, Rule, Signature, signature_text
from gdl.strata import DependencyGraph
from gdl.terms import Function

#: A component whose rules build function terms is given up after so many rounds: it would go on for ever.
MAX_ROUNDS = 10_000

#: What is assumed of a relation whose rows are not known when rules are compiled.
_UNKNOWN_ROWS = 40.0
_UNKNOWN_SELECTIVITY = 5.0


class Context(dict[str, Any]):
    """The rows and indexes derived from some given rows. What is missing is derived when it is asked for."""

    __slots__ = ("program",)

    def __init__(self, program: Program, given: dict[str, Any] | None = None) -> None:
        super().__init__(given or {})
        self.program = program

    def __missing__(self, key: str) -> Any:
        self.program.derive(key, self)
        return self[key]

    def extended(self, given: dict[str, Any]) -> Context:
        """All that is known here, and more given rows."""
        context = Context(self.program, self)
        context.update(given)
        return context


class Program:
    """Stratified rules, compiled to Python relation by relation as they are asked for.

    `inputs` are the relations whose rows a context is given; what depends on none of them is static, and derived
    once. `samples` may hold typical rows of inputs, which inform join orders. Relations are known by their text,
    such as `cell/3`.
    """

    def __init__(self, rules: Iterable[Rule], inputs: Iterable[Signature] = ()) -> None:
        self.graph = DependencyGraph(rules := tuple(rules))
        self.rules: dict[Signature, list[Rule]] = defaultdict(list)
        for rule in rules:
            self.rules[rule.head.signature].append(rule)
        self.inputs = frozenset(inputs)
        self.dynamic = frozenset(self.graph.reaches(self.inputs))
        self.code: dict[str, str] = {}
        self._component = {member: component for component in self.graph.components for member in component}
        self._keys: dict[str, TableKey] = {}
        self._functions: dict[str, Any] = {}
        self.samples: dict[str, Any] = {}
        self._estimates: dict[tuple[Signature, tuple[int, ...]], float] = {}
        self.static = Context(self)

    def derive(self, text: str, context: Context) -> None:
        """Put the rows or the index of that name into a context."""
        key = self._key(text)
        relation = key.relation if isinstance(key, IndexKey) else key
        if relation not in self.dynamic and context is not self.static:
            context[text] = self.static[text]
        elif isinstance(key, IndexKey):
            build = index_builder(relation[1], key.bound, key.outputs)
            context[text] = build(context[signature_text(relation)])
        elif relation in self.inputs:
            raise KeyError(f"{text} is not given in this context")
        else:
            if text not in self._functions:
                self._compile(relation)
            self._functions[text](context)

    def _key(self, text: str) -> TableKey:
        if text not in self._keys:
            name, _, arity = text.rpartition("/")
            self._keys[text] = (name, int(arity))
        return self._keys[text]

    def _compile(self, relation: Signature) -> None:
        component = self._component.get(relation, (relation,))
        members = frozenset(component)
        rules = [rule for member in component for rule in self.rules[member]]
        facts = {member: [row_of(r.head.args) for r in self.rules[member] if not r.body] for member in component}
        recursive = any(literal.atom.signature in members for rule in rules for literal in rule.literals())
        scope = Scope(Names(), lambda r: r not in self.dynamic, members if recursive else frozenset(), {}, {})
        bodies = [rule for rule in rules if rule.body]
        lines = self._recursive(component, bodies, scope) if recursive else self._simple(relation, bodies, scope)
        code = "\n".join(["def derive(c, facts):", *lines])
        namespace = {name: self._constant(key) for name, key in scope.constants.items()}
        namespace.update(diverged=_diverged, index_builder=index_builder)
        function = define(code, "derive", namespace)
        for member in component:
            self.code[signature_text(member)] = code
            self._functions[signature_text(member)] = lambda context: function(context, facts)

    def _constant(self, key: TableKey) -> Any:
        text = table_text(key)
        self._keys[text] = key
        return self.static[text]

    def _fetchable(self, path_keys: Iterable[TableKey]) -> None:
        for key in path_keys:
            self._keys[table_text(key)] = key

    def _write(
        self, rule: Rule, scope: Scope, found: str, first: Literal | None = None, *, boolean: bool = False
    ) -> Any:
        steps = order(rule, self.estimate, first)
        for step in steps:
            atom = getattr(step, "atom", None)
            if atom is not None:
                self._fetchable([IndexKey(atom.signature, step.bound, step.outputs)])  # type: ignore[union-attr]
        return RuleWriter(scope, found).write(rule, steps, boolean=boolean)

    def _simple(self, relation: Signature, rules: list[Rule], scope: Scope) -> list[str]:
        """The body of a function that derives a relation which does not depend on itself."""
        text = signature_text(relation)
        boolean = relation[1] == 0
        root = Block()
        for rule in rules:
            insert(root, self._write(rule, scope, "out", boolean=boolean))
        lines = list(render(root.body, 2 if boolean else 1))
        if boolean:
            # The inner function returns as soon as one rule holds.
            inner = ["    def holds():", f"        if facts[{relation!r}]:", "            return True", *lines]
            return [*inner, "        return False", f"    c[{text!r}] = holds()"]
        start = [f"    out = set(facts[{relation!r}])", "    add = out.add"]
        return [*start, *lines, f"    c[{text!r}] = out"]

    def _recursive(self, component: tuple[Signature, ...], rules: list[Rule], scope: Scope) -> list[str]:
        """The body of a function that derives relations which depend on each other."""
        members = frozenset(component)
        names = scope.names
        table = {member: names.of("table", signature_text(member)) for member in component}
        new = {member: names.of("new", signature_text(member)) for member in component}
        fresh = {member: names.of("next", signature_text(member)) for member in component}
        # First what the other relations give.
        start = [f"    {table[member]} = set(facts[{member!r}])" for member in component]
        rounds: list[str] = []
        for member in component:
            once, again = Block(), Block()
            for rule in rules:
                if rule.head.signature != member:
                    continue
                recursive = [x for x in rule.literals() if x.atom.signature in members]
                if not recursive:
                    insert(once, self._write(rule, scope, "out"))
                for literal in recursive:
                    insert(again, self._write(rule, scope, table[member], literal))
            if once.body:
                start += [f"    out = {table[member]}", "    add = out.add", *render(once.body, 1)]
            if again.body:
                rounds += [f"        add = {fresh[member]}.add", *render(again.body, 2)]
        lines = [*start, *(f"    {new[m]} = set({table[m]})" for m in component)]
        lines += [f"    {name} = {_index(key)}({table[key.relation]})" for key, name in scope.local_indexes.items()]
        lines += ["    rounds = 0", f"    while {' or '.join(new.values())}:"]
        lines += [f"        {fresh[m]} = set()" for m in component]
        lines += rounds
        for m in component:
            lines += [f"        {table[m]} |= {fresh[m]}", f"        {new[m]} = {fresh[m]}"]
        lines += [f"        {_index(key)}({new[key.relation]}, {name})" for key, name in scope.local_indexes.items()]
        if any(isinstance(arg, Function) for rule in rules for arg in rule.head.args):
            grown = [signature_text(member) for member in component]
            lines += ["        rounds += 1", f"        if rounds > {MAX_ROUNDS}:", f"            diverged({grown!r})"]
        for member in component:
            rows = f"bool({table[member]})" if member[1] == 0 else table[member]
            lines.append(f"    c[{signature_text(member)!r}] = {rows}")
        return lines

    def estimate(self, atom: Atom, bound: tuple[int, ...]) -> float:
        """The number of rows that are expected to match an atom when these columns are bound."""
        relation = atom.signature
        key = (relation, bound)
        if key not in self._estimates:
            self._estimates[key] = self._estimated(relation, bound)
        return self._estimates[key]

    def _estimated(self, relation: Signature, bound: tuple[int, ...]) -> float:
        text = signature_text(relation)
        if self.samples.get(text):
            rows = self.samples[text]
        elif relation in self.dynamic:
            return float(_UNKNOWN_ROWS / _UNKNOWN_SELECTIVITY ** len(bound))
        else:
            rows = self.static[text]
        if isinstance(rows, bool):
            return float(rows)
        if not bound:
            return float(len(rows))
        keys = len(index_builder(relation[1], bound, ())(rows)) if rows else 1
        return len(rows) / keys


def _index(key: IndexKey) -> str:
    return f"index_builder({key.relation[1]}, {key.bound!r}, {key.outputs!r})"


def _diverged(relations: list[str]) -> None:
    raise DivergenceError(relations, f"{MAX_ROUNDS} rounds of derivation")


def rows_of(rows: Any, arity: int) -> list[tuple[Value, ...]]:
    """The rows of a relation as tuples, whatever its arity."""
    if arity == 0:
        return [()] if rows else []
    return [(row,) for row in rows] if arity == 1 else list(rows)
