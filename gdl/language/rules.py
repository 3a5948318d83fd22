"""Flat rules: a head and a body of literals and inequalities, without `or` and `and`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import final

from gdl.errors import Location
from gdl.language.syntax import Expression
from gdl.terms import Function, Term, Variable, leaves, name_key, shape_of

#: The key of a relation's name, and its arity.
Signature = tuple[str, int]


def signature_text(signature: Signature) -> str:
    """Return a signature as text: `cell/3`."""
    return f"{signature[0]}/{signature[1]}"


def variables_of(term: Term) -> Iterator[Variable]:
    """Yield every occurrence of a variable in a term, from left to right."""
    return (leaf for leaf in leaves(term) if isinstance(leaf, Variable))


def substitute(term: Term, binding: Mapping[Variable, Term]) -> Term:
    """Return the term with its variables replaced by their values, recursively."""
    if isinstance(term, Variable):
        return substitute(binding[term], binding) if term in binding else term
    if isinstance(term, Function):
        return Function(term.name, tuple(substitute(arg, binding) for arg in term.args))
    return term


def unify(left: Term, right: Term, binding: dict[Variable, Term]) -> bool:
    """Extend `binding` so that both terms become equal. Return False, with `binding` spoilt, if they cannot be."""
    left, right = substitute(left, binding), substitute(right, binding)
    if left == right:
        return True
    if isinstance(right, Variable):
        left, right = right, left
    if isinstance(left, Variable):
        if left in variables_of(right):
            return False
        binding[left] = right
        return True
    if not isinstance(left, Function) or not isinstance(right, Function):
        return False
    if shape_of(left) != shape_of(right):
        return False
    return all(unify(a, b, binding) for a, b in zip(left.args, right.args, strict=True))


@final
@dataclass(frozen=True, slots=True)
class Atom:
    """A relation applied to terms; `name` is the first spelling in the file.

    `signature` is the key of the name, and the arity. Atoms, like terms, are compared by their keys.
    """

    name: str = field(compare=False)
    args: tuple[Term, ...] = ()
    signature: Signature = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Compute the signature."""
        object.__setattr__(self, "signature", (name_key(self.name), len(self.args)))

    def variables(self) -> Iterator[Variable]:
        """Yield every occurrence of a variable, from left to right."""
        for arg in self.args:
            yield from variables_of(arg)

    def __str__(self) -> str:
        """Return the KIF text."""
        return f"({self.name} {' '.join(arg.text for arg in self.args)})" if self.args else self.name


@final
@dataclass(frozen=True, slots=True)
class Literal:
    """An atom or its negation in a body. `syntax` is the expression in the text."""

    atom: Atom
    negated: bool = False
    syntax: Expression | None = field(default=None, compare=False, repr=False)

    def variables(self) -> Iterator[Variable]:
        """Yield every occurrence of a variable, from left to right."""
        return self.atom.variables()

    def __str__(self) -> str:
        """Return the KIF text."""
        return f"(not {self.atom})" if self.negated else str(self.atom)


@final
@dataclass(frozen=True, slots=True)
class Distinct:
    """An inequality: two terms that must differ."""

    left: Term
    right: Term
    syntax: Expression | None = field(default=None, compare=False, repr=False)

    def variables(self) -> Iterator[Variable]:
        """Yield every occurrence of a variable, from left to right."""
        yield from variables_of(self.left)
        yield from variables_of(self.right)

    def __str__(self) -> str:
        """Return the KIF text."""
        return f"(distinct {self.left} {self.right})"


Condition = Literal | Distinct


@final
@dataclass(frozen=True, slots=True)
class Rule:
    """A head that holds wherever all conditions of the body do. A fact is a rule with an empty body.

    `location` is that of the statement. A statement with `or` becomes several rules with the same location. `written`
    has the conditions of the statement that hold wherever this rule fires, including those that mean the same.
    """

    head: Atom
    body: tuple[Condition, ...] = ()
    location: Location | None = field(default=None, compare=False, repr=False)
    written: tuple[Expression, ...] = field(default=(), compare=False, repr=False)

    def literals(self) -> Iterator[Literal]:
        """Yield the conditions of the body that are not inequalities."""
        for condition in self.body:
            if isinstance(condition, Literal):
                yield condition

    def __str__(self) -> str:
        """Return the KIF text."""
        return f"(<= {' '.join(map(str, (self.head, *self.body)))})" if self.body else str(self.head)
