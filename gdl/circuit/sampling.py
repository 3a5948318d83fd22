"""Random playouts of many states at once, one bit of a Python integer per state, without any compilation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import Circuit, Loop
from gdl.compile_budget import check_budget

#: The number of different rows of chances that are drawn for the moves of a role.
_CHANCES: Final = 16

Gate = tuple[int, tuple[int, ...]]


@final
@dataclass(frozen=True, slots=True)
class Stage:
    """Gates with their inputs, in order; if there is a loop, the gates that each of its rounds evaluates again."""

    gates: list[Gate]
    loop: Loop | None = None


@final
class Schedule:
    """The gates that some outputs need, in an order in which they can be evaluated."""

    def __init__(self, circuit: Circuit, known: Iterable[int] = ()) -> None:
        """Start with the inputs, and the nodes in `known`, already evaluated."""
        self._circuit = circuit
        self._loop_of = {node: loop for loop in circuit.loops for node in loop.variables}
        self._done: set[int] = {*range(1 + circuit.inputs), *known}
        self._stages: list[Stage] = []

    def stages(self, outputs: Iterable[int]) -> list[Stage]:
        """Return the stages that some outputs (literals) need beyond what was scheduled before."""
        self._stages = []
        self._add(outputs)
        return self._stages

    def _add(self, outputs: Iterable[int]) -> None:
        fanins, done = self._circuit.fanins, self._done
        stack = [literal >> 1 for literal in outputs]
        while stack:
            check_budget()
            node = stack[-1]
            if node in done:
                stack.pop()
            elif node in self._loop_of:
                self._add_loop(self._loop_of[node])
            elif missing := [literal >> 1 for literal in fanins[node] if literal >> 1 not in done]:
                stack += missing
            else:
                stack.pop()
                done.add(node)
                if not self._stages or self._stages[-1].loop:
                    self._stages.append(Stage([]))
                self._stages[-1].gates.append((node, fanins[node]))

    def _add_loop(self, loop: Loop) -> None:
        fanins = self._circuit.fanins
        inner = self._inner(loop)
        within = {*inner, *loop.variables}
        used = [literal for node in inner for literal in fanins[node]] + list(loop.updates)
        self._add(literal for literal in used if literal >> 1 not in within)
        self._stages.append(Stage([(node, fanins[node]) for node in inner], loop))
        self._done.update(loop.variables)

    def _inner(self, loop: Loop) -> list[int]:
        """Return the gates that the updates need and that depend on the variables, in order."""
        fanins = self._circuit.fanins
        cone: set[int] = set()
        stack = [literal >> 1 for literal in loop.updates]
        while stack:
            node = stack.pop()
            if node not in cone:
                cone.add(node)
                stack += [literal >> 1 for literal in fanins[node]]
        depends = set(loop.variables)
        inner = []
        for node in sorted(cone):
            if any(literal >> 1 in depends for literal in fanins[node]):
                depends.add(node)
                inner.append(node)
        return inner


@final
class Lanes:
    """The values of a game's literals in a number of lanes: bit `i` of an integer is the value in lane `i`.

    If `outputs` are given, only these are evaluated, from facts alone, and nothing that depends on moves.
    """

    def __init__(self, game: GameCircuit, lanes: int, outputs: Iterable[int] | None = None) -> None:
        """Schedule the evaluation of a game's circuit."""
        self.game = game
        self.count = lanes
        self.full = (1 << lanes) - 1
        #: The value of each literal.
        self.values = [0, self.full] * len(game.circuit.fanins)
        self.moves_by_role = [game.moves_of(role) for role in range(len(game.roles))]
        schedule = Schedule(game.circuit)
        of_state = [*game.legal, game.terminal, *game.goals.values()] if outputs is None else outputs
        self._of_state = schedule.stages(of_state)
        self._of_moves = schedule.stages([*game.next, *game.sees.values()] if outputs is None else [])

    def resize(self, lanes: int) -> None:
        """Change the number of lanes; what was set before is lost."""
        self.count = lanes
        self.full = (1 << lanes) - 1
        self.values = [0, self.full] * (len(self.values) // 2)

    def set_facts(self, facts: Sequence[int]) -> None:
        """Set the states, with one value per fact, and evaluate what follows from them alone."""
        self._enter(1, facts)
        self._evaluate(self._of_state)

    def set_moves(self, moves: Sequence[int]) -> None:
        """Set the moves that are done, and evaluate what follows."""
        self._enter(1 + len(self.game.facts), moves)
        self._evaluate(self._of_moves)

    def read(self, literals: Iterable[int]) -> list[int]:
        """Return the values of some literals."""
        values = self.values
        return [values[literal] for literal in literals]

    def _enter(self, node: int, rows: Sequence[int]) -> None:
        values, full = self.values, self.full
        end = node + len(rows)
        values[2 * node : 2 * end : 2] = rows
        values[2 * node + 1 : 2 * end + 1 : 2] = [row ^ full for row in rows]

    def _evaluate(self, stages: Iterable[Stage]) -> None:
        for stage in stages:
            if stage.loop:
                self._repeat(stage.loop, stage.gates)
            else:
                self._run(stage.gates)

    def _run(self, gates: Iterable[Gate]) -> None:
        check_budget()
        values, full = self.values, self.full
        for node, fanin in gates:
            if len(fanin) == 2:
                left, right = fanin
                value = values[left] & values[right]
            else:
                value = full
                for literal in fanin:
                    value &= values[literal]
            values[2 * node] = value
            values[2 * node + 1] = value ^ full

    def _repeat(self, loop: Loop, gates: Iterable[Gate]) -> None:
        """Evaluate the least fixpoint of a loop, in every lane."""
        values, full = self.values, self.full
        found = [0] * len(loop.variables)
        while True:
            for node, value in zip(loop.variables, found, strict=True):
                values[2 * node] = value
                values[2 * node + 1] = value ^ full
            self._run(gates)
            before, found = found, self.read(loop.updates)
            if found == before:
                return


def random_moves(lanes: Lanes, random: Random, wanted: int) -> tuple[list[int], int]:
    """Return a legal move of each role in the wanted lanes, and the lanes in which every role has one.

    The choice is not uniform, but every legal move has some chance.
    """
    game = lanes.game
    moves = [0] * len(game.moves)
    for own in lanes.moves_by_role:
        legal = [(number, value) for number in own if (value := lanes.values[game.legal[number]] & wanted)]
        if not own:
            continue
        random.shuffle(legal)
        # A move is taken with a probability of about one in the mean number of legal moves.
        mean = sum(value.bit_count() for _, value in legal) // max(1, wanted.bit_count())
        chances = [_chance(random, lanes.count, mean.bit_length() - 1) for _ in range(_CHANCES)] if mean > 1 else []
        left = wanted
        for turn, (number, value) in enumerate(legal):
            taken = value & left
            if chances:
                taken &= chances[turn % _CHANCES]
            moves[number] = taken
            left ^= taken
        for number, value in legal:
            taken = value & left
            moves[number] |= taken
            left ^= taken
        wanted ^= left
    return moves, wanted


def _chance(random: Random, lanes: int, halvings: int) -> int:
    """Return random lanes, each included with a probability of a half to the power of `halvings`."""
    found = (1 << lanes) - 1
    for _ in range(halvings):
        found &= random.getrandbits(lanes)
    return found


@final
class Playouts:
    """Random playouts in lanes that begin again when they end."""

    def __init__(self, game: GameCircuit, lanes: int, random: Random) -> None:
        """Start in the initial state in every lane."""
        self.lanes = Lanes(game, lanes)
        self._random = random
        self._init = [self.lanes.full if holds else 0 for holds in game.init]
        self.facts = self._init
        #: The moves of the last step, the lanes in which they were made, and the facts and percepts that followed.
        self.moves: list[int] = []
        self.going = 0
        self.moved: list[int] = []
        self.lanes.set_facts(self.facts)

    def step(self) -> None:
        """Advance each lane to a next state, or back to the initial state if it is terminal or a role cannot move."""
        game, lanes = self.lanes.game, self.lanes
        moves, going = random_moves(lanes, self._random, lanes.full ^ lanes.values[game.terminal])
        lanes.set_moves(moves)
        self.moves, self.going = moves, going
        self.moved = lanes.read([*game.next, *game.sees.values()])
        coming = self.moved[: len(game.next)]
        self.facts = [now & going | first & ~going for now, first in zip(coming, self._init, strict=True)]
        lanes.set_facts(self.facts)
