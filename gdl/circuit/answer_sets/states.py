"""Encode the states of a game and the joint moves between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.circuit.answer_sets.encoding import CircuitEncoding
from gdl.circuit.game import GameCircuit

if TYPE_CHECKING:
    from clingo.backend import Backend


def true_atom(backend: Backend) -> int:
    """Return a new atom that always holds."""
    always = int(backend.add_atom())
    backend.add_rule([always])
    return always


def initial_state(backend: Backend, game: GameCircuit) -> CircuitEncoding:
    """Return the initial state, without moves."""
    always = true_atom(backend)
    facts = {1 + number: always if holds else -always for number, holds in enumerate(game.init)}
    return CircuitEncoding(backend, game.circuit, {0: -always, **facts})


def open_state(backend: Backend, game: GameCircuit) -> CircuitEncoding:
    """Return any state with any joint move: all facts and moves are free."""
    always = true_atom(backend)
    inputs = {node: backend.add_atom() for node in range(1, 1 + game.circuit.inputs)}
    backend.add_rule(list(inputs.values()), choice=True)
    return CircuitEncoding(backend, game.circuit, {0: -always, **inputs})


def next_state(state: CircuitEncoding, game: GameCircuit) -> CircuitEncoding:
    """Return the state after the moves that are done in a state."""
    facts = {1 + number: state.atom(literal) for number, literal in enumerate(game.next)}
    return CircuitEncoding(state.backend, game.circuit, {0: state.false, **facts})


def allow_moves(state: CircuitEncoding, game: GameCircuit) -> None:
    """Make the moves in a state free."""
    first = 1 + len(game.facts)
    moves = {first + number: state.backend.add_atom() for number in range(len(game.moves))}
    state.backend.add_rule(list(moves.values()), choice=True)
    state.give(moves)


def require_move(state: CircuitEncoding, game: GameCircuit) -> None:
    """Require that a state is not terminal, and that each role does exactly one of its legal moves."""
    state.forbid(state.atom(game.terminal))
    for role in range(len(game.roles)):
        own = game.moves_of(role)
        if own:
            done = [game.move(number) for number in own]
            state.forbid(state.at_least(2, done))
            state.forbid(-state.at_least(1, done))
        for number in own:
            _require_legal(state, game, number)


def _require_legal(state: CircuitEncoding, game: GameCircuit, number: int) -> None:
    """Require that a move is done only if it is legal."""
    from clingo.backend import HeuristicType

    move = state.atom(game.move(number))
    state.forbid(move, -state.atom(game.legal[number]))
    # Moves determine most other atoms: proofs are many times faster if moves are decided first.
    state.backend.add_heuristic(move, HeuristicType.Level, 1, 1, [])
    state.backend.add_heuristic(move, HeuristicType.Sign, 1, 1, [])
