"""Many matches of a game, side by side in lanes: who is asked, legal actions, joint moves, ends and rewards."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np
from numpy.typing import NDArray

from gdl.codegen.llvm.playout_loop import LANES
from gdl.errors import GoalError, IllegalMoveError, NoLegalMoveError
from gdl.simulator.columns_code import looked_packing
from gdl.simulator.packed_state import PackedState
from gdl.simulator.seeds import checked_count, checked_seed
from gdl.simulator.seeds import words as seed_words
from ggp.environments.lane_columns import (
    Judged,
    LaneColumns,
    Roles,
    RowLayout,
    first_blocks,
    goals_of,
    new_columns,
    new_scratch,
    places_of,
)
from ggp.environments.lane_loops import (
    MOST_ROLES,
    OFFENCE,
    READY,
    STUCK,
    TERMINAL,
    exchange,
    go_on,
    judge,
    read_rows,
    read_steps,
    sample,
    write_masks,
    write_outcomes,
    write_rows,
    write_states,
    write_steps,
)
from ggp.environments.rewards import Rewards, goals_of_offence

if TYPE_CHECKING:
    from ggp.environments.game import EnvironmentGame

Numbers = NDArray[np.int64]

#: Chooses actions (m,) for a role in m lanes, whose numbers it is given.
Policy = Callable[[Numbers, int], NDArray[np.int32]]


#: Instead of a role whose moves are done: all roles that are asked, or none.
_ALL: Final = -1
_NOBODY: Final = -2

#: What `read_steps` returns if an action is illegal.
_ILLEGAL: Final = -2


@final
class Lanes:
    """`n` matches. `role` (n,), int8, has the role that is asked in each, or a negative number after its end.

    Each role in `asked` is asked where it has more than one legal move, or `always`. Several roles that have to
    choose in the same state are asked one after the other, and the state changes when all have chosen. All other roles
    choose at random, or by policies (see `set_policy`). The matches in some lanes do not depend on those in others.
    """

    def __init__(
        self,
        game: EnvironmentGame,
        n: int,
        *,
        asked: tuple[int, ...],
        always: bool = False,
        max_plies: int,
        rewards: Rewards,
    ) -> None:
        """Begin all matches in the initial state, with the seed 0. Raises ValueError for more than 123 roles."""
        if len(game.roles) > MOST_ROLES:
            raise ValueError(f"{game.name} has {len(game.roles)} roles; at most {MOST_ROLES} play in lanes")
        self.game = game
        self.n = n = checked_count("n", n)
        #: The number of the first lane, for errors that name one.
        self.first = 0
        simulator = game.simulator
        self._arrays = arrays = simulator.arrays
        self._code = simulator.columns_code()
        self._policies: dict[int, Policy] = {}
        asked_of = np.zeros(len(game.roles), np.bool_)
        asked_of[list(asked)] = True
        self._asked = asked
        self._roles = Roles(asked_of, np.full(len(game.roles), always), checked_plies(max_plies))
        self._rewards = rewards
        packing = looked_packing(simulator.circuit)
        _, *legal, goals = packing.places
        agents = np.array([game.agents.index(i) if i in game.agents else -1 for i in range(len(game.roles))])
        #: The place of each role among the agents, -1 for roles of none.
        self._seats = agents
        self._goals = goals_of(goals, agents[arrays.roles_of_goals], arrays.values_of_goals)
        self._places = places_of(tuple(legal), arrays.first_moves)
        sizes = arrays.state_words, len(packing.words), len(game.roles), int(self._places.counts.max())
        blocks = -(-n // LANES)
        self._columns: Final = new_columns(blocks, *sizes)
        #: For matches that advance while most others wait.
        self._few: Final = new_columns(blocks // 2 + 1, *sizes)
        self._scratch = new_scratch()
        self._begins = np.zeros((blocks, LANES), np.bool_)
        state = arrays.pack([simulator.initial_state()])[0]
        self._columns.states[:] = state[None, :, None]
        self._code.look(self._columns.states, self._begins.view(np.int8), self._columns.looked)
        self._initial = state.copy(), self._columns.looked[0, :, 0].copy()
        self._all: Final = np.arange(n, dtype=np.int64)
        # The lanes after the last match take part in nothing.
        self._columns.role[:] = TERMINAL
        #: The role that is asked in each lane, or a code: (n,), int8.
        self.role: Final = self._columns.role.reshape(-1)[:n]
        #: The number of joint moves of each match: (n,).
        self.plies: Final = self._columns.plies.reshape(-1)[:n]
        #: The roles before the last step.
        self._before = self._columns.role.copy()
        moves = np.zeros((blocks, LANES), np.int32)
        self._judged = Judged(moves, np.zeros((blocks, LANES), np.bool_))
        self._judged_policy = Judged(moves, np.zeros((blocks, LANES), np.bool_))
        #: Marks lanes whose last action was illegal: (n,).
        self.illegal: Final = self._judged.illegal.reshape(-1)[:n]
        self._chosen = np.zeros(n, np.int32)
        #: Outcomes that `step_rows` does not want.
        self._told = np.zeros(n, np.float32), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        #: The moves of the last ply, if they are kept: (blocks, roles, 512), numbered over all roles.
        self._last = np.empty((0, 0, 0), np.int32)
        #: See `shown`.
        self._seen = np.empty((0, 0), np.uint64)
        self._moves_of = game.moves_of
        widest = max(len(actions) for actions in game.actions_of)
        self._actions_of = np.zeros((len(game.roles), widest), np.int32)
        for number, actions in enumerate(game.actions_of):
            self._actions_of[number, : len(actions)] = actions
        #: True if the moves of all roles that choose actions are all actions, in the same order.
        choosing = {*game.agents, *asked}
        self._same = all(np.array_equal(game.actions_of[i], np.arange(len(game.actions))) for i in choosing)
        self.seed(0)

    @property
    def states(self) -> NDArray[np.uint64]:
        """The states (n, state_words), packed as in `gdl.Arrays`. It may be a view of this object's memory."""
        columns = self._columns.states
        if columns.shape[1] == 1:
            return columns.reshape(-1, 1)[: self.n]
        states = np.empty((self.n, columns.shape[1]), np.uint64)
        write_states(self._columns, states)
        return states

    @property
    def shown(self) -> NDArray[np.uint64]:
        """The source of observations: the states, or percepts if these are kept.

        Percepts (n, percept_words + roles) are those of the last ply, packed as in `gdl.Arrays`, and a word for each
        role: 1 more than the number of its last action, 0 before the first.
        """
        return self._seen if len(self._seen) else self.states

    @property
    def over(self) -> NDArray[np.bool_]:
        """True for each match that is over: (n,)."""
        return self.role < READY

    def saved(self) -> tuple[str, list[NDArray[Any]]]:
        """Return what `restore` needs: the order of facts and moves, and the memory of the matches."""
        return self.game.numbering, self._kept()

    def restore(self, saved: tuple[str, list[NDArray[Any]]]) -> None:
        """Continue matches that were saved. Raises ValueError if the game is compiled in another way."""
        numbering, arrays = saved
        if numbering != self.game.numbering:
            raise ValueError(f"{self.game.name} is compiled in another way than where the matches were saved")
        for own, array in zip(self._kept(), arrays, strict=True):
            np.copyto(own, array)

    def _kept(self) -> list[NDArray[Any]]:
        return [*self._columns, self._judged.illegal, self._last, self._seen]

    def set_policy(self, role: int, policy: Policy, *, every_ply: bool = False) -> None:
        """Let a role's actions be chosen by a policy, before the first match begins.

        With `every_ply`, it is asked in every state, and `last_actions` are kept.
        """
        self._policies[role] = policy
        self._roles.asked[role] = True
        if every_ply:
            self._roles.always[role] = True
            self._keep_moves()

    def keep_percepts(self) -> None:
        """Keep what roles see of each ply, which is `shown`; every learner must be asked in every state."""
        self._keep_moves()
        self._seen = np.zeros((self.n, self._arrays.percept_words + len(self.game.roles)), np.uint64)

    def _keep_moves(self) -> None:
        self._last = np.full_like(self._columns.pending, -1)

    def state(self, lane: int) -> PackedState:
        """Return the state of a match."""
        state = self._columns.states[lane // LANES, :, lane % LANES]
        return self._arrays.unpack(np.ascontiguousarray(state)[None])[0]

    def last_actions(self, lane: int) -> tuple[int, ...]:
        """Return the last joint move of a match, an action for each role; empty before the first."""
        assert len(self._last), "last_actions needs a policy that is asked at every ply"
        if not self.plies[lane]:
            return ()
        own = self._last[lane // LANES, :, lane % LANES] - self._arrays.first_moves
        return tuple(int(actions[move]) for actions, move in zip(self.game.actions_of, own, strict=True))

    @property
    def layout(self) -> RowLayout:
        """The layout of the rows of `read` and `write`."""
        states, looked, roles = self._columns.states, self._columns.looked, self._columns.pending.shape[1]
        return RowLayout(states.shape[1], roles, looked.shape[1], self._places, self._goals)

    def read(self, rows: NDArray[np.uint64]) -> None:
        """Continue the matches of rows (n or fewer, words), contiguous; the other lanes take part in nothing."""
        read_rows(rows, self._columns, self._places)
        self.illegal[:] = False

    def write(self, out: NDArray[np.uint64]) -> None:
        """Write the first matches to rows (n or fewer, words), contiguous."""
        write_rows(self._columns, out)

    def seed(self, seed: int, first: int = 0) -> None:
        """Seed the random choices. Lane `i` gets those of lane `first + i` of as many lanes as there may be."""
        start = np.uint64(seed_words(checked_seed(seed), 1)[0])
        random = self._columns.random.reshape(-1)
        with np.errstate(over="ignore"):
            random[:] = mixed(start + np.arange(first, first + len(random), dtype=np.uint64) * STRIDE)

    def seed_each(self, seeds: NDArray[np.uint64]) -> None:
        """Seed the random choices in the first lanes, each with a number of its own."""
        self._columns.random.reshape(-1)[: len(seeds)] = mixed(seeds)

    def reset(self, lanes: Numbers | None = None) -> None:
        """Begin new matches in some lanes, by default in all. Raises NoLegalMoveError."""
        self._mark(self._all if lanes is None else lanes)
        self._go_on(_NOBODY, self._begins)

    def reset_to(self, lanes: Numbers, states: NDArray[np.uint64]) -> None:
        """Begin new matches in some lanes (m,), in states (m, state_words) as in `gdl.Arrays`. Raises NoLegalMoveError.

        The states must be reachable.
        """
        self._mark(lanes)
        self._columns.states[lanes // LANES, :, lanes % LANES] = states
        self._code.look(self._columns.states, (~self._begins).view(np.int8), self._columns.looked)
        self._go_on(_NOBODY, self._begins, in_place=True)

    def resume(self, lanes: Numbers, pending: NDArray[np.int32], role: NDArray[np.int8]) -> None:
        """Take over moves that were chosen already, where others are yet to be asked: (m, roles), else -1, and (m,)."""
        blocks, places = lanes // LANES, lanes % LANES
        kept = self._columns.pending[blocks, :, places]
        self._columns.pending[blocks, :, places] = np.where(pending >= 0, pending, kept)
        self._columns.role[blocks, places] = role
        self._step(self._columns, MOST_ROLES)  # a role that nobody has, so that only legal moves are noted

    def _mark(self, lanes: Numbers) -> None:
        """Mark the lanes in which matches begin."""
        begins = self._begins.reshape(-1)
        begins[:] = False
        begins[lanes] = True
        self.illegal[begins[: self.n]] = False
        self._seen[begins[: len(self._seen)]] = 0

    def step(self, actions: NDArray[np.int32], illegal: str, again: NDArray[np.bool_] | None = None) -> None:
        """Do the actions (n,) of the roles that are asked, until learners are asked again.

        Actions in lanes in which nobody is asked are ignored. New matches begin where `again` (n,) is set. `illegal` is
        "raise", "replace" or "lose". With "raise", raises IllegalMoveError for the first illegal action, before any
        lane has changed. Raises NoLegalMoveError.
        """
        np.copyto(self._before, self._columns.role)
        wrong = self._judge(actions, _ALL, self._judged)
        if wrong and illegal == "raise":
            lane = int(self.illegal.argmax())
            self.illegal[:] = False
            self._refuse(lane, int(actions[lane]))
        if again is not None:
            self._begins.reshape(-1)[: self.n] = again
            if len(self._seen):
                self._seen[again] = 0
        self._go_on(_ALL, None if again is None else self._begins, replaced=illegal == "replace")

    def _noted(self, step: Callable[[], int]) -> int:
        """Do a step, and note what roles see of the plies that it makes. Return the number of lanes that are READY."""
        if not len(self._seen):
            return step()
        states, plies = self.states.copy(), self.plies.copy()
        ready = step()
        self._see(states, np.flatnonzero(self.plies > plies))
        return ready

    def _see(self, states: NDArray[np.uint64], lanes: Numbers) -> None:
        """Note what roles see of a ply that was made in some lanes, given the states (n, state_words) before it."""
        moves, words = self._last[lanes // LANES, :, lanes % LANES], self._arrays.percept_words
        if words:
            self._seen[lanes, :words] = self._arrays.move_and_see(states[lanes], moves)[1]
        for role, first in enumerate(self._arrays.first_moves):
            self._seen[lanes, words + role] = self.game.actions_of[role][moves[:, role] - first] + 1

    def step_rows(
        self,
        rows: NDArray[np.uint64],
        actions: NDArray[np.int64],
        illegal: str,
        after: NDArray[np.uint64],
        mask: NDArray[np.uint8],
        rewards: NDArray[np.float32],
        role: NDArray[np.int8],
        ended: NDArray[np.bool_],
    ) -> None:
        """Do the actions (n,) in matches of rows (n, words), by `step`, and write the results, as in `states.Step`.

        All is done in two calls of compiled code if no action is illegal. Raises as `step`, `checked_actions` and
        `write_outcomes` do.
        """
        columns, before, n = self._columns, self._before, len(rows)
        nothing, same = self._initial[0][:0], self._same
        ready = read_steps(
            rows,
            actions,
            columns,
            before,
            self._places,
            self._roles,
            self._moves_of,
            same,
            self._judged,
            self._chosen,
            self._begins[:0],
            nothing,
            self._last,
            self._code.native,
            self._scratch,
        )
        self._code.raise_errors()
        if ready == _ILLEGAL:
            asked = self.role[:n] >= 0 if illegal != "lose" else np.zeros(n, np.bool_)
            self._chosen[:n] = checked_actions(actions, (n,), len(self.game.actions), asked)
            self.step(self._chosen, illegal)
        elif ready < 0:
            self._refuse_moves()
        elif ready:
            self._advance(ready)
        own, terminated, truncated = self._told
        wrong = write_steps(
            columns,
            before,
            self._actions_of,
            same,
            self._goals,
            self._seats,
            np.float32(self._rewards.middle),
            np.float32(self._rewards.reach),
            after,
            mask,
            mask.ctypes.data,
            rewards,
            own[:n],
            terminated[:n],
            truncated[:n],
            role,
            ended,
            self._scratch,
        )
        if wrong >= 0:
            self._refuse_goals(int(wrong))
        if ready == _ILLEGAL:
            self._write_offences(rewards, own, self._seats)

    def sample(self, out: NDArray[np.int32]) -> None:
        """Write a random legal action of the role that is asked in each lane to `out` (n,); 0 where nobody is."""
        sample(self._columns, self._places, self._actions_of, self._same, out, self._scratch)

    def write_masks(self, out: NDArray[np.uint8]) -> None:
        """Write the legal actions of the role that is asked in each lane to `out` (n, actions), contiguous."""
        write_masks(self._columns, self._actions_of, self._same, out, out.ctypes.data)

    def cut_off(self, lanes: Numbers) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Return who would be asked next in some lanes (m,) whose matches are cut off, and its legal actions.

        They are roles (m,) and masks (m, actions). Where nobody has a choice, it is the first role that is ever asked.
        """
        roles = np.full(len(lanes), -1, np.int8)
        masks = np.zeros((len(lanes), len(self.game.actions)), np.int8)
        places = self._places
        for role in reversed(self._asked):
            words = slice(places.words[role], places.words[role] + places.counts[role])
            looked = (self._columns.looked[lanes // LANES, words, lanes % LANES] >> places.shifts[role]) & places.masks[
                role
            ]
            bits = np.unpackbits(np.ascontiguousarray(looked).view(np.uint8), axis=1, bitorder="little")
            actions = self.game.actions_of[role]
            legal = bits[:, : len(actions)]
            mine = (legal.sum(axis=1) > 1) | self._roles.always[role] | ((role == self._asked[0]) & (roles < 0))
            roles[mine] = role
            masks[mine] = 0
            masks[np.ix_(mine, actions)] = legal[mine]
        return roles, masks

    def write_outcomes(
        self,
        agent: int | None,
        rewards: NDArray[np.float32],
        own: NDArray[np.float32],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None:
        """Write what has come out of the last step.

        `rewards` (n, agents) are those of matches that ended in it, zeros elsewhere and where matches were cut off;
        `own` (n,) those of one agent, or, if it is None, of the roles that were asked. `terminated` and `truncated`
        (n,) tell which matches have ended. Raises GoalError.
        """
        numbers = self._seats if agent is None else np.full_like(self._seats, self._seats[agent])
        rewards[...] = 0
        own[...] = 0
        scale = np.float32(self._rewards.middle), np.float32(self._rewards.reach)
        before, goals = self._before, self._goals
        wrong = write_outcomes(
            self._columns, before, goals, numbers, *scale, rewards, own, terminated, truncated, self._scratch
        )
        if wrong >= 0:
            self._refuse_goals(int(wrong))
        self._write_offences(rewards, own, numbers)

    def _write_offences(
        self, rewards: NDArray[np.float32], own: NDArray[np.float32], numbers: NDArray[np.int64]
    ) -> None:
        """Write the rewards of matches that have ended in the last step since an action was illegal."""
        for lane in np.flatnonzero(self.role <= OFFENCE) if self.role.min() <= OFFENCE else ():
            asked = self._before.reshape(-1)[lane]
            if asked >= READY:
                valued = goals_of_offence(OFFENCE - int(self.role[lane]), self.game.agents)
                rewards[lane] = [self._rewards.of(valued[other]) for other in self.game.agents]
                own[lane] = rewards[lane, numbers[asked]]

    def _judge(self, actions: NDArray[np.int32], only: int, judged: Judged) -> int:
        """Translate actions to moves, and return the number of illegal ones."""
        return int(judge(actions, only, self._columns, self._moves_of, self._same, judged, self._scratch))

    def _go_on(
        self, only: int, begins: NDArray[np.bool_] | None, *, replaced: bool = False, in_place: bool = False
    ) -> None:
        """Do steps until a learner is asked in each lane or its match is over.

        In the first step, the actions that were judged are done, and matches begin: in the initial state, or, if
        `in_place`, in the states that are in the columns.
        """
        first = partial(self._step, self._columns, only, self._judged, begins, replaced=replaced, in_place=in_place)
        self._advance(self._noted(first))

    def _advance(self, ready: int) -> None:
        """Do steps until none of the lanes, `ready` of which are so now, is READY or asks a policy."""
        while True:
            for role, policy in self._policies.items():
                lanes = np.flatnonzero(self.role == role)
                if len(lanes):
                    ready = self._noted(partial(self._follow, role, lanes, policy))
                    break
            else:
                if not ready:
                    return
                if 2 * ready >= self.n:
                    ready = self._noted(partial(self._step, self._columns))
                else:
                    ready = self._noted(partial(self._step_some, np.flatnonzero(self.role == READY)))

    def _step(
        self,
        columns: LaneColumns,
        only: int = _NOBODY,
        judged: Judged | None = None,
        begins: NDArray[np.bool_] | None = None,
        *,
        replaced: bool = False,
        in_place: bool = False,
    ) -> int:
        """Do one step of `go_on`, and return the number of lanes that are READY. Raises NoLegalMoveError."""
        state, looked = self._initial
        ready = go_on(
            only,
            columns,
            self._places,
            self._roles,
            judged or self._judged,
            replaced,
            self._begins[:0] if begins is None else begins,
            state[:0] if in_place else state,
            looked[:0] if in_place else looked,
            self._last,
            self._code.native,
            self._scratch,
        )
        self._code.raise_errors()
        if ready < 0 and columns is self._columns:
            self._refuse_moves()
        return int(ready)

    def _step_some(self, lanes: Numbers) -> int:
        """Do one step of a few lanes, side by side, so that the others take no time. Raises NoLegalMoveError."""
        few = first_blocks(self._few, -(-len(lanes) // LANES))
        if len(self._last):
            self._last[lanes // LANES, :, lanes % LANES] = self._columns.pending[lanes // LANES, :, lanes % LANES]
        exchange(lanes, self._columns, few, False)
        ready = self._step(few)
        exchange(lanes, self._columns, few, True)
        if ready < 0:
            self._refuse_moves()
        return ready

    def _follow(self, role: int, lanes: Numbers, policy: Policy) -> int:
        """Let a policy choose where its role is asked, and do a step.

        Raises ValueError, TypeError and IllegalMoveError.
        """
        self._chosen[lanes] = checked_actions(policy(lanes, role), lanes.shape, len(self.game.actions))
        if self._judge(self._chosen, role, self._judged_policy):
            lane = int(self._judged_policy.illegal.argmax())
            self._refuse(lane, int(self._chosen[lane]))
        return self._step(self._columns, role, self._judged_policy)

    def _refuse(self, lane: int, action: int) -> None:
        """Raise IllegalMoveError for an action in a lane."""
        role = self.game.roles[self.role[lane]]
        state = self.state(lane)
        known = 0 <= action < len(self.game.actions)
        given = self.game.move(action, int(self.role[lane])).text if known else f"action {action}"
        legal = [move.text for move in self.game.simulator.legal_moves(state, role)]
        raise IllegalMoveError(role, f"{given} in lane {self.first + lane}", legal)

    def _refuse_moves(self) -> None:
        """Raise NoLegalMoveError for the first role without a legal move in the first lane that is stuck."""
        lane = int((self.role == STUCK).argmax())
        state = self.state(lane)
        for role in self.game.roles:
            self.game.simulator.legal_moves(state, role)
        raise NoLegalMoveError(self.game.roles[0])

    def _refuse_goals(self, lane: int) -> None:
        """Raise GoalError for the first agent without exactly one goal value in a lane."""
        state = self.state(lane)
        for role in self.game.agent_roles:
            self.game.simulator.goal(state, role)
        raise GoalError(self.game.agent_roles[0], ())


def checked_plies(max_plies: object) -> int:
    """Return the largest number of plies, which are counted in 32 bits. Raises TypeError and ValueError."""
    return min(checked_count("max_plies", max_plies), 2**31 - 1)


def checked_actions(
    actions: object, shape: tuple[int, ...], count: int, asked: NDArray[np.bool_] | None = None
) -> NDArray[np.int32]:
    """Return actions as Numba's loops take them: also of other types of integers, and of memory that is read-only.

    Raises TypeError unless they are integers, and ValueError for another shape, or for numbers that are none of `count`
    actions, of those that are `asked` for.
    """
    given = checked_integers(np.asarray(actions), shape)
    outside = (given < 0) | (given >= count)
    wrong = outside if asked is None else outside & asked
    if wrong.any():
        raise ValueError(f"an action is a number from 0 to {count - 1}, not {given[wrong][0]}")
    # As 32 bits, a number outside might become that of an action.
    return np.require(np.where(outside, -1, given) if outside.any() else given, np.int32, ("C", "A", "W"))


def checked_integers(actions: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return actions. Raises TypeError unless they are integers, and ValueError for another shape."""
    if actions.dtype.kind not in "iu":
        raise TypeError(f"actions must be integers, not {actions.dtype}")
    if actions.shape != shape:
        raise ValueError(f"actions must have the shape {shape}, not {actions.shape}")
    return actions


#: What numbers of lanes are multiplied by before they are mixed.
STRIDE: Final = np.uint64(0xD1B54A32D192ED03)


def mixed(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return well mixed words, so that neighbouring lanes have unrelated generators."""
    with np.errstate(over="ignore"):
        seeds = (seeds ^ (seeds >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        seeds = (seeds ^ (seeds >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        return seeds ^ (seeds >> np.uint64(32))
