"""The grounder: expands the rules of a game to rules without variables, using clingo in a separate process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Final

from gdl.compile_budget import BudgetExceeded, CompileBudget
from gdl.compile_errors import GroundingError
from gdl.errors import Location, Mistake, RulesheetError
from gdl.grounder.aspif import Reader, simplified
from gdl.grounder.child import STAGE, ClingoFailed, run
from gdl.grounder.constant_facts import settled
from gdl.grounder.encoding import Encoding
from gdl.grounder.explosion import advice, largest
from gdl.grounder.free_columns import free_columns_apart
from gdl.grounder.magic_sets import restricted
from gdl.grounder.program import ALWAYS, GroundProgram, GroundRule
from gdl.grounder.projection import Projected, needed, project
from gdl.grounder.tables import Tables
from gdl.grounder.unfolding import unfolded
from gdl.grounder.unread import read_only
from gdl.grounder.walks import walked
from gdl.language.demand import Demand
from gdl.language.rules import Rule
from gdl.language.rulesheet import Rulesheet
from gdl.language.strata import DependencyGraph

#: The most seconds and ground rules for games with relations that may be endless: either they are small, or they have
#: to be asked, and only the Reasoner can do so.
_ENDLESS_SECONDS: Final = 3.0
_ENDLESS_RULES: Final = 300_000

__all__ = ["ALWAYS", "GroundProgram", "GroundRule", "ground"]


def ground(
    rulesheet: Rulesheet,
    budget: CompileBudget = CompileBudget(),  # noqa: B008  (a frozen value)
    progress: Callable[[int], None] | None = None,
    *,
    split: bool = True,
) -> GroundProgram:
    """Return the ground program of a game.

    `progress` is called with the number of rules so far, several times a second. Unless `split` is False, rules are
    first rewritten so that less has to be grounded; this changes the size of the program, but not its answers in states
    that can be reached by legal joint moves. Games with relations that may be endless, since clingo derives them as a
    whole, are given up soon. Raises GroundingError if the budget is exceeded or clingo cannot be run.
    """
    rules = needed(rulesheet.stratified_rules)
    if Demand(rules, DependencyGraph(rules)).reasons:
        seconds, most = min(budget.seconds, _ENDLESS_SECONDS), min(budget.rules, _ENDLESS_RULES)
        budget = replace(budget, seconds=seconds, rules=most)
    projected = _rewritten(rules) if split else Projected(tuple(rules))
    encoding = Encoding()
    text = encoding.text(projected.rules, projected.domains)
    try:
        reader = _read(text, budget, progress)
    except BudgetExceeded as exceeded:
        relations = largest(text, encoding, projected, budget)
        reason = advice(rules, relations[0][0]) if relations else None
        raise GroundingError(rulesheet.name, exceeded.budget, relations, reason) from None
    except ClingoFailed as failure:
        raise GroundingError(rulesheet.name, None, (), str(failure)) from failure
    tables = Tables(encoding, reader.names)
    open_atoms = tables.open_atoms()
    ground_rules, true, false = simplified(reader, open_atoms)
    tables.evaluate(true, false)
    program = tables.program(rulesheet, ground_rules)
    if not program.roles:
        raise RulesheetError([Mistake("no-role", "no role is derived", Location(rulesheet.source, 1, 1))])
    return program


def _rewritten(rules: Sequence[Rule]) -> Projected:
    """Return equivalent rules of which less has to be grounded."""
    return project(*restricted(needed(free_columns_apart(unfolded(read_only(walked(settled(rules))))))))


def _read(text: str, budget: CompileBudget, progress: Callable[[int], None] | None) -> Reader:
    """Run clingo on an encoding, and read the ground program that it prints. Raises BudgetExceeded and ClingoFailed."""
    reader = Reader()
    with closing(run(text, "--output=intermediate", budget)) as blocks:
        for lines in blocks:
            reader.read(lines)
            if progress is not None:
                progress(reader.count)
            if reader.count > budget.rules:
                raise BudgetExceeded("rules", STAGE)
    if not reader.complete:
        raise ClingoFailed("its output ends early")
    return reader
