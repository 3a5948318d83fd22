"""Players of ours as the opponents of many matches: each match has a player of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from gdl.simulator.seeds import derive
from gdl.terms import Term
from ggp.environments.lane_loops import OFFENCE, READY, TRUNCATED
from ggp.environments.lanes import Lanes, Numbers
from ggp.environments.opponents import chosen_action, start_player
from ggp.environments.rewards import goals_of_offence
from ggp.match.record import Result
from ggp.players import make_player
from ggp.players.player import End, Player, Turn

if TYPE_CHECKING:
    from numpy.typing import NDArray


@final
class LanePlayers:
    """The players of one role, made by name, asked one after the other at every ply as in matches without clocks.

    A player is made when its match begins. Errors of players are not caught.
    """

    def __init__(self, matches: Lanes, role: int, name: str) -> None:
        """Let the players choose for a role. Raises UnknownPlayerError and PlayerLoadError."""
        make_player(name)  # so that unknown names and options are refused now
        self._matches = matches
        self._role = role
        self._name = name
        self._players: dict[int, Player] = {}
        self._began = np.zeros(matches.n, np.int64)
        self.seed(0)
        matches.set_policy(role, self._actions, every_ply=True)

    def seed(self, seed: int, first: int = 0) -> None:
        """Seed the matches that begin from now on. Lane `i` counts as lane `first + i`."""
        self._seed, self._first = seed, first
        self._began[:] = 0

    def saved(self) -> tuple[Any, ...]:
        """Return what `restore` needs: the players and seeds."""
        return self._players, self._began, self._seed, self._first

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Continue the matches of saved players."""
        self._players, self._began, self._seed, self._first = saved

    def stop(self, lanes: Numbers) -> None:
        """Tell the players in some lanes that their matches are over, or that they are broken off."""
        for lane in map(int, lanes):
            player = self._players.pop(lane, None)
            if player is not None:
                player.stop(self._end(lane))

    def stop_all(self) -> None:
        """Tell all players that their matches are over."""
        self.stop(np.array(list(self._players), np.int64))

    def _actions(self, lanes: Numbers, _role: int) -> NDArray[np.int32]:
        return np.array([self._action(lane) for lane in map(int, lanes)], np.int32)

    def _action(self, lane: int) -> int:
        matches, game = self._matches, self._matches.game
        if not matches.plies[lane]:
            seed = derive(self._seed, "lane", str(self._first + lane), str(self._began[lane]))
            self._began[lane] += 1
            self._players[lane] = make_player(self._name)
            start_player(self._players[lane], game, self._role, seed)
        state = matches.state(lane)
        moves, own_move = self._told(lane)
        turn = Turn(
            ply=int(matches.plies[lane]) + 1,
            state=state,
            legal=game.simulator.legal_moves(state, game.roles[self._role]),
            moves=moves,
            own_move=own_move,
        )
        return chosen_action(self._players[lane], game, self._role, turn)

    def _told(self, lane: int) -> tuple[tuple[Term, ...] | None, Term | None]:
        """Return the last joint move and the role's own move, None before the first."""
        actions = self._matches.last_actions(lane)
        moves = self._matches.game.joint_move(actions)
        return (moves, moves[self._role]) if moves else (None, None)

    def _end(self, lane: int) -> End:
        matches, game = self._matches, self._matches.game
        code, goal = int(matches.role[lane]), None
        if code >= READY:
            result = Result.ABORTED
        elif code == TRUNCATED:
            result = Result.UNFINISHED
        elif code <= OFFENCE:
            result, goal = Result.DISQUALIFIED, int(goals_of_offence(OFFENCE - code, game.agents)[self._role])
        else:
            result, goal = Result.FINISHED, game.simulator.goal(matches.state(lane), game.roles[self._role])
        moves, own_move = self._told(lane)
        return End(result=result.value, moves=moves, goal=goal, ply=int(matches.plies[lane]), own_move=own_move)
