"""Make circuits from rules, in this process or in a separate one, which is `python -m gdl.circuit.pipeline`.

Making a circuit takes a great many short calls of clingo, each of which releases the interpreter's lock. If another
thread is computing, they have to wait for the lock again and again, and making the circuit can take forty times as
long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from gdl.childprocess import PICKLES, Child, Parent, end_process, limit_process
from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.causes import causes_in_circuit, causes_in_program
from gdl.circuit.game import GameCircuit
from gdl.circuit.plan import Plan
from gdl.circuit.proofs.invariants import find_invariants, simplified
from gdl.circuit.serialization import dumped
from gdl.compile_budget import BudgetExceeded, CompileBudget, Watch, begin_stage, waiting
from gdl.errors import CompileError, MakingError, Source
from gdl.grounder import ground
from gdl.language.rulesheet import Rulesheet

#: The names of the stages; the first is that of the grounder.
GROUNDING: Final = "grounding"
BUILDING: Final = "building the circuit"
PROVING: Final = "proving what always holds"
SIMPLIFYING: Final = "simplifying the circuit"

#: Memory that a separate process may have mapped without using it, in bytes: libraries and thread stacks.
_MAPPED: Final = 1 << 30


def make_circuit(rulesheet: Rulesheet, watch: Watch) -> GameCircuit:
    """Make the circuit of some rules. Raises CompileError; GroundingError is one."""
    with watch.running():
        begin_stage(GROUNDING)
        with waiting():
            program = ground(rulesheet, replace(watch.budget, seconds=max(watch.left, 1e-3)))
        plan = Plan.of_program(watch.budget.seconds, program)
        with refusing(rulesheet.name, lambda: causes_in_program(program)):
            begin_stage(BUILDING)
            game = build(program)
        plan = plan.of_circuit(game)
        with refusing(rulesheet.name, lambda: causes_in_circuit(game)):
            if plan.rebuilds:
                game = rebuild(game)
                plan = plan.of_circuit(game)
            begin_stage(PROVING)
            found = find_invariants(game, seconds=plan.proving)
            begin_stage(SIMPLIFYING)
            return simplified(game, found, rebuilds=plan.rebuilds)


@contextmanager
def refusing(file: str, causes: Callable[[], list[tuple[str, int]]]) -> Iterator[None]:
    """Raise CompileError with the relations at fault when a budget is exceeded or memory cannot be had."""
    try:
        yield
    except BudgetExceeded as exceeded:
        raise CompileError(file, exceeded.stage, exceeded.budget, causes()) from None


def make_circuit_in_separate_process(source: Source, watch: Watch) -> bytes:
    """Make the circuit in a separate process, which parses the rules, and return it serialized.

    Raises RulesheetError, CompileError and MakingError.
    """
    with watch.running(), waiting():
        child = Child(__name__, framing=PICKLES)
        try:
            limit_process(child.pid, memory=watch.budget.memory + _MAPPED)
            child.send((source, watch.budget))
            while True:
                try:
                    answer = child.receive()
                except EOFError:
                    raise MakingError(source.name, child.wait()) from None
                if isinstance(answer, bytes):
                    return answer
                if isinstance(answer, Exception):
                    raise answer
                begin_stage(answer)
        finally:
            child.end()


def _answer() -> None:
    """Read a source, and write stages, then the circuit or an error: the work of such a process."""
    parent = Parent(PICKLES)
    source: Source
    budget: CompileBudget
    source, budget = parent.receive()
    parent.listen()
    watch = Watch(budget, parent.send)
    try:
        parent.send(dumped(make_circuit(Rulesheet.of_source(source), watch)))
    except MemoryError:
        parent.send(CompileError(source.name, watch.stage, "memory"))
    except Exception as error:  # raised again in the parent
        parent.send(error)
    end_process()


if __name__ == "__main__":
    _answer()
