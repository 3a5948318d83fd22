"""Matches query patterns against rows, and converts values to terms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from gdl.errors import Location, Mistake, TermError, UnknownRelationError
from gdl.language.normalize import CONNECTIVES, KEYWORD_ARITY
from gdl.language.parser import parse_term, source_of
from gdl.language.rules import Atom, signature_text, variables_of
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.budget import Meter, limit_error
from gdl.reasoner.python_code import Value, value_of
from gdl.terms import Constant, Function, Term, Variable, name_key

#: The maximum number of cached terms, so that games with growing terms do not fill the memory.
_REMEMBERED = 1_000_000


@final
class Terms(dict[Value, Term]):
    """A cache of the terms of values, which are created on first access."""

    __slots__ = ("_meter",)

    def __init__(self, meter: Meter) -> None:
        """Start empty. Terms are made within the budget of `meter`."""
        super().__init__()
        self._meter = meter

    def __missing__(self, value: Value) -> Term:
        """Create the term of a value. Raises DerivationLimitError."""
        if self._meter.due:
            self._meter.check({}, (), None)
        if len(self) >= _REMEMBERED:
            self.clear()
        try:
            return self._made(value)
        except MemoryError:
            raise limit_error("memory", 0, None) from None

    def _made(self, value: Value) -> Term:
        # Arguments first, without recursion, since terms may become deeply nested in the course of a match.
        pending = [value]
        while pending:
            part = pending[-1]
            missing = [arg for arg in part[1:] if arg not in self] if isinstance(part, tuple) else ()
            if missing:
                pending.extend(missing)
                continue
            pending.pop()
            self[part] = (
                Function(part[0], tuple([self[arg] for arg in part[1:]])) if isinstance(part, tuple) else Constant(part)
            )
        return self[value]


def ground_value(term: Term | str, rulesheet: Rulesheet) -> Value:
    """Return the value of a term or KIF string, in the file's spelling. Raises TermError if it has variables."""
    if not isinstance(term, (str, Term)):
        raise TypeError(f"expected a term or a KIF string, not {term!r}")
    term = parse_term(term) if isinstance(term, str) else term
    if any(variables_of(term)):
        place = Location(source_of(term.text, "<term>"), 1, 1, len(term.text))
        raise TermError([Mistake("variable-in-fact", f"{term} has variables", place)])
    return value_of(rulesheet.respell(term))


def pattern_atom(pattern: Term | str, rulesheet: Rulesheet) -> Atom:
    """Return the atom of a query. Raises TermError and UnknownRelationError."""
    term = rulesheet.respell(parse_term(pattern) if isinstance(pattern, str) else pattern)
    if isinstance(term, Variable):
        place = Location(source_of(term.text, "<query>"), 1, 1, len(term.text))
        raise TermError([Mistake("misplaced-variable", "a query names a relation", place)])
    if name_key(term.name) in CONNECTIVES:
        place = Location(source_of(term.text, "<query>"), 1, 1, len(term.text))
        raise TermError([Mistake("misplaced-keyword", f"a query is one atom, without {term.name}", place)])
    atom = Atom(term.name, term.args if isinstance(term, Function) else ())
    name, arity = atom.signature
    if KEYWORD_ARITY.get(name) != arity and atom.signature not in rulesheet.graph.edges:
        known = {signature_text(signature) for signature in rulesheet.graph.edges}
        raise UnknownRelationError(signature_text(atom.signature), sorted(known))
    return atom


def match(atom: Atom, rows: Iterable[tuple[Value, ...]], terms: Terms) -> list[dict[str, Term]]:
    """Return the substitutions that make an atom equal to a row, sorted by the text of their terms."""
    found = []
    for row in rows:
        binding: dict[Variable, Value] = {}
        if all(matches(arg, value, binding) for arg, value in zip(atom.args, row, strict=True)):
            found.append({variable.text: terms[value] for variable, value in binding.items()})
    return sorted(found, key=lambda substitution: [term.text for term in substitution.values()])


def matches(pattern: Term, value: Value, binding: dict[Variable, Value]) -> bool:
    """Return True if a value is an instance of a term.

    The values of the term's variables are added to `binding`, which is spoilt if there is no match.
    """
    if isinstance(pattern, Variable):
        known: Value = binding.setdefault(pattern, value)
        return bool(known == value)
    if isinstance(pattern, Constant):
        return bool(pattern.text == value)
    return (
        isinstance(value, tuple)
        and len(value) == len(pattern.args) + 1
        and value[0] == pattern.name
        and all(matches(arg, part, binding) for arg, part in zip(pattern.args, value[1:], strict=True))
    )
