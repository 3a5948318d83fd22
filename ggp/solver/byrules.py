"""Find all reachable states by the Reasoner, one at a time: slow, but it works for every rule file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from gdl.errors import NoLegalMoveError
from ggp.solver.budget import SolverBudget, Stop
from ggp.solver.errors import simultaneous, without_move
from ggp.solver.graph import NOBODY, Graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.engine import Engine
    from gdl.terms import Term

#: The estimated size of a state, and of each of its facts, in bytes.
_STATE: Final = 600
_FACT: Final = 120

#: The number of successors of one state between two looks at the clock.
_STRIDE: Final = 1_000


def explore_by_rules(game: Engine, root: Any, budget: SolverBudget) -> Graph:
    """Return the graph of the states from `root` on, as far as time and memory allow.

    Raises NotSolvableError if several roles have a choice at once or one cannot move, and GoalError if a goal is
    missing.
    """
    import numpy as np

    numbers: dict[Any, int] = {root: 0}
    states = [root]
    facts: dict[str, int] = {}
    packed: list[tuple[int, ...]] = []
    movers: list[int] = []
    ends: list[int] = []
    outcomes: dict[tuple[int, ...], int] = {}
    first, children = [0], list[int]()
    stop, memory = None, 0
    try:
        while len(movers) < len(states):
            state = states[len(movers)]
            held = tuple(facts.setdefault(fact.text, len(facts)) for fact in state)
            memory += _STATE + _FACT * len(held)
            if game.is_terminal(state):
                mover, after = NOBODY, list[Any]()
                outcome = tuple(game.goal(state, role) for role in game.roles)
                end = outcomes.setdefault(outcome, len(outcomes))
            else:
                legal = [_legal(game, state, role) for role in game.roles]
                choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
                if len(choosing) > 1:
                    raise simultaneous(" ".join(fact.text for fact in state))
                mover, end = (choosing or [0])[0], -1
                found = _successors(game, state, legal, budget)
                if found is None:
                    stop = Stop.TIME
                    break
                after = found
            for following in after:
                if following not in numbers:
                    numbers[following] = len(states)
                    states.append(following)
            children += [numbers[following] for following in after]
            first.append(len(children))
            packed.append(held)
            ends.append(end)
            movers.append(mover)
            budget.progress(f"{len(states):,} states, {len(movers):,} of them visited")
            if len(movers) < len(states) and (budget.left <= 0 or memory > budget.memory):
                stop = Stop.TIME if budget.left <= 0 else Stop.MEMORY
                break
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    known, expanded = len(states), len(movers)
    packed = packed[:expanded] + [
        tuple(facts.setdefault(fact.text, len(facts)) for fact in state) for state in states[expanded:]
    ]
    mover_array = np.full(known, NOBODY, np.int32)
    mover_array[:expanded] = movers
    outcome_array = np.full(known, -1, np.int32)
    outcome_array[:expanded] = ends[:expanded]
    return Graph(
        roles=game.roles,
        facts=tuple(facts),
        states=_rows(packed, len(facts)),
        expanded=expanded,
        first=np.array(first[: expanded + 1], np.int64),
        children=np.array(children[: first[expanded]], np.int32),
        mover=mover_array,
        outcome=outcome_array,
        outcomes=tuple(outcomes),
        stop=stop,
    )


def _successors(game: Engine, state: Any, legal: Sequence[tuple[Term, ...]], budget: SolverBudget) -> list[Any] | None:
    """Return the states after all joint moves, or None if the time runs out first."""
    found: list[Any] = []
    for moves in product(*legal):
        found.append(game.next_state(state, moves))
        if len(found) % _STRIDE == 0 and budget.left <= 0:
            return None
    return found


def _legal(game: Engine, state: Any, role: str) -> tuple[Term, ...]:
    try:
        return game.legal_moves(state, role)
    except NoLegalMoveError:
        raise without_move(role, " ".join(fact.text for fact in state)) from None


def row_of(state: Iterable[Any], facts: dict[str, int], words: int) -> NDArray[np.uint64] | None:
    """Return a state as a row of bits, given the number of each fact; None if a fact has no number."""
    held = [facts.get(fact.text, -1) for fact in state]
    rows = _rows([tuple(held)], 64 * words)
    return rows[0] if -1 not in held else None


def _rows(held: list[tuple[int, ...]], facts: int) -> NDArray[np.uint64]:
    """Return states as rows of bits, given the numbers of their facts."""
    import numpy as np

    rows = np.zeros((len(held), max(1, -(-facts // 64))), np.uint64)
    for row, numbers in zip(rows, held, strict=True):
        for number in numbers:
            if number >= 0:
                row[number // 64] |= np.uint64(1 << number % 64)
    return rows
