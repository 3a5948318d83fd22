"""Searches for a way to a state of some kind, one ply after another: clingo looks for moves that lead there."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Final, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.proofs.proof import StateEncoding
from gdl.terms import Term

if TYPE_CHECKING:
    from clingo import Model

#: So many seconds pass at most before an interrupt is noticed.
_PATIENCE: Final = 0.1

#: Joint moves, one for each ply, in the order of the roles.
Moves = tuple[tuple[Term, ...], ...]


@final
class BoundedSearch:
    """The states that so many plies lead to from the initial one, and ways to those that are asked for.

    `target` makes an atom of the program that holds in the states that are looked for.
    """

    def __init__(self, game: GameCircuit, target: Callable[[StateEncoding], int]) -> None:
        from clingo import Control

        self._game = game
        self._target = target
        self._control = Control(["--warn=none", "--seed=0"])
        self._states: list[StateEncoding] = []

    def find(self, until: float, max_plies: int) -> Moves | None:
        """The moves of a shortest way; None where there is none so short, or none was found before `until`."""
        # Nobody gets anywhere where a role can never move.
        movable = {role for role, _ in self._game.moves}
        for _ in range(max_plies + 1 if len(movable) == len(self._game.roles) else 1):
            if monotonic() >= until:
                return None
            wanted = self._extend()
            found = self._solve(wanted, until)
            if found is not None:
                return found
        return None

    def _extend(self) -> int:
        """Look one ply further; the atom that holds where the last state is one that is looked for."""
        with self._control.backend() as backend:
            if self._states:
                last = self._states[-1]
                last.resume(backend)
                last.move()
                state = last.after()
                last.define()
            else:
                state = StateEncoding.initial(backend, self._game)
            state.any_move()
            wanted = self._target(state)
            # All that the next ply needs is defined now, while this one's rules are made.
            for literal in (self._game.terminal, *self._game.legal, *self._game.next):
                state.atom(literal)
            state.define()
            self._states.append(state)
        return wanted

    def _solve(self, wanted: int, until: float) -> Moves | None:
        with self._control.solve([wanted], yield_=True, async_=True) as handle:
            handle.resume()
            try:
                while not handle.wait(_PATIENCE):
                    if monotonic() >= until:
                        handle.cancel()
                        return None
            except BaseException:
                handle.cancel()
                raise
            model = handle.model()
            return None if model is None else self._read(model)

    def _read(self, model: Model) -> Moves:
        game = self._game
        way = []
        for state in self._states[:-1]:
            done = [number for number in range(len(game.moves)) if model.is_true(state.atom(game.move(number)))]
            by_role = {game.moves[number][0]: game.moves[number][1] for number in done}
            way.append(tuple(by_role[role] for role in range(len(game.roles))))
        return tuple(way)
