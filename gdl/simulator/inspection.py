"""The stages of compiling a rule file: the size of each result, and the time it takes."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final, TypeVar, final

from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.causes import causes_in_program
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import uses
from gdl.circuit.movers_side import movers_side
from gdl.circuit.pipeline import GROUNDING, PROVING, refusing
from gdl.circuit.plan import Plan
from gdl.circuit.proofs.invariants import Invariants, find_invariants, simplified
from gdl.codegen.llvm.machine_code import Library, compiled, host
from gdl.codegen.llvm.playout_loop import LANES, assembled, playout_pieces
from gdl.codegen.playout_netlist import playout_netlist
from gdl.codegen.playout_parts import PlayoutNetlist
from gdl.compile_budget import CompileBudget, Progress, Watch, begin_stage
from gdl.grounder import ground
from gdl.grounder.program import GroundProgram
from gdl.language.rulesheet import Rulesheet
from gdl.simulator.simulator import Simulator

T = TypeVar("T")

#: The number of bits for ages in the playout step that is inspected.
_AGE_BITS: Final = 8


@final
@dataclass(frozen=True, slots=True)
class Stage:
    """A circuit after one stage: the numbers of its gates and of their inputs, and the length of its longest path."""

    name: str
    gates: int
    inputs: int
    depth: int
    seconds: float


@final
@dataclass(frozen=True, slots=True)
class Inspection:
    """All stages of one rule file. The last fields describe one step of playouts, in 512 lanes."""

    rules: int
    literals: int
    facts: int
    moves: int
    loops: int
    ground_seconds: float
    stages: tuple[Stage, ...]
    invariants: Invariants
    #: The number of plies that a step makes, one in each phase of the game; 1 without phases.
    plies: int
    #: The numbers of facts that a step needs, of rows of moves for each choice, of operations (as written, and as code
    #: has them after regular parts have become loops), and of random rows.
    relevant_facts: int
    rows: tuple[int, ...]
    operations: int
    compiled_operations: int
    randoms: int
    #: The number of operations with which goals are counted and playouts begin again, once in several steps; 0 if this
    #: is part of every step.
    restart_operations: int
    #: Bytes of memory that a step works in: two states, and the rows that functions pass to each other.
    bytes: int


#: The time for all stages, in budgets for compiling: the circuit is built three times, to compare the results.
_BUDGETS: Final = 3


def inspect(rulesheet: Rulesheet, progress: Progress | None = None, budget: CompileBudget | None = None) -> Inspection:
    """Run every stage, without the cache, as far as a `budget` for compiling goes. Raises CompileError."""
    budget = budget or CompileBudget()
    with Watch(replace(budget, seconds=_BUDGETS * budget.seconds), progress).running():
        begin_stage(GROUNDING)
        program, ground_seconds = _timed(lambda: ground(rulesheet, budget))
        with refusing(rulesheet.name, lambda: causes_in_program(program)):
            return _built(program, ground_seconds, budget.seconds)


def _built(program: GroundProgram, ground_seconds: float, seconds: float) -> Inspection:
    stages: list[Stage] = []

    def stage(name: str, make: Callable[[], GameCircuit]) -> GameCircuit:
        begin_stage(name)
        game, seconds = _timed(make)
        stages.append(Stage(name, *measure(game), seconds))
        return game

    stage("as it is", lambda: build(program, factoring=False, complements=False))
    stage("factoring", lambda: build(program, complements=False))
    game = stage("complements", lambda: build(program))
    plan = Plan.of_program(seconds, program).of_circuit(game)
    if plan.rebuilds:
        game = stage("absorption", lambda: rebuild(game))
        plan = plan.of_circuit(game)
    begin_stage(PROVING)
    invariants, proof_seconds = _timed(lambda: find_invariants(game, seconds=plan.proving))
    stages.append(Stage("proof", *measure(game), proof_seconds))
    proved = game
    game = stage("invariants", lambda: simplified(game, invariants, rebuilds=plan.rebuilds))
    side, side_seconds = _timed(lambda: movers_side(program, proved, game, invariants, plan))
    if side is not None:
        stages.append(Stage("mover's side", *measure(side.game), side_seconds))
        game = replace(game, side=side)
    begin_stage("one step of playouts")
    playout = playout_netlist(game, age_bits=_AGE_BITS)
    return _inspection(program, ground_seconds, stages, invariants, game, playout)


def _inspection(
    program: GroundProgram,
    ground_seconds: float,
    stages: Iterable[Stage],
    invariants: Invariants,
    game: GameCircuit,
    playout: PlayoutNetlist,
) -> Inspection:
    pieces = playout_pieces(playout, host().vector)
    _, layout = assembled(pieces, host().vector)
    return Inspection(
        rules=len(program.rules),
        literals=sum(len(body) for _, body in program.rules),
        facts=len(game.facts),
        moves=len(game.moves),
        loops=len(game.circuit.loops),
        ground_seconds=ground_seconds,
        stages=tuple(stages),
        invariants=invariants,
        plies=playout.plies,
        relevant_facts=len(playout.facts),
        rows=tuple(rows for rows in playout.rows if rows),
        operations=layout.operations[0],
        compiled_operations=pieces.operations,
        restart_operations=layout.operations[1],
        randoms=playout.step.randoms,
        bytes=LANES // 8 * ((1 if layout.in_place else 2) * layout.state + layout.rows),
    )


@final
@dataclass(frozen=True, slots=True)
class Rate:
    """The speed of playout steps, on one core."""

    steps_per_second: float
    operations_per_cycle: float
    #: The measured frequency of the core, in cycles per second.
    frequency: float


def rate(simulator: Simulator, seconds: float) -> Rate:
    """Measure the speed of playouts for about `seconds`."""
    count, result = LANES, simulator.playouts(LANES, threads=1)
    while result.seconds < seconds / 2:
        count = int(count * max(1.5, min(8.0, 0.8 * seconds / max(result.seconds, 1e-6))))
        result = simulator.playouts(count, seed=1, threads=1)
    cycles = frequency()
    return Rate(result.steps / result.seconds, result.operations / result.seconds / cycles, cycles)


#: The number of pairs of a multiplication and an exclusive or in a chain. Each waits for the one before; together they
#: take three cycles and one on Intel's and AMD's processors since 2008 (A. Fog, Instruction tables).
_CHAIN, _LATENCY, _ROUNDS = 16, 4, 2_000_000


def frequency() -> float:
    """Measure the frequency of the current core under its current load, in cycles per second."""
    chain = "\n".join(f"  %y{i} = mul i64 %x{i}, %a\n  %x{i + 1} = xor i64 %y{i}, %n" for i in range(_CHAIN))
    text = f"""
define i64 @spin(i64 %a, i64 %rounds) {{
entry:
  br label %round
round:
  %x0 = phi i64 [ %a, %entry ], [ %x{_CHAIN}, %round ]
  %n = phi i64 [ 0, %entry ], [ %n.next, %round ]
{chain}
  %n.next = add i64 %n, 1
  %more = icmp ult i64 %n.next, %rounds
  br i1 %more, label %round, label %done
done:
  ret i64 %x{_CHAIN}
}}
"""
    spin = Library(compiled(text, host())).function("spin", ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    best = min(_timed(lambda: spin(3, _ROUNDS))[1] for _ in range(5))
    return _CHAIN * _LATENCY * _ROUNDS / best


def measure(game: GameCircuit) -> tuple[int, int, int]:
    """Return the numbers of needed gates and of their inputs, and the length of the longest path (loops count once)."""
    circuit = game.circuit
    needed = sorted(uses(circuit, game.outputs()))
    gates = [node for node in needed if circuit.fanins[node]]
    depth: dict[int, int] = {}
    for node in gates:  # a gate comes after its inputs
        depth[node] = 1 + max(depth.get(literal >> 1, 0) for literal in circuit.fanins[node])
    return len(gates), sum(len(circuit.fanins[node]) for node in gates), max(depth.values(), default=0)


def _timed(make: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    return make(), time.perf_counter() - start
