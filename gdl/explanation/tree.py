"""Why an atom holds in a state, or why it does not: trees of values, for screens and programs alike."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import final

from gdl.errors import Location
from gdl.language.rules import Atom, Condition, Rule
from gdl.terms import Term, Variable


class Source(Enum):
    """What an atom holds by."""

    RULE = "rule"  # a rule of the file, with its conditions
    FACT = "fact"  # a fact of the file
    STATE = "state"  # the state: (true ...)
    MOVES = "moves"  # the joint move: (does ...)
    LIMIT = "limit"  # it holds, but the derivation is not followed that far


@final
@dataclass(frozen=True, slots=True, repr=False)
class Derivation:
    """Why a ground atom holds. `premises` are the conditions of `rule` as they hold, in their order.

    A fact of the file is a rule without conditions; for other sources `rule` is None. Derivations may share parts.
    """

    atom: Atom
    source: Source
    rule: Rule | None = None
    premises: tuple[Premise, ...] = ()

    @property
    def location(self) -> Location | None:
        return self.rule.location if self.rule is not None else None

    def __repr__(self) -> str:
        return f"<Derivation of {self.atom} by {self.source.value}: {_counted(len(self.premises), 'premise')}>"


@final
@dataclass(frozen=True, slots=True)
class Absence:
    """That a negated ground atom does not hold."""

    atom: Atom

    def __str__(self) -> str:
        return f"(not {self.atom})"


@final
@dataclass(frozen=True, slots=True)
class Difference:
    """That two ground terms differ."""

    left: Term
    right: Term

    def __str__(self) -> str:
        return f"(distinct {self.left} {self.right})"


Premise = Derivation | Absence | Difference


@final
@dataclass(frozen=True, slots=True, repr=False)
class Attempt:
    """How far a rule goes towards an atom that does not hold.

    Under `binding`, the nearest, the conditions `held` hold and `failed` has no instance that does. Conditions are
    taken in the order of the text, negations and inequalities when their variables are bound. `because` says why
    `failed` fails, where that is more than a look and less than the limit: why an atom does not hold, or, for a
    negation, why it does. Where not all bindings were tried, `complete` is False.
    """

    rule: Rule
    binding: tuple[tuple[Variable, Term], ...]
    held: tuple[Condition, ...]
    failed: Condition
    because: Refutation | Derivation | None = None
    complete: bool = True

    @property
    def location(self) -> Location | None:
        return self.rule.location

    @property
    def place(self) -> Location | None:
        """Where the condition that fails stands."""
        syntax = self.failed.syntax
        return syntax.location if syntax is not None else self.location

    def __repr__(self) -> str:
        return f"<Attempt of a rule for {self.rule.head}: {self.failed} fails>"


@final
@dataclass(frozen=True, slots=True, repr=False)
class Refutation:
    """Why no instance of an atom holds: `attempts` has the rules whose heads fit, in the order of the text.

    `others` is how many more such rules there are. `near` are facts of the state or the file, or moves, that are most
    like the atom.
    """

    atom: Atom
    source: Source
    attempts: tuple[Attempt, ...] = ()
    others: int = 0
    near: tuple[Atom, ...] = ()

    def __repr__(self) -> str:
        return f"<Refutation of {self.atom}: {_counted(len(self.attempts) + self.others, 'rule')}>"


@final
@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The answer for one atom.

    One without variables that holds has `derivations`, the shortest first, and `ways` is the number of instances of
    rules that derive it directly. One with variables that holds has its `instances`, sorted. One that does not hold
    has a `refutation`. `complete` is False where a limit was met: then the first derivation need not be the shortest,
    and there may be more ways.
    """

    atom: Atom
    holds: bool
    derivations: tuple[Derivation, ...] = ()
    ways: int = 0
    instances: tuple[Atom, ...] = ()
    refutation: Refutation | None = None
    complete: bool = True

    def __repr__(self) -> str:
        if not self.holds:
            answer = "does not hold"
        elif self.instances:
            answer = f"holds for {_counted(len(self.instances), 'instance')}"
        else:
            answer = f"holds in {_counted(self.ways, 'way')}"
        return f"<Explanation: {self.atom} {answer}>"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
