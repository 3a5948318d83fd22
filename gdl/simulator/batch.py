"""Many states of a game, advanced together: for learning and search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

from gdl.codegen.llvm.playout_loop import LANES
from gdl.codegen.llvm.transpose import BLOCK
from gdl.errors import IllegalMoveError
from gdl.reasoner.joint_moves import role_named
from gdl.simulator.arrays import NO_GOAL
from gdl.simulator.compiled_code import aligned_rows
from gdl.simulator.packed_state import PackedState
from gdl.simulator.seeds import checked_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator


@final
class Batch:
    """A number of states of a game, all initial at first; made by `Simulator.batch`.

    A role's moves are numbered from 0, by their positions in `Simulator.all_moves(role)`. Terminal states stay as they
    are until they are reset. Returned arrays belong to the caller.
    """

    def __init__(self, simulator: Simulator, n: int) -> None:
        """Start with `n` initial states. Raises TypeError if `n` is no whole number, ValueError if less than 1."""
        import numpy as np

        n = checked_count("n", n)
        self.simulator = simulator
        self.n = n
        game = simulator.circuit
        self._code = simulator._compiler.lanes()
        layout, target = self._code.layout, self._code.target
        self._words, self._bits = target.words, target.bits
        self._parts = -(-n // LANES) * (LANES // target.bits)
        self._facts, self._moves = len(game.facts), len(game.moves)
        self._ranges = simulator._ranges
        # Facts, then the moves that are done; with room for one more block, as rows are read in blocks.
        self._state = aligned_rows(self._parts, layout.state, self._words)
        self._after = aligned_rows(self._parts, layout.state, self._words)
        self._looked = aligned_rows(self._parts, layout.looked, self._words)
        self._fresh = False
        self._offsets = np.array([moves.start for moves in self._ranges], np.int64)
        #: The role and value of each goal; what is not a whole number from 0 to 100 is no goal.
        self._values = [(role, NO_GOAL if value is None else value) for role, value in simulator.goal_table]
        initial = np.array(game.init, np.bool_)
        self._initial = np.where(initial, np.uint64(2**64 - 1), np.uint64(0))[None, :, None]
        self._state[:, : self._facts] = self._initial

    def __repr__(self) -> str:
        """Return the number of states and the game."""
        return f"<Batch of {self.n:,} state{'s' * (self.n != 1)} of {self.simulator!r}>"

    def reset(self, mask: NDArray[np.bool_] | None = None) -> None:
        """Reset the states of a mask (bool, n), by default all, to the initial state. Raises ValueError for others."""
        import numpy as np

        if mask is None:
            self._state[:, : self._facts] = self._initial
        else:
            mask = np.asarray(mask)
            if mask.shape != (self.n,) or mask.dtype != np.bool_:
                raise ValueError(f"expected bool of shape {(self.n,)}, not {mask.dtype} of shape {mask.shape}")
            rows = self._state[:, : self._facts]
            chosen = self._packed(mask)[:, None, :]
            rows[...] = (rows & ~chosen) | (self._initial & chosen)
        self._fresh = False

    def load(self, states: Sequence[PackedState]) -> None:
        """Replace all states, by as many states of the Simulator. Raises ValueError if their number is wrong."""
        import numpy as np

        if len(states) != self.n:
            raise ValueError(f"expected {self.n} states, not {len(states)}")
        packed = b"".join(self.simulator._own(state).bits for state in states)
        bits = np.unpackbits(np.frombuffer(packed, np.uint8).reshape(self.n, -1), axis=1, bitorder="little")
        facts = np.zeros((self._parts * self._bits, self._facts), np.uint8)
        facts[: self.n] = bits[:, : self._facts]
        rows = np.packbits(facts.reshape(self._parts, self._bits, -1), axis=1, bitorder="little")
        lanes = np.ascontiguousarray(rows.swapaxes(1, 2)).view(np.uint64)
        self._state[:, : self._facts] = lanes.reshape(self._parts, self._facts, self._words)
        self._fresh = False

    def states(self) -> list[PackedState]:
        """Return the states as states of the Simulator."""
        import numpy as np

        packed = np.packbits(self.observe(), axis=1, bitorder="little")
        size = self.simulator._bytes
        return [PackedState(self.simulator, row.tobytes().ljust(size, b"\0")) for row in packed]

    def observe(self) -> NDArray[np.bool_]:
        """Return the facts that hold, as truth values: (n, number of facts), in the order of `Simulator.all_facts`."""
        return self._expanded(self._state, 0, self._facts)

    def legal_mask(self, role: str) -> NDArray[np.bool_]:
        """Return a role's legal moves, as truth values: (n, number of the role's moves); in terminal states, too."""
        moves = self._range(role)
        return self._expanded(self._allowed(), 1 + moves.start, len(moves))

    def terminal(self) -> NDArray[np.bool_]:
        """Return, for each state, True if it is terminal: (n,)."""
        return self._lanes(self._allowed()[:, 0])

    def goals(self) -> NDArray[np.int64]:
        """Return each role's goal value: (n, number of roles); -1 unless there is exactly one, from 0 to 100."""
        import numpy as np

        allowed = self._allowed()
        found = np.full((self.n, len(self._ranges)), NO_GOAL, np.int64)
        counts = np.zeros(found.shape, np.int64)
        for place, (role, value) in enumerate(self._values):
            holds = self._lanes(allowed[:, 1 + self._moves + place])
            counts[:, role] += holds
            found[holds, role] = value
        found[counts != 1] = NO_GOAL
        return found

    def step(self, moves: NDArray[np.integer[Any]]) -> None:
        """Do a joint move in each state: numbers of moves, (n, number of roles), or (n,) for a game of one role.

        Moves in terminal states are ignored. Raises ValueError for a wrong shape or type, and IllegalMoveError for the
        first state with an illegal move; then no state has changed.
        """
        import numpy as np

        given = np.asarray(moves)
        if given.ndim == 1:
            given = given[:, None]
        if given.shape != (self.n, len(self._ranges)) or given.dtype.kind not in "iu":
            shape = (self.n, len(self._ranges))
            raise ValueError(f"expected integers of shape {shape}, not {given.dtype} of shape {given.shape}")
        allowed = self._allowed()
        over = self.terminal()
        sizes = np.array([len(moves) for moves in self._ranges])
        self._refuse(given, ((given < 0) | (given >= sizes)).any(axis=1) & ~over)
        chosen = np.full((self._parts * self._bits, len(self._ranges)), -1, np.int32)
        chosen[: self.n][~over] = given[~over]
        self._mark(chosen, given, allowed)
        here, there = self._state, self._after
        self._code.move(here, there)
        for part in range(self._parts):
            self._code.forget(*self._marking(chosen, part), here[part, self._facts :].ctypes.data, self._bits)
        if over.any():
            facts, old = there[:, : self._facts], here[:, : self._facts]
            facts ^= (facts ^ old) & self._packed(over)[:, None, :]
        self._state, self._after = there, here
        self._fresh = False

    def _mark(self, chosen: NDArray[np.int32], given: NDArray[Any], allowed: NDArray[np.uint64]) -> None:
        """Set the rows of the moves that are done. Raises IllegalMoveError."""
        import numpy as np

        for part in range(self._parts):
            legal, does = allowed[part, 1:].ctypes.data, self._state[part, self._facts :].ctypes.data
            bad = self._code.choose(*self._marking(chosen, part), legal, does, self._bits)
            if bad >= 0:
                self._state[:, self._facts :] = 0
                illegal = np.zeros(self.n, np.bool_)
                illegal[part * self._bits + bad] = True
                self._refuse(given, illegal)

    def _marking(self, chosen: NDArray[np.int32], part: int) -> tuple[int, int, int]:
        """Return the first arguments of `choose` and `forget`: moves, number of roles, offsets."""
        return chosen[part * self._bits :].ctypes.data, len(self._ranges), self._offsets.ctypes.data

    def _refuse(self, given: NDArray[Any], illegal: NDArray[np.bool_]) -> None:
        """Raise IllegalMoveError for the first state with an illegal move, if there is one."""
        for number in illegal.nonzero()[0][:1]:
            for role, move in zip(self.simulator.roles, given[number], strict=True):
                terms, mask = self.simulator.all_moves(role), self.legal_mask(role)[number]
                if not 0 <= move < len(terms) or not mask[move]:
                    text = terms[move].text if 0 <= move < len(terms) else f"number {move}"
                    legal = [term.text for term, holds in zip(terms, mask, strict=True) if holds]
                    raise IllegalMoveError(role, f"{text} in state {number} of the batch", legal)

    def _range(self, role: str) -> range:
        return self._ranges[self.simulator.roles.index(role_named(role, self.simulator.roles))]

    def _allowed(self) -> NDArray[np.uint64]:
        """Return terminal, legal moves and goals of the states, as rows."""
        if not self._fresh:
            self._code.look(self._state, self._looked)
            self._fresh = True
        return self._looked

    def _expanded(self, rows: NDArray[np.uint64], first: int, count: int) -> NDArray[np.bool_]:
        """Return some rows of each vector of lanes as truth values: (n, count)."""
        import numpy as np

        blocks = -(-count // BLOCK)
        out = np.empty((self._parts * self._bits, blocks * BLOCK), np.bool_)
        for part in range(self._parts):
            for block in range(blocks):
                source = rows[part : part + 1].ctypes.data + 8 * self._words * (first + block * BLOCK)
                target = out.ctypes.data + part * self._bits * out.shape[1] + block * BLOCK
                self._code.expand(source, target, out.shape[1])
        return out[: self.n, :count]

    def _lanes(self, row: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return one row of each vector of lanes as truth values: (n,)."""
        import numpy as np

        bits = np.unpackbits(np.ascontiguousarray(row).view(np.uint8).reshape(-1), bitorder="little")
        return bits[: self.n].view(np.bool_)

    def _packed(self, mask: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """Return truth values, (n,), as rows: (vectors of lanes, words)."""
        import numpy as np

        lanes = np.zeros(self._parts * self._bits, np.bool_)
        lanes[: self.n] = mask
        return np.packbits(lanes, bitorder="little").view(np.uint64).reshape(self._parts, self._words)
