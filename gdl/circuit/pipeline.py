"""The stages from rules to a circuit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, TypeVar

from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.causes import causes_in_circuit, causes_in_program
from gdl.circuit.game import GameCircuit
from gdl.circuit.movers_side import movers_side
from gdl.circuit.plan import Plan
from gdl.circuit.proofs.invariants import Invariants, find_invariants, simplified
from gdl.compile_budget import BudgetExceeded, Watch, begin_stage, waiting
from gdl.compile_errors import CompileError
from gdl.grounder import ground
from gdl.grounder.moves_in_parts import pays
from gdl.language.rulesheet import Rulesheet

#: The names of the stages; the first is that of the grounder.
GROUNDING: Final = "grounding"
BUILDING: Final = "building the circuit"
PROVING: Final = "proving what always holds"
SIMPLIFYING: Final = "simplifying the circuit"

#: A circuit whose required work is estimated to take more than this share of the budget is refused before it is built,
#: if its moves can be chosen in parts instead: code takes some five times as long.
_FORESEEN: Final = 0.2

#: Optional work is given up after this share of the time left, several times what is planned for it.
_OPTIONAL_LIMIT: Final = 0.4


def make_circuit(rulesheet: Rulesheet, watch: Watch) -> GameCircuit:
    """Make the circuit of some rules. Raises CompileError; GroundingError is one."""
    with watch.running():
        begin_stage(GROUNDING)
        with waiting():
            program = ground(rulesheet, replace(watch.budget, seconds=max(watch.left, 1e-3)))
        plan = Plan.of_program(watch.budget.seconds, program)
        with refusing(rulesheet.name, lambda: causes_in_program(program)):
            begin_stage(BUILDING)
            moves = (move for _, move in program.does)
            if plan.required > _FORESEEN * watch.budget.seconds and pays(rulesheet, moves):
                raise BudgetExceeded("seconds", BUILDING)
            game = build(program)
        plan = plan.of_circuit(game)
        with refusing(rulesheet.name, lambda: causes_in_circuit(game)):
            if plan.rebuilds:
                whole = game
                game = _optional(watch, lambda: rebuild(whole), lambda: whole)
                plan = plan.of_circuit(game)
            begin_stage(PROVING)
            found = _optional(watch, lambda: find_invariants(game, seconds=plan.proving), Invariants)
            begin_stage(SIMPLIFYING)
            simple = _optional(
                watch,
                lambda: simplified(game, found, rebuilds=plan.rebuilds),
                lambda: simplified(game, found, rebuilds=0),
            )
            side = _optional(watch, lambda: movers_side(program, game, simple, found, plan), lambda: None)
            return replace(simple, side=side)


_Result = TypeVar("_Result")


def _optional(watch: Watch, work: Callable[[], _Result], otherwise: Callable[[], _Result]) -> _Result:
    """Return the result of optional work, or something else if it takes far longer than estimated.

    Then the clock decides what is done, and another machine may make another circuit. No game is refused for it.
    """
    try:
        with watch.limited(_OPTIONAL_LIMIT):
            return work()
    except BudgetExceeded:
        return otherwise()


@contextmanager
def refusing(file: str, causes: Callable[[], list[tuple[str, int]]]) -> Iterator[None]:
    """Raise CompileError with the relations at fault when a budget is exceeded or memory cannot be had."""
    try:
        yield
    except BudgetExceeded as exceeded:
        raise CompileError(file, exceeded.stage, exceeded.budget, causes()) from None
