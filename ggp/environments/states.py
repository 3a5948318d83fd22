"""Many states of a game as one value: steps, legal actions, observations and goals of all of them in one call.

This is what search and self-play are written on: see `States`, which `EnvironmentGame.states` makes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from gdl.codegen.llvm.playout_loop import LANES
from gdl.reasoner.joint_moves import role_named
from gdl.simulator.compiled_code import aligned_array
from gdl.simulator.hashing import row_hashes
from gdl.simulator.packed_state import PackedState
from gdl.simulator.seeds import checked_count, checked_seed
from ggp.environments.lane_columns import RowLayout
from ggp.environments.lane_loops import READY
from ggp.environments.lanes import Lanes, checked_integers
from ggp.environments.observations import DtypeName, ObserverName, StatesView
from ggp.environments.rewards import Illegal, IllegalName, Scale

if TYPE_CHECKING:
    from ggp.environments.game import EnvironmentGame

#: The states that are worked on at a time: blocks of 512, as many as fit into the second cache.
_BLOCKS: Final = 8

#: What states are made from: their number, states of the Simulator or their facts as KIF text, or packed states
#: (n, state_words) as in `gdl.Arrays`.
Source = int | Sequence[PackedState | str] | NDArray[np.uint64]


class Step(NamedTuple):
    """The result of one step of n states."""

    states: States
    #: The legal actions of the role that is asked, zeros where nobody is: (n, actions), int8, 0 or 1.
    mask: NDArray[np.int8]
    #: The number of the role that is asked, -1 where nobody is: (n,), int8.
    role: NDArray[np.int8]
    #: The rewards of the agents where the match has ended in this step, else zeros: (n, agents), float32.
    rewards: NDArray[np.float32]
    #: True where the match is over: (n,), bool.
    ended: NDArray[np.bool_]


@final
@dataclass(frozen=True, slots=True)
class StateSettings:
    """The settings of a step: see `EnvironmentGame.states`."""

    ask_always: bool
    ask_chance: bool
    max_plies: int
    rewards: Scale


@final
class States:
    """n states of a game, each with the choices of those who have chosen already where several choose at once.

    In each state, the role `role[i]` is asked, or nobody if the match is over. States are indexed and assigned to like
    arrays along their first axis; everything else returns new ones. `a == b` compares states one by one, as arrays do:
    they are equal if the same facts hold and the same choices are made, whatever the plies until then.

    Each state has a random generator of its own, so `step` is a function of its arguments even where chance has a part.
    """

    __slots__ = ("_stepper", "rows")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, stepper: Stepper, rows: NDArray[np.uint64]) -> None:
        """Take the rows of states; `EnvironmentGame.states` is the way to make some."""
        self._stepper = stepper
        #: All there is to the states: (n, words), uint64. `of` makes states from such an array. The first words are
        #: the facts, packed as in `gdl.Arrays`; the rest is of use to `States` alone.
        self.rows = rows

    @property
    def game(self) -> EnvironmentGame:
        """The game."""
        return self._stepper.game

    @property
    def settings(self) -> StateSettings:
        """The settings of a step. States of other settings cannot be mixed with these."""
        return self._stepper.settings

    def of(self, rows: Any) -> States:
        """Return the states of rows, without a copy: of NumPy, or anything that has `__array__` or `__dlpack__`.

        Words of 64 bits may come as pairs of 32 bits, since JAX has no others by default. The rows must be from states
        with the same settings. Raises TypeError and ValueError for arrays of another type or shape.
        """
        return States(self._stepper, _words(rows, "rows", self._stepper.layout.words))

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self.rows)

    def __getitem__(self, index: Any) -> States:
        """Return some states: one or more, by a number, a slice, numbers or truth values, as one indexes an array."""
        numbers = self._numbers(index)
        rows = aligned_array((len(numbers), self.rows.shape[1]), np.uint64)
        np.take(self.rows, numbers, axis=0, out=rows, mode="wrap")
        return States(self._stepper, rows)

    def __setitem__(self, index: Any, states: States) -> None:
        """Replace some states, by as many or by one. Raises ValueError for states of other settings."""
        self._check_same(states)
        self.rows[self._numbers(index)] = states.rows

    def __iter__(self) -> Iterator[States]:
        """Iterate over the states, each as one of its own."""
        return (self[number] for number in range(len(self)))

    def __eq__(self, other: object) -> Any:
        """Return, for each state, True if it equals that of the other states: (n,), bool. One is compared with all."""
        if not isinstance(other, States):
            return NotImplemented
        self._check_same(other)
        return (self._keys == other._keys).all(axis=1)

    def __ne__(self, other: object) -> Any:
        """Return the opposite of `==`."""
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else ~equal

    def __copy__(self) -> States:
        """Return a copy."""
        return self.copy()

    def __deepcopy__(self, _memo: object) -> States:
        """Return a copy. The game is the same, as it never changes."""
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the game by its rules, and the rows."""
        return _restored, (self.game, self.settings, self.game.numbering, self.rows)

    def __repr__(self) -> str:
        """Return the game and the number of states."""
        return f"<{len(self)} states of {self.game.name}>"

    def copy(self) -> States:
        """Return a copy, in memory of its own."""
        return self[:]

    def reseeded(self, seed: int | NDArray[np.uint64]) -> States:
        """Return the same states with new random generators, such as for other futures of the same state.

        The seed is one number, or a number for each state (n,), uint64.
        """
        rows = aligned_array(self.rows.shape, np.uint64)
        seed = _checked_seeds(seed, len(self))

        def work(part: slice, lanes: Lanes) -> None:
            _seed(lanes, seed, part)
            lanes.write(rows[part])

        self._stepper.run(self.rows, work)
        return States(self._stepper, rows)

    def hashes(self) -> NDArray[np.uint64]:
        """Return a hash of each state, the same for equal ones: (n,), uint64. They are not kept from run to run."""
        return row_hashes(self._keys)

    def packed(self) -> list[PackedState]:
        """Return states of the Simulator; choices that are made already are no part of them."""
        return self.game.simulator.arrays.unpack(self.facts)

    def texts(self) -> list[str]:
        """Return the facts of each state as text, from which `EnvironmentGame.states` makes it again."""
        return [str(state) for state in self.packed()]

    @property
    def facts(self) -> NDArray[np.uint64]:
        """The facts, packed as in `gdl.Arrays`: (n, state_words), uint64, a view of `rows`."""
        return self.rows[:, : self._stepper.layout.state_words]

    @property
    def role(self) -> NDArray[np.int8]:
        """The number of the role that is asked, in `EnvironmentGame.roles`; -1 where nobody is: (n,), int8."""
        return np.maximum(self._code, -1)

    @property
    def over(self) -> NDArray[np.bool_]:
        """True where the match is over: (n,), bool."""
        return self._code < READY

    @property
    def terminal(self) -> NDArray[np.bool_]:
        """True where the state is terminal by the rules; matches may also be over for other reasons: (n,), bool."""
        return (self._looked[:, 0] & np.uint64(1)).astype(np.bool_)

    @property
    def plies(self) -> NDArray[np.int32]:
        """The number of joint moves since the match began: (n,), int32."""
        return self.rows[:, self._stepper.layout.status + 1].astype(np.int32)

    def step(self, actions: Any, illegal: IllegalName = Illegal.RAISE) -> Step:
        """Do the actions (n,) of the roles that are asked, and return the states in which roles are asked again.

        States in which the match is over stay as they are, and their actions are ignored. An `illegal` action is an
        error ("raise"), is replaced by a random legal one ("replace"), or ends the match with the goal 0 for who chose
        it ("lose"). `actions` may be of any type of integers, and anything that `of` takes.

        Raises IllegalMoveError, ValueError, TypeError, NoLegalMoveError and GoalError.
        """
        chosen = checked_integers(_array(actions), (len(self),))
        return self._stepper.step(self.rows, chosen.astype(np.int64, copy=False), Illegal(illegal))

    def legal(self, role: str | None = None) -> NDArray[np.int8]:
        """Return the legal actions of the role that is asked, or of a role: (n, actions), int8, 0 or 1.

        They are zeros where nobody is asked, and, for a role, where the state is terminal. Raises UnknownRoleError.
        """
        if role is None:
            out = self._stepper.masks(len(self))
            self._stepper.run(self.rows, lambda part, lanes: lanes.write_masks(out[part].view(np.uint8)))
            return out
        game, places = self.game, self._stepper.layout.places
        number = game.roles.index(role_named(role, game.roles))
        bits = self._bits(places.words[number], places.shifts[number], places.masks[number], places.counts[number])
        out = aligned_array((len(self), len(game.actions)), np.int8)
        out[:] = 0
        actions = game.actions_of[number]
        out[:, actions] = np.unpackbits(bits.view(np.uint8), axis=1, count=len(actions), bitorder="little")
        out[self.terminal] = 0
        return out

    def goals(self) -> NDArray[np.int16]:
        """Return the goal values of the roles in all states, also before the end: (n, roles), int16.

        They are `gdl.NO_GOAL` where a role does not have exactly one value, a whole number from 0 to 100.
        """
        goals = self._stepper.layout.goals
        bits = self._bits(goals.word, goals.shift, goals.masks, len(goals.masks))
        return self.game.simulator.arrays.values_of(bits)

    def observe(
        self,
        observation: ObserverName = "facts",
        *,
        role: str | None = None,
        dtype: DtypeName = "int8",
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Return what the role that is asked sees, or another role: (n, *shape).

        Options are those of `VectorGameEnv`. Roles see the same, unless the game has the perspective `"mover"`. With
        `out`, the result is written there. Raises ValueError for unknown options, for games that hide their states,
        and for another `out`; NoBoardError for planes of games without a board; and UnknownRoleError.
        """
        view = self._stepper.view(observation, dtype)
        shape = (len(self), *view.shape)
        if out is None:
            out = aligned_array(shape, view.dtype)
        elif out.shape != shape or out.dtype != view.dtype or not out.flags.carray:
            raise ValueError(
                f"out must be a contiguous, writeable array of {np.dtype(view.dtype)} with the shape {shape}"
            )
        if role is None:
            view.write_asked(self.facts, self.role, out)
        else:
            view.write(self.facts, self.game.agent(role), out)
        return out

    def sample(self, random: np.random.Generator) -> NDArray[np.int32]:
        """Return a random legal action of the role that is asked in each state; 0 where nobody is: (n,), int32."""
        out = aligned_array((len(self),), np.int32)
        seed = int(random.integers(2**64, dtype=np.uint64))

        def work(part: slice, lanes: Lanes) -> None:
            lanes.seed(seed, part.start)
            lanes.sample(out[part])

        self._stepper.run(self.rows, work)
        return out

    @property
    def pending(self) -> NDArray[np.int32]:
        """The moves that roles have chosen or must choose, numbered as in `gdl.Arrays`, else -1: (n, roles)."""
        layout = self._stepper.layout
        words = np.ascontiguousarray(self.rows[:, layout.state_words : layout.status])
        return words.view(np.int32)[:, : layout.roles]

    @property
    def chosen(self) -> NDArray[np.bool_]:
        """True for each role that has chosen already, while others that choose at the same time are asked: (n, roles).

        Forced moves are no choices.
        """
        places, pending = self._stepper.layout.places, self.pending
        several = np.empty(pending.shape, np.bool_)
        for role in range(len(self.game.roles)):
            bits = self._bits(places.words[role], places.shifts[role], places.masks[role], places.counts[role])
            several[:, role] = np.bitwise_count(bits).sum(axis=1) > 1
        return (pending >= 0) & several & ~self.over[:, None]

    @property
    def _code(self) -> NDArray[np.int8]:
        """The number of the role that is asked, or a negative code."""
        return self.rows[:, self._stepper.layout.status].astype(np.uint8).view(np.int8)

    @property
    def _keys(self) -> NDArray[np.uint64]:
        """The words that are the same in equal states."""
        return self.rows[:, : self._stepper.layout.status + 1]

    @property
    def _looked(self) -> NDArray[np.uint64]:
        return self.rows[:, self._stepper.layout.status + 3 :]

    def _bits(self, word: int, shift: Any, masks: Any, count: int) -> NDArray[np.uint64]:
        """Return some words of what is known of the states, shifted and masked."""
        return np.ascontiguousarray((self._looked[:, word : word + count] >> shift) & masks)

    def _numbers(self, index: Any) -> NDArray[np.int64]:
        """Return the numbers of the states that an index means. Raises IndexError."""
        if isinstance(index, slice):
            return np.arange(*index.indices(len(self)))
        numbers = np.atleast_1d(_array(index))
        if numbers.dtype == np.bool_ and numbers.shape == (len(self),):
            return np.flatnonzero(numbers)
        if (numbers.size and numbers.dtype.kind not in "iu") or numbers.ndim != 1:
            raise IndexError(f"states are indexed by numbers, slices, or {len(self)} truth values, not {index!r:.60}")
        if numbers.size and (numbers.min() < -len(self) or numbers.max() >= len(self)):
            raise IndexError(f"there are {len(self)} states, so {index!r:.60} is out of bounds")
        return numbers.astype(np.int64, copy=False)

    def _check_same(self, other: States) -> None:
        if self._stepper is not other._stepper:
            raise ValueError(
                "these are states of different games or settings: "
                f"{self.game.name}, {self.settings} and {other.game.name}, {other.settings}"
            )


def concatenate(parts: Sequence[States]) -> States:
    """Return the states of all parts, one after the other. Raises ValueError for none, or for other settings."""
    if not parts:
        raise ValueError("concatenate needs at least one part")
    for part in parts:
        parts[0]._check_same(part)
    rows = aligned_array((sum(map(len, parts)), parts[0].rows.shape[1]), np.uint64)
    np.concatenate([part.rows for part in parts], out=rows)
    return States(parts[0]._stepper, rows)


@final
class Stepper:
    """The steps of states of a game under some settings, in lanes that serve as working memory."""

    def __init__(self, game: EnvironmentGame, settings: StateSettings) -> None:
        """Load the code. Raises ValueError for a game without agents, or for settings that make no sense."""
        self.game = game
        self.settings = settings
        self._asked = tuple(range(len(game.roles))) if settings.ask_chance else game.agents
        self._rewards = game.rewards(settings.rewards)
        self._lanes: dict[int, Lanes] = {}
        self._views: dict[tuple[str, str], StatesView] = {}
        self._lock = threading.RLock()
        self.layout: RowLayout = self._matches(1).layout

    def view(self, observation: str, dtype: str) -> StatesView:
        """Return how observations are written. Raises ValueError and NoBoardError."""
        if (observation, dtype) not in self._views:
            self._views[observation, dtype] = StatesView(self.game, observation, dtype)
        return self._views[observation, dtype]

    def begin(self, source: Source, seed: int | NDArray[np.uint64]) -> States:
        """Return new states. Raises as `EnvironmentGame.states` does."""
        arrays, facts = self.game.simulator.arrays, None
        if isinstance(source, np.ndarray):
            facts = _words(source, "states", arrays.state_words)
        elif not isinstance(source, int | np.integer):
            given = [self.game.simulator.state(one) if isinstance(one, str) else one for one in source]
            facts = arrays.pack(given)
        count = checked_count("n", source, 0) if facts is None else len(facts)
        rows = aligned_array((count, self.layout.words), np.uint64)
        seed = _checked_seeds(seed, count)
        with self._lock:
            for part, lanes in self._parts(count):
                _seed(lanes, seed, part)
                numbers = np.arange(part.stop - part.start)
                if facts is None:
                    lanes.reset(numbers)
                else:
                    lanes.reset_to(numbers, facts[part])
                lanes.write(rows[part])
        return States(self, rows)

    def step(self, rows: NDArray[np.uint64], actions: NDArray[np.int64], illegal: Illegal) -> Step:
        """Do a step of all states."""
        count = len(rows)
        after, mask = aligned_array(rows.shape, np.uint64), self.masks(count)
        rewards = aligned_array((count, len(self.game.agents)), np.float32)
        role, ended = aligned_array((count,), np.int8), aligned_array((count,), np.bool_)
        bits, rows, actions = mask.view(np.uint8), _contiguous(rows), np.ascontiguousarray(actions)
        with self._lock:
            for part, lanes in self._parts(count):
                results = after[part], bits[part], rewards[part], role[part], ended[part]
                lanes.step_rows(rows[part], actions[part], illegal, *results)
        return Step(States(self, after), mask, role, rewards, ended)

    def masks(self, count: int) -> NDArray[np.int8]:
        """Return an array for the masks of as many states."""
        return aligned_array((count, len(self.game.actions)), np.int8)

    def run(self, rows: NDArray[np.uint64], work: Any) -> None:
        """Call `work` with lanes that have the matches of some rows, and with the numbers of these, for all rows."""
        rows = _contiguous(rows)
        with self._lock:
            for part, lanes in self._parts(len(rows)):
                lanes.read(rows[part])
                work(part, lanes)

    def _parts(self, count: int) -> Iterator[tuple[slice, Lanes]]:
        """Yield the parts of as many states, with lanes for whole blocks of each."""
        for start in range(0, count, LANES * _BLOCKS):
            part = slice(start, min(start + LANES * _BLOCKS, count))
            lanes = self._matches(-(-(part.stop - part.start) // LANES))
            lanes.first = start
            yield part, lanes

    def _matches(self, blocks: int) -> Lanes:
        if blocks not in self._lanes:
            settings = self.settings
            self._lanes[blocks] = Lanes(
                self.game,
                blocks * LANES,
                asked=self._asked,
                always=settings.ask_always,
                max_plies=settings.max_plies,
                rewards=self._rewards,
            )
        return self._lanes[blocks]


def _array(given: Any) -> NDArray[Any]:
    """Return an array without a copy, if possible."""
    if isinstance(given, np.ndarray) or hasattr(given, "__array__") or not hasattr(given, "__dlpack__"):
        return np.asarray(given)
    return np.from_dlpack(given)


def _words(given: Any, name: str, width: int) -> NDArray[np.uint64]:
    """Return an array of words (n, width) without a copy. Raises TypeError and ValueError for another one."""
    found = _array(given)
    if found.dtype == np.uint32 and found.flags.c_contiguous:
        found = found.view(np.uint64)
    if found.dtype != np.uint64:
        raise TypeError(f"{name} must be an array of uint64, not of {found.dtype}")
    if found.ndim != 2 or found.shape[1] != width:
        raise ValueError(f"{name} must have the shape (n, {width}), not {found.shape}")
    return found


def _checked_seeds(seed: int | NDArray[np.uint64], count: int) -> int | NDArray[np.uint64]:
    if not isinstance(seed, np.ndarray) or not seed.ndim:
        return checked_seed(seed)
    if seed.dtype != np.uint64 or seed.shape != (count,):
        raise ValueError(f"seeds must be one number, or an array of uint64 with the shape {(count,)}")
    return seed


def _seed(lanes: Lanes, seed: int | NDArray[np.uint64], part: slice) -> None:
    """Seed the lanes of some states: all from one number, or each with its own."""
    if isinstance(seed, int):
        lanes.seed(seed, part.start)
    else:
        lanes.seed_each(seed[part])


def _contiguous(rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return rows as compiled code reads them."""
    return rows if rows.flags.c_contiguous and rows.flags.aligned else np.require(rows, np.uint64, ("C", "A"))


def _restored(game: EnvironmentGame, settings: StateSettings, numbering: str, rows: NDArray[np.uint64]) -> States:
    if numbering != game.numbering:
        raise ValueError(f"{game.name} is compiled in another way than where the states were saved")
    return States(game.stepper(settings), rows)
