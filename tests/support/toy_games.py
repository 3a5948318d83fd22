"""Small games written by hand: they satisfy `gdl.engine.Engine` and owe nothing to the reasoner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gdl.errors import DerivationLimitError, GoalError
from gdl.terms import Constant, Function, Term

NOOP = Constant("noop")


@dataclass(frozen=True, slots=True)
class ToyState:
    facts: tuple[Term, ...]

    def __iter__(self) -> Iterator[Term]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)

    @property
    def first(self) -> str:
        """The argument of the first fact."""
        fact = self.facts[0]
        assert isinstance(fact, Function)
        return fact.args[0].text


def facts(*pairs: tuple[str, object]) -> ToyState:
    return ToyState(tuple(Function(name, (Constant(str(value)),)) for name, value in pairs))


Moves = Mapping[str, Term | str] | Sequence[Term | str]


class Nim:
    """One heap; in turn a role takes one to three; whoever takes the last wins."""

    def __init__(self, heap: int = 10) -> None:
        self.heap = heap
        self.roles = ("left", "right")

    def initial_state(self) -> ToyState:
        return facts(("heap", self.heap), ("control", "left"))

    def legal_moves(self, state: ToyState, role: str) -> tuple[Term, ...]:
        if role != self._mover(state):
            return (NOOP,)
        return tuple(Function("take", (Constant(str(n)),)) for n in range(1, min(3, int(state.first)) + 1))

    def next_state(self, state: ToyState, moves: Moves) -> ToyState:
        assert not isinstance(moves, Mapping)
        assert len(moves) == 2
        mover = self._mover(state)
        move = moves[self.roles.index(mover)]
        assert move in self.legal_moves(state, mover)
        assert moves[1 - self.roles.index(mover)] == NOOP
        assert isinstance(move, Function)
        rest = int(state.first) - int(move.args[0].text)
        return facts(("heap", rest), ("control", "right" if mover == "left" else "left"))

    def is_terminal(self, state: ToyState) -> bool:
        return state.first == "0"

    def goal(self, state: ToyState, role: str) -> int:
        return 0 if role == self._mover(state) else 100

    @staticmethod
    def _mover(state: ToyState) -> str:
        control = state.facts[1]
        assert isinstance(control, Function)
        return control.args[0].text


class OneRound:
    """All roles move once, at the same time; `goals` says what each joint move is worth."""

    def __init__(self, roles: tuple[str, ...], goals: Mapping[Any, Sequence[int | None]]) -> None:
        self.roles = roles
        self._goals = goals

    def initial_state(self) -> ToyState:
        return facts(("round", 0))

    def legal_moves(self, state: ToyState, role: str) -> tuple[Term, ...]:  # noqa: ARG002
        place = self.roles.index(role)
        return tuple(Constant(name) for name in sorted({moves[place] for moves in self._goals}))

    def next_state(self, state: ToyState, moves: Moves) -> ToyState:  # noqa: ARG002
        assert not isinstance(moves, Mapping)
        return facts(*((role, move) for role, move in zip(self.roles, moves, strict=True)))

    def is_terminal(self, state: ToyState) -> bool:
        return len(state) == len(self.roles) and not str(state.facts[0]).startswith("(round")

    def goal(self, state: ToyState, role: str) -> int:
        played = tuple(fact.args[0].text for fact in state if isinstance(fact, Function))
        goal = self._goals[played][self.roles.index(role)]
        if goal is None:
            raise GoalError(role, ())
        return goal


class Endless:
    """One role counts for ever. From ply `fault_at` on the rules fail as `fault` says."""

    def __init__(self, roles: tuple[str, ...] = ("counter",), fault: str = "", fault_at: int = 3) -> None:
        self.roles = roles
        self.fault = fault
        self.fault_at = fault_at

    def initial_state(self) -> ToyState:
        return facts(("count", 0))

    def legal_moves(self, state: ToyState, role: str) -> tuple[Term, ...]:  # noqa: ARG002
        if self.fault == "no move" and int(state.first) >= self.fault_at:
            return ()
        return (Constant("one"), Constant("two"))

    def next_state(self, state: ToyState, moves: Moves) -> ToyState:  # noqa: ARG002
        if self.fault == "endless derivation" and int(state.first) + 1 >= self.fault_at:
            raise DerivationLimitError("rows", 10, "count/1")
        return facts(("count", int(state.first) + 1))

    def is_terminal(self, state: ToyState) -> bool:
        return self.fault == "no goal" and int(state.first) >= self.fault_at

    def goal(self, state: ToyState, role: str) -> int:  # noqa: ARG002
        raise GoalError(role, ())
