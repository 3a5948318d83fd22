"""Lines of moves: the best line of a solved game, and the position that a line leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final, final

from gdl.errors import NoLegalMoveError, TermError
from gdl.language.parser import parse, source_of, term_of
from gdl.language.syntax import Expression, Group
from gdl.terms import Term
from ggp.solver.byrules import row_of
from ggp.solver.errors import LineError

if TYPE_CHECKING:
    from gdl.engine import Engine
    from ggp.solver.graph import Solution
    from ggp.solver.worth import Verdict

#: The number of plies shown of a line without an end.
MOST_SHOWN: Final = 40


@final
@dataclass(frozen=True, slots=True)
class Step:
    """One ply: a joint move, and the role that had a choice, or None."""

    moves: tuple[Term, ...]
    role: int | None


@final
@dataclass(frozen=True, slots=True)
class Line:
    """Moves from a position on. If the last position is a repetition, `back_to` is the ply of its first occurrence."""

    steps: tuple[Step, ...]
    back_to: int | None = None


def best_line(game: Engine, solution: Solution, root: Any) -> Line | None:
    """Return a line without mistakes: the role that forces the end hurries, the other one delays it.

    If nobody can force an end, the line ends when a position is repeated, or after `MOST_SHOWN` plies. None if the
    roles' interests are not opposed.
    """
    if not solution.worth.opposed:
        return None
    import numpy as np

    graph = solution.graph
    facts = {fact: number for number, fact in enumerate(graph.facts)}
    verdict = solution.worth.verdict(0)
    state, number = root, 0
    steps: list[Step] = []
    seen = {0: 0}
    while not game.is_terminal(state) and (verdict.goals is not None or len(steps) < MOST_SHOWN):
        legal = [game.legal_moves(state, role) for role in game.roles]
        target = _best_child(solution, number, verdict)
        for moves in product(*legal):
            following = game.next_state(state, moves)
            row = row_of(following, facts, graph.states.shape[1])
            if row is not None and np.array_equal(row, graph.states[target]):
                break
        else:
            raise AssertionError("the state after the best move is not the one in the graph")
        steps.append(Step(moves, mover_of(legal)))
        state, number = following, target
        if number in seen:
            return Line(tuple(steps), seen[number])
        seen[number] = len(steps)
    return Line(tuple(steps))


def mover_of(legal: Sequence[Sequence[Term]]) -> int | None:
    """Return the first role that has a choice; None if there is none."""
    return next((role for role, moves in enumerate(legal) if len(moves) > 1), None)


def _best_child(solution: Solution, state: int, verdict: Verdict) -> int:
    """Return the state after the best move: no role gives away a value that it can force; then speed counts."""
    graph, worth = solution.graph, solution.worth
    mover, driver = int(graph.mover[state]), verdict.driver
    own, other = worth.sure[mover], worth.sure[len(worth.sure) - 1 - mover]
    # A role that cannot win any more has nothing left to keep.
    lost = driver is not None and verdict.goals is not None and verdict.goals[driver] == worth.top[driver]

    def order(child: int) -> tuple[int, int, int]:
        if driver is None:
            return int(other.rank[child]), -int(own.rank[child]), 0
        if driver == mover:
            return -int(own.rank[child]), int(own.distance[child]), 0
        return int(other.rank[child]), 0 if lost else -int(own.rank[child]), -int(other.distance[child])

    return min(map(int, graph.after(state)), key=order)


def position_after(game: Engine, text: str, option: str = "--moves") -> tuple[Any, tuple[tuple[Term, ...], ...]]:
    """Return the state after a line of moves, and the joint moves of the line.

    Each ply is a joint move, as in `((move c4 c8 c4 c7) noop)` or without the outer parentheses; or only the move of
    the role that has a choice. Errors refer to the `option` with which the text was given. Raises TermError and
    LineError.
    """
    source = source_of(text, option)
    expressions, mistakes = parse(source)
    if mistakes:
        raise TermError(mistakes)
    left = list(expressions)
    state: Any = game.initial_state()
    line: list[tuple[Term, ...]] = []
    while left:
        ply = len(line) + 1
        if game.is_terminal(state):
            raise LineError(ply, f"the game is over after {ply - 1} plies, but there are moves left")
        legal = [_legal(game, state, role) for role in game.roles]
        used, moves = _joint_move(left, legal)
        if moves is None:
            role = mover_of(legal) or 0
            name = game.roles[role]
            raise LineError(ply, f"{left[0]} is not a legal move of {name}", [move.text for move in legal[role]][:12])
        del left[:used]
        line.append(moves)
        state = game.next_state(state, moves)
    return state, tuple(line)


def _joint_move(left: list[Expression], legal: list[tuple[Term, ...]]) -> tuple[int, tuple[Term, ...] | None]:
    """Return the number of expressions of the next joint move, and the joint move; None if it is not legal."""
    first = left[0]
    if isinstance(first, Group) and (moves := _matched(first.items, legal)) is not None:
        return 1, moves
    if (moves := _matched(left[: len(legal)], legal)) is not None:
        return len(legal), moves
    term = term_of(first)
    role = mover_of(legal) or 0
    if term in legal[role] and all(len(own) == 1 for other, own in enumerate(legal) if other != role):
        return 1, tuple(term if other == role else own[0] for other, own in enumerate(legal))
    return 0, None


def _matched(expressions: Sequence[Expression], legal: list[tuple[Term, ...]]) -> tuple[Term, ...] | None:
    """Return the expressions as one legal move for each role, or None."""
    if len(expressions) != len(legal):
        return None
    terms = [term_of(expression) for expression in expressions]
    if any(term is None or term not in own for term, own in zip(terms, legal, strict=True)):
        return None
    return tuple(terms)  # type: ignore[arg-type]


def _legal(game: Engine, state: Any, role: str) -> tuple[Term, ...]:
    try:
        return game.legal_moves(state, role)
    except NoLegalMoveError:
        return ()
