"""A backward-chaining prover (SLD resolution with negation as failure), which shares nothing with `gdl` but the text.

Conditions are proved from left to right, but negations and inequalities only once their variables are bound. Nothing is
tabled, so questions must end by themselves: each recursive condition has a smaller term than the head.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from support.oracle import Binding, Relation, Term, folded, read, relation, rule, substituted, unified, variables


class Prover:
    """The rules of a text, and the facts of a state."""

    def __init__(self, text: str, facts: Iterable[Term] = ()) -> None:
        self._rules: dict[Relation, list[tuple[Term, list[Term]]]] = {}
        for head, body in [*map(rule, read(text)), *((("true", fact), []) for fact in facts)]:
            self._rules.setdefault(relation(head), []).append((head, body))
        self._numbers = count()

    def answers(self, pattern: str) -> set[Term]:
        """The instances of an atom that can be proved."""
        (goal,) = map(folded, read(pattern))
        return {substituted(goal, way) for way in self._ways([goal], {})}

    def proves(self, pattern: str) -> bool:
        """True if some instance of an atom can be proved; the search ends with the first."""
        (goal,) = map(folded, read(pattern))
        return any(True for _ in self._ways([goal], {}))

    def _ways(self, goals: Sequence[Term], binding: Binding) -> Iterator[Binding]:
        """The bindings under which all goals can be proved."""
        for i, goal in enumerate(goals):
            rest = [*goals[:i], *goals[i + 1 :]]
            goal = substituted(goal, binding)
            match goal:
                case ("and", *parts):
                    yield from self._ways([*parts, *rest], binding)
                case ("or", *parts):
                    for part in parts:
                        yield from self._ways([part, *rest], binding)
                case ("not" | "distinct", *terms) if any(map(variables, terms)):
                    continue  # until its variables are bound
                case ("not", part):
                    if not any(True for _ in self._ways([part], {})):
                        yield from self._ways(rest, binding)
                case ("distinct", left, right):
                    if left != right:
                        yield from self._ways(rest, binding)
                case atom:
                    yield from self._resolved(atom, rest, binding)
            return
        assert not goals, f"unsafe: {goals}"
        yield binding

    def _resolved(self, atom: Term, rest: list[Term], binding: Binding) -> Iterator[Binding]:
        """The bindings under which one of the rules for an atom proves it, and the rest can be proved, too."""
        # Only the bindings of variables that are still of use are carried along.
        asked = [atom, *rest]
        for head, body in self._rules.get(relation(atom), ()):
            number = next(self._numbers)
            way = unified(_renamed(head, number), atom, {})
            if way is None:
                continue
            goals = [substituted(one, way) for one in (*(_renamed(part, number) for part in body), *rest)]
            kept = {name: substituted(name, way) for one in asked for name in variables(substituted(one, binding))}
            for found in self._ways(goals, {}):
                full = {name: substituted(term, found) for name, term in kept.items()}
                yield {**binding, **{n: t for n, t in {**found, **full}.items() if n != t}}


def _renamed(term: Term, number: int) -> Term:
    if isinstance(term, str):
        return f"{term}.{number}" if term[0] == "?" else term
    return tuple(_renamed(part, number) for part in term)


def spelled(term: Term) -> str:
    """A term as KIF."""
    return term if isinstance(term, str) else f"({' '.join(map(spelled, term))})"
