"""A second interpreter of GDL, which shares nothing with `gdl` but the text: the measure of all engines.

Constants and variables are strings in lower case (variables begin with `?`); functions and atoms are tuples of a name
and arguments, but names alone where there are none. A model maps the name and arity of relations to atoms that hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

Term = Any
Relation = tuple[str, int]
Binding = dict[str, Term]
Model = dict[Relation, set[Term]]
CONNECTIVES = ("and", "or", "not", "distinct")


def read(text: str) -> list[Term]:
    """The expressions of a text as they are spelled: strings, and tuples of expressions."""
    groups: list[list[Term]] = [[]]
    for token in re.findall(r"[()]|[^\s();]+", re.sub(r";[^\r\n]*", "", text)):
        if token == "(":
            groups.append([])
        else:
            last = tuple(groups.pop()) if token == ")" else token
            groups[-1].append(last)
    return groups[0]


def folded(expression: Term, goal: bool = False) -> Term:
    """An expression in lower case, without parentheses around names alone; the connectives of a goal keep theirs."""
    if isinstance(expression, str):
        return expression.lower()
    inside = goal and expression[0].lower() in ("and", "or", "not")
    parts = (expression[0].lower(), *(folded(part, inside) for part in expression[1:]))
    return parts if len(parts) > 1 or inside else parts[0]


def rule(statement: Term) -> tuple[Term, list[Term]]:
    """The head and the conditions of a statement, tests first; a fact has none."""
    if statement[0] != "<=":
        return folded(statement), []
    goals = [folded(goal, True) for goal in statement[2:]]
    return folded(statement[1]), sorted(
        goals, key=lambda goal: ("not", "distinct", goal[0], "and", "or").index(goal[0])
    )


def relation(atom: Term) -> Relation:
    return (atom, 0) if isinstance(atom, str) else (atom[0], len(atom) - 1)


def needed(goal: Term) -> set[Relation]:
    """The relations that a condition mentions."""
    if goal[0] not in CONNECTIVES:
        return {relation(goal)}
    return set().union(*map(needed, goal[1:])) if goal[0] != "distinct" else set()


def variables(term: Term) -> set[str]:
    if isinstance(term, str):
        return {term} if term[0] == "?" else set()
    return set().union(*map(variables, term))


def substituted(term: Term, binding: Binding) -> Term:
    if isinstance(term, str):
        return substituted(binding[term], binding) if term in binding else term
    return tuple([substituted(part, binding) for part in term])


def unified(left: Term, right: Term, binding: Binding) -> Binding | None:
    """The binding, extended so that both terms are the same; None if that is impossible."""
    left, right = (substituted(one, binding) if one in binding else one for one in (left, right))
    if left == right:
        return binding
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str) and one[0] == "?":
            other = substituted(other, binding)
            return None if one in variables(other) else {**binding, one: other}
    if isinstance(left, str) or isinstance(right, str) or len(left) != len(right):
        return None
    for one, other in zip(left, right, strict=True):
        if one != other:
            extended = unified(one, other, binding)
            if extended is None:
                return None
            binding = extended
    return binding


def solutions(goals: Sequence[Term], binding: Binding, model: Model, assumed: Model) -> Iterator[Binding]:
    """The bindings under which all goals hold: atoms by the model, negated atoms by what is assumed."""
    for i, goal in enumerate(goals):
        rest, ways = [*goals[:i], *goals[i + 1 :]], [binding]
        match goal:
            case ("and", *parts):
                rest = [*parts, *rest]
            case ("or", *parts) if variables(substituted(goal, binding)):
                for part in parts:
                    yield from solutions([part, *rest], binding, model, assumed)
                return
            case ("or", *parts):
                ways = (
                    [binding] if any(True for one in parts for _ in solutions([one], binding, model, assumed)) else []
                )
            case ("not", ("not", part)):
                rest = [part, *rest]
            case ("not", ("and" | "or" as name, *parts)):
                rest = [("or" if name == "and" else "and", *(("not", part) for part in parts)), *rest]
            case ("not", ("distinct", left, right)):
                ways = [way] if (way := unified(left, right, binding)) is not None else []
            case ("not" | "distinct", *terms):
                one, *others = terms = [substituted(term, binding) for term in terms]
                if any(map(variables, terms)):
                    continue  # until its variables are bound
                ways = [binding] if one not in (others or assumed.get(relation(one), ())) else []
            case atom:
                rows, atom = model.get(relation(atom), set()), substituted(atom, binding)
                if open_ := variables(atom):
                    known = [i for i, part in enumerate(atom) if open_.isdisjoint(variables(part))]
                    columns = itemgetter(*known)
                    values = columns(atom)
                    rows = {row for row in rows if columns(row) == values}
                    ways = [way for row in rows if (way := unified(atom, row, binding)) is not None]
                else:
                    ways = [binding] if atom in rows else []
        for way in ways:
            yield from solutions(rest, way, model, assumed)
        return
    assert not goals, f"unsafe: {goals}"
    yield binding


class Game:
    """The rules of a text, the roles (declared ones first), the facts at the start, and what holds in any state."""

    def __init__(self, text: str) -> None:
        self.rules = list(map(rule, read(text)))
        #: The relations that each relation needs, directly or not.
        self.needs: dict[Relation, set[Relation]] = {relation(head): set() for head, _ in self.rules}
        for head, body in self.rules:
            self.needs[relation(head)].update(*map(needed, body))
        for needs in list(self.needs.values()) * len(self.needs):
            needs.update(*(self.needs.get(one, ()) for one in tuple(needs)))
        self.moveless = {one for one, needs in self.needs.items() if ("does", 2) not in needs}
        declared = [head[1] for head, body in self.rules if relation(head) == ("role", 1) and not body]
        roles = self.derive({}, {("role", 1), *self.needs.get(("role", 1), ())} & self.needs.keys()).get(
            ("role", 1), ()
        )
        self.roles = list(dict.fromkeys([*declared, *(atom[1] for atom in roles)]))

    @cached_property
    def static(self) -> Model:
        """All that holds in every state."""
        return self.derive({}, {one for one in self.moveless if ("true", 1) not in self.needs[one]})

    @cached_property
    def initial(self) -> frozenset[Term]:
        """The facts that hold at the start."""
        return frozenset(atom[1] for atom in self.static.get(("init", 1), ()))

    def model(self, state: Iterable[Term], moves: Mapping[Term, Term] | None = None) -> Model:
        """All that holds in a state; with moves, what depends on them, too."""
        model = self.derive({**self.static, ("true", 1): {("true", fact) for fact in state}}, self.moveless)
        done = {("does", role, move) for role, move in (moves or {}).items()}
        return model if moves is None else self.derive({**model, ("does", 2): done}, self.needs)

    def derive(self, given: Model, wanted: Iterable[Relation]) -> Model:
        """Derive the wanted relations: well-founded models by alternating fixpoints (van Gelder, 1989)."""
        model = dict(given)
        for one in sorted(wanted, key=lambda one: len(self.needs[one] | {one})):
            if one not in model:
                together = {one} | {other for other in self.needs[one] if one in self.needs.get(other, ())}
                most = self._derived(together, model, {})
                least = self._derived(together, model, most) if one in self.needs[one] else most
                while most != least:
                    before, most = most, self._derived(together, model, least)
                    assert most != before, f"undecided: {together}"
                    least = self._derived(together, model, most)
                model.update(least)
        return model

    def _derived(self, together: set[Relation], model: Model, assumed: Model) -> Model:
        """All that follows for some relations if what is assumed of them fails the negations in their rules."""
        found: Model = {one: set() for one in together}
        recursive = any(one in self.needs[one] for one in together)
        size = -1
        while size < (size := sum(map(len, found.values()))) and (recursive or not size):
            for head, body in self.rules:
                if relation(head) in together:
                    ways = list(solutions(body, {}, {**model, **found}, {**model, **assumed}))
                    found[relation(head)].update(substituted(head, way) for way in ways)
        return found
