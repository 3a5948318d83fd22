"""Players of ours, or members of a pool, as the opponents of many matches: each match has one of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, final

import numpy as np

from gdl.simulator.seeds import derive
from gdl.terms import Term
from ggp.environments.lane_loops import OFFENCE, READY, TRUNCATED
from ggp.environments.lanes import STRIDE, Lanes, Numbers, checked_actions, mixed
from ggp.environments.opponents import DEFAULT as RANDOM
from ggp.environments.opponents import chosen_action, start_player
from ggp.environments.pool import Pool
from ggp.environments.rewards import goals_of_offence
from ggp.match.record import Result
from ggp.players import make_player
from ggp.players.player import End, Player, Turn

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Returns what a role sees in lanes (m,): observations (m, *shape) and masks (m, actions).
Shown = Callable[[Numbers, int], "tuple[NDArray[Any], NDArray[np.int8]]"]


@final
class LanePlayers:
    """The players of one role, drawn from a pool for each match.

    Named players are asked one after the other at every ply as in matches without clocks, and each is made when its
    match begins. Functions are asked together where they have a choice. Errors are not caught.
    """

    def __init__(self, matches: Lanes, role: int, opponent: str | Pool, shown: Shown) -> None:
        """Let a player by name, or the members of a pool, choose for a role.

        Raises UnknownPlayerError and PlayerLoadError.
        """
        self.role = role
        #: True if somebody wants to know who was drawn.
        self.pooled = isinstance(opponent, Pool)
        self._pool = opponent if isinstance(opponent, Pool) else Pool({opponent: opponent})
        self._matches = matches
        self._shown = shown
        self._players: dict[int, Player] = {}
        #: The number of matches that have begun in each lane, the member that plays now, and lanes without one yet.
        self._began = np.zeros(matches.n, np.int64)
        self._drawn = np.zeros(matches.n, np.int16)
        self._due = np.zeros(matches.n, np.bool_)
        self.seed(0)
        matches.set_policy(role, self._actions, every_ply=True)

    def seed(self, seed: int, first: int = 0) -> None:
        """Seed the matches that begin from now on. Lane `i` counts as lane `first + i`."""
        self._seed, self._first = seed, first
        self._began[:] = 0

    def saved(self) -> tuple[Any, ...]:
        """Return what `restore` needs: the players and seeds."""
        return self._players, self._began, self._drawn, self._due, self._seed, self._first

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Continue the matches of saved players."""
        self._players, self._began, self._drawn, self._due, self._seed, self._first = saved

    def begin(self, lanes: Numbers) -> None:
        """Prepare for matches that begin in some lanes. It may be called again before they do."""
        self._due[lanes] = True

    def drawn(self) -> NDArray[np.int16]:
        """Return the number of the member that plays in each lane, in `Pool.names`: (n,)."""
        due = np.flatnonzero(self._due)
        if len(due):
            # First, so that nothing changes if none can be drawn.
            self._drawn[due] = self._pool.draw_many(self._uniform(due, self._began[due], -1))
            self._began[due] += 1
            self._due[due] = False
        return self._drawn

    def stop(self, lanes: Numbers) -> None:
        """Tell the players in some lanes that their matches are over, or that they are broken off."""
        for lane in map(int, lanes):
            player = self._players.pop(lane, None)
            if player is not None:
                player.stop(self._end(lane))

    def stop_all(self) -> None:
        """Tell all players that their matches are over."""
        self.stop(np.array(list(self._players), np.int64))

    def _actions(self, lanes: Numbers, role: int) -> NDArray[np.int32]:
        drawn = self.drawn()[lanes]
        actions = np.zeros(len(lanes), np.int32)
        names = self._pool.names
        for number in np.unique(drawn):
            own = np.flatnonzero(drawn == number)
            member = self._pool[names[number]]
            if isinstance(member, str) and (member != RANDOM or not self.pooled):
                actions[own] = [self._action(lane, member) for lane in map(int, lanes[own])]
                continue
            observed, masks = self._shown(lanes[own], role)
            actions[own] = self._random(lanes[own], masks) if isinstance(member, str) else masks.argmax(axis=1)
            choices = np.flatnonzero(masks.sum(axis=1) > 1)
            if not isinstance(member, str) and len(choices):
                chosen = member(observed[choices], masks[choices])
                actions[own[choices]] = checked_actions(chosen, choices.shape, masks.shape[1])
        return actions

    def _random(self, lanes: Numbers, masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return a legal action for each lane, all of them with the same probability."""
        counts = masks.cumsum(axis=1, dtype=np.int32)
        places = self._uniform(lanes, self._began[lanes], self._matches.plies[lanes]) * counts[:, -1]
        return np.asarray((counts > places[:, None]).argmax(axis=1))

    def _uniform(self, lanes: Numbers, *numbers: NDArray[Any] | int) -> NDArray[np.float64]:
        """Return numbers from 0 to below 1 for lanes (m,), drawn by the seed and some numbers."""
        word = np.full(len(lanes), derive(self._seed, "pool"), np.uint64)
        with np.errstate(over="ignore"):
            for number in (lanes + self._first, *numbers):
                word = mixed(word + np.asarray(number, np.int64).astype(np.uint64) * STRIDE)
        return np.asarray((word >> np.uint64(11)) * 2.0**-53)

    def _action(self, lane: int, name: str) -> int:
        matches, game = self._matches, self._matches.game
        if game.hides_states:
            raise ValueError(f"{game.name} hides its states, where opponents are 'random' or functions, not {name}")
        if not matches.plies[lane]:
            seed = derive(self._seed, "lane", str(self._first + lane), str(self._began[lane] - 1))
            self._players[lane] = make_player(name)
            start_player(self._players[lane], game, self.role, seed)
        state = matches.state(lane)
        moves, own_move = self._told(lane)
        turn = Turn(
            ply=int(matches.plies[lane]) + 1,
            state=state,
            legal=game.simulator.legal_moves(state, game.roles[self.role]),
            moves=moves,
            own_move=own_move,
        )
        return chosen_action(self._players[lane], game, self.role, turn)

    def _told(self, lane: int) -> tuple[tuple[Term, ...] | None, Term | None]:
        """Return the last joint move and the role's own move, None before the first."""
        actions = self._matches.last_actions(lane)
        moves = self._matches.game.joint_move(actions)
        return (moves, moves[self.role]) if moves else (None, None)

    def _end(self, lane: int) -> End:
        matches, game = self._matches, self._matches.game
        code, goal = int(matches.role[lane]), None
        if code >= READY:
            result = Result.ABORTED
        elif code == TRUNCATED:
            result = Result.UNFINISHED
        elif code <= OFFENCE:
            result, goal = Result.DISQUALIFIED, int(goals_of_offence(OFFENCE - code, game.agents)[self.role])
        else:
            result, goal = Result.FINISHED, game.simulator.goal(matches.state(lane), game.roles[self.role])
        moves, own_move = self._told(lane)
        return End(result=result.value, moves=moves, goal=goal, ply=int(matches.plies[lane]), own_move=own_move)
