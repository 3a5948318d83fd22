"""Compares the code of a game with its circuit, which `self_check` compares with the rules.

Code is compared in states of many random playouts at once: what it says of a state, and what follows from a joint move.
Code for playouts chooses moves itself. There, each lane that is compared has to be in a state that follows from its
last one by some joint move, the counters have to agree with the ends that are possible, and no move may be missing that
is likely to be drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Final, final

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.game import GameCircuit
from gdl.circuit.sampling import Lanes, Playouts
from gdl.codegen.evaluation import words
from gdl.codegen.llvm.playout_loop import LANES, Layout
from gdl.simulator.columns_code import ColumnsCode, InterpretedColumns, MachineColumns, looked_packing
from gdl.simulator.compiled_code import (
    ArraysCode,
    InterpretedArrays,
    MachineArrays,
    OnceCode,
    PlayoutCode,
    StateCode,
    StateLayout,
)
from gdl.simulator.playouts import PlayoutRunner
from gdl.simulator.seeds import words as seed_words
from gdl.simulator.self_check import Allowance, Difference, those_held

if TYPE_CHECKING:
    #: Truth values by row and lane.
    Bits = NDArray[np.bool_]

#: The number of lanes of the circuit from which some states are asked about one by one, and how many of them.
_FEW_LANES: Final = 64
_ASKED: Final = 3

#: The steps of playouts that are enough if none has ended.
_STEPS: Final = 32

#: The lanes that are compared in each step of playouts; the first half of them counts. All have the same code, so more
#: steps show more than more lanes.
_COMPARED: Final = 128

#: The number of steps of playouts that are compared before more and more are left out between them.
_DENSE: Final = 4

#: A move that would be expected to be made more often than this, but never is, is never drawn: by chance, that would
#: happen in one of 10^17 checks.
_CERTAIN: Final = 40.0

#: The most inputs of gates, times lanes, that are evaluated at once to find the states that may follow from others.
_WORK: Final = 10_000_000


def check_code(code: object, game: GameCircuit, made: float) -> None:
    """Compare code of any kind, made in some seconds, with the circuit. Raises Difference."""
    if isinstance(code, StateCode):
        check_states(code, game, made)
    elif isinstance(code, (MachineArrays, InterpretedArrays)):
        check_arrays(code, game, made)
    elif isinstance(code, (MachineColumns, InterpretedColumns)):
        check_columns(code, game, made)
    elif isinstance(code, PlayoutCode):
        check_playouts(code, game, made)
    elif isinstance(code, OnceCode):
        check_once(code, game, made)


# Code for given states and moves


@final
class _Sample:
    """States of random playouts, one in each lane, and what the circuit says of them and of a joint move in each.

    `going` has the lanes in which the moves are made; there are none at an end.
    """

    def __init__(self, game: GameCircuit, playouts: Playouts) -> None:
        """Read the states, and let the playouts make a step."""
        lanes = playouts.lanes
        looked = [game.terminal, *game.legal, *game.goals.values()]
        self.game = game
        self.facts = _bits(playouts.facts, lanes.count)
        self.looked = _bits(lanes.read(looked), lanes.count)
        playouts.step()
        self.moves = _bits(playouts.moves, lanes.count)
        self.going = _bits([playouts.going], lanes.count)[0]
        self.moved = _bits(playouts.moved, lanes.count)

    def chosen(self) -> NDArray[np.int32]:
        """Return the moves of each role (lanes, roles), numbered over all roles; -1 where none is made."""
        found = np.full((self.facts.shape[1], len(self.game.roles)), -1, np.int32)
        move, lanes = np.nonzero(self.moves)
        found[lanes, np.array([role for role, _ in self.game.moves], np.intp)[move]] = move
        return found

    def compare(self, part: str, found: Bits, expected: Bits, atoms: Sequence[str], *, moving: bool) -> None:
        """Compare rows of lanes, each of which stands for an atom."""
        wrong = (found != expected) & (self.going if moving else True)
        if not wrong.any():
            return
        row, lane = map(int, np.argwhere(wrong)[0])
        state = those_held(self.game.facts, self.facts[:, lane])
        moves = those_held([move for _, move in self.game.moves], self.moves[:, lane]) if moving else ()
        raise Difference(part, atoms[row], bool(expected[row, lane]), tuple(state), tuple(moves))


def _bits(rows: Sequence[int], lanes: int) -> Bits:
    """Return rows, whose bits are the values in lanes, as truth values (rows, lanes)."""
    size = -(-lanes // 8)
    data = b"".join(row.to_bytes(size, "little") for row in rows)
    bits = np.unpackbits(np.frombuffer(data, np.uint8).reshape(len(rows), size), axis=1, bitorder="little")
    return bits[:, :lanes].view(np.bool_)


def _rows(bits: Bits) -> list[int]:
    """Return truth values (rows, lanes) as rows, as `_bits` reads them."""
    packed = np.packbits(bits, axis=1, bitorder="little")
    data, size = packed.tobytes(), packed.shape[1]
    return [int.from_bytes(data[row * size : (row + 1) * size], "little") for row in range(len(packed))]


def _repeated(bits: Bits, lanes: NDArray[np.intp]) -> Bits:
    """Return some lanes, which are sorted and may be repeated; much faster than an index does it."""
    return np.repeat(bits, np.bincount(lanes, minlength=bits.shape[1]), axis=1)


def _words(bits: Bits, parts: Sequence[int]) -> NDArray[np.uint64]:
    """Return rows as words of lanes (lanes, words). Each part, of some rows, begins in a word of its own."""
    found, start = [], 0
    for part in parts:
        padded = np.zeros((64 * words(part), bits.shape[1]), np.bool_)
        padded[:part] = bits[start : start + part]
        found.append(np.packbits(padded.T, axis=1, bitorder="little"))
        start += part
    return np.ascontiguousarray(np.concatenate(found, axis=1)).view(np.uint64)


def _unpacked(lanes: NDArray[np.uint64], parts: Sequence[int]) -> Bits:
    """Return words of lanes (lanes, words) as rows of truth values; the opposite of `_words`."""
    bits = np.unpackbits(np.ascontiguousarray(lanes).view(np.uint8), axis=1, bitorder="little").view(np.bool_)
    found, start = [], 0
    for part in parts:
        found.append(bits[:, start : start + part])
        start += 64 * words(part)
    return np.concatenate(found, axis=1).T


class _Atoms:
    """The atoms for which the results of code stand, and the parts of these results."""

    def __init__(self, game: GameCircuit) -> None:
        roles = [role.text for role in game.roles]
        legal = [f"(legal {roles[role]} {move.text})" for role, move in game.moves]
        goals = [f"(goal {roles[role]} {value.text})" for role, value in game.goals]
        self.looked = ["terminal", *legal, *goals]
        self.looked_parts = [1, *(len(game.moves_of(role)) for role in range(len(roles))), len(goals)]
        self.next = [f"(next {fact.text})" for fact in game.facts]
        self.sees = [f"(sees {roles[role]} {percept.text})" for role, percept in game.sees]


def _samples(game: GameCircuit, lanes: int, made: float) -> Iterator[_Sample]:
    """Yield samples until the time of the check is over; at least one, and as many as make a playout if they may."""
    allowance, playouts, ended = Allowance(made), Playouts(game, lanes, Random(0)), False
    for number in count():
        sample = _Sample(game, playouts)
        yield sample
        ended = ended or not sample.going.all()
        if allowance.is_over(enough=ended or number >= _STEPS):
            return
        for _ in range(number // _DENSE):
            playouts.step()
            ended = ended or playouts.going != playouts.lanes.full


def check_states(code: StateCode, game: GameCircuit, made: float) -> None:
    """Compare code for one state, made in some seconds, with the circuit. Raises Difference."""
    layout, atoms = StateLayout(game), _Atoms(game)
    facts = len(game.facts)
    looked_words = sum(map(words, atoms.looked_parts))
    for number, sample in enumerate(_samples(game, _FEW_LANES, made)):
        states, chosen = _words(sample.facts, [facts]), sample.chosen()
        looked, moved = np.zeros_like(sample.looked), np.zeros_like(sample.moved)
        lanes = [(number + i * _FEW_LANES // _ASKED) % _FEW_LANES for i in range(_ASKED)]
        for lane in lanes:
            seen = code.look(states[lane].tobytes()).to_bytes(8 * layout.out_words, "little")
            looked[:, lane] = _unpacked(np.frombuffer(seen, np.uint64)[None, :looked_words], atoms.looked_parts)[:, 0]
            if sample.going[lane]:
                after = np.frombuffer(code.move(states[lane].tobytes(), chosen[lane].tolist()), np.uint64)[None]
                moved[:, lane] = _unpacked(after, [facts, len(game.sees)])[:, 0]
        others = np.ones(_FEW_LANES, np.bool_)
        others[lanes] = False
        looked[:, others], moved[:, others] = sample.looked[:, others], sample.moved[:, others]
        sample.compare("code for one state", looked, sample.looked, atoms.looked, moving=False)
        sample.compare("code for one state", moved, sample.moved, [*atoms.next, *atoms.sees], moving=True)


def check_arrays(code: ArraysCode, game: GameCircuit, made: float) -> None:
    """Compare code for arrays of states, made in some seconds, with the circuit. Raises Difference."""
    atoms, facts = _Atoms(game), len(game.facts)
    after = [facts, len(game.sees)] if code.percepts else [facts]
    for sample in _samples(game, LANES, made):
        states = _words(sample.facts, [facts])
        looked = np.empty((LANES, sum(map(words, atoms.looked_parts))), np.uint64)
        moved = np.empty((LANES, sum(map(words, after))), np.uint64)
        code.look(states, looked)
        code.move(states, sample.chosen(), moved)
        found = _unpacked(looked, atoms.looked_parts)
        sample.compare("code for arrays", found, sample.looked, atoms.looked, moving=False)
        found, names = _unpacked(moved, after), [*atoms.next, *atoms.sees][: sum(after)]
        sample.compare("code for arrays", found, sample.moved[: sum(after)], names, moving=True)


def check_columns(code: ColumnsCode, game: GameCircuit, made: float) -> None:
    """Compare code for states in columns, made in some seconds, with the circuit. Raises Difference."""
    atoms, facts = _Atoms(game), len(game.facts)
    plan = looked_packing(game).words

    def read(looked: NDArray[np.uint64]) -> Bits:
        rows = np.zeros((len(atoms.looked), LANES), np.bool_)
        for word, (row, width) in enumerate(plan):
            rows[row : row + width] = _unpacked(looked[word][:, None], [64])[:width]
        return rows

    for sample in _samples(game, LANES, made):
        states = np.ascontiguousarray(_words(sample.facts, [facts]).T)[None]
        looked = np.zeros((1, len(plan), LANES), np.uint64)
        still = np.zeros((1, LANES), np.int8)
        code.look(states, still, looked)
        sample.compare("code for columns", read(looked[0]), sample.looked, atoms.looked, moving=False)
        still[0] = ~sample.going
        code.move(states, np.ascontiguousarray(sample.chosen().T)[None], still, looked)
        found = _unpacked(np.ascontiguousarray(states[0].T), [facts])
        sample.compare("code for columns", found, sample.moved[:facts], atoms.next, moving=True)


# Code that chooses moves


@final
class _Reached:
    """The states that may be reached from those of some lanes in one step, and those themselves."""

    def __init__(self, lanes: Lanes, facts: Bits, plies: int) -> None:
        """Find all states after up to `plies` plies, from as many lanes as the circuit can be evaluated for."""
        self._lanes = lanes
        self._most = max(LANES, _WORK // max(1, lanes.game.circuit.size))
        #: The number of lanes, from the first one on, from which all states have been found.
        self.complete = facts.shape[1]
        parents, size = np.arange(self.complete), self.complete
        found, rows = [(parents, facts)], _rows(facts)
        #: The move of each role before each of the states that were found last.
        self.moves = np.zeros((0, len(lanes.game.roles)), np.intp)
        #: Lanes in which a role may have no legal move; with a single ply, it has none in their state.
        self.stuck = np.zeros(self.complete, np.bool_)
        self.plies = plies
        for _ in range(plies):
            parents, following = self._after(parents, facts)
            facts = _bits(following, len(parents))
            found.append((parents, facts))
            rows = [row | new << size for row, new in zip(rows, following, strict=True)]
            size += len(parents)
        self.parents = np.concatenate([parents for parents, _ in found])
        self.facts = np.concatenate([facts for _, facts in found], axis=1)
        goals = list(lanes.game.goals.values())
        self._look(rows, size)
        looked = _bits(lanes.read([lanes.game.terminal, *goals]), size)
        self.terminal, self.goals = looked[0], looked[1:]

    def _look(self, rows: Sequence[int], states: int) -> None:
        """Evaluate some states, given the rows of their facts."""
        self._lanes.resize(states)
        self._lanes.set_facts(rows)

    def _after(self, parents: NDArray[np.intp], facts: Bits) -> tuple[NDArray[np.intp], list[int]]:
        """Return the states after all joint moves, as rows, and the lane from which each is reached."""
        game = self._lanes.game
        self._look(_rows(facts), len(parents))
        looked = _bits(self._lanes.read([*game.legal, game.terminal]), len(parents))
        legal, terminal = looked[:-1], looked[-1]
        own = [legal[moves.start : moves.stop] for moves in map(game.moves_of, range(len(game.roles)))]
        counts = np.prod([rows.sum(axis=0) for rows in own], axis=0) * ~terminal
        self.stuck[parents[(counts == 0) & ~terminal]] = True
        # Only the first lanes, if there are too many states; all of them come from lanes that are not complete then.
        by_lane = np.cumsum(np.bincount(parents, counts, self.complete))
        self.complete = min(self.complete, int((by_lane <= self._most).sum()))
        kept = np.flatnonzero((parents < self.complete) & (counts > 0))
        states, moves = kept, np.zeros((len(kept), 0), np.intp)
        for role, rows in enumerate(own):
            lane, move = np.nonzero(_repeated(rows, states).T)
            states, moves = states[lane], np.column_stack([moves[lane], move + game.moves_of(role).start])
        done = np.zeros((len(game.moves), len(states)), np.bool_)
        done[moves.T, np.arange(len(states))] = True
        self._look(_rows(_repeated(facts, states)), len(states))
        self._lanes.set_moves(_rows(done))
        self.moves = moves
        return parents[states], self._lanes.read(game.next)


def check_playouts(code: PlayoutCode, game: GameCircuit, made: float) -> None:
    """Compare code for playouts, made in some seconds, with the circuit. Raises Difference."""
    allowance, lanes = Allowance(made), Lanes(game, 1)
    lanes.set_facts([int(holds) for holds in game.init])
    if not game.circuit.size or lanes.values[game.terminal]:
        return  # nothing is ever played
    begin = np.array(game.init, np.bool_)
    runner = PlayoutRunner(code, begin)
    runner.prepare(_COMPARED // 2, 0, 1 << 40)  # lanes that do not count go on
    ended, draws, nowhere = False, _Draws(game), np.zeros(len(game.facts), np.bool_)
    for number in count():
        rows, counted = runner.state()[:, :_COMPARED], runner.counters()
        code.run(runner.memory, 1, 1, draining=False)
        rows_after, now = runner.state()[:, :_COMPARED], runner.counters()
        step = {key: now[key] - counted[key] for key in now}
        try:
            reached, ends = _ends(game, code.layout, lanes, rows, rows_after, nowhere)
            ends.check(step, runner.active)
        except Difference:
            reached, ends = _ends(game, code.layout, lanes, rows, rows_after, _only_at_first(game))
            ends.check(step, runner.active)
        if code.layout.plies == 1:
            draws.add(reached, ends.followed)
        for _ in range(number // _DENSE):
            code.run(runner.memory, 1, 1, draining=False)
        ended = ended or runner.counters()["ended"] > 0
        if allowance.is_over(enough=ended or number >= _STEPS):
            return


def _ends(
    game: GameCircuit, layout: Layout, lanes: Lanes, rows: Bits, rows_after: Bits, gone: NDArray[np.bool_]
) -> tuple[_Reached, _Ends]:
    """Find what a step may have led to, given the rows of the states before and after. Raises Difference.

    Facts that the code does not know of keep their first values, or else do not matter in the states that matches
    reach. In others they may: those that are `gone` hold only where a match begins.
    """
    begin = np.array(game.init, np.bool_)
    before, _, renamed = _state_of(game, layout, rows, gone)
    begun, known, renamed_again = _state_of(game, layout, rows_after, gone)
    after = begun.copy()
    if game.side is not None and (back := renamed & ~renamed_again).any():
        # Renaming twice may shift a board, as that of a torus; a lane that has begun again has not been renamed.
        source = np.array(game.side.source, np.intp)
        for table in (after, known):
            _rename(table, source[source], back)
    reached = _Reached(lanes, before, layout.plies)
    return reached, _Ends(game, reached, begin, after, begun, known, before)


def _only_at_first(game: GameCircuit) -> NDArray[np.bool_]:
    """Return the facts that hold at the start, and later in no state of some random playouts."""
    playouts, later = Playouts(game, _FEW_LANES, Random(0)), np.zeros(len(game.facts), np.bool_)
    for _ in range(_STEPS):
        playouts.step()
        later |= [bool(row & playouts.going) for row in playouts.moved[: len(later)]]
    only: NDArray[np.bool_] = np.array(game.init, np.bool_) & ~later
    return only


def _state_of(game: GameCircuit, layout: Layout, rows: Bits, gone: NDArray[np.bool_]) -> tuple[Bits, Bits, Bits]:
    """Return the facts of each lane (facts, lanes), which of them the code knows of, and the lanes that are renamed."""
    own = np.array(layout.facts, np.intp)
    facts = np.repeat(np.array(game.init, np.bool_)[:, None], rows.shape[1], axis=1)
    known = np.zeros_like(facts)
    known[own] = True
    facts[np.ix_(gone & ~known[:, 0], (rows[: len(own)] != facts[own]).any(axis=0))] = False
    facts[own] = rows[: len(own)]
    renamed = np.zeros(rows.shape[1], np.bool_)
    if layout.sides and game.side is not None:
        renamed = rows[len(own) + layout.age_bits]
        for table in (facts, known):
            _rename(table, np.array(game.side.source, np.intp), renamed)
    return facts, known, renamed


def _rename(table: Bits, source: NDArray[np.intp], lanes: Bits) -> None:
    """Give facts in some lanes the names that they have in the game itself."""
    table[np.ix_(source, lanes)] = table[:, lanes].copy()


@final
class _Ends:
    """The lanes of a step in which a playout may have ended, and those in which one must have."""

    def __init__(
        self,
        game: GameCircuit,
        reached: _Reached,
        begin: Bits,
        after: Bits,
        begun: Bits,
        known: Bits,
        before: Bits,
    ) -> None:
        """Find how each lane came to its state. Raises Difference if it cannot have come there.

        `after` has the facts of lanes that have gone on, `begun` those of lanes that have begun again.
        """
        self._game = game
        self._reached = reached
        lanes = reached.complete
        #: The states, of those that may be reached, that a lane may have come to.
        self.followed = np.zeros(len(reached.parents), np.bool_)
        own = np.flatnonzero(reached.parents < lanes)
        parents, terminal = reached.parents[own], reached.terminal[own]
        differs = reached.facts.take(own, axis=1) != after.take(parents, axis=1)
        followed = ~terminal & ~(differs & known.take(parents, axis=1)).any(axis=0)
        stuck = reached.stuck[:lanes]
        if reached.plies == 1:  # it does not stay where it is
            followed &= ~stuck[parents]
        gone, over = np.zeros(lanes, np.bool_), stuck.copy()
        gone[parents[followed]] = True
        over[parents[terminal]] = True
        self.possible = over & ((begun == begin[:, None]) | ~known)[:, :lanes].all(axis=0)
        self.certain = self.possible & ~gone
        self.followed[own] = followed | (terminal & self.possible[parents])
        for lane in np.flatnonzero(~gone & ~self.possible):
            state = tuple(those_held(game.facts, before[:, lane]))
            nearest = self._nearest(own[parents == lane], after[:, lane], known[:, lane])
            differing = np.flatnonzero(known[:, lane] & (nearest != after[:, lane]))
            if not len(differing):  # a lane has gone on after the end
                raise Difference("code for playouts", "terminal", True, tuple(those_held(game.facts, after[:, lane])))
            fact = int(differing[0])
            raise Difference("code for playouts", f"(next {game.facts[fact].text})", bool(nearest[fact]), state)

    def _nearest(self, own: NDArray[np.intp], after: Bits, mask: Bits) -> Bits:
        """Return the state, of those that may be reached, that differs in the fewest facts."""
        differing = (self._reached.facts[np.ix_(mask, own)] != after[mask, None]).sum(axis=0)
        found: Bits = self._reached.facts[:, own[int(differing.argmin())]]
        return found

    def check(self, counted: dict[str | tuple[int, str], int], active: Bits) -> None:
        """Check what was counted in a step, if the ends of all lanes are known; only some are active, and count.

        Raises Difference.
        """
        reached, lanes = self._reached, self._reached.complete
        if lanes < _COMPARED:
            return
        active = active[:lanes]
        certain, possible = self.certain & active, self.possible & active
        self._bounded("ended", counted["ended"], certain, possible)
        by_role = np.array([role for role, _ in self._game.goals], np.intp)
        single = np.stack([reached.goals[by_role == role].sum(axis=0) == 1 for role in range(len(self._game.roles))])
        for row, (role, value) in enumerate(self._game.goals):
            if (role, value.text) not in counted:
                continue
            valued = reached.goals[row] & single[role] & reached.terminal
            some, others = np.zeros(lanes, np.bool_), reached.stuck.copy()
            some[reached.parents[valued]] = True
            others[reached.parents[reached.terminal & ~valued]] = True
            atom = f"(goal {self._game.roles[role].text} {value.text})"
            self._bounded(atom, counted[role, value.text], certain & ~others, possible & some)

    def _bounded(self, atom: str, number: int, least: Bits, most: Bits) -> None:
        if not least.sum() <= number <= most.sum():
            raise Difference("code for playouts: its counters", atom, number < least.sum(), ())


@final
class _Draws:
    """The moves that have been made, and how often each should have been."""

    def __init__(self, game: GameCircuit) -> None:
        self._game = game
        self._made = np.zeros(len(game.moves), np.bool_)
        self._expected = np.zeros(len(game.moves))

    def add(self, reached: _Reached, followed: Bits) -> None:
        """Add a step. Raises Difference if a move is never made, but very likely would have been."""
        size = len(reached.moves)
        parents = reached.parents[len(followed) - size :]
        self._made[reached.moves[followed[len(followed) - size :]]] = True
        # Each joint move has the same chance, and each role's draw succeeds more often than not.
        chances = 0.5 ** len(self._game.roles) / np.bincount(parents)[parents]
        for own in reached.moves.T:
            self._expected += np.bincount(own, chances, len(self._expected))
        for move in np.flatnonzero(~self._made & (self._expected > _CERTAIN)):
            role, term = self._game.moves[move]
            raise Difference("code for playouts", f"(does {self._game.roles[role].text} {term.text})", True, ())


def check_once(code: OnceCode, game: GameCircuit, made: float) -> None:
    """Compare code for one playout from each state, made in some seconds, with the circuit. Raises Difference."""
    seeds = np.array(seed_words(0, 4 * LANES // 64), np.uint64)
    base, first = code.base, code.layout.generators
    base[:, first : first + 4] = seeds.reshape(4, len(base), -1).swapaxes(0, 1)
    lanes, atoms, goals = Lanes(game, 1), _Atoms(game), len(game.goals)
    for sample in _samples(game, LANES, made):
        going = np.flatnonzero(sample.going)
        if not len(going):
            continue
        states = sample.facts[:, np.resize(going, LANES)]
        found = np.zeros((LANES, goals // 64 + 1), np.uint64)
        code.run(_words(states, [len(game.facts)]), found, 1)
        ends = _unpacked(found, [goals + 1])
        reached = _Reached(lanes, states, code.layout.plies)
        for lane in range(reached.complete):
            own = np.flatnonzero(reached.parents == lane)
            expected = np.vstack([reached.goals[:, own], ~reached.terminal[own]])
            if reached.stuck[lane]:
                expected = np.column_stack([expected, np.zeros(goals + 1, np.bool_)])
            if not (expected == ends[:, lane, None]).all(axis=0).any():
                wrong = (expected != ends[:, lane, None]).sum(axis=0).argmin()
                row = int(np.flatnonzero(expected[:, wrong] != ends[:, lane])[0])
                atom = [*atoms.looked[-goals:], "terminal"][row] if goals else "terminal"
                state = tuple(those_held(game.facts, states[:, lane]))
                raise Difference(
                    "code for playouts of arrays", atom, bool(expected[row, wrong] != (row == goals)), state
                )
