"""The parts of explanations: derivations and refutations, as immutable trees."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import final

from gdl.errors import Location
from gdl.language.rules import Atom, Condition, Rule
from gdl.terms import Term, Variable


class Source(Enum):
    """The reason why an atom holds."""

    RULE = "rule"  # a rule of the file, with its conditions
    FACT = "fact"  # a fact of the file
    STATE = "state"  # the state: (true ...)
    MOVES = "moves"  # the joint move: (does ...)
    LIMIT = "limit"  # it holds, but its derivation was not followed further


@final
@dataclass(frozen=True, slots=True, repr=False)
class Derivation:
    """A derivation of a ground atom. `premises` are the conditions of `rule` as they hold, in their order.

    A fact of the file is a rule without conditions; for other sources, `rule` is None. Derivations may share parts.
    """

    atom: Atom
    source: Source
    rule: Rule | None = None
    premises: tuple[Premise, ...] = ()

    @property
    def location(self) -> Location | None:
        """The location of the rule, if there is one."""
        return self.rule.location if self.rule is not None else None

    def __repr__(self) -> str:
        """Return the atom, its source and the number of premises."""
        return f"<Derivation of {self.atom} by {self.source.value}: {counted(len(self.premises), 'premise')}>"


@final
@dataclass(frozen=True, slots=True)
class Absence:
    """A negated ground atom that holds, because the atom does not."""

    atom: Atom

    def __str__(self) -> str:
        """Return the KIF text."""
        return f"(not {self.atom})"


@final
@dataclass(frozen=True, slots=True)
class Difference:
    """An inequality of two ground terms that holds."""

    left: Term
    right: Term

    def __str__(self) -> str:
        """Return the KIF text."""
        return f"(distinct {self.left} {self.right})"


Premise = Derivation | Absence | Difference


@final
@dataclass(frozen=True, slots=True, repr=False)
class Attempt:
    """A failed attempt of a rule to derive an atom.

    Under `binding`, the conditions in `held` hold, and no instance of `failed` does; no other binding meets more
    conditions. Conditions are taken in the order of the text, negations and inequalities as soon as their variables are
    bound. `because` explains why `failed` fails: the refutation of an atom or, for a negation, a derivation. It is None
    if there is nothing to explain or a limit is reached. `complete` is False if not all bindings were tried.
    """

    rule: Rule
    binding: tuple[tuple[Variable, Term], ...]
    held: tuple[Condition, ...]
    failed: Condition
    because: Refutation | Derivation | None = None
    complete: bool = True

    @property
    def location(self) -> Location | None:
        """The location of the rule."""
        return self.rule.location

    @property
    def place(self) -> Location | None:
        """The location of the condition that fails."""
        syntax = self.failed.syntax
        return syntax.location if syntax is not None else self.location

    def __repr__(self) -> str:
        """Return the head of the rule and the condition that fails."""
        return f"<Attempt of a rule for {self.rule.head}: {self.failed} fails>"


@final
@dataclass(frozen=True, slots=True, repr=False)
class Refutation:
    """An explanation of why no instance of an atom holds.

    `attempts` are the rules whose heads match, in the order of the text; `others` is the number of further such rules.
    `near` are the most similar facts of the state or the file, or moves.
    """

    atom: Atom
    source: Source
    attempts: tuple[Attempt, ...] = ()
    others: int = 0
    near: tuple[Atom, ...] = ()

    def __repr__(self) -> str:
        """Return the atom and the number of rules with a matching head."""
        return f"<Refutation of {self.atom}: {counted(len(self.attempts) + self.others, 'rule')}>"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1."""
    return f"{count} {noun}{'s' * (count != 1)}"
