"""Exact values in one call: `ggp.solve`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from gdl.engine import Engine
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.reasoner import Reasoner
from gdl.terms import Term
from ggp.rules.engine_choice import compiled_or_reasoner
from ggp.rules.shipped_games import load_game
from ggp.solver.descriptions import bounds_text, plan_text, value_text
from ggp.solver.line import position_after
from ggp.solver.solve import Answer
from ggp.solver.solve import solve as solve_position

if TYPE_CHECKING:
    from ggp.solver.planner import Plan

#: The time limit in seconds for a plan for one role if none is given.
_LONGEST: Final = 1e9


@final
class JointMoves(tuple[tuple[Term, ...], ...]):
    """Joint moves, which print as KIF text, as `solve` and `ggp solve --moves` take it."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the joint moves in parentheses."""
        return " ".join(f"({' '.join(move.text for move in moves)})" for moves in self)


@final
@dataclass(frozen=True, slots=True, repr=False)
class PositionValue:
    """The value of a position if nobody makes a mistake, as far as it is known.

    `goals` are the roles' goals at the end, None if they are not settled. `plies` is the number of plies to that end,
    None if it is unknown. `moves` is a best line: joint moves in role order. `proven` is True if nothing is left to
    find out. `details` is the answer of the solver, or the plan for a game of one role.
    """

    game: str
    goals: dict[str, int] | None
    plies: int | None
    moves: tuple[tuple[Term, ...], ...]
    proven: bool
    seconds: float
    text: str
    details: Answer | Plan

    def __post_init__(self) -> None:
        """Let the moves print as text."""
        object.__setattr__(self, "moves", JointMoves(self.moves))

    def __str__(self) -> str:
        """Return the value in a sentence or two."""
        return self.text

    def __repr__(self) -> str:
        """Return the game and the value."""
        return f"<PositionValue {self.game or 'game'}: {self.text}>"


def solve(
    rules: str | Path | Rulesheet | Engine,
    moves: str = "",
    *,
    seconds: float | None = None,
    memory: float = 2.0,
    progress: Callable[[str], None] | None = None,
    only_value: bool = False,
) -> PositionValue:
    """Return the value of a position: the initial one, or the one after some moves.

    >>> import ggp
    >>> ggp.solve("tic_tac_toe")
    <PositionValue tic_tac_toe: draw in 9 plies: xplayer 50, oplayer 50>

    Args:
        rules: A path, the name of a shipped game, a `gdl.Rulesheet`, or an engine such as a `gdl.Simulator`. Rules
            are compiled; those that are too large to be compiled are solved by the Reasoner, slowly.
        moves: A line of moves that leads to the position, as for `ggp solve --moves`.
        seconds: The time limit; None for none.
        memory: The memory limit of the whole process, in GB.
        progress: Called with a line of text for each stage.
        only_value: Leave open how many plies the value takes, which is faster if there are too many positions.

    Raises:
        UnknownGameError, AmbiguousGameError, FileError, RulesheetError: The rules cannot be read.
        TermError, LineError: The moves are not legal.
        NotSolvableError: Chance has a part in the game, or the roles do not see the whole state.
        GoalError: The rules give no goal at some end.
    """
    tell = progress or (lambda _: None)
    game, name = load_game(rules)
    if isinstance(game, Reasoner):
        choice = compiled_or_reasoner(game, tell)
        game = choice.game
        if choice.reason:
            tell(f"{choice.reason}; the Reasoner searches")
    root, _ = position_after(game, moves, "moves")
    return value_of(game, root, name=name, seconds=seconds, memory=memory, progress=tell, only_value=only_value)


def value_of(
    game: Engine,
    state: Any,
    *,
    name: str = "",
    seconds: float | None = None,
    memory: float = 2.0,
    progress: Callable[[str], None] = lambda _: None,
    only_value: bool = False,
) -> PositionValue:
    """Return the value of a state of an engine; otherwise as `solve`."""
    from gdl.simulator.simulator import Simulator

    if len(game.roles) == 1 and isinstance(game, Simulator):
        return _planned(game, name, state, seconds, memory, progress)
    answer = solve_position(game, state, seconds=seconds, memory=memory, progress=progress, only_value=only_value)
    return _valued(name, game.roles, answer)


def _planned(
    game: Any, name: str, root: Any, seconds: float | None, memory: float, tell: Callable[[str], None]
) -> PositionValue:
    from ggp.solver.planner import plan

    limit = _LONGEST if seconds is None else seconds
    best = plan(game, root, seconds=limit, memory=int(memory * 1e9), progress=tell)
    role = game.roles[0]
    text = plan_text(best, role)
    if best.goal is None:
        return PositionValue(name, None, None, (), best.proven, best.seconds, text, best)
    line = tuple((move,) for move in best.moves)
    proven = best.proven and best.shortest
    return PositionValue(name, {role: best.goal}, len(line), line, proven, best.seconds, text, best)


def _valued(name: str, roles: tuple[str, ...], answer: Answer) -> PositionValue:
    line = tuple(step.moves for step in answer.line.steps) if answer.line is not None else ()
    if answer.solution is not None:
        worth = answer.solution.worth
        verdict = worth.verdict(0)
        goals = None if verdict.goals is None else dict(zip(roles, verdict.goals, strict=True))
        text = value_text(worth, verdict)
        return PositionValue(name, goals, verdict.plies, line, True, answer.seconds, text, answer)
    assert answer.bounds is not None
    text = "; ".join(bounds_text(answer.bounds))
    closed = answer.bounds.closed
    plies = len(line) if closed and line else None
    return PositionValue(name, None, plies, line, closed, answer.seconds, text, answer)
