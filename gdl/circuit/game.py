"""The circuit of a game: from facts and moves to legal moves, next facts, terminal, goals and percepts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, final

from gdl.circuit.gates import Circuit
from gdl.reasoner.joint_moves import goal_number
from gdl.terms import Term

if TYPE_CHECKING:
    from gdl.circuit.movers_side import MoversSide


@final
@dataclass(frozen=True, slots=True, repr=False)
class GameCircuit:
    """A circuit with the meaning of its inputs and outputs.

    Fact `i` of `facts` is input node `1 + i`; move `j` of `moves`, a role's number and a term, is input node
    `1 + len(facts) + j`. The outputs are literals: `legal` by move, `next` by fact, `goals` by (role, value).
    """

    circuit: Circuit
    roles: tuple[Term, ...]
    facts: tuple[Term, ...]
    moves: tuple[tuple[int, Term], ...]
    init: tuple[bool, ...]
    legal: tuple[int, ...]
    next: tuple[int, ...]
    terminal: int
    goals: dict[tuple[int, Term], int]
    sees: dict[tuple[int, Term], int]
    #: Proved for every reachable state: facts that always or never hold; roles with exactly one goal in terminal
    #: states; roles with a legal move in all other states.
    constants: dict[int, bool] = field(default_factory=dict)
    one_goal: frozenset[int] = frozenset()
    always_moves: frozenset[int] = frozenset()
    #: The same game as the role sees it whose turn it is, if that is a smaller circuit.
    side: MoversSide | None = None

    def __repr__(self) -> str:
        """Return the numbers of facts, moves and gates."""
        gates = len(self.circuit.fanins) - 1 - self.circuit.inputs
        return f"<GameCircuit of {len(self.facts):,} facts, {len(self.moves):,} moves and {gates:,} gates>"

    def fact(self, number: int) -> int:
        """Return the literal of a fact."""
        return 2 * (1 + number)

    def move(self, number: int) -> int:
        """Return the literal that holds when a move is done."""
        return 2 * (1 + len(self.facts) + number)

    def moves_of(self, role: int) -> range:
        """Return the numbers of a role's moves, which are consecutive."""
        owners = [owner for owner, _ in self.moves]
        start = owners.index(role) if role in owners else 0
        return range(start, start + owners.count(role))

    @property
    def goal_table(self) -> tuple[tuple[int, int | None], ...]:
        """The role's number and the value of each goal, in the order of `goals`; None if it is no goal value."""
        return tuple((role, goal_number(value.text)) for role, value in self.goals)

    def outputs(self) -> Iterator[int]:
        """Yield every output literal."""
        yield from self.legal
        yield from self.next
        yield self.terminal
        yield from self.goals.values()
        yield from self.sees.values()

    def mapped(self, circuit: Circuit, new: Callable[[int], int]) -> GameCircuit:
        """Return the same game with another circuit, and its output literals mapped by `new`."""
        return replace(
            self,
            circuit=circuit,
            legal=tuple(map(new, self.legal)),
            next=tuple(map(new, self.next)),
            terminal=new(self.terminal),
            goals={key: new(literal) for key, literal in self.goals.items()},
            sees={key: new(literal) for key, literal in self.sees.items()},
        )
