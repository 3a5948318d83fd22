"""Functions whose terms may become too large: only rules that build these have to measure what they build.

In most games, moves and facts hold constants, and no term can be larger than the rules' own. The analysis follows
functions from the heads of rules to the columns where they may appear, and from there through variables to other heads.
A function that may appear, however deep, in an argument of itself can grow without end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, final

from gdl.language.rules import Atom, Rule, Signature
from gdl.reasoner.budget import DerivationBudget
from gdl.terms import Function, Term, Variable, shape_of

#: A place where terms appear: a column of a relation, or an argument of a function wherever it appears.
_Place = tuple[str, Signature, int]

#: Relations whose rows become those of other relations in the course of a game.
_CARRIED: Final[Mapping[Signature, tuple[Signature, ...]]] = {
    ("legal", 2): (("does", 2),),
    ("init", 1): (("true", 1), ("true ?", 1)),
    ("next", 1): (("true", 1), ("true ?", 1)),
}


def growing_functions(rules: Iterable[Rule], budget: DerivationBudget) -> frozenset[Signature]:
    """Return the functions whose terms may exceed the budget if all rules are applied again and again."""
    rules = tuple(rules)
    if not any(isinstance(arg, Function) for rule in rules for arg in rule.head.args):
        return frozenset()
    flow = _Flow()
    for rule in rules:
        flow.add(rule)
    return _too_large(flow.contents(), budget)


@final
class _Flow:
    """The functions that rules put in places, and the places whose terms they move to others."""

    def __init__(self) -> None:
        self._functions: defaultdict[_Place, set[Signature]] = defaultdict(set)
        self._edges: defaultdict[_Place, set[_Place]] = defaultdict(set)

    def add(self, rule: Rule) -> None:
        if not rule.body and not any(isinstance(arg, Function) for arg in rule.head.args):
            return  # by far the most frequent kind in large files
        sources: dict[Variable, _Place] = {}
        for literal in rule.literals():
            if not literal.negated:
                for place, part in _parts(literal.atom):
                    if isinstance(part, Variable):
                        sources.setdefault(part, place)
        self._carry(rule.head)
        for literal in rule.literals():
            self._read(literal.atom)
        for place, part in _parts(rule.head):
            if isinstance(part, Function):
                self._functions[place].add(shape_of(part))
            elif isinstance(part, Variable) and part in sources:
                self._edges[sources[part]].add(place)

    def _carry(self, head: Atom) -> None:
        """Move the rows of `legal`, `init` and `next` to the relations of the next ply."""
        relation = head.signature
        name, blank, fact = relation[0].partition(" ")
        targets = [(f"true {fact}", relation[1])] if name == "next" and blank else _CARRIED.get(relation, ())
        for target in targets:
            for column in range(relation[1]):
                self._edges["column", relation, column].add(("column", target, column))

    def _read(self, atom: Atom) -> None:
        """Let the facts that a rule reads by their arguments be those that `init` or `next` derive as whole terms."""
        name, blank, fact = atom.signature[0].partition(" ")
        if name == "true" and blank:
            arity = len(atom.args)
            for column in range(arity):
                self._edges["argument", (fact, arity), column].add(("column", atom.signature, column))

    def contents(self) -> dict[_Place, set[Signature]]:
        """Return the functions that may appear in each place."""
        found: dict[_Place, set[Signature]] = {place: set(functions) for place, functions in self._functions.items()}
        pending = [(place, function) for place, functions in found.items() for function in functions]
        while pending:
            place, function = pending.pop()
            for target in self._edges.get(place, ()):
                known = found.setdefault(target, set())
                if function not in known:
                    known.add(function)
                    pending.append((target, function))
        return found


def _parts(atom: Atom) -> Iterator[tuple[_Place, Term]]:
    """Yield the terms in an atom, with their places."""
    pending: list[tuple[_Place, Term]] = [
        (("column", atom.signature, column), arg) for column, arg in enumerate(atom.args)
    ]
    while pending:
        place, part = pending.pop()
        yield place, part
        if isinstance(part, Function):
            pending += [(("argument", shape_of(part), i), arg) for i, arg in enumerate(part.args)]


def _too_large(contents: Mapping[_Place, set[Signature]], budget: DerivationBudget) -> frozenset[Signature]:
    """Return the functions whose largest term exceeds the budget, with anything that may be in their arguments."""
    functions = {function for found in contents.values() for function in found}
    users: defaultdict[Signature, set[Signature]] = defaultdict(set)
    open_parts: dict[Signature, set[Signature]] = {}
    for function in functions:
        parts = {part for column in range(function[1]) for part in contents.get(("argument", function, column), ())}
        open_parts[function] = parts
        for part in parts:
            users[part].add(function)
    # Functions are measured after all that may be in their arguments; what remains is, or contains, a cycle.
    size: dict[Signature, int] = {}
    depth: dict[Signature, int] = {}
    left = {function: len(parts) for function, parts in open_parts.items()}
    ready = [function for function, count in left.items() if not count]
    while ready:
        function = ready.pop()
        places = [contents.get(("argument", function, column), ()) for column in range(function[1])]
        size[function] = 1 + sum(max((size[part] for part in parts), default=1) for parts in places)
        depth[function] = 1 + max((depth[part] for part in open_parts[function]), default=0)
        if size[function] > budget.names or depth[function] > budget.depth:
            del size[function], depth[function]
            continue
        for user in users[function]:
            left[user] -= 1
            if not left[user]:
                ready.append(user)
    return frozenset(functions - size.keys())
