"""The compiled simulator beside the Reasoner: the same answers and the same errors, state by state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from time import monotonic
from typing import Any
from unittest.mock import patch

import gdl
import gdl.simulator.compiler
from gdl.compile_budget import CompileBudget

#: A move that no rule file has.
NO_MOVE = gdl.Function("no_such_move", (gdl.Constant("x"),))

#: So often a wrong move is tried too, as looking for near misses takes long.
WRONG = 0.1


def outcome(call: Callable[..., object], *arguments: object) -> object:
    """The result of a call; for an error its type, arguments and text."""
    try:
        return call(*arguments)
    except gdl.GdlError as error:
        return type(error), error.args, str(error)


@contextmanager
def budget(**limits: float) -> Iterator[None]:
    """Games are compiled within this budget, given as to `CompileBudget`."""
    with patch.object(gdl.simulator.compiler, "CompileBudget", partial(CompileBudget, **limits)):
        yield


class Pair:
    """A Reasoner and a Simulator of the same rules in the same state."""

    def __init__(self, reasoner: gdl.Reasoner, simulator: gdl.Simulator) -> None:
        self.reasoner = reasoner
        self.simulator = simulator
        self.state, self.packed = reasoner.initial_state(), simulator.initial_state()
        assert simulator.roles == reasoner.roles

    def same(self, question: str, *arguments: object) -> Any:
        """The answer that both give to a question about the state. Their texts too are the same, with upper case."""
        expected = outcome(getattr(self.reasoner, question), self.state, *arguments)
        found = outcome(getattr(self.simulator, question), self.packed, *arguments)
        assert found == expected, (question, arguments, str(self.state))
        assert repr(found) == repr(expected), (question, arguments, str(self.state))
        return expected

    def legal(self) -> list[tuple[gdl.Term, ...]]:
        """Each role's legal moves; () where it has none."""
        found = [self.same("legal_moves", role) for role in self.reasoner.roles]
        return [() if moves[:1] == (gdl.NoLegalMoveError,) else moves for moves in found]

    def check(self) -> bool:
        """Check that both agree about the state; return True if the game goes on."""
        assert str(self.packed) == str(self.state)
        assert len(self.packed) == len(self.state)
        for role in self.reasoner.roles:
            self.same("goal", role)
        return not self.same("is_terminal") and all(self.legal())

    def check_moves(self, moves: Sequence[gdl.Term]) -> None:
        """Check that both agree about a joint move, which need not be legal."""
        self.same("percepts", moves)
        one = outcome(self.reasoner.next_state, self.state, moves)
        other = outcome(self.simulator.next_state, self.packed, moves)
        if not isinstance(one, gdl.State):
            assert one == other
        elif isinstance(other, gdl.PackedState | gdl.State):
            assert str(one) == str(other)
        else:
            # What comes after the end may be nothing that can be reached.
            assert self.reasoner.is_terminal(self.state)
            assert other[0] is gdl.UnreachableStateError  # type: ignore[index]

    def check_wrong_moves(self, random: Random) -> None:
        """Check that both refuse the same wrong moves: those of another role, or of nobody."""
        legal = [moves or (NO_MOVE,) for moves in self.legal()]
        moves = [random.choice(some) for some in legal]
        moves[random.randrange(len(moves))] = random.choice([NO_MOVE, *random.choice(legal)])
        self.check_moves(moves)

    def play(self, moves: Sequence[gdl.Term]) -> None:
        """Both make a joint move."""
        self.same("percepts", moves)
        self.state = self.reasoner.next_state(self.state, moves)
        self.packed = self.simulator.next_state(self.packed, moves)


def check_playouts(
    reasoner: gdl.Reasoner, simulator: gdl.Simulator, count: int, plies: int, seconds: float = 3600.0
) -> int:
    """Random playouts on which both engines must agree, as many as fit into the time. How many there were."""
    end = monotonic() + seconds
    for number in range(count):
        random = Random(number)
        pair = Pair(reasoner, simulator)
        for _ in range(plies):
            if not pair.check():
                break
            if random.random() < WRONG:
                pair.check_wrong_moves(random)
            pair.play([random.choice(moves) for moves in pair.legal()])
            if monotonic() > end:
                return number
        else:
            continue
        pair.check_wrong_moves(random)
    return count
