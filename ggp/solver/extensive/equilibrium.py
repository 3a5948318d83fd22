"""Solve games with chance, hidden information or simultaneous moves."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.engine import hides_states, is_nature
from gdl.errors import NoLegalMoveError
from ggp.solver.budget import Progress, SolverBudget, Stop, limited
from ggp.solver.errors import NotSolvableError
from ggp.solver.extensive.expectation import Expectation, expectation
from ggp.solver.extensive.regret import RegretSolver
from ggp.solver.extensive.response import best_response, expected_goals
from ggp.solver.extensive.tree import Tree, build_tree

if TYPE_CHECKING:
    from gdl.engine import Engine
    from gdl.terms import Term
    from ggp.solver.extensive.response import Strategy
    from ggp.solver.extensive.tree import InformationSet

#: The exploitability that is asked for by default, as a share of the range of goals.
EXPLOITABILITY: Final = 0.001

#: The decimal logarithm of an estimated number of nodes for which no memory suffices.
_HOPELESS: Final = 9.5

#: The growth of the number of iterations between two looks at the exploitability.
_GROWTH: Final = 1.1

#: The largest difference between the exploitability that the search reckons with and the one found on the tree.
_ROUNDING: Final = 1e-6


@final
@dataclass(frozen=True, slots=True)
class Equilibrium:
    """A strategy for each player, and the goals that they lead to.

    `exploitability` is how far the players' goals are from the best that each could get by leaving its strategy alone,
    on average, in goal points. `best` has that best goal of each player: no player can force more than this. `spread`
    is the range of goals. `stop` is the reason if the search ended before it was done.
    """

    tree: Tree
    strategies: tuple[Strategy, ...]
    goals: tuple[float, ...]
    best: tuple[float, ...]
    exploitability: float
    spread: float
    iterations: int
    stop: Stop | None

    @property
    def share(self) -> float:
        """The exploitability as a share of the range of goals."""
        return self.exploitability / self.spread if self.spread else 0.0

    def probabilities(self, own: InformationSet) -> dict[Term, float]:
        """Return the probability of each move in an information set."""
        strategy = self.strategies[own.player]
        return {move: float(strategy[own.first + i]) for i, move in enumerate(own.moves)}


def is_extensive(game: Engine) -> bool:
    """Return True if a game has chance or hidden states."""
    return hides_states(game) or any(is_nature(role) for role in game.roles)


def solve_extensive(
    game: Engine,
    root: Any,
    *,
    seconds: float | None,
    memory: float,
    progress: Progress,
    exploitability: float = EXPLOITABILITY,
) -> Expectation | Equilibrium:
    """Return the expected goals from a position on, and how to play for them.

    If players take turns and see everything, the result is an `Expectation`. Otherwise, it is an `Equilibrium` up to an
    exploitability, as a share of the range of goals. The players know the position at the start. An interrupt (Ctrl-C)
    ends the search for better strategies. Raises NotSolvableError for games that are too large or of another kind,
    GoalError if a goal is missing, and ValueError for limits that make no sense.
    """
    if not 0 < exploitability < 1:
        raise ValueError(f"exploitability must be between 0 and 1: {exploitability}")
    budget = limited(seconds, memory, progress)
    if not hides_states(game):
        try:
            return expectation(game, root, budget)
        except NotSolvableError as error:
            if not error.at_once:
                raise
    players = sum(not is_nature(role) for role in game.roles)
    if players > 2:
        raise NotSolvableError(f"at most 2 players may have simultaneous moves or hidden information, not {players}")
    digits = estimated_digits(game, root)
    if digits > _HOPELESS:
        about = f"about 10^{round(digits)}" if digits < MOST_DIGITS else f"more than 10^{int(MOST_DIGITS)}"
        raise NotSolvableError(f"the game tree is too large: it has {about} nodes, by random playouts")
    tree = build_tree(game, root, budget)
    return find_equilibrium(tree, exploitability, budget)


def find_equilibrium(tree: Tree, exploitability: float, budget: SolverBudget) -> Equilibrium:
    """Return strategies for one or two players. Raises NotSolvableError unless the goals have a constant sum."""
    if len(tree.players) < 2:
        return _alone(tree)
    sums = tree.goals.sum(axis=1)
    if sums.min() != sums.max():
        one, two = (tuple(map(int, tree.goals[i])) for i in (sums.argmin(), sums.argmax()))
        raise NotSolvableError(f"the players' goals have no constant sum: they may be {one} or {two}")
    spread = float(np.ptp(tree.goals[:, 0]))
    solver, stop, look = RegretSolver(tree), None, 1.0
    try:
        while True:
            solver.iterate()
            if solver.iterations < look:
                continue
            look = max(look + 1, look * _GROWTH)
            reached = solver.exploitability()
            share = reached / spread if spread else 0.0
            budget.progress(f"{tree.nodes:,} nodes, {solver.iterations:,} iterations: exploitability {share:.6f}")
            if share <= exploitability:
                break
            if budget.left <= 0:
                stop = Stop.TIME
                break
    except KeyboardInterrupt:
        if solver.iterations < 2:  # there are no average strategies yet
            raise
        stop = Stop.INTERRUPTED
    return _checked(tree, solver, spread, stop)


def _checked(tree: Tree, solver: RegretSolver, spread: float, stop: Stop | None) -> Equilibrium:
    """Return the strategies that were found, with an exploitability that is computed from the tree."""
    strategies = solver.strategies()
    goals = expected_goals(tree, strategies)
    best = tuple(best_response(tree, strategies, player)[0] for player in range(2))
    found = (sum(best) - float(tree.goals[0].sum())) / 2
    if abs(found - solver.exploitability()) > _ROUNDING * max(1.0, spread):
        raise AssertionError(f"the exploitability is {found} by best responses, {solver.exploitability()} by regrets")
    return Equilibrium(tree, strategies, goals, best, max(found, 0.0), spread, solver.iterations, stop)


def _alone(tree: Tree) -> Equilibrium:
    """Return the best strategy of a single player."""
    if not tree.players:
        raise NotSolvableError("there is no player")
    slots = 1 + sum(len(own.moves) for own in tree.sets[0])
    best, strategy = best_response(tree, [np.ones(slots)], 0)
    goals = expected_goals(tree, [strategy])
    spread = float(np.ptp(tree.goals[:, 0]))
    return Equilibrium(tree, (strategy,), goals, (best,), max(best - goals[0], 0.0), spread, 0, None)


_PLAYOUTS: Final = 15

#: The number of decimal digits of the size, and the number of plies, after which a playout has shown enough.
MOST_DIGITS: Final = 15.0
_PLIES: Final = 1_000


def estimated_digits(game: Engine, root: Any) -> float:
    """Return the decimal logarithm of a size that the tree from a state on rarely falls below, at most 15."""
    random = Random(0)
    return median(_playout(game, root, random) for _ in range(_PLAYOUTS))


def _playout(game: Engine, state: Any, random: Random) -> float:
    digits = 0.0
    for _ in range(_PLIES):
        if game.is_terminal(state) or digits > MOST_DIGITS:
            break
        try:
            legal = [game.legal_moves(state, role) for role in game.roles]
        except NoLegalMoveError:  # reported when the tree is built
            break
        digits += sum(log10(len(moves)) for moves in legal)
        state = game.next_state(state, [random.choice(moves) for moves in legal])
    return min(digits, MOST_DIGITS)
