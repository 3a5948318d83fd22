"""Check positions: play a line of moves, and compare the state at its end with the expectations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdl.errors import GdlError, GoalError, NoLegalMoveError, nearest
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.terms import Term
from ggp.rules.conformance.expectations import Position
from ggp.rules.report_text import difference_lines, indent_and_wrap, sorted_listing


class _Derailed(Exception):
    """The line of moves could not be played to its end; the text says why."""


def check_position(game: Reasoner, position: Position) -> str | None:
    """Describe in plain text how a position differs from the expectations; return None if it does not."""
    try:
        complaints = list(_complaints(game, position, _play(game, position)))
    except _Derailed as derailed:
        complaints = [str(derailed)]
    except GdlError as error:
        complaints = str(error).split("\n")
    if not complaints:
        return None
    return "\n".join([f'position "{position.name}" ({position.place})', *indent_and_wrap(complaints)])


def _play(game: Reasoner, position: Position) -> State:
    """Return the state at the end of the line of moves."""
    state = position.start
    plies = len(position.joint_moves)
    for ply, given in enumerate(position.joint_moves, 1):
        if game.is_terminal(state):
            raise _Derailed(f"the game is over after {ply - 1} of {plies} plies")
        named = _named(game, state, given, f"ply {ply} of {plies}") if isinstance(given, Term) else given
        joint_move = {}
        for role in game.roles:
            joint_move[role] = named.get(role) or _only_move(game, state, role, f"ply {ply} of {plies}")
        try:
            state = game.next_state(state, joint_move)
        except GdlError as error:
            raise _Derailed(f"ply {ply} of {plies}: {error}") from None
    return state


def _named(game: Reasoner, state: State, move: Term, where: str) -> dict[str, Term]:
    """Return a move by the role that has a choice; if none has one, by a role that can make it."""
    legal = {role: _legal(game, state, role) for role in game.roles}
    choosing = [role for role, moves in legal.items() if len(moves) > 1]
    if len(choosing) > 1:
        raise _Derailed(f"{where}: {move} is the only move given, but {' and '.join(choosing)} have a choice")
    return {(choosing or [role for role, moves in legal.items() if move in moves] or [*legal])[0]: move}


def _only_move(game: Reasoner, state: State, role: str, where: str) -> Term:
    legal = _legal(game, state, role)
    if len(legal) != 1:
        moves = sorted_listing(legal)
        raise _Derailed(f"{where}: no move is given for {role}, which has {len(legal)} legal moves: {moves}")
    return legal[0]


def _legal(game: Reasoner, state: State, role: str) -> tuple[Term, ...]:
    """Return the legal moves; nothing if there are none, even if the rules must have some."""
    try:
        return game.legal_moves(state, role)
    except NoLegalMoveError:
        return ()


def _complaints(game: Reasoner, position: Position, state: State) -> Iterator[str]:
    terminal = game.is_terminal(state)
    if position.terminal is not None and terminal != position.terminal:
        yield f"terminal: expected {_toml(position.terminal)}, found {_toml(terminal)}"
    for role, goal in position.goals.items():
        yield from _goal_complaints(game, state, role, goal)
    for role, moves in position.legal.items():
        yield from difference_lines(f"legal.{role}", moves, _legal(game, state, role))
    for role, moves in position.legal_includes.items():
        legal = _legal(game, state, role)
        yield from _lacking(f"legal_includes.{role}", "is not legal", [m for m in moves if m not in legal], legal)
    for role, moves in position.legal_excludes.items():
        legal = _legal(game, state, role)
        yield from (f"legal_excludes.{role}: {move} is legal" for move in moves if move in legal)
    for role, count in position.legal_count.items():
        legal = _legal(game, state, role)
        if len(legal) != count:
            yield f"legal_count.{role}: expected {count}, found {len(legal)}: {sorted_listing(legal)}"
    if position.facts is not None:
        yield from difference_lines("facts", position.facts, tuple(state))
    yield from _lacking("holds", "does not hold", [fact for fact in position.holds if fact not in state], state)
    yield from (f"absent: {fact} holds" for fact in position.absent if fact in state)


def _goal_complaints(game: Reasoner, state: State, role: str, expected: int) -> Iterator[str]:
    try:
        found = game.goal(state, role)
    except GoalError as error:
        yield f"goals.{role}: expected {expected}, but {error}"
    else:
        if found != expected:
            yield f"goals.{role}: expected {expected}, found {found}"


def _lacking(label: str, verdict: str, lacking: Iterable[Term], found: Iterable[Term]) -> Iterator[str]:
    """Yield a complaint for each missing term, with the found terms that are spelled most similarly."""
    texts = list(map(str, found))
    for term in lacking:
        near = nearest(term.text, texts, 3, 0.7)
        yield f"{label}: {term} {verdict}" + (f"; there is {', '.join(near)}" if near else "")


def _toml(value: bool) -> str:
    return "true" if value else "false"
