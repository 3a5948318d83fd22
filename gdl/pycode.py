"""Rules to Python: a rule's path of loops and conditions in join order, ending where a row is added.

Values are strings (constants) and tuples (functions: the name, then the arguments). A relation's rows are a bool
without columns, a set of values with one column, a set of tuples with more. An index maps the values of bound
columns to the values of the output columns; without outputs it is the set of the bound values. A key or row of one
column is the bare value.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from gdl.blocks import MAX_LOOPS, Entry
from gdl.joins import Match, Step, Test
from gdl.rules import Distinct, Rule, Signature, signature_text, variables_of
from gdl.terms import Constant, Function, Term, Variable

#: A ground term inside the engine: a string, or a tuple of a function's name and its arguments.
Value = Any


@dataclass(frozen=True, slots=True)
class IndexKey:
    """Which index: a relation, its bound columns and its output columns."""

    relation: Signature
    bound: tuple[int, ...]
    outputs: tuple[int, ...]

    def __str__(self) -> str:
        outputs = f" to {','.join(map(str, self.outputs))}" if self.outputs else ""
        return f"{signature_text(self.relation)} by {','.join(map(str, self.bound))}{outputs}"


TableKey = Signature | IndexKey


def table_text(key: TableKey) -> str:
    """What a table is called in a context: `cell/3`, or `cell/3 by 0,1 to 2`."""
    return str(key) if isinstance(key, IndexKey) else signature_text(key)


class Names:
    """Python identifiers for variables and tables: readable, valid, and never one for two things."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._taken = {*keyword.kwlist, "c", "add", "rest", "out", "tuple", "len", "set", "rounds"}

    def of(self, kind: str, text: str) -> str:
        key = (kind, text)
        if key not in self._names:
            stem = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_").lower()
            stem = f"{kind}_{stem}" if kind not in ("variable", "table") or not stem[:1].isalpha() else stem
            name, number = stem, 1
            while name in self._taken:
                number += 1
                name = f"{stem}_{number}"
            self._taken.add(name)
            self._names[key] = name
        return self._names[key]


@dataclass(frozen=True, slots=True)
class Scope:
    """What the code of one function may refer to.

    `static`: tables that never change are constants of the function, collected in `constants`. `local`: relations
    that the function itself is deriving; their indexes are collected in `local_indexes`. All else is fetched from
    the context `c`.
    """

    names: Names
    static: Callable[[Signature], bool]
    local: frozenset[Signature]
    constants: dict[str, TableKey]
    local_indexes: dict[IndexKey, str]

    def table(self, key: TableKey) -> tuple[str, tuple[str, ...]]:
        """A table's name, and the statements that fetch it."""
        relation = key.relation if isinstance(key, IndexKey) else key
        text = table_text(key)
        name = self.names.of("table", text)
        if relation in self.local:
            if isinstance(key, IndexKey):
                self.local_indexes[key] = name
            return name, ()
        if self.static(relation):
            self.constants[name] = key
            return name, ()
        return name, (f"{name} = c[{text!r}]",)


class RuleWriter:
    """Writes the path of one rule. `found` is the set that already has the rows found before."""

    def __init__(self, scope: Scope, found: str) -> None:
        self.scope = scope
        self.found = found
        self.bound: set[Variable] = set()
        self.parts = 0
        self.path: list[Entry] = []

    def write(self, rule: Rule, steps: Sequence[Step], *, boolean: bool) -> list[Entry]:
        """The path of a rule. `boolean`: the relation has no columns, so that its function returns when it holds.

        As soon as a row is bound, those found before are skipped, and once it is found the loops around are left
        as far as they could only find it again.
        """
        head = set(rule.head.variables())
        loops = sum(_is_loop(step) for step in steps)
        search = False
        for position, step in enumerate(steps):
            rest = any(map(_is_loop, steps[position:]))
            if not (search or boolean) and rest and self.bound >= head and loops <= MAX_LOOPS:
                self._enter(f"if {self._row(rule)} not in {self.found}", shared=False)
                search = True
            if isinstance(step, Test):
                self._test(step)
            else:
                self._match(step, search=search)
        if boolean:
            self._enter("return True", comment=str(rule))
        else:
            if self.found != "out" and not search:
                self._enter(f"if {self._row(rule)} not in {self.found}", comment=str(rule))
            self._enter(f"add({self._row(rule)})", comment=str(rule))
            if search:
                self._enter("break")
        return self.path

    def expression(self, term: Term) -> str:
        """Code for a term whose variables are bound."""
        if isinstance(term, Variable):
            return self.scope.names.of("variable", term.text)
        if isinstance(term, Constant):
            return repr(term.text)
        return f"({term.name!r}, {', '.join(map(self.expression, term.args))})"

    def _row(self, rule: Rule) -> str:
        return tuple_code([self.expression(arg) for arg in rule.head.args])

    def _enter(
        self,
        header: str,
        fetches: tuple[str, ...] = (),
        *,
        shared: bool = True,
        search: bool = False,
        comment: str = "",
    ) -> None:
        self.path.append(Entry(header, fetches, shared, search, comment))

    def _test(self, step: Test) -> None:
        condition = step.condition
        if isinstance(condition, Distinct):
            self._enter(f"if {self.expression(condition.left)} != {self.expression(condition.right)}")
            return
        name, fetches = self.scope.table(condition.atom.signature)
        if condition.atom.args:
            row = tuple_code([self.expression(arg) for arg in condition.atom.args])
            self._enter(f"if {row} not in {name}" if condition.negated else f"if {row} in {name}", fetches)
        else:
            self._enter(f"if not {name}" if condition.negated else f"if {name}", fetches)

    def _match(self, step: Match, *, search: bool) -> None:
        args = step.atom.args
        signature = step.atom.signature
        fetches: tuple[str, ...] = ()
        if step.delta:
            name = self.scope.names.of("new", signature_text(signature))
        elif step.bound:
            name, fetches = self.scope.table(IndexKey(signature, step.bound, step.outputs))
        else:
            name, fetches = self.scope.table(signature)
        key = tuple_code([self.expression(args[column]) for column in step.bound])
        if not _is_loop(step):
            self._enter(f"if {key} in {name}" if step.bound else f"if {name}", fetches)
            return
        columns = step.outputs if step.bound else range(len(args))
        checks: list[tuple[str, Term]] = []
        targets = [self._target(args[column], checks, wanted=column in step.outputs) for column in columns]
        rows = f"{name}.get({key}, ())" if step.bound else name
        self._enter(f"for {', '.join(targets) or '_'} in {rows}", fetches, shared=not search, search=search)
        for part, term in checks:
            self._check(part, term)

    def _target(self, arg: Term, checks: list[tuple[str, Term]], *, wanted: bool = True) -> str:
        """The name that a column is assigned to; what is left to check about it goes into `checks`."""
        if isinstance(arg, Variable) and arg not in self.bound:
            if not wanted:
                return "_"
            self.bound.add(arg)
            return self.expression(arg)
        self.parts += 1
        part = self.scope.names.of("part", str(self.parts))
        checks.append((part, arg))
        return part

    def _check(self, part: str, term: Term) -> None:
        """The conditions under which the value of that name is an instance of the term; binds its variables."""
        if not isinstance(term, Function) or self.bound.issuperset(variables_of(term)):
            self._enter(f"if {part} == {self.expression(term)}")
            return
        shape = f"{part}.__class__ is tuple and len({part}) == {len(term.args) + 1} and {part}[0] == {term.name!r}"
        self._enter(f"if {shape}")
        checks: list[tuple[str, Term]] = []
        targets = [self._target(arg, checks) for arg in term.args]
        self._enter(f"_, {', '.join(targets)} = {part}")
        for inner, arg in checks:
            self._check(inner, arg)


def _is_loop(step: Step) -> bool:
    return isinstance(step, Match) and (step.delta or bool(step.outputs))


def tuple_code(parts: Sequence[str]) -> str:
    """Code for a row or key: the bare value if there is only one."""
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def value_of(term: Term) -> Value:
    """A ground term as the value that stands for it. Raises ValueError for a variable."""
    if isinstance(term, Constant):
        return term.text
    if isinstance(term, Variable):
        raise ValueError(f"{term} is not ground")
    return (term.name, *map(value_of, term.args))


def row_of(terms: Sequence[Term]) -> Value:
    """The row that some ground terms are."""
    values = tuple(map(value_of, terms))
    return values[0] if len(values) == 1 else values


@cache
def index_builder(arity: int, bound: tuple[int, ...], outputs: tuple[int, ...]) -> Callable[..., Any]:
    """A function that indexes the rows of a relation; given an index as second argument, it extends that."""
    columns = [f"x{column}" for column in range(arity)]
    row = ", ".join(columns)
    key = tuple_code([columns[column] for column in bound])
    if not outputs:
        body = [f"    index.update({{{key} for {row} in rows}})"]
    else:
        # Where columns are left out, the same output can come twice; else a list will do.
        complete = len(bound) + len(outputs) == arity
        value = tuple_code([columns[column] for column in outputs])
        body = [
            f"    for {row} in rows:",
            f"        values = index.get({key})",
            "        if values is None:",
            f"            index[{key}] = {f'[{value}]' if complete else f'{{{value}}}'}",
            "        else:",
            f"            values.{'append' if complete else 'add'}({value})",
        ]
    empty = "{}" if outputs else "set()"
    code = [
        "def build(rows, index=None):",
        f"    index = {empty} if index is None else index",
        *body,
        "    return index",
    ]
    return define("\n".join(code), "build", {})


def define(code: str, name: str, namespace: dict[str, Any]) -> Callable[..., Any]:
    """The function of that name that the code defines."""
    scope = dict(namespace)
    exec(compile(code, f"<rules: {name}>", "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function
