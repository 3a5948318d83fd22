"""Ground programs: the rules of a game as propositional rules over numbered atoms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, final

from gdl.terms import Term

#: The number of the atom that always holds.
ALWAYS: Final = 0

#: A ground rule: the number of its head, and its body as numbers of atoms, negative for negated ones.
GroundRule = tuple[int, tuple[int, ...]]


@final
@dataclass(frozen=True, slots=True)
class GroundProgram:
    """The rules of a game without variables, over atoms numbered from 1; `ALWAYS` holds in every state.

    The atoms in `true` and `does` are open: they have no rules, but are set by a state and a joint move. Relations that
    depend on neither have been evaluated away. The program is an over-approximation: it has every fact and move that
    any playout can reach, and perhaps some that none can. An atom that is in no table never holds. The rules take for
    granted that each role makes one move, and that facts that no rule ever changes are as in the initial state.
    """

    roles: tuple[Term, ...]
    init: frozenset[Term]
    #: The facts that a state may contain.
    true: dict[Term, int]
    #: The moves that may be made, by role and move.
    does: dict[tuple[Term, Term], int]
    legal: dict[tuple[Term, Term], int]
    next: dict[Term, int]
    goal: dict[tuple[Term, Term], int]
    sees: dict[tuple[Term, Term], int]
    #: None if no state is terminal.
    terminal: int | None
    rules: list[GroundRule] = field(repr=False)
    #: Greater than the number of every atom.
    size: int
