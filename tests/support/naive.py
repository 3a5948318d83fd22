"""The obvious interpreter: derives everything, again and again, until nothing new comes. The measure of the engines.

It takes flat rules and terms from `gdl` and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gdl.language.rules import Atom, Distinct, Rule, Signature
from gdl.terms import Constant, Function, Term, Variable

#: Each relation's rows.
Model = dict[Signature, set[tuple[Term, ...]]]
_Binding = dict[Variable, Term]


def derive(rules: Iterable[Rule], given: Mapping[Signature, Iterable[tuple[Term, ...]]] | None = None) -> Model:
    """All that stratified rules derive from the given rows, the given rows included."""
    rules = list(rules)
    model: Model = {relation: set(rows) for relation, rows in (given or {}).items()}
    levels = _levels(rules)
    for level in sorted(set(levels.values())):
        stratum = [rule for rule in rules if levels[rule.head.signature] == level]
        while True:
            rows = [(r.head.signature, _apply(r.head.args, b)) for r in stratum for b in _solutions(r, model)]
            new = [(relation, row) for relation, row in rows if row not in model.setdefault(relation, set())]
            if not new:
                break
            for relation, row in new:
                model[relation].add(row)
    return model


def _levels(rules: list[Rule]) -> dict[Signature, int]:
    """Each head's stratum: at least that of what its rules need, and more than that of what they negate."""
    levels = {rule.head.signature: 0 for rule in rules}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            for literal in rule.literals():
                least = levels.get(literal.atom.signature, 0) + literal.negated
                if levels[rule.head.signature] < least:
                    levels[rule.head.signature] = least
                    changed = True
                    assert least <= len(levels), "not stratified"
    return levels


def _solutions(rule: Rule, model: Model) -> Iterator[_Binding]:
    """The bindings of a rule's variables under which its body holds."""
    bindings: list[_Binding] = [{}]
    for literal in rule.literals():
        if not literal.negated:
            rows = model.get(literal.atom.signature, set())
            bindings = [m for b in bindings for row in rows if (m := _match_all(literal.atom.args, row, b)) is not None]
    for binding in bindings:
        if all(_holds(condition, binding, model) for condition in rule.body):
            yield binding


def _holds(condition: object, binding: _Binding, model: Model) -> bool:
    if isinstance(condition, Distinct):
        left, right = _apply((condition.left, condition.right), binding)
        return left != right
    atom: Atom = condition.atom  # type: ignore[attr-defined]
    return (_apply(atom.args, binding) in model.get(atom.signature, set())) != condition.negated  # type: ignore[attr-defined]


def _match_all(patterns: tuple[Term, ...], row: tuple[Term, ...], binding: _Binding) -> _Binding | None:
    for pattern, term in zip(patterns, row, strict=True):
        match = _match(pattern, term, binding)
        if match is None:
            return None
        binding = match
    return binding


def _match(pattern: Term, term: Term, binding: _Binding) -> _Binding | None:
    """The binding, extended so that the pattern becomes the term."""
    if isinstance(pattern, Variable):
        if pattern in binding:
            return binding if binding[pattern] == term else None
        return {**binding, pattern: term}
    if isinstance(pattern, Function):
        if not isinstance(term, Function) or term.name.lower() != pattern.name.lower():
            return None
        return _match_all(pattern.args, term.args, binding) if len(term.args) == len(pattern.args) else None
    return binding if pattern == term else None


def _apply(args: tuple[Term, ...], binding: _Binding) -> tuple[Term, ...]:
    return tuple(
        binding[arg]
        if isinstance(arg, Variable)
        else Function(arg.name, _apply(arg.args, binding))
        if isinstance(arg, Function)
        else arg
        for arg in args
    )


def constants(*names: str) -> tuple[Term, ...]:
    """A row of constants."""
    return tuple(map(Constant, names))
