"""The terms that the rules of a game can build, to find misspelled ones: `(cel 1 1 b)` never holds in any state.

Only functions and lone constants are looked up: `(cell 9 9 b)` may be there to say that there is no such cell.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.errors import nearest
from gdl.language.rules import Atom, Literal, Rule, Signature, signature_text
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Constant, Function, Term, name_key


class Vocabulary:
    """The functions and constants that occur as terms in rules."""

    def __init__(self, rulesheet: Rulesheet) -> None:
        """Collect the terms of all rules."""
        terms = (arg for rule in rulesheet.rules for atom in _atoms(rule) for arg in atom.args)
        self._known = frozenset(signature for term in terms for signature in _signatures(term))

    def stranger(self, term: Term) -> str | None:
        """Describe the first part of a term that does not occur in the rules; return None if all parts do."""
        for signature in _signatures(term):
            if signature not in self._known and (signature[1] or isinstance(term, Constant)):
                return self._describe(signature)
        return None

    def _describe(self, signature: Signature) -> str:
        name, arity = signature
        arities = sorted(other for known, other in self._known if known == name and other)
        if arity and arities:
            return f"the rules have {name} with {' or '.join(map(str, arities))} arguments, not with {arity}"
        near = nearest(_text(signature), sorted(map(_text, self._known)), 3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        return f"the rules have no {_text(signature)}{hint}"


def _text(signature: Signature) -> str:
    return signature_text(signature) if signature[1] else signature[0]


def _atoms(rule: Rule) -> Iterator[Atom]:
    yield rule.head
    for condition in rule.body:
        if isinstance(condition, Literal):
            yield condition.atom


def _signatures(term: Term) -> Iterator[Signature]:
    """Yield the functions and constants of a term, each with its number of arguments."""
    if isinstance(term, Constant):
        yield name_key(term.name), 0
    elif isinstance(term, Function):
        yield name_key(term.name), len(term.args)
        for arg in term.args:
            yield from _signatures(arg)
