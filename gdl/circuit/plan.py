"""Plan the optional work of making a circuit, by the size of what must be done in any case.

Sizes are counted, and times estimated from them. So the plan depends on the rules and the budget alone, and every
machine makes the same circuit: playouts choose among the rows of moves that its laws allow, so a circuit that depended
on the clock would make the result of a seed depend on it, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, final

from gdl.circuit.game import GameCircuit
from gdl.grounder.program import GroundProgram

#: Estimated seconds: per literal of a ground rule to read and build it; per input of a gate to rebuild it, and to make
#: code of it. Measured for knights_and_pawns and othello: 2.1, 3 to 4.1, 4.1 to 5.7, and 35 to 75 microseconds (without
#: LLVM).
_READ: Final = 2.5e-6
_BUILD: Final = 4.5e-6
_REBUILD: Final = 6e-6
_CODE: Final = 60e-6

#: The share of the budget for required and optional work together, by these estimates; a machine may be half as fast.
_PLANNED: Final = 0.5
#: The largest share of the budget for proofs: 5 of 60 seconds. With 15, none of fox_game, othello, knights_and_pawns,
#: brawl, skirmish, chess_200, amazons_8x8, pentago and hex plays faster by more than 2 %; with 1, two of them play a
#: third slower. Of what is left for optional work, proofs get two thirds, as they make more of a difference than
#: rebuilding.
_PROVING: Final = 1 / 12
_PROVING_FIRST: Final = 2 / 3
#: The largest number of times that a circuit is rebuilt after its invariants have been proved.
_REBUILDS: Final = 4


@final
@dataclass(frozen=True, slots=True)
class Plan:
    """The estimated seconds that are left for proofs, and the number of times that the circuit is rebuilt."""

    seconds: float
    required: float
    inputs: int = 0

    @classmethod
    def of_program(cls, seconds: float, program: GroundProgram) -> Plan:
        """Plan before a circuit is built; `seconds` is the whole budget."""
        literals = sum(1 + len(body) for _, body in program.rules)
        return cls(seconds, (_READ + _BUILD) * literals)

    def of_circuit(self, game: GameCircuit) -> Plan:
        """Plan again for a circuit, which has been built."""
        return replace(self, inputs=game.circuit.size)

    @property
    def _room(self) -> float:
        """The estimated seconds for optional work."""
        return max(0.0, _PLANNED * self.seconds - self.required - _CODE * self.inputs)

    @property
    def proving(self) -> float:
        """The estimated seconds for proofs."""
        return min(_PROVING * self.seconds, _PROVING_FIRST * self._room)

    @property
    def rebuilds(self) -> int:
        """The number of times that the circuit may be rebuilt."""
        return min(_REBUILDS, self._all_rebuilds)

    @property
    def has_room(self) -> bool:
        """True if there is time to make and simplify another circuit of this size."""
        return self._all_rebuilds >= 2 * _REBUILDS

    @property
    def _all_rebuilds(self) -> int:
        return int((self._room - self.proving) / max(1e-9, _REBUILD * self.inputs))
