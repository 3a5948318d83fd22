"""Look for ends of every kind: all states of a small game, or very many random playouts of a large one.

Both evaluate the circuit of a game in many lanes at once, without compiling it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.sampling import Lanes, random_moves
from gdl.engine import is_nature
from gdl.terms import Term
from ggp.rules.checking.bounded import Moves

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The most states that are listed, and the most joint moves of one state.
_STATES: Final = 300_000
_JOINT_MOVES: Final = 10_000

#: The number of lanes at most, and the number of bits of all literals in all lanes.
_LANES: Final = 4096
_BITS: Final = 2**29

_Item = TypeVar("_Item")

#: The most playouts; more would tell hardly anything new.
_PLAYOUTS: Final = 200_000

#: Playouts are cut off after this many plies.
_PLIES: Final = 1_000

#: A role's number, and what happens to it.
Event = tuple[str, int]


@final
@dataclass(slots=True)
class Explored:
    """Events that were found, by kind and number of the role, each with moves that lead to it.

    The events are "goal" (an end without exactly one goal from 0 to 100), "legal" (no legal move, and no end) and
    "win" (an end with the only goal 100). `states` is the number of all states if each was examined; otherwise 0.
    """

    ways: dict[Event, Moves] = field(default_factory=dict)
    states: int = 0
    playouts: int = 0


def explore(game: GameCircuit, seconds: float, seed: int) -> Explored:
    """Examine all states for half of the time; if there are too many, play at random for the other half."""
    found = Explored()
    if any(not game.moves_of(role) for role in range(len(game.roles))):
        return found  # the game cannot go on
    start = monotonic()
    _States(game, found).search(start + seconds / 2)
    if not found.states:
        _play(game, found, start + seconds, seed)
    return found


def _lanes(game: GameCircuit, most: int = _LANES) -> int:
    """Return the number of lanes that fit into memory."""
    return max(64, min(most, _BITS // (2 * len(game.circuit.fanins)) // 64 * 64))


def _events(lanes: Lanes, open_: int) -> Iterator[tuple[Event, int]]:
    """Yield what happens in some lanes, given by the bits of an integer, with the lanes in which it does."""
    game, values = lanes.game, lanes.values
    over = values[game.terminal] & open_
    for role, name in enumerate(game.roles):
        some = several = wrong = win = 0
        for (owner, _), (_, value), literal in zip(game.goals, game.goal_table, game.goals.values(), strict=True):
            if owner == role:
                holds = values[literal]
                several |= some & holds
                some |= holds
                wrong |= holds if value is None else 0
                win |= holds if value == 100 else 0
        missing = 0 if is_nature(str(name)) else ~some
        yield ("goal", role), over & (missing | several | wrong)
        yield ("win", role), over & win & ~several
        legal = 0
        for number in lanes.moves_by_role[role]:
            legal |= values[game.legal[number]]
        yield ("legal", role), open_ & ~over & ~legal


def _play(game: GameCircuit, found: Explored, until: float, seed: int) -> None:
    """Play at random in all lanes, again and again."""
    lanes = Lanes(game, _lanes(game))
    while found.playouts < _PLAYOUTS and monotonic() < until:
        start = Random(f"{seed} {found.playouts}")
        wanted: list[tuple[Event, int, int]] = []

        def note(plies: int, open_: int, wanted: list[tuple[Event, int, int]] = wanted) -> None:
            for event, where in _events(lanes, open_):
                if where and event not in found.ways and all(event != other for other, _, _ in wanted):
                    wanted.append((event, (where & -where).bit_length() - 1, plies))

        complete = _playout(lanes, start, until, note)
        for event, lane, plies in wanted:
            found.ways[event] = _replayed(lanes, f"{seed} {found.playouts}", lane, plies)
        if complete:
            found.playouts += lanes.count


def _playout(lanes: Lanes, random: Random, until: float, note: Callable[[int, int], None]) -> bool:
    """Play in all lanes until every match is over; return False if time is up before."""
    game = lanes.game
    open_ = lanes.full
    facts = [lanes.full if holds else 0 for holds in game.init]
    for plies in range(_PLIES):
        lanes.set_facts(facts)
        note(plies, open_)
        open_ &= ~lanes.values[game.terminal]
        moves, open_ = random_moves(lanes, random, open_)
        if not open_:
            return True
        if monotonic() >= until:
            return False
        lanes.set_moves(moves)
        facts = lanes.read(game.next)
    return True


def _replayed(lanes: Lanes, seed: str, lane: int, plies: int) -> Moves:
    """Return the moves of one lane, by playing all of them once more."""
    game = lanes.game
    random = Random(seed)
    open_ = lanes.full
    facts = [lanes.full if holds else 0 for holds in game.init]
    way = []
    for _ in range(plies):
        lanes.set_facts(facts)
        open_ &= ~lanes.values[game.terminal]
        moves, open_ = random_moves(lanes, random, open_)
        way.append(_terms(game, [number for number, row in enumerate(moves) if row >> lane & 1]))
        lanes.set_moves(moves)
        facts = lanes.read(game.next)
    return tuple(way)


def _terms(game: GameCircuit, numbers: Sequence[int]) -> tuple[Term, ...]:
    """Return the moves of a joint move in the order of the roles."""
    by_role = {game.moves[number][0]: game.moves[number][1] for number in numbers}
    return tuple(by_role[role] for role in range(len(game.roles)))


@final
class _States:
    """Breadth-first search; a state is a string of bytes with one bit for each fact."""

    def __init__(self, game: GameCircuit, found: Explored) -> None:
        self._game = game
        self._found = found
        self._lanes = Lanes(game, _lanes(game, 1024))
        self._owners = [range(0)] * len(game.roles)
        for role in range(len(game.roles)):
            self._owners[role] = game.moves_of(role)
        #: For each state that was reached, the state before and the numbers of the moves; none for the initial one.
        self._before: dict[bytes, tuple[bytes, tuple[int, ...]] | None] = {}

    def search(self, until: float) -> None:
        """Examine one ply after another; note the number of states if none is left before time is up."""
        import numpy as np

        first = np.packbits(np.array(self._game.init, np.bool_), bitorder="little").tobytes()
        self._before[first] = None
        layer = [first]
        while layer:
            reached: list[bytes] = []
            for states in _chunks(layer, self._lanes.count):
                if not self._examine(states, reached, until):
                    return
            layer = reached
        self._found.states = len(self._before)

    def _examine(self, states: Sequence[bytes], reached: list[bytes], until: float) -> bool:
        """Note what happens in some states, and find the states after them; return False if it is too much."""
        import numpy as np

        lanes, game = self._lanes, self._game
        facts = self._facts(states)
        lanes.set_facts(_rows(facts))
        within = (1 << len(states)) - 1
        for event, where in _events(lanes, within):
            if where and event not in self._found.ways:
                self._found.ways[event] = self._way(states[(where & -where).bit_length() - 1])
        going = _bits(lanes.values[game.terminal] ^ lanes.full, len(states))
        legal = np.array([_bits(lanes.values[literal], len(states)) for literal in game.legal])
        pairs: list[tuple[int, tuple[int, ...]]] = []
        for number in np.flatnonzero(going):
            own = [[move for move in moves if legal[move, number]] for moves in self._owners]
            count = 1
            for moves in own:
                count *= len(moves)
            if count > _JOINT_MOVES:
                return False
            pairs += [(int(number), joint_move) for joint_move in product(*own)]
        for chunk in _chunks(pairs, lanes.count):
            if monotonic() >= until or len(self._before) > _STATES:
                return False
            self._follow(states, facts, chunk, reached)
        return True

    def _follow(
        self,
        states: Sequence[bytes],
        facts: NDArray[np.bool_],
        pairs: Sequence[tuple[int, tuple[int, ...]]],
        reached: list[bytes],
    ) -> None:
        """Find the states after some joint moves."""
        import numpy as np

        lanes, game = self._lanes, self._game
        lanes.set_facts(_rows(facts[:, [number for number, _ in pairs]]))
        moves = [0] * len(game.moves)
        for lane, (_, joint_move) in enumerate(pairs):
            for move in joint_move:
                moves[move] |= 1 << lane
        lanes.set_moves(moves)
        after = np.array([_bits(row, len(pairs)) for row in lanes.read(game.next)], np.bool_).reshape(-1, len(pairs))
        packed = np.packbits(after, axis=0, bitorder="little").T
        for (number, joint_move), row in zip(pairs, packed, strict=True):
            state = row.tobytes()
            if state not in self._before:
                self._before[state] = states[number], joint_move
                reached.append(state)

    def _facts(self, states: Sequence[bytes]) -> NDArray[np.bool_]:
        """Return the facts (rows) of some states (columns)."""
        import numpy as np

        packed = np.frombuffer(b"".join(states), np.uint8).reshape(len(states), -1)
        return np.unpackbits(packed, axis=1, count=len(self._game.facts), bitorder="little").T.astype(np.bool_)

    def _way(self, state: bytes) -> Moves:
        way = []
        while before := self._before[state]:
            state, joint_move = before
            way.append(_terms(self._game, joint_move))
        return tuple(reversed(way))


def _chunks(items: Sequence[_Item], size: int) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _rows(bits: NDArray[np.bool_]) -> list[int]:
    """Return each row of bits as an integer."""
    import numpy as np

    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(bits, axis=1, bitorder="little")]


def _bits(row: int, count: int) -> NDArray[np.bool_]:
    """Return the lowest bits of an integer."""
    import numpy as np

    packed = np.frombuffer((row & ((1 << count) - 1)).to_bytes(-(-count // 8), "little"), np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little").astype(np.bool_)
