"""Searches for a way to a state of some kind, one ply after another: clingo looks for moves that lead there."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, final

from gdl.circuit.answer_sets.encoding import CircuitEncoding
from gdl.circuit.answer_sets.search import search
from gdl.circuit.answer_sets.states import allow_moves, initial_state, next_state, require_move
from gdl.circuit.game import GameCircuit
from gdl.terms import Term

if TYPE_CHECKING:
    from clingo import Model

#: Joint moves, one for each ply, in the order of the roles.
Moves = tuple[tuple[Term, ...], ...]


@final
class BoundedSearch:
    """The states that so many plies lead to from the initial one, and ways to those that are asked for.

    `target` makes an atom of the program that holds in the states that are looked for.
    """

    def __init__(self, game: GameCircuit, target: Callable[[CircuitEncoding], int]) -> None:
        from clingo import Control

        self._game = game
        self._target = target
        self._control = Control(["--warn=none", "--seed=0"])
        self._states: list[CircuitEncoding] = []

    def find(self, until: float, max_plies: int) -> Moves | None:
        """The moves of a shortest way; None where there is none so short, or none was found before `until`."""
        # Nobody gets anywhere where a role can never move.
        movable = {role for role, _ in self._game.moves}
        for _ in range(max_plies + 1 if len(movable) == len(self._game.roles) else 1):
            if monotonic() >= until:
                return None
            wanted = self._extend()
            found = search(self._control, [wanted], self._read, until).found
            if found is not None:
                return found
        return None

    def _extend(self) -> int:
        """Look one ply further; the atom that holds where the last state is one that is looked for."""
        with self._control.backend() as backend:
            if self._states:
                last = self._states[-1]
                last.resume(backend)
                require_move(last, self._game)
                state = next_state(last, self._game)
                last.define()
            else:
                state = initial_state(backend, self._game)
            allow_moves(state, self._game)
            wanted = self._target(state)
            # All that the next ply needs is defined now, while this one's rules are made.
            for literal in (self._game.terminal, *self._game.legal, *self._game.next):
                state.atom(literal)
            state.define()
            self._states.append(state)
        return wanted

    def _read(self, model: Model) -> Moves:
        game = self._game
        way = []
        for state in self._states[:-1]:
            done = [number for number in range(len(game.moves)) if model.is_true(state.atom(game.move(number)))]
            by_role = {game.moves[number][0]: game.moves[number][1] for number in done}
            way.append(tuple(by_role[role] for role in range(len(game.roles))))
        return tuple(way)
