"""A vector environment for Gymnasium: many matches of a game in one array, in compiled code."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, Literal, final

import numpy as np
from numpy.typing import NDArray

from gdl.codegen.llvm.playout_loop import LANES
from gdl.simulator.arrays import NO_GOAL
from gdl.simulator.compiled_code import aligned_array
from gdl.simulator.seeds import checked_count, draw
from ggp.environments.game import MAX_PLIES, EnvironmentGame, Rules
from ggp.environments.lane_loops import READY
from ggp.environments.lane_players import LanePlayers
from ggp.environments.lanes import Lanes, Numbers, Policy, checked_actions, checked_plies
from ggp.environments.libraries import MissingLibraryError
from ggp.environments.observations import DtypeName, ObserverName, StatesView
from ggp.environments.perspective import Side
from ggp.environments.pool import Pool
from ggp.environments.position import Position
from ggp.environments.rendering import Renderer, RenderMode
from ggp.environments.rewards import Illegal, IllegalName, Scale, ScaleName
from ggp.environments.states import States, StateSettings

try:
    from gymnasium.error import ResetNeeded
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise MissingLibraryError("gymnasium", "gymnasium") from error

#: Chooses legal actions (m,), given the observations (m, *shape) and masks (m, actions) of m matches.
Opponent = Callable[[NDArray[Any], NDArray[np.int8]], NDArray[Any]]

#: Returns the potentials (n, agents) of the agents in n states (Ng, Harada and Russell, 1999), or a name for one.
Potential = Callable[[States], NDArray[Any]]
PotentialName = Literal["goals"]


@final
class VectorGameEnv(VectorEnv[NDArray[Any], NDArray[np.int32], NDArray[Any]]):
    """`num_envs` matches of a game. Actions, rewards and ends are arrays with one element for each match.

    `info["action_mask"]` (num_envs, actions), int8, has the legal actions, and `info["role"]` (num_envs,), int8, the
    number of the role that is asked, negative after the end. In the step that truncates a match, both are those of its
    last state, whose value may be wanted. An end is told once, in the step that brings it.

    Without a `role`, the learner is asked for every role, one after the other if several have to choose in the same
    state; the reward is that of the role that was asked, and `info["rewards"]` (num_envs, agents), float32, has those
    of all. No role is asked where it has only one legal move, unless `ask_always` is set. In games that hide their
    states, all are asked in every state, and see their percepts and own moves of the last ply, and nothing else. A copy
    or pickle has the matches as they are, and the game by its rules.
    """

    # Some versions of Gymnasium close an environment when it is collected, even if it was never made.
    _players: Sequence[tuple[slice, LanePlayers]] = ()
    _pool: ThreadPoolExecutor | None = None
    _process = 0

    def __init__(
        self,
        rules: Rules | EnvironmentGame,
        num_envs: int = 1,
        *,
        role: str | None = None,
        opponents: str | Opponent | Pool | Mapping[str, str | Opponent | Pool] = "random",
        observation: ObserverName = "facts",
        perspective: Side | None = None,
        dtype: DtypeName = "int8",
        rewards: ScaleName = Scale.UNIT,
        illegal: IllegalName = Illegal.RAISE,
        max_plies: int = MAX_PLIES,
        ask_always: bool = False,
        autoreset_mode: AutoresetMode | Literal["NextStep", "SameStep", "Disabled"] = AutoresetMode.NEXT_STEP,
        out: Mapping[str, NDArray[Any]] | None = None,
        copy: bool = True,
        threads: int = 1,
        potential: PotentialName | Potential | None = None,
        discount: float = 1.0,
        render_mode: None = None,
    ) -> None:
        """Begin the matches; call `reset` before the first step.

        Args:
            rules: A path, the name of a shipped game, rules, an engine, or an `EnvironmentGame`.
            num_envs: The number of matches.
            role: The role that the learner takes; None for all of them.
            opponents: Who takes the other roles: the name of a player, a function that returns legal actions for
                observations and masks, a `Pool` from which one of these is drawn for each match, or a mapping from
                roles to these. `"random"` plays in compiled code; all other players are asked match by match, in
                Python. With a pool, `info["opponents"]` (num_envs, agents), int16, has the numbers of those drawn.
            observation: `"facts"` or `"planes"`.
            perspective: `"mover"` if every agent shall see the game as the first one does, else `"fixed"`; see
                `Perspective`. By default, a game that is given keeps its own, and rules have `"fixed"`.
            dtype: `"int8"`, `"float32"`, or `"bits"`: eight facts to a byte, as uint8, in the order of
                `numpy.packbits(..., bitorder="little")`.
            rewards: `"unit"` or `"centered"`; see `Scale`.
            illegal: An illegal action is an IllegalMoveError (`"raise"`), is replaced by a random legal one
                (`"replace"`), or ends the match with the goal 0 (`"lose"`); `info["illegal"]` marks the last two.
            max_plies: A longer match is truncated.
            ask_always: Ask roles also where they have only one legal move.
            autoreset_mode: When a new match begins after an end, as defined by Gymnasium.
            out: Arrays to be written to in every step instead of new ones: `observation`, `action_mask`, `rewards`.
            copy: If False, every step overwrites the arrays that the last one returned.
            threads: The number of threads that share the work of a step.
            potential: Adds `discount * after - before` to the rewards of each step, given the potentials of all agents
                before and after it, which are 0 at the end of a match. `"goals"` stands for the rewards that the goal
                values would bring, if the match ended there; or it is a function that returns potentials (n, agents)
                for `States`.
            discount: The discount of the learner, for potentials.
            render_mode: There are no pictures of many matches; `picture` returns one of them.

        Raises:
            UnknownGameError, AmbiguousGameError, FileError, RulesheetError, CompileError: The game cannot be compiled.
            UnknownRoleError, ValueError: An option makes no sense for the game.
            UnknownPlayerError, PlayerLoadError: There is no player of that name, or it cannot be made.
        """
        given = locals().items()
        self._options = {
            name: value for name, value in given if name not in ("self", "rules", "num_envs", "perspective")
        }
        self.game = game = EnvironmentGame.of(rules, perspective)
        if render_mode is not None:
            raise ValueError(
                f"many matches have no pictures, so render_mode must be None, not {render_mode!r}; "
                "picture(lane) returns that of one, and GameEnv has them, as does make_vec with "
                'vectorization_mode="sync"'
            )
        self._view = view = StatesView(game, observation, dtype, percepts=True)
        self.observer = view.observer
        self.num_envs = checked_count("num_envs", num_envs)
        self._illegal = Illegal(illegal)
        self._scale = Scale(rewards)
        self._max_plies = checked_plies(max_plies)
        self._potential = _checked_potential(potential)
        self._discount = discount
        self._agent = None if role is None else game.agent(role)
        # In games that hide their states, each ply may bring percepts.
        self._always = ask_always or game.hides_states
        self._copy = copy and out is None
        self.autoreset_mode = mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self.single_observation_space = Box(0, view.highest, view.shape, view.dtype)
        self.single_action_space = Discrete(len(game.actions))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        asked = game.agents if self._agent is None else (self._agent,)
        self._parts = self._split(checked_count("threads", threads), asked, self._opponents(opponents))
        self._buffers = dict(out or {})
        self._check_buffers()
        self._over = np.zeros(self.num_envs, np.bool_)
        #: The potentials of the present states.
        self._ahead = np.empty((0, 0), np.float32)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin new matches, all or those of `options["reset_mask"]` (num_envs,), bool.

        They begin in the initial state, or in `options["states"]`, one `States` for each of them. Plies are counted
        from there. A seed, one whole number, makes everything after it repeatable; without one, the first reset draws
        one, which `np_random_seed` tells. Raises ValueError and TypeError for another mask or seed, other options, and
        states in which a match cannot begin.
        """
        if seed is not None and not isinstance(seed, int | np.integer):
            raise TypeError(f"seed must be one whole number for all matches, not {seed!r:.60}")
        unknown = [key for key in options or () if key not in ("reset_mask", "states")]
        if unknown:
            names = ", ".join(map(repr, unknown))
            raise ValueError(f"reset has no option {names}: there are only 'reset_mask' and 'states'")
        mask = None if options is None else options.get("reset_mask")
        lanes = None if mask is None else np.flatnonzero(self._checked_mask(mask))
        states = None if options is None else options.get("states")
        if states is not None:
            self._check_states(states, self.num_envs if lanes is None else len(lanes))
        if seed is not None or not self._seeded:
            seed = draw() if seed is None else int(seed)
            self._seed(seed)
            super().reset(seed=seed)

        for part, players in self._players:
            own = _within(np.arange(self.num_envs) if lanes is None else lanes, part)
            players.stop(own)
            players.begin(own)

        def begin(part: slice, matches: Lanes) -> None:
            own = None if lanes is None else _within(lanes, part)
            if states is None:
                matches.reset(own)
            elif own is None:
                _begin_in(matches, np.arange(matches.n), states[part])
            else:
                _begin_in(matches, own, states[np.flatnonzero((lanes >= part.start) & (lanes < part.stop))])

        self._run(begin)
        self._over = self._role() < READY
        self._ahead = self._potentials()
        return self._seen()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Do one action in each match.

        Actions in matches that are over are ignored. Raises, before anything has changed, IllegalMoveError, unless
        illegal actions have another effect; ValueError for numbers of no action; ValueError and TypeError for arrays of
        another shape or type; and ResetNeeded before the first reset.
        """
        if not self._seeded:
            raise ResetNeeded("call reset() before anything else")
        before = self._over
        chosen = checked_actions(actions, (self.num_envs,), len(self.game.actions), ~before)
        again = self.autoreset_mode is AutoresetMode.NEXT_STEP
        rewards = self._array("rewards", (self.num_envs, len(self.game.agents)), np.float32)
        own = aligned_array((self.num_envs,), np.float32)
        terminated, truncated = (aligned_array((self.num_envs,), np.bool_) for _ in range(2))

        def step(part: slice, matches: Lanes) -> None:
            matches.step(chosen[part], self._illegal, before[part] if again else None)
            outcomes = rewards[part], own[part], terminated[part], truncated[part]
            matches.write_outcomes(self._agent, *outcomes)

        asked = self._role().copy() if self._potential else None
        for part, players in self._players if again else ():
            players.begin(np.flatnonzero(before[part]))
        self._run(step)
        self._over = over = self._role() < READY
        if asked is not None:
            self._shape(asked, terminated, rewards, own)
        info: dict[str, Any] = {}
        ended = np.empty(0, np.int64)
        if self._players or self.autoreset_mode is AutoresetMode.SAME_STEP:
            ended = np.flatnonzero(over & ~before)
        for part, players in self._players:
            players.stop(_within(ended, part))
        cut = np.flatnonzero(truncated)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and len(ended):
            last, final = self._seen(rewards, cut, fresh=True)
            info = {"final_obs": last, "_final_obs": over, "final_info": final, "_final_info": over}
            for part, players in self._players:
                players.begin(_within(ended, part))
            self._run(lambda part, matches: matches.reset(_within(ended, part)))
            self._over = self._role() < READY
            self._ahead = self._potentials()
            cut = cut[:0]
        observation, now = self._seen(rewards, cut)
        return observation, own, terminated, truncated, {**info, **now}

    def sample_actions(self, out: NDArray[np.int32] | None = None) -> NDArray[np.int32]:
        """Return a random legal action for each match, in `out` if it is given; 0 where nobody is asked.

        Raises ResetNeeded before the first reset, and ValueError for an unsuitable `out`.
        """
        if not self._seeded:
            raise ResetNeeded("call reset() before anything else")
        if out is not None:
            _check_buffer("out", out, (self.num_envs,), np.int32)
        actions = aligned_array((self.num_envs,), np.int32) if out is None else out
        self._run(lambda part, matches: matches.sample(actions[part]))
        return actions

    @property
    def states(self) -> States:
        """The states of all matches as a value: a copy.

        What they ask is what the environment asks, if it asks for all roles; otherwise, all agents choose actions.
        """
        settings = StateSettings(self._always, False, self._max_plies, self._scale)
        stepper = self.game.stepper(settings)
        rows = aligned_array((self.num_envs, stepper.layout.words), np.uint64)
        self._run(lambda part, matches: matches.write(rows[part]))
        return States(stepper, rows)

    def picture(self, lane: int, mode: RenderMode = "ansi") -> Any:
        """Return the picture of a match, as `GameEnv.render` does in a mode. Raises IndexError and ValueError."""
        if not 0 <= lane < self.num_envs:
            raise IndexError(f"there are lanes from 0 to {self.num_envs - 1}, not {lane}")
        part, matches = next(one for one in self._parts if lane < one[0].stop)
        return Renderer(self.game, mode).render(Position(self.game, matches.state(lane - part.start)))

    def _potentials(self) -> NDArray[np.float32]:
        """Return the potentials of the agents in all matches: (num_envs, agents); empty if there are none."""
        if self._potential is None:
            return np.empty((0, 0), np.float32)
        if self._potential != "goals":
            return np.asarray(self._potential(self.states), np.float32)
        goals, scale = self.states.goals()[:, self.game.agents], self.game.rewards(self._scale)
        return np.where(goals == NO_GOAL, 0, (goals - scale.middle) / scale.reach).astype(np.float32)

    def _shape(
        self,
        asked: NDArray[np.int8],
        terminated: NDArray[np.bool_],
        rewards: NDArray[np.float32],
        own: NDArray[np.float32],
    ) -> None:
        """Add the change of potentials to the rewards of a step in which some roles were `asked`."""
        before, self._ahead = self._ahead, self._potentials()
        after = np.where(terminated[:, None], np.float32(0), self._ahead)
        playing = np.flatnonzero(asked >= READY)
        rewards[playing] += (self._discount * after - before)[playing]
        seats = np.searchsorted(self.game.agents, asked[playing] if self._agent is None else self._agent)
        own[playing] = rewards[playing, seats]

    def close_extras(self, **_: Any) -> None:
        """End the threads and the matches of players."""
        for _part, players in self._players:
            players.stop_all()
        if self._pool is not None:
            self._pool.shutdown()

    def _split(
        self,
        threads: int,
        asked: tuple[int, ...],
        opponents: Mapping[int, str | Opponent | Pool],
    ) -> list[tuple[slice, Lanes]]:
        """Return the matches of each thread. All but the last have a multiple of 512."""
        size = -(-self.num_envs // threads)
        size = -(-size // LANES) * LANES
        rewards = self.game.rewards(self._scale)
        parts, all_players = [], []
        for start in range(0, self.num_envs, size):
            part = slice(start, min(start + size, self.num_envs))
            matches = Lanes(
                self.game,
                part.stop - part.start,
                asked=asked,
                always=self._always,
                max_plies=self._max_plies,
                rewards=rewards,
            )
            matches.first = start
            if self.game.hides_states:
                matches.keep_percepts()
            for number, opponent in opponents.items():
                if isinstance(opponent, str | Pool):
                    shown = partial(self._shown, matches)
                    all_players.append((part, LanePlayers(matches, number, opponent, shown)))
                else:
                    matches.set_policy(number, self._policy(matches, opponent))
            parts.append((part, matches))
        self._seeded = False
        self._players = all_players
        return parts

    def _opponents(
        self, given: str | Opponent | Pool | Mapping[str, str | Opponent | Pool]
    ) -> dict[int, str | Opponent | Pool]:
        """Return the opponents but `"random"`, by the numbers of their roles. Raises UnknownRoleError, ValueError."""
        if self._agent is None:
            if given != "random":
                raise ValueError("there are opponents only if the learner takes one `role`")
            return {}
        others = [role for role in self.game.agent_roles if role != self.game.roles[self._agent]]
        by_role = given if isinstance(given, Mapping) else dict.fromkeys(others, given)
        found: dict[int, str | Opponent | Pool] = {}
        for role, one in by_role.items():
            number = self.game.agent(role)
            if number == self._agent:
                raise ValueError(f"{role} is the learner's role, so it has no opponent")
            if not isinstance(one, str | Pool) and not callable(one):
                raise TypeError(
                    f"the opponent {role} is neither the name of a player nor a function nor a pool, but {one!r:.60}"
                )
            if isinstance(one, str) and one != "random" and self.game.hides_states:
                raise ValueError(
                    f"{self.game.name} hides its states, where opponents are 'random' or functions, not {one}"
                )
            if one != "random":
                found[number] = one
        return found

    def _policy(self, matches: Lanes, opponent: Opponent) -> Policy:
        """Return an opponent as Lanes call it."""
        return lambda lanes, role: opponent(*self._shown(matches, lanes, role))

    def _shown(self, matches: Lanes, lanes: Numbers, role: int) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Return what a role sees in some lanes in which it is asked: observations and masks."""
        observed = np.empty((len(lanes), *self._view.shape), self._view.dtype)
        self._view.write(matches.shown[lanes], role, observed)
        masks = np.empty((matches.n, len(self.game.actions)), np.int8)
        matches.write_masks(masks.view(np.uint8))
        return observed, masks[lanes]

    def _run(self, work: Callable[[slice, Lanes], None]) -> None:
        """Do some work for each part, in its thread."""
        if len(self._parts) == 1:
            work(*self._parts[0])
            return
        if self._pool is None or self._process != os.getpid():  # threads do not survive a fork
            self._pool, self._process = ThreadPoolExecutor(len(self._parts)), os.getpid()
        list(self._pool.map(lambda one: work(*one), self._parts))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the options, from which the environment is made again, and what has changed since."""
        matches = [matches.saved() for _, matches in self._parts], [players.saved() for _, players in self._players]
        return _made, (self.game, self.num_envs, self._options), (matches, self._plain())

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Continue the matches that were pickled."""
        (lanes, all_players), plain = state
        for (_, matches), saved in zip(self._parts, lanes, strict=True):
            matches.restore(saved)
        for (_, players), saved in zip(self._players, all_players, strict=True):
            players.restore(saved)
        self.__dict__.update(plain)

    def _plain(self) -> dict[str, Any]:
        """Return the attributes that can be pickled as they are, such as spaces and the caller's own."""
        return {name: value for name, value in self.__dict__.items() if name not in _MADE_AGAIN}

    def _seed(self, seed: int) -> None:
        for part, matches in self._parts:
            matches.seed(seed, part.start)
        for part, players in self._players:
            players.seed(seed, part.start)
        self._seeded = True

    def _role(self) -> NDArray[np.int8]:
        if len(self._parts) == 1:
            return self._parts[0][1].role
        return np.concatenate([matches.role for _, matches in self._parts])

    def _array(self, name: str, shape: tuple[int, ...], dtype: Any, *, fresh: bool = False) -> NDArray[Any]:
        """Return an array to be filled: a new one, or the one of the last step."""
        if self._copy or fresh:
            return aligned_array(shape, dtype)
        if name not in self._buffers:
            self._buffers[name] = aligned_array(shape, dtype)
        return self._buffers[name]

    def _seen(
        self, rewards: NDArray[np.float32] | None = None, cut: Numbers | None = None, *, fresh: bool = False
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Return observations and info. Matches that are `cut` off are seen by the role that would be asked next."""
        mask = self._array("action_mask", (self.num_envs, len(self.game.actions)), np.int8, fresh=fresh)
        self._run(lambda part, matches: matches.write_masks(mask[part].view(np.uint8)))
        role = np.maximum(self._role(), -1, out=aligned_array((self.num_envs,), np.int8))
        if cut is not None and len(cut):
            for part, matches in self._parts:
                lanes = _within(cut, part)
                role[part][lanes], mask[part][lanes] = matches.cut_off(lanes)
        out = self._array("observation", (self.num_envs, *self._view.shape), self._view.dtype, fresh=fresh)
        self._run(lambda part, matches: self._observe(matches, role[part], out[part]))
        info: dict[str, Any] = {"action_mask": mask, "role": role}
        if rewards is not None:
            info["rewards"] = rewards
        if any(players.pooled for _, players in self._players):
            info["opponents"] = np.full((self.num_envs, len(self.game.agents)), -1, np.int16)
            for part, players in self._players:
                if players.pooled:
                    info["opponents"][part, self.game.agents.index(players.role)] = players.drawn()
        if self._illegal is not Illegal.RAISE:
            info["illegal"] = aligned_array((self.num_envs,), np.bool_)
            np.concatenate([matches.illegal for _, matches in self._parts], out=info["illegal"])
        return out, info

    def _observe(self, matches: Lanes, role: NDArray[np.int8], out: NDArray[Any]) -> None:
        """Write what roles see; what the first agent does where nobody is asked."""
        if self._agent is None:
            self._view.write_asked(matches.shown, role, out)
        else:
            self._view.write(matches.shown, self._agent, out)

    def _checked_mask(self, mask: Any) -> NDArray[np.bool_]:
        found = np.asarray(mask)
        if found.dtype != np.bool_:
            raise TypeError(f"reset_mask must be an array of bool, not of {found.dtype}")
        if found.shape != (self.num_envs,) or not found.any():
            raise ValueError(f"reset_mask must have the shape {(self.num_envs,)} and at least one True")
        return found

    def _check_states(self, states: object, count: int) -> None:
        """Raise TypeError and ValueError unless states are those of this game in which matches can begin."""
        if not isinstance(states, States):
            raise TypeError(f"states must be `States` of {self.game.name}, not {states!r:.60}")
        if len(states) != count or states.game.numbering != self.game.numbering:
            raise ValueError(f"states must be {count} of {self.game.name}, not {states!r}")
        if states.over.any():
            raise ValueError(f"a match cannot begin in state {int(states.over.argmax())}, in which it is over")
        if self._agent is not None and (chosen := states.chosen.any(axis=1)).any():
            raise ValueError(f"in state {int(chosen.argmax())}, a role has chosen already, so no match can begin there")

    def _check_buffers(self) -> None:
        """Raise ValueError unless the arrays of the caller can be written to."""
        expected: dict[str, tuple[tuple[int, ...], Any]] = {
            "observation": ((self.num_envs, *self._view.shape), self._view.dtype),
            "action_mask": ((self.num_envs, len(self.game.actions)), np.int8),
            "rewards": ((self.num_envs, len(self.game.agents)), np.float32),
        }
        for name, array in self._buffers.items():
            if name not in expected:
                raise ValueError(f"there is no array {name!r} in `out`: there are {', '.join(expected)}")
            _check_buffer(name, array, *expected[name])


#: The attributes that only the constructor makes.
_MADE_AGAIN: Final = frozenset(
    ("game", "observer", "_options", "_potential", "_view", "_parts", "_players", "_pool", "_process")
)


def _made(game: EnvironmentGame, num_envs: int, options: dict[str, Any]) -> VectorGameEnv:
    return VectorGameEnv(game, num_envs, **options)


def one_role(
    rules: Rules | EnvironmentGame,
    num_envs: int = 1,
    *,
    role: str | None = None,
    perspective: Side | None = None,
    **options: Any,
) -> VectorGameEnv:
    """Return matches for a learner that takes one role, by default the first, as `GameEnv` does.

    This is what `gymnasium.make_vec("ggp/Game-v0")` makes. Arguments and errors are those of `VectorGameEnv`.
    """
    game = EnvironmentGame.of(rules, perspective)
    return VectorGameEnv(game, num_envs, role=game.agent_roles[0] if role is None else role, **options)


def _checked_potential(potential: object) -> Any:
    if potential is None or potential == "goals" or callable(potential):
        return potential
    raise ValueError(f"potential must be 'goals', a function of `States`, or None, not {potential!r:.60}")


def _check_buffer(name: str, array: object, shape: tuple[int, ...], dtype: Any) -> None:
    """Raise ValueError unless machine code can write to an array."""
    if not (isinstance(array, np.ndarray) and array.shape == shape and array.dtype == dtype and array.flags.carray):
        raise ValueError(f"{name} must be a contiguous, writeable array of {np.dtype(dtype)} with the shape {shape}")


def _begin_in(matches: Lanes, lanes: Numbers, states: States) -> None:
    """Begin matches in some lanes, in as many states."""
    if not len(lanes):
        return
    matches.reset_to(lanes, states.facts)
    some = np.flatnonzero(states.chosen.any(axis=1))
    if len(some):
        moves = np.where(states.chosen, states.pending, -1)
        matches.resume(lanes[some], moves[some], states.role[some])


def _within(lanes: Numbers, part: slice) -> Numbers:
    """Return the lanes, given in ascending order, that lie in a part, counted from its first."""
    first, after = np.searchsorted(lanes, (part.start, part.stop))
    return np.asarray(lanes[first:after] - part.start, np.int64)
