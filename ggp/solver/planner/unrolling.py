"""Planning with clingo: the circuit is unrolled, ply by ply, as a logic program whose answer sets are plans.

This shares nothing with the other searches except the circuit. Answer set programming for games of one role is due to
Thielscher (ICLP 2009); here the ground circuit is unrolled instead of the rules.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from gdl.circuit.analysis.cones import bits, cone
from gdl.circuit.analysis.dependence import running
from gdl.circuit.answer_sets.encoding import CircuitEncoding
from gdl.circuit.answer_sets.search import search
from gdl.circuit.answer_sets.states import true_atom
from gdl.circuit.gates import Circuit, Loop
from ggp.solver.planner.puzzle import Puzzle

if TYPE_CHECKING:
    from clingo import Control, Model
    from clingo.backend import Backend

    from ggp.solver.planner.effects import Effects

#: The maximum number of gates in all plies, and the approximate memory per gate that clingo needs, in bytes.
LARGEST: Final = 3_000_000
GATE: Final = 400


class LoopError(ValueError):
    """Circuits with loops cannot be unrolled."""


@final
@dataclass(frozen=True, slots=True)
class Answer:
    """The result of clingo: the moves of each ply or layer that lead to the goal; None if there provably are none."""

    moves: tuple[tuple[int, ...], ...] | None


@final
class _Program:
    """A logic program under construction; literals are numbers, as in clingo's backend."""

    def __init__(self) -> None:
        from clingo import Control

        self.control: Control = Control(["--warn=none"])
        with self.control.backend() as backend:
            self.true = true_atom(backend)

    def gates(
        self, backend: Backend, circuit: Circuit, order: Iterable[int], inputs: dict[int, int]
    ) -> CircuitEncoding:
        """Encode the nodes of a circuit, given the atoms of some inputs; other inputs are false."""
        encoding = CircuitEncoding(backend, circuit, {0: -self.true, **inputs})
        encoding.fold(order)
        return encoding

    def solve(self, query: Iterable[int], plies: Iterable[dict[int, int]], deadline: float) -> Answer | None:
        """Search for an answer set with all literals of the query; return its moves by ply. None at the deadline."""

        def read(model: Model) -> tuple[tuple[int, ...], ...]:
            return tuple(tuple(move for move, atom in moves.items() if model.is_true(atom)) for moves in plies)

        outcome = search(self.control, query, read, deadline)
        return Answer(outcome.found) if outcome.known else None


def _refuse(loops: Iterable[Loop]) -> None:
    if any(True for _ in loops):
        raise LoopError


@final
class Unrolled:
    """A puzzle unrolled over plies, as far as needed so far."""

    def __init__(self, puzzle: Puzzle) -> None:
        """Start without plies. Raises LoopError."""
        game = self.game = puzzle.game
        self._step = running(game)
        _refuse((*game.circuit.loops, *self._step.circuit.loops))
        self._goals = puzzle.goal_literals
        self._facts = puzzle.matter
        self._ends = cone(game.circuit, [game.terminal, *self._goals.values()])
        following = [self._step.next[fact] for fact in self._facts]
        self._gates = cone(self._step.circuit, [*self._step.legal, *following])
        self._moves: list[dict[int, int]] = []
        self._achieved: list[dict[int, int]] = []
        self._program = program = _Program()
        held = int.from_bytes(puzzle.state.bits, "little")
        self._now = {1 + fact: program.true if held >> fact & 1 else -program.true for fact in self._facts}
        self._running = program.true
        with program.control.backend() as backend:
            self._end(backend)

    @property
    def horizon(self) -> int:
        """The number of plies unrolled."""
        return len(self._moves)

    @property
    def size(self) -> int:
        """The maximum number of gates of one ply."""
        return len(self._ends) + len(self._gates) + len(self.game.moves)

    def extend(self, horizon: int, deadline: float) -> bool:
        """Unroll up to `horizon` plies; return False if there is not enough time."""
        with self._program.control.backend() as backend:
            while self.horizon < horizon:
                if time.monotonic() > deadline:
                    return False
                self._ply(backend)
                self._end(backend)
        return True

    def solve(self, goal: int, horizon: int, deadline: float) -> Answer | None:
        """Search for a plan with a goal within `horizon` plies; None at the deadline (of `time.monotonic()`)."""
        if not self.extend(horizon, deadline):
            return None
        return self._program.solve([self._achieved[horizon][goal]], self._moves[:horizon], deadline)

    def _end(self, backend: Backend) -> None:
        """Add, for each goal, an atom that holds if the game has ended with it at the current ply or before."""
        state = self._program.gates(backend, self.game.circuit, self._ends, self._now)
        terminal = state.atom(self.game.terminal)
        before = self._achieved[-1] if self._achieved else {}
        achieved = {}
        for value, goal in self._goals.items():
            achieved[value] = backend.add_atom()
            backend.add_rule([achieved[value]], [self._running, terminal, state.atom(goal)])
            if value in before:
                backend.add_rule([achieved[value]], [before[value]])
        self._achieved.append(achieved)
        on = backend.add_atom()
        backend.add_rule([on], [self._running, -terminal])
        self._running = on

    def _ply(self, backend: Backend) -> None:
        """Add a ply: a choice of one legal move, and the facts that follow."""
        step = self._step
        moves = {move: int(backend.add_atom()) for move in range(len(step.moves))}
        inputs = self._now | {1 + len(step.facts) + move: atom for move, atom in moves.items()}
        state = self._program.gates(backend, step.circuit, self._gates, inputs)
        backend.add_rule([*moves.values()], [self._running], choice=True)
        for move, atom in moves.items():
            backend.add_rule([], [atom, -state.atom(step.legal[move])])
        weights = [(atom, 1) for atom in moves.values()]
        backend.add_weight_rule([], 2, weights)
        some = backend.add_atom()
        backend.add_weight_rule([some], 1, weights)
        backend.add_rule([], [self._running, -some])
        self._now = {1 + fact: state.atom(step.next[fact]) for fact in self._facts}
        self._moves.append(moves)


@final
class Layers:
    """A puzzle in layers, each of any number of moves whose order does not matter.

    The clock has its value in the initial state of the puzzle or, with `last`, that at the limit; then there are
    exactly as many moves as plies up to the limit. Layers are described by Rintanen, Heljanko and Niemela, Planning as
    satisfiability, Artificial Intelligence 170, 2006.
    """

    def __init__(self, puzzle: Puzzle, effects: Effects, *, last: bool) -> None:
        """Start without layers. Raises LoopError."""
        game = self.game = puzzle.game
        _refuse(game.circuit.loops)
        self._effects = effects
        self._pairs = effects.conflicts
        self._goals = puzzle.goal_literals
        self._ends = cone(game.circuit, [game.terminal, *self._goals.values()])
        self._values = sorted({literal for move in effects.moves for literal in move.values.values()})
        self._gates = cone(effects.circuit, [*(move.legal for move in effects.moves), *self._values])
        self._program = program = _Program()
        clock = puzzle.clock_mask
        held = int.from_bytes(puzzle.state.bits, "little")
        now = puzzle.times.last if last else held & clock
        self._clock = {1 + fact: program.true if now >> fact & 1 else -program.true for fact in bits(clock)}
        facts = [fact for fact in puzzle.matter if not clock >> fact & 1]
        self._now = {1 + fact: program.true if held >> fact & 1 else -program.true for fact in facts}
        self._exact = puzzle.times.limit if last else None
        self._most = puzzle.times.limit
        #: Seconds that it took to make the last layer.
        self._took = 0.0
        self._moves: list[dict[int, int]] = []
        self._affecting: dict[int, list[int]] = {}
        for number, move in enumerate(effects.moves):
            for fact in move.values:
                self._affecting.setdefault(1 + fact, []).append(number)

    @property
    def size(self) -> int:
        """The maximum number of gates and conflicts of one layer."""
        return len(self._ends) + len(self._gates) + len(self._pairs)

    @property
    def count(self) -> int:
        """The number of layers made."""
        return len(self._moves)

    def extend(self, layers: int, deadline: float) -> bool:
        """Make up to `layers` layers; return False if there is not enough time."""
        with self._program.control.backend() as backend:
            while len(self._moves) < layers:
                begun = time.monotonic()
                if begun + self._took > deadline:
                    return False
                self._layer(backend)
                self._took = time.monotonic() - begun
        return True

    def _layer(self, backend: Backend) -> None:
        effects = self._effects
        state = self._program.gates(backend, effects.circuit, self._gates, self._now)
        moves = {
            number: int(backend.add_atom())
            for number, move in enumerate(effects.moves)
            if state.atom(move.legal) != -self._program.true
        }
        backend.add_rule([*moves.values()], [], choice=True)
        for number, atom in moves.items():
            backend.add_rule([], [atom, -state.atom(effects.moves[number].legal)])
        for one, other in self._pairs:
            if one in moves and other in moves:
                backend.add_rule([], [moves[one], moves[other]])
        following = {}
        for input_, before in self._now.items():
            own = [number for number in self._affecting.get(input_, ()) if number in moves]
            if not own:
                following[input_] = before
                continue
            after, touched = backend.add_atom(), backend.add_atom()
            following[input_] = after
            for number in own:
                backend.add_rule([touched], [moves[number]])
                value = state.atom(effects.moves[number].values[input_ - 1])
                if value != -self._program.true:
                    backend.add_rule([after], [moves[number], value])
            backend.add_rule([after], [before, -touched])
        self._now = following
        self._moves.append(moves)

    def _one_of_each(self, backend: Backend, moves: dict[int, int], count: int) -> None:
        """Require a move of each set of mutually exclusive moves, if a layer of `count` moves has `count` such sets.

        This follows from the other rules by the pigeonhole principle, but clingo would have to find it out again for
        every choice.
        """
        holes: list[set[int]] = []
        against: dict[int, set[int]] = {}
        for one, other in self._pairs:
            against.setdefault(one, set()).add(other)
            against.setdefault(other, set()).add(one)
        for number in moves:
            hole = next((hole for hole in holes if hole <= against.get(number, set())), None)
            if hole is None:
                holes.append({number})
            else:
                hole.add(number)
        if len(holes) == count:
            full = backend.add_atom()
            self._extra.append(full)
            some = []
            for hole in holes:
                some.append(backend.add_atom())
                for number in hole:
                    backend.add_rule([some[-1]], [moves[number]])
            backend.add_rule([full], some)

    def solve(self, goal: int, deadline: float) -> Answer | None:
        """Search for a plan with a goal in the layers made so far; None at the deadline."""
        self._extra: list[int] = []
        with self._program.control.backend() as backend:
            state = self._program.gates(backend, self.game.circuit, self._ends, self._now | self._clock)
            if self._exact is not None and len(self._moves) == 1:
                self._one_of_each(backend, self._moves[0], self._exact)
            query = [state.atom(self.game.terminal), state.atom(self._goals[goal])]
            query += self._extra
            weights = [(atom, 1) for moves in self._moves for atom in moves.values()]
            for bound, sign in ((self._most, -1), (self._exact, 1)):
                if bound is not None:
                    reached = backend.add_atom()
                    backend.add_weight_rule([reached], bound + (sign < 0), weights)
                    query.append(sign * reached)
        return self._program.solve(query, self._moves, deadline)
