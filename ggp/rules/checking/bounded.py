"""Search for moves that lead to a state of some kind: clingo looks one ply further at a time."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Final, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.proofs.proof import StateEncoding
from gdl.terms import Term

if TYPE_CHECKING:
    from clingo import Model

#: The longest time in seconds before an interrupt is noticed.
_PATIENCE: Final = 0.1

#: Joint moves, one per ply, in the order of the roles.
Moves = tuple[tuple[Term, ...], ...]


@final
class BoundedSearch:
    """Search the states reachable from the initial one within a number of plies.

    `target` adds an atom to the program that holds in the states searched for.
    """

    def __init__(self, game: GameCircuit, target: Callable[[StateEncoding], int]) -> None:
        """Prepare to search a game; nothing is encoded yet."""
        from clingo import Control

        self._game = game
        self._target = target
        self._control = Control(["--warn=none", "--seed=0"])
        self._states: list[StateEncoding] = []

    def find(self, until: float, max_plies: int) -> Moves | None:
        """Return the moves of a shortest path, or None if there is none of this length or `until` has passed."""
        # The game cannot go on if some role never has a move.
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
        """Extend the program by one ply; return the atom that holds if its last state is a target."""
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
            # Whatever the next ply needs is defined now, while the rules of this one are made.
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
