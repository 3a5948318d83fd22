"""Ground programs: what may happen in a game, as propositional rules over numbered atoms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, final

from gdl.terms import Term

#: The number of the atom that always holds.
ALWAYS: Final = 0

#: A ground rule: the number of its head, and its body: numbers of atoms, negative where the atom is negated.
GroundRule = tuple[int, tuple[int, ...]]


@final
@dataclass(frozen=True, slots=True)
class GroundProgram:
    """The rules of a game without variables, over atoms with the numbers from 1 on; `ALWAYS` holds in every state.

    `true` and `does` are open: they have no rules, a state and a joint move say which of them hold. What a relation
    derives from nothing but facts has been evaluated away. It is an over-approximation: every fact and move that any
    playout can reach is here, and some that none can. What is not in a table never holds.
    """

    roles: tuple[Term, ...]
    init: frozenset[Term]
    #: Each fact that a state may hold.
    true: dict[Term, int]
    #: Each role's move that may be done.
    does: dict[tuple[Term, Term], int]
    legal: dict[tuple[Term, Term], int]
    next: dict[Term, int]
    goal: dict[tuple[Term, Term], int]
    sees: dict[tuple[Term, Term], int]
    #: None where no state is terminal.
    terminal: int | None
    rules: list[GroundRule] = field(repr=False)
    #: All numbers are smaller than this.
    size: int
