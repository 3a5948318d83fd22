"""A second interpreter of GDL, which shares nothing with `gdl` but the text: the measure of all engines. Clear and slow.

Constants and variables are strings in lower case (variables begin with `?`); functions and atoms are tuples of a name
and arguments, but names alone where there are none. A model maps the name and arity of relations to atoms that hold.

Relations that need each other are evaluated together, after all others that they need: their well-founded model is
found by an alternating fixpoint (van Gelder, 1989). If it leaves atoms undecided, `Undecided` is raised.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Term = Any
Relation = tuple[str, int]
Binding = dict[str, Term]
Model = dict[Relation, set[Term]]

CONNECTIVES = ("and", "or", "not", "distinct")


class Undecided(Exception):
    """Raised for rules whose well-founded model leaves atoms undecided."""


def read(text: str) -> list[Term]:
    """The expressions of a text as they are spelled: strings, and tuples of expressions."""
    groups: list[list[Term]] = [[]]
    for token in re.findall(r"[()]|[^\s();]+", re.sub(r";[^\r\n]*", "", text)):
        if token == "(":
            groups.append([])
        else:
            last = tuple(groups.pop()) if token == ")" else token
            groups[-1].append(last)
    (expressions,) = groups
    return expressions


def folded(expression: Term) -> Term:
    """A term or atom in lower case, without parentheses around names alone."""
    if isinstance(expression, str):
        return expression.lower()
    return tuple(map(folded, expression)) if len(expression) > 1 else expression[0].lower()


def condition(expression: Term) -> Term:
    """A condition in lower case; connectives keep their parentheses."""
    if isinstance(expression, str) or expression[0].lower() not in ("and", "or", "not"):
        return folded(expression)
    return (expression[0].lower(), *map(condition, expression[1:]))


def rule(statement: Term) -> tuple[Term, tuple[Term, ...]]:
    """The head and the conditions of a statement; a fact has none."""
    if statement[0] != "<=" or isinstance(statement, str):
        return folded(statement), ()
    return folded(statement[1]), tuple(map(condition, statement[2:]))


def text_of(term: Term) -> str:
    return term if isinstance(term, str) else f"({' '.join(map(text_of, term))})"


def relation(atom: Term) -> Relation:
    return (atom, 0) if isinstance(atom, str) else (atom[0], len(atom) - 1)


def variables(term: Term) -> set[str]:
    if isinstance(term, str):
        return {term} if term[0] == "?" else set()
    return {variable for part in term for variable in variables(part)}


def substituted(term: Term, binding: Binding) -> Term:
    if isinstance(term, str):
        return substituted(binding[term], binding) if term in binding else term
    return tuple([substituted(part, binding) for part in term])


def unified(left: Term, right: Term, binding: Binding) -> Binding | None:
    """The binding, extended so that both terms are the same; None if that is impossible."""
    while left in binding:
        left = binding[left]
    while right in binding:
        right = binding[right]
    if left == right:
        return binding
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str) and one[0] == "?":
            other = substituted(other, binding)
            return None if one in variables(other) else {**binding, one: other}
    if isinstance(left, str) or isinstance(right, str) or len(left) != len(right):
        return None
    for one, other in zip(left, right, strict=True):
        extended = unified(one, other, binding)
        if extended is None:
            return None
        binding = extended
    return binding


def solutions(goals: Sequence[Term], binding: Binding, model: Model, assumed: Model) -> Iterator[Binding]:
    """The bindings under which all goals hold: atoms by the model, negated atoms by what is assumed.

    Negated atoms and inequalities wait until their variables are bound.
    """
    for i, goal in enumerate(goals):
        rest, ways = [*goals[:i], *goals[i + 1 :]], [binding]
        match goal:
            case ("and", *parts):
                rest = [*parts, *rest]
            case ("or", *parts):
                for part in parts:
                    yield from solutions([part, *rest], binding, model, assumed)
                return
            case ("not", ("not", part)):
                rest = [part, *rest]
            case ("not", ("and" | "or" as name, *parts)):
                rest = [("or" if name == "and" else "and", *(("not", part) for part in parts)), *rest]
            case ("not", ("distinct", left, right)):
                ways = [way] if (way := unified(left, right, binding)) is not None else []
            case ("not" | "distinct" as name, *terms):
                terms = [substituted(term, binding) for term in terms]
                if any(map(variables, terms)):
                    continue
                holds = terms[0] not in assumed.get(relation(terms[0]), ()) if name == "not" else terms[0] != terms[1]
                ways = [binding] if holds else []
            case atom:
                rows, atom = model.get(relation(atom), set()), substituted(atom, binding)
                ways = (
                    [way for row in rows if (way := unified(atom, row, binding)) is not None]
                    if variables(atom)
                    else [binding] * (atom in rows)
                )
        for way in ways:
            yield from solutions(rest, way, model, assumed)
        return
    assert not goals, f"unsafe: {goals}"
    yield binding


def needed(goal: Term) -> set[Relation]:
    """The relations that a condition mentions."""
    if goal[0] not in CONNECTIVES or isinstance(goal, str):
        return {relation(goal)}
    return {one for part in goal[1:] for one in needed(part)} if goal[0] != "distinct" else set()


class Game:
    """The rules of a text, the roles in their order, the facts at the start, and what holds in any state."""

    def __init__(self, text: str) -> None:
        self.rules = list(map(rule, read(text)))
        #: The relations that each relation needs, directly or not.
        self.needs: dict[Relation, set[Relation]] = {relation(head): set() for head, _ in self.rules}
        for head, body in self.rules * len(self.needs):
            direct = set().union(*map(needed, body))
            self.needs[relation(head)].update(direct, *(self.needs.get(one, ()) for one in direct))
        static = {one for one, needs in self.needs.items() if not {("true", 1), ("does", 2)} & needs}
        self.moveless = {one for one, needs in self.needs.items() if ("does", 2) not in needs}
        self.static = self.derive({}, static)
        declared = [head[1] for head, body in self.rules if relation(head) == ("role", 1) and not body]
        derived = sorted((atom[1] for atom in self.static.get(("role", 1), ())), key=text_of)
        self.roles = list(dict.fromkeys([*declared, *derived]))
        self.initial = frozenset(atom[1] for atom in self.static.get(("init", 1), ()))

    def model(self, state: Iterable[Term], moves: Mapping[Term, Term] | None = None) -> Model:
        """All that holds in a state; with moves, what depends on them, too."""
        model = self.derive({**self.static, ("true", 1): {("true", fact) for fact in state}}, self.moveless)
        done = {("does", role, move) for role, move in (moves or {}).items()}
        return model if moves is None else self.derive({**model, ("does", 2): done}, self.needs)

    def derive(self, given: Model, wanted: Iterable[Relation]) -> Model:
        """What holds of the wanted relations, given all others that they need."""
        model = dict(given)
        for one in sorted(wanted, key=lambda one: len(self.needs[one] | {one})):
            if one not in model:
                together = {one} | {other for other in self.needs[one] if one in self.needs.get(other, ())}
                model.update(self._component(together, one in self.needs[one], model))
        return model

    def _component(self, together: set[Relation], recursive: bool, model: Model) -> Model:
        def derived(assumed: Model) -> Model:
            found: Model = {one: set() for one in together}
            denied, before = {**model, **assumed}, -1
            while before < (before := sum(map(len, found.values()))):
                for head, body in self.rules:
                    if relation(head) in together:
                        ways = list(solutions(body, {}, {**model, **found}, denied))
                        found[relation(head)].update(substituted(head, way) for way in ways)
                if not recursive:
                    break
            return found

        most = derived({})
        least = derived(most) if recursive else most
        while most != least:
            before, most = most, derived(least)
            if most == before:
                raise Undecided(sorted(together))
            least = derived(most)
        return least
