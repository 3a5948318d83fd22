"""Many matches of a game, side by side in lanes: who is asked, legal actions, joint moves, ends and rewards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from gdl.codegen.llvm.playout_loop import LANES
from gdl.errors import GoalError, IllegalMoveError, NoLegalMoveError
from gdl.simulator.arrays import Arrays
from gdl.simulator.packed_state import PackedState
from gdl.simulator.seeds import checked_count, checked_seed
from gdl.simulator.seeds import words as seed_words
from ggp.environments.game import EnvironmentGame
from ggp.environments.lane_loops import (
    BEGINS,
    OFFENCE,
    READY,
    STUCK,
    TRUNCATED,
    first_illegal,
    sample,
    survey,
    take,
    write_masks,
    write_rewards,
)
from ggp.environments.rewards import Rewards, goals_of_offence

Numbers = NDArray[np.int64]

#: Chooses actions (m,) for a role in m lanes, whose numbers it is given.
Policy = Callable[[Numbers, int], NDArray[np.int32]]


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
        """Begin all matches in the initial state, with the seed 0."""
        self.game = game
        self.n = n = checked_count("n", n)
        self._arrays = arrays = Arrays(game.simulator)
        self._policies: dict[int, Policy] = {}
        self._deciders = np.zeros(len(game.roles), np.bool_)
        self._deciders[list(asked)] = True
        self._always = np.full(len(game.roles), always)
        self._max_plies = checked_count("max_plies", max_plies)
        self._rewards = rewards
        halves = [1 << max(0, len(actions) - 1).bit_length() >> 1 for actions in game.actions_of]
        self._places = np.array([arrays.legal_words, arrays.move_words, arrays.first_moves, halves], np.int64)
        padded = -(-n // LANES) * LANES
        self._initial = arrays.pack([game.simulator.initial_state()])
        self._initial_looked = arrays.look(self._initial)
        #: The states: (n, state_words). The arrays are longer, as code needs multiples of 512.
        self._states = np.repeat(self._initial, padded, axis=0)
        self._looked = np.repeat(self._initial_looked, padded, axis=0)
        self._spare = np.empty_like(self._states)
        self._pending = np.full((padded, len(game.roles)), -1, np.int32)
        self._all: Final = np.arange(n, dtype=np.int64)
        self.role = np.zeros(n, np.int8)
        #: The number of joint moves of each match.
        self.plies = np.zeros(n, np.int32)
        #: Marks lanes whose last action was illegal.
        self.illegal = np.zeros(n, np.bool_)
        self._random = np.zeros(n, np.uint64)
        #: The moves of the last ply, if they are kept: (lanes, roles), numbered over all roles.
        self._last: NDArray[np.int32] | None = None
        self._columns = np.array([game.agents.index(i) if i in game.agents else -1 for i in range(len(game.roles))])
        self._moves_of = game.moves_of
        widest = max(len(actions) for actions in game.actions_of)
        self._actions_of = np.zeros((len(game.roles), widest), np.int32)
        for number, actions in enumerate(game.actions_of):
            self._actions_of[number, : len(actions)] = actions
        self._same = np.array(
            [np.array_equal(actions, np.arange(len(game.actions))) for actions in game.actions_of], np.bool_
        )
        self.seed(0)

    @property
    def states(self) -> NDArray[np.uint64]:
        """The states (n, state_words), packed as in `gdl.Arrays`. It is a view of this object's memory."""
        return self._states[: self.n]

    @property
    def over(self) -> NDArray[np.bool_]:
        """True for each match that is over: (n,)."""
        return self.role < READY

    def set_policy(self, role: int, policy: Policy, *, every_ply: bool = False) -> None:
        """Let a role's actions be chosen by a policy, before the first match begins.

        With `every_ply`, it is asked in every state, and `last_actions` are kept.
        """
        self._policies[role] = policy
        self._deciders[role] = True
        if every_ply:
            self._always[role] = True
            self._last = np.full_like(self._pending, -1)

    def state(self, lane: int) -> PackedState:
        """Return the state of a match."""
        return self._arrays.unpack(self._states[lane : lane + 1])[0]

    def last_actions(self, lane: int) -> tuple[int, ...]:
        """Return the last joint move of a match, an action for each role; empty before the first."""
        assert self._last is not None, "last_actions needs a policy that is asked at every ply"
        if not self.plies[lane]:
            return ()
        own = self._last[lane] - self._arrays.first_moves
        return tuple(int(actions[move]) for actions, move in zip(self.game.actions_of, own, strict=True))

    def seed(self, seed: int, first: int = 0) -> None:
        """Seed the random choices. Lane `i` gets those of lane `first + i` of as many lanes as there may be."""
        start = np.uint64(seed_words(checked_seed(seed), 1)[0])
        with np.errstate(over="ignore"):
            self._random = _mixed(start + np.arange(first, first + self.n, dtype=np.uint64) * _STRIDE)

    def reset(self, lanes: Numbers | None = None) -> None:
        """Begin new matches in some lanes, by default in all. Raises NoLegalMoveError."""
        lanes = self._all if lanes is None else lanes
        self._states[lanes] = self._initial
        self._looked[lanes] = self._initial_looked
        self.plies[lanes] = -1  # as the initial state counts as one that is reached
        self.illegal[lanes] = False
        self.role[lanes] = BEGINS
        self._ask(BEGINS)
        self._go_on()

    def step(self, actions: NDArray[np.int32], illegal: str) -> None:
        """Do the actions (n,) of the roles that are asked, until learners are asked again.

        Actions in lanes in which nobody is asked are ignored. `illegal` is "raise", "replace" or "lose". With "raise",
        raises IllegalMoveError for the first illegal action, before any lane has changed. Raises NoLegalMoveError.
        """
        if illegal != "raise":
            self._take(self._all, actions, replaced=illegal == "replace")
        else:
            before = self.role.copy(), self._pending.copy(), self._random.copy()
            if self._take(self._all, actions, replaced=False):
                self.role, self._pending, self._random = before
                self.illegal[:] = False
                self._check(self._all, actions)
        self._go_on()

    def sample(self, out: NDArray[np.int32]) -> None:
        """Write a random legal action of the role that is asked in each lane to `out` (n,); 0 where nobody is."""
        sample(self.role, self._looked, self._places, self._actions_of, self._random, out)

    def write_masks(self, out: NDArray[np.uint8]) -> None:
        """Write the legal actions of the role that is asked in each lane to `out` (n, actions), contiguous."""
        address = out.ctypes.data
        write_masks(self.role, self._looked, self._places, self._actions_of, self._same, out, address)

    def write_rewards(self, lanes: Numbers, out: NDArray[np.float32]) -> None:
        """Write the rewards of all agents in lanes whose matches are over to `out` (n, agents).

        Those of matches that are cut off are zeros. Raises GoalError.
        """
        roles, arrays = self.role[lanes], self._arrays
        out[lanes[roles == TRUNCATED]] = 0
        for lane in lanes[roles <= OFFENCE]:
            goals = goals_of_offence(OFFENCE - int(self.role[lane]), self.game.agents)
            out[lane] = [self._rewards.of(goals[agent]) for agent in self.game.agents]
        ended = lanes[(roles < READY) & (roles > TRUNCATED)]
        middle, reach = np.float32(self._rewards.middle), np.float32(self._rewards.reach)
        goals_word, owners, values = arrays.goals_word, arrays.roles_of_goals, arrays.values_of_goals
        wrong = write_rewards(ended, self._looked, goals_word, owners, values, self._columns, middle, reach, out)
        if wrong >= 0:
            self._refuse_goals(int(wrong))

    def _take(self, lanes: Numbers, actions: NDArray[np.int32], *, replaced: bool) -> int:
        """Note the actions (m,) of the roles that are asked in some lanes (m,); return the number of illegal ones."""
        found = take(
            lanes,
            actions,
            self.role,
            self._looked,
            self._places,
            self._moves_of,
            self._deciders,
            self._pending,
            int(replaced),
            self._random,
            self.illegal,
        )
        stuck, wrong = divmod(int(found), 1 << 32)
        if stuck:
            self._refuse_moves()
        return wrong

    def _go_on(self) -> None:
        """Ask policies, and advance states, until a learner is asked in each lane or its match is over."""
        while True:
            for role, policy in self._policies.items():
                lanes = np.flatnonzero(self.role == role)
                if len(lanes):
                    actions = np.ascontiguousarray(policy(lanes, role), np.int32)
                    self._check(lanes, actions)
                    self._take(lanes, actions, replaced=False)
                    break
            else:
                ready = np.count_nonzero(self.role == READY)
                if not ready:
                    return
                if self._last is not None:
                    lanes = np.flatnonzero(self.role == READY)
                    self._last[lanes] = self._pending[lanes]
                if 2 * ready >= self.n:
                    self._advance_all()
                else:
                    self._advance_some(np.flatnonzero(self.role == READY))
                self._ask(READY)

    def _check(self, lanes: Numbers, actions: NDArray[np.int32]) -> None:
        """Raise ValueError or IllegalMoveError unless actions in some lanes are legal."""
        if actions.shape != lanes.shape:
            raise ValueError(f"expected an action for each of {len(lanes)} lanes, not the shape {actions.shape}")
        wrong = first_illegal(lanes, actions, self.role, self._looked, self._places, self._moves_of)
        if wrong >= 0:
            self._refuse(int(lanes[wrong]), int(actions[wrong]))

    def _advance_all(self) -> None:
        """Compute the next states in all lanes, and restore those that do not advance."""
        others = np.flatnonzero(self.role != READY)
        here, there = self._states, self._spare
        self._arrays.move_all(here, self._pending, there)
        there[others] = here[others]
        there[self.n :] = self._initial
        self._states, self._spare = there, here
        self._arrays.look_all(there, self._looked)

    def _advance_some(self, lanes: Numbers) -> None:
        padded = np.concatenate([lanes, np.repeat(lanes[:1], -len(lanes) % LANES)])
        following = np.empty((len(padded), self._states.shape[1]), np.uint64)
        self._arrays.move_all(self._states[padded], self._pending[padded], following)
        looked = np.empty((len(padded), self._looked.shape[1]), np.uint64)
        self._arrays.look_all(following, looked)
        self._states[lanes] = following[: len(lanes)]
        self._looked[lanes] = looked[: len(lanes)]

    def _ask(self, code: int) -> None:
        """Find out who is asked in the lanes, marked by a code for the role, that have reached a new state."""
        fine = survey(
            self.role,
            self._looked,
            self._places,
            self._deciders,
            self._always,
            self.plies,
            self._max_plies,
            self._pending,
            self._random,
            code,
        )
        if not fine:
            self._refuse_moves()

    def _refuse(self, lane: int, action: int) -> None:
        """Raise IllegalMoveError for an action in a lane."""
        role = self.game.roles[self.role[lane]]
        state = self.state(lane)
        known = 0 <= action < len(self.game.actions)
        given = self.game.move(action, int(self.role[lane])).text if known else f"action {action}"
        legal = [move.text for move in self.game.simulator.legal_moves(state, role)]
        raise IllegalMoveError(role, f"{given} in lane {lane}", legal)

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


_STRIDE: Final = np.uint64(0xD1B54A32D192ED03)


def _mixed(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return well mixed words, so that neighbouring lanes have unrelated generators."""
    with np.errstate(over="ignore"):
        seeds = (seeds ^ (seeds >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        seeds = (seeds ^ (seeds >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        return seeds ^ (seeds >> np.uint64(32))
