"""Find the facts, moves and outputs that are possible at all, considering each fact independently of the others."""

from __future__ import annotations

from typing import final

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import TRUE


@final
class Closure:
    """The literals that may hold in some reachable state, overestimated: each is followed up independently of others.

    A literal that is not among them never holds. Takes time linear in the size of the circuit.
    """

    def __init__(self, game: GameCircuit) -> None:
        """Find the possible literals of a game."""
        fanins = game.circuit.fanins
        self._possible = bytearray(2 * len(fanins))
        #: The literals that a possible literal makes possible on its own.
        self._follows: dict[int, list[int]] = {}
        #: The gates that a literal is an input of, and each gate's number of inputs not yet known to be possible.
        self._uses: dict[int, list[int]] = {}
        self._missing = [len(fanin) for fanin in fanins]
        for node, fanin in enumerate(fanins):
            for literal in fanin:
                self._uses.setdefault(literal, []).append(node)
                self._follow(literal ^ 1, 2 * node + 1)
        self._run([TRUE, *self._open(game)])

    def possible(self, literal: int) -> bool:
        """Return True if a literal may hold in some state."""
        return bool(self._possible[literal])

    def _follow(self, literal: int, other: int) -> None:
        self._follows.setdefault(literal, []).append(other)

    def _open(self, game: GameCircuit) -> list[int]:
        """Return the inputs possible from the start; others become possible by what facts and moves depend on."""
        found = [game.fact(number) + (not holds) for number, holds in enumerate(game.init)]
        for number, literal in enumerate(game.next):
            self._follow(literal, game.fact(number))
            self._follow(literal ^ 1, game.fact(number) + 1)
        for number, literal in enumerate(game.legal):
            self._follow(literal, game.move(number))
            found.append(game.move(number) + 1)
        for loop in game.circuit.loops:
            for node, update in zip(loop.variables, loop.updates, strict=True):
                self._follow(update, 2 * node)
                found.append(2 * node + 1)
        return found

    def _run(self, stack: list[int]) -> None:
        while stack:
            literal = stack.pop()
            if self._possible[literal]:
                continue
            self._possible[literal] = True
            stack += self._follows.get(literal, ())
            for node in self._uses.get(literal, ()):
                self._missing[node] -= 1
                if not self._missing[node]:
                    stack.append(2 * node)
