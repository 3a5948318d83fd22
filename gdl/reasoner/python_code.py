"""Translates rules to Python: the path of a rule has its loops and conditions in join order, and ends by adding a row.

Values are strings (constants) and tuples (functions: the name, then the arguments). The rows of a relation are a bool
if it has no columns, a set of values for one column, and a set of tuples for more. An index maps the values of bound
columns to those of the output columns; without outputs, it is the set of the bound values. A key or row of one column
is the bare value.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import inf
from typing import Any

from gdl.language.rules import Distinct, Rule, Signature, signature_text, variables_of
from gdl.reasoner import blocks
from gdl.reasoner.blocks import Entry
from gdl.reasoner.joins import Match, Risk, Step, Test
from gdl.terms import Constant, Function, Term, Variable, fold, shape_of

#: A ground term inside the engine: a string, or a tuple of a function's name and its arguments.
Value = Any


@dataclass(frozen=True, slots=True)
class IndexKey:
    """Identifies an index: a relation, its bound columns and its output columns.

    A lazy index is not built from the relation's rows, but derives the answer for a key when it is first accessed.
    """

    relation: Signature
    bound: tuple[int, ...]
    outputs: tuple[int, ...]
    lazy: bool = False

    def __str__(self) -> str:
        """Return the text of the index: `cell/3 by 0,1 to 2`, or with `for` if it is lazy."""
        outputs = f" to {','.join(map(str, self.outputs))}" if self.outputs else ""
        by = "for" if self.lazy else "by"
        return f"{signature_text(self.relation)} {by} {','.join(map(str, self.bound))}{outputs}"


TableKey = Signature | IndexKey


def table_text(key: TableKey) -> str:
    """Return the key of a table in a context: `cell/3`, or `cell/3 by 0,1 to 2`."""
    return str(key) if isinstance(key, IndexKey) else signature_text(key)


#: Names that generated code uses internally.
_RESERVED = (
    "add",
    "bool",
    "c",
    "check",
    "derive",
    "due",
    "facts",
    "found",
    "holds",
    "index_builder",
    "key",
    "len",
    "measure",
    "out",
)
_RESERVED_TOO = ("overflow", "rules", "set", "small_key", "tuple")


class Names:
    """Python identifiers for variables and tables: readable, valid and unique."""

    def __init__(self) -> None:
        """Start with the reserved names taken."""
        self._names: dict[tuple[str, str], str] = {}
        self._taken = {*keyword.kwlist, *_RESERVED, *_RESERVED_TOO}

    def of(self, kind: str, text: str) -> str:
        """Return the identifier for a text of some kind ("variable", "table", "part", ...), always the same one."""
        key = (kind, text)
        if key not in self._names:
            stem = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_").lower()
            if kind not in ("variable", "table") or not stem[:1].isalpha() or stem.startswith("rest_"):
                stem = f"{kind}_{stem}"
            name, number = stem, 1
            while name in self._taken:
                number += 1
                name = f"{stem}_{number}"
            self._taken.add(name)
            self._names[key] = name
        return self._names[key]


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that the code of one function may refer to.

    `local` are the relations that the function itself derives; their indexes are collected in `local_indexes`. `lazy`
    relations are read through lazy indexes. `static` relations never change; their tables are constants of the
    function, collected in `constants`. All other tables are fetched from the context `c`, and collected in `fetched`.
    Terms of `growing` functions are measured; `rules` are the rules in the code, by the numbers that it uses for them.
    `most` returns the greatest number of rows in a static table, or for a key of a static index. `risky` tells which
    questions may never end.
    """

    names: Names
    static: Callable[[Signature], bool]
    lazy: Container[Signature]
    local: frozenset[Signature] = frozenset()
    constants: dict[str, TableKey] = field(default_factory=dict)
    local_indexes: dict[IndexKey, str] = field(default_factory=dict)
    fetched: dict[str, TableKey] = field(default_factory=dict)
    growing: Container[Signature] = ()
    rules: list[Rule] = field(default_factory=list)
    most: Callable[[TableKey], float] = lambda _: inf
    risky: Risk = lambda _, __: False

    def number(self, rule: Rule) -> int:
        """Return the number of a rule."""
        if not self.rules or self.rules[-1] is not rule:
            self.rules.append(rule)
        return len(self.rules) - 1

    def is_lazy(self, relation: Signature) -> bool:
        """Return True if a relation is read through lazy indexes here."""
        return relation in self.lazy and relation not in self.local

    def table(self, key: TableKey) -> tuple[str, tuple[str, ...]]:
        """Return the name of a table, and the statements that fetch it."""
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
        self.fetched[text] = key
        return name, (f"{name} = c[{text!r}]",)


class RuleWriter:
    """Writes the path of one rule. `found` is the name of the set of rows found so far.

    With `search`, loops that can only find the same row again are left once it is found.
    """

    def __init__(self, scope: Scope, found: str, *, search: bool) -> None:
        """Start with an empty path."""
        self.scope = scope
        self.found = found
        self.search = search
        self.bound: set[Variable] = set()
        self.parts = 0
        self.path: list[Entry] = []

    def bind(self, values: Sequence[tuple[str, Term]]) -> None:
        """Start the path with named values that must be instances of the given terms."""
        for name, term in values:
            if isinstance(term, Variable) and term not in self.bound:
                self._enter(f"{self.expression(term)} = {name}")
                self.bound.add(term)
            else:
                self._check(name, term)

    def write(self, rule: Rule, steps: Sequence[Step], row: Sequence[Term] | None) -> list[Entry]:
        """Return the path of a rule, which ends by adding a row or, if `row` is None, by returning True.

        Rows that have been found before are skipped as soon as they are bound.
        """
        head = {variable for term in row or () for variable in variables_of(term)}
        comment = str(rule)
        number = self.scope.number(rule)
        search = False
        for position, step in enumerate(steps):
            rest = any(map(_is_loop, steps[position:]))
            if row and self.search and not search and rest and self.bound >= head:
                self._measure(row, number)
                self._enter(f"if {self._tuple(row)} not in {self.found}", shared=False)
                search = True
            if isinstance(step, Test):
                self._test(step)
            else:
                self._match(step, search=search)
        if row is None:
            self._enter("return True", comment=comment, rule=number)
            return self.path
        if not search:
            self._measure(row, number)
        if self.found != "out" and not search:
            self._enter(f"if {self._tuple(row)} not in {self.found}")
        self._enter(f"add({self._tuple(row)})", comment=comment, rule=number)
        if search:
            self._enter("break")
        return self.path

    def expression(self, term: Term) -> str:
        """Return the code for a term whose variables are bound."""
        if isinstance(term, Variable):
            return self.scope.names.of("variable", term.text)
        if isinstance(term, Constant):
            return repr(term.text)
        return f"({term.name!r}, {', '.join(map(self.expression, term.args))})"

    def _tuple(self, terms: Sequence[Term]) -> str:
        return tuple_code([self.expression(term) for term in terms])

    def _enter(
        self,
        header: str,
        fetches: tuple[str, ...] = (),
        *,
        shared: bool = True,
        comment: str = "",
        rule: int | None = None,
    ) -> None:
        self.path.append(Entry(header, fetches, shared, comment=comment, rule=rule))

    def _measure(self, row: Sequence[Term], number: int) -> None:
        """Measure the terms of a row that may be too large, before the row is hashed."""
        for term in row:
            if isinstance(term, Function) and shape_of(term) in self.scope.growing and any(variables_of(term)):
                self._enter(f"measure({self.expression(term)}, rules[{number}])", shared=False)

    def _small_key(self, signature: Signature, terms: Sequence[Term]) -> None:
        """Measure the terms in a key of a lazy index: the keys that rules ask for may grow where rows do not."""
        for term in terms:
            if isinstance(term, Function) and any(variables_of(term)):
                self._enter(f"small_key({signature!r}, {self.expression(term)})", shared=False)

    def _test(self, step: Test) -> None:
        condition = step.condition
        if isinstance(condition, Distinct):
            self._enter(f"if {self.expression(condition.left)} != {self.expression(condition.right)}")
            return
        atom = condition.atom
        if atom.args and self.scope.is_lazy(atom.signature):
            key = IndexKey(atom.signature, tuple(range(len(atom.args))), (), lazy=True)
            name, fetches = self.scope.table(key)
            self._small_key(atom.signature, atom.args)
            self._enter(f"if {'not ' if condition.negated else ''}{name}[{self._tuple(atom.args)}]", fetches)
            return
        name, fetches = self.scope.table(atom.signature)
        if atom.args:
            operator = "not in" if condition.negated else "in"
            self._enter(f"if {self._tuple(atom.args)} {operator} {name}", fetches)
        else:
            self._enter(f"if not {name}" if condition.negated else f"if {name}", fetches)

    def _match(self, step: Match, *, search: bool) -> None:
        args = step.atom.args
        signature = step.atom.signature
        lazy = self.scope.is_lazy(signature)
        fetches: tuple[str, ...] = ()
        table = IndexKey(signature, step.bound, step.outputs, lazy) if step.bound else signature
        if step.delta:
            name = self.scope.names.of("new", signature_text(signature))
        else:
            name, fetches = self.scope.table(table)
        if lazy:
            self._small_key(signature, [args[column] for column in step.bound])
        key = self._tuple([args[column] for column in step.bound])
        if not _is_loop(step):
            found = f"{name}[{key}]" if lazy else f"{key} in {name}"
            self._enter(f"if {found if step.bound else name}", fetches)
            return
        columns = step.outputs if step.bound else range(len(args))
        checks: list[tuple[str, Term]] = []
        targets = [self._target(args[column], checks, wanted=column in step.outputs) for column in columns]
        rows = name if not step.bound else f"{name}[{key}]" if lazy else f"{name}.get({key}, ())"
        most = inf if lazy or not self.scope.static(signature) else self.scope.most(table)
        loop = f"for {', '.join(targets) or '_'} in {rows}"
        self.path.append(Entry(loop, fetches, not search, search, most=most))
        for part, term in checks:
            self._check(part, term)

    def _target(self, arg: Term, checks: list[tuple[str, Term]], *, wanted: bool = True) -> str:
        """Return the name that a column is assigned to. Remaining conditions on it are added to `checks`."""
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
        """Add conditions that a named value is an instance of a term, and bind the term's variables."""
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


def rule_path(
    scope: Scope,
    found: str,
    rule: Rule,
    steps: Sequence[Step],
    row: Sequence[Term] | None,
    given: Sequence[tuple[str, Term]] = (),
) -> list[Entry]:
    """Return the path of a rule, by the given steps.

    `given` are named values that must be instances of terms, and that the path starts with.
    """
    # Nested loops can only be left if they are in the same function, so not if the path is too long for one.
    search = sum(map(_is_loop, steps)) <= blocks.MAX_LOOPS
    while True:
        writer = RuleWriter(scope, found, search=search)
        writer.bind(given)
        path = writer.write(rule, steps, row)
        if not search or len(path) < blocks.MAX_DEPTH:
            return path
        search = False


def _is_loop(step: Step) -> bool:
    return isinstance(step, Match) and (step.delta or bool(step.outputs))


def tuple_code(parts: Sequence[str]) -> str:
    """Return the code for a row or key: the bare value if there is only one."""
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def value_of(term: Term) -> Value:
    """Return the value of a ground term. Raises ValueError if it has a variable."""

    def leaf_value(leaf: Constant | Variable) -> Value:
        if isinstance(leaf, Variable):
            raise ValueError(f"{leaf} is not ground")
        return leaf.text

    return fold(term, leaf_value, lambda function, args: (function.name, *args))


def row_of(terms: Sequence[Term]) -> Value:
    """Return the row of some ground terms."""
    values = tuple(map(value_of, terms))
    return values[0] if len(values) == 1 else values


@cache
def index_builder(arity: int, bound: tuple[int, ...], outputs: tuple[int, ...]) -> Callable[..., Any]:
    """Return a function that indexes the rows of a relation, or extends an index given as second argument."""
    columns = [f"x{column}" for column in range(arity)]
    row = ", ".join(columns)
    key = tuple_code([columns[column] for column in bound])
    if not outputs:
        body = [f"    index.update({{{key} for {row} in rows}})"]
    else:
        # If a column is in neither, outputs may repeat, and a set removes duplicates; otherwise a list will do.
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
    """Execute code, and return the function that it defines."""
    scope = dict(namespace)
    exec(compile(code, f"<rules: {name}>", "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function
