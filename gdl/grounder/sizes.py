"""Bounds of what grounding makes: the values of columns, the rows of relations, and the instances of rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import prod
from typing import Final, final

from gdl.language.rules import Atom, Rule, Signature, variables_of
from gdl.language.strata import DependencyGraph
from gdl.terms import Function, Term, Variable, shape_of

#: The number of values of a column of which nothing is known.
_UNKNOWN: Final = 1_000

#: A column is taken to be unknown after this many rounds of new values, as those of a counter that nothing stops.
_ROUNDS: Final = 300

#: The terms that a column of a relation may have; None if they are not known.
_Column = set[Term] | None

#: Relations with the same rows: facts are those of `next`, and moves those of `legal`. The others are their own.
_SAME: Final[Mapping[Signature, Signature]] = {
    **dict.fromkeys((("init", 1), ("next", 1)), ("true", 1)),
    ("legal", 2): ("does", 2),
}

#: A relation; facts and moves are told apart by their functions, whose arguments are columns.
_Table = tuple[Signature, tuple[str, int] | None]
_ANY: Final = ("", -1)


@final
class Sizes:
    """Bounds for some rules. They are those of joins of which nothing is known but the values of columns."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        """Find the values of all columns, and the rows of all relations."""
        self._columns: dict[_Table, list[_Column]] = {}
        #: `true` if rules derive facts that are variables, of which nothing is known; `does` with moves.
        self._open = {_table(rule.head)[0][0] for rule in rules if _is_open(rule)}
        self._values(rules)
        self._rows: dict[_Table, int] = {}
        own: defaultdict[_Table, list[Rule]] = defaultdict(list)
        for rule in rules:
            own[_table(rule.head)[0]].append(rule)
        graph = DependencyGraph(rules)
        for component in graph.components:
            found = {table: most for table in self._columns if table[0] in component if (most := self._product(table))}
            if len(component) == 1 and component[0] not in graph.edges[component[0]] | _SAME.keys():
                found = {table: min(most, sum(map(self._derived, own[table]))) for table, most in found.items()}
            self._rows.update(found)

    def _values(self, rules: Sequence[Rule]) -> None:
        readers: defaultdict[_Table, dict[Rule, None]] = defaultdict(dict)
        for rule in rules:
            for literal in rule.literals():
                readers[_table(literal.atom)[0]][rule] = None
        rounds: defaultdict[_Table, int] = defaultdict(int)
        changed = dict.fromkeys(rules)
        while changed:
            grown = {_table(rule.head)[0]: None for rule in changed if self._extended(rule, rounds)}
            for table in grown:
                rounds[table] += 1
            changed = {rule: None for table in grown for rule in readers[table]}

    def _extended(self, rule: Rule, rounds: Mapping[_Table, int]) -> bool:
        """Add what a rule derives to the columns of its head; return True if that is new."""
        values = self.domains(rule) if rule.body else {}
        if any(found is not None and not found for found in values.values()):
            return False
        table, args = _table(rule.head)
        if table[1] == _ANY:
            return False
        new = table not in self._columns
        columns = self._columns.setdefault(table, [set() for _ in args])
        for number, arg in enumerate(args):
            known = columns[number]
            if known is None:
                continue
            found = values.get(arg) if isinstance(arg, Variable) else None if any(variables_of(arg)) else {arg}
            if found is None or rounds.get(table, 0) > _ROUNDS:
                columns[number], new = None, True
            elif not found <= known:
                known |= found
                new = True
        return new

    def domains(self, rule: Rule) -> dict[Variable, _Column]:
        """Return the values that the variables of a rule can have, None where they are not known."""
        values: dict[Variable, _Column] = {}
        for literal in rule.literals():
            if not literal.negated:
                table, args = _table(literal.atom)
                columns = self._columns.get(table)
                unknown = table[1] == _ANY or table[0] in self._open
                for number, arg in enumerate(args):
                    if not isinstance(arg, Variable):
                        continue
                    column = None if unknown else set[Term]() if columns is None else columns[number]
                    before = values.get(arg)
                    values[arg] = column if before is None else before if column is None else before & column
        return values

    def _product(self, table: _Table) -> int:
        return prod(_UNKNOWN if column is None else len(column) for column in self._columns[table])

    def _derived(self, rule: Rule) -> int:
        return self.instances(rule, rule.head.variables()) if rule.body else 1

    def rows(self, relation: Signature) -> int:
        """Return a bound of the number of rows of a relation other than facts and moves."""
        return self._rows.get((relation, None), 0)

    def values(self, relation: Signature, column: int) -> int:
        """Return a bound of the number of values in a column of a relation other than facts and moves."""
        columns = self._columns.get((relation, None))
        values = set[Term]() if columns is None else columns[column]
        return _UNKNOWN if values is None else len(values)

    def instances(self, rule: Rule, variables: Iterable[Variable]) -> int:
        """Return a bound of the number of combinations of values that some variables of a rule may have.

        It is a product of numbers of values, and of rows of conditions with several of the variables.
        """
        domains = self.domains(rule)
        left = set(variables)
        sizes = {v: _UNKNOWN if (domain := domains.get(v)) is None else len(domain) for v in left}
        joins: list[tuple[int, set[Variable]]] = []
        for literal in rule.literals():
            if not literal.negated:
                rows = self._rows.get(_table(literal.atom)[0])
                if rows is not None:
                    joins.append((rows, set(literal.variables())))
        total = 1
        while left:
            choices = [(sizes[variable], {variable}) for variable in left]
            choices += [
                (min(rows, prod(sizes[v] for v in found)), found)
                for rows, variables in joins
                if len(found := variables & left) > 1
            ]
            # The least number of rows for each variable that is bound.
            size, found = min(choices, key=lambda choice: choice[0] ** (1 / len(choice[1])))
            total *= size
            left -= found
        return total

    def cost(self, rule: Rule) -> int:
        """Return a bound of the number of instances of a rule and of the parts into which it is split."""
        return sum(self.instances(rule, bag) for bag in parts(rule))


def _is_open(rule: Rule) -> bool:
    """Return True if a rule derives facts or moves of any kind, other than by handing on facts."""
    table, args = _table(rule.head)
    return table[1] == _ANY and not any(
        not literal.negated and literal.atom == Atom("true", (args[-1],)) for literal in rule.literals()
    )


def _table(atom: Atom) -> tuple[_Table, Sequence[Term]]:
    """Return the relation of an atom, and its columns."""
    relation = _SAME.get(atom.signature, atom.signature)
    if relation not in (("true", 1), ("does", 2)):
        return (relation, None), atom.args
    *roles, last = atom.args
    if isinstance(last, Variable):
        return (relation, _ANY), atom.args
    shape = shape_of(last)
    return (relation, shape), (*roles, *(last.args if isinstance(last, Function) else ()))


def parts(rule: Rule) -> Collection[frozenset[Variable]]:
    """Return the variables of each part into which a rule is split, the rule itself last."""
    kept = frozenset(rule.head.variables())
    bags = [frozenset(condition.variables()) for condition in rule.body]
    found: list[frozenset[Variable]] = []
    while True:
        everything = kept.union(*bags)
        near = {v: frozenset[Variable]().union(*(bag for bag in bags if v in bag)) for v in everything - kept}
        variable = min(near, key=lambda v: len(near[v]), default=None)
        if variable is None or len(near[variable]) == len(everything):
            return [*found, everything]
        found.append(near[variable])
        bags = [*(bag for bag in bags if variable not in bag), near[variable] - {variable}]
