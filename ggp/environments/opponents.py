"""The opponents of a single agent: players by name, player objects, or policies, which are functions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Protocol, final, runtime_checkable

from gdl.errors import IllegalMoveError
from gdl.simulator.seeds import derive
from gdl.terms import Term
from ggp.environments.game import EnvironmentGame
from ggp.environments.observations import Observer
from ggp.environments.pool import Pool
from ggp.environments.position import Position
from ggp.match.answers import legal_move
from ggp.match.lineup import lineup_of
from ggp.match.record import Result
from ggp.players import make_player
from ggp.players.clock import NEVER
from ggp.players.player import End, Player, Start, Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The player of roles without a named opponent.
DEFAULT: Final = "random"

#: A function that returns an action for an observation and a mask of legal actions.
Policy = Callable[["NDArray[np.int8]", "NDArray[np.int8]"], int]

#: An opponent: the name of a player as on the command line, a player, a policy, or a pool of names and policies.
Opponent = str | Player | Policy | Pool


@runtime_checkable
class Playing(Player, Protocol):
    """A player, to be told from a policy."""


def start_player(player: Player, game: EnvironmentGame, number: int, seed: int) -> None:
    """Begin a match without clocks for the player of a role; its seed is derived from that of the match."""
    role, simulator = game.roles[number], game.simulator
    start = Start(
        match_id="episode",
        game=simulator,
        role=role,
        seed=derive(seed, "player", role),
        rules=simulator.source_text,
        hidden=game.hides_states,
    )
    player.start(start, NEVER)


def chosen_action(player: Player, game: EnvironmentGame, number: int, turn: Turn) -> int:
    """Return the action that the player of a role chooses. Raises IllegalMoveError."""
    answer = player.move(turn)
    move, _ = legal_move(answer, turn.legal)
    if move is None:
        raise IllegalMoveError(game.roles[number], str(answer), [other.text for other in turn.legal])
    return game.action(move, number)


@final
class Opponents:
    """The opponents of one agent.

    Players are asked at every ply, as in a match without clocks; policies are asked where they have a choice. Classes
    named as `FILE.py:CLASS` run in this process. Their errors are not caught, and an illegal move of theirs raises
    IllegalMoveError.
    """

    def __init__(
        self,
        game: EnvironmentGame,
        agent: int,
        opponents: Opponent | Mapping[str, Opponent],
        observer: Observer,
        *,
        ask_always: bool = False,
    ) -> None:
        """Make the players of all roles but the agent's. With `ask_always`, policies are asked at every ply, too.

        Raises UnknownRoleError, UnknownPlayerError, PlayerLoadError, and LineupError.
        """
        self._game = game
        self._observer = observer
        self._always = ask_always or game.hides_states
        roles = [game.roles[other] for other in game.agents if other != agent]
        if not isinstance(opponents, str | Mapping) and not isinstance(opponents, Playing):
            opponents = dict.fromkeys(roles, opponents)  # one policy may play several roles
        lineup: dict[str, Player | Policy | Pool] = lineup_of(roles, opponents, {}, make_player, DEFAULT)
        self._players: dict[int, Player] = {}
        self._policies: dict[int, Policy] = {}
        self._pools: dict[int, Pool] = {}
        #: The name of the member that was drawn from a pool for the present match, by role.
        self.drawn: dict[str, str] = {}
        for role, opponent in lineup.items():
            if isinstance(opponent, Pool):
                self._pools[game.agent(role)] = opponent
            elif isinstance(opponent, Playing):
                self._players[game.agent(role)] = opponent
            elif callable(opponent):
                self._policies[game.agent(role)] = opponent
            else:
                raise TypeError(f"the opponent {role} is neither a player nor a function, but {opponent!r:.60}")

    def start(self, seed: int) -> None:
        """Begin a match: each player gets a seed of its own. Raises ValueError for a pool without members."""
        for number, pool in self._pools.items():
            role = self._game.roles[number]
            self.drawn[role] = name = pool.draw(derive(seed, "pool", role))
            member = pool[name]
            self._players.pop(number, None)
            self._policies.pop(number, None)
            if isinstance(member, str):
                self._players[number] = make_player(member)
            else:
                self._policies[number] = member
        for number, player in self._players.items():
            start_player(player, self._game, number, seed)

    def actions(self, position: Position) -> dict[int, int]:
        """Return an action for each opponent's role, but of a policy that has no choice. Raises IllegalMoveError."""
        asked = self._game.agents if self._always else position.deciding()
        return {
            **{number: self._chosen(position, number, player) for number, player in self._players.items()},
            **{
                number: self._answered(position, number, policy)
                for number, policy in self._policies.items()
                if number in asked
            },
        }

    def stop(self, position: Position, result: Result, goals: Mapping[int, float] | None) -> None:
        """End the match, with the goal values if there are any."""
        for number, player in self._players.items():
            moves, own_move = self._told(position, number)
            end = End(
                result=result.value,
                moves=moves,
                goal=None if goals is None else int(goals[number]),
                ply=position.plies,
                own_move=own_move,
                percepts=position.percepts[number],
            )
            player.stop(end)

    def _answered(self, position: Position, number: int, policy: Policy) -> int:
        game, mask = self._game, position.mask(number)
        action = operator.index(policy(self._observer.observe(position, number), mask.copy()))
        if not 0 <= action < len(mask):
            raise ValueError(f"the policy of {game.roles[number]} has returned {action}, which is no action")
        if not mask[action]:
            legal = [game.move(other, number).text for other in position.legal(number)]
            raise IllegalMoveError(game.roles[number], game.move(action, number).text, legal)
        return action

    def _chosen(self, position: Position, number: int, player: Player) -> int:
        game = self._game
        moves, own_move = self._told(position, number)
        turn = Turn(
            ply=position.plies + 1,
            state=None if game.hides_states else position.state,
            legal=game.simulator.legal_moves(position.state, game.roles[number]),
            moves=moves,
            own_move=own_move,
            percepts=position.percepts[number],
        )
        return chosen_action(player, game, number, turn)

    def _told(self, position: Position, number: int) -> tuple[tuple[Term, ...] | None, Term | None]:
        """Return the last joint move, None if it is hidden, and the role's own move."""
        if not position.last_actions:
            return None, None
        moves = self._game.joint_move(position.last_actions)
        return None if self._game.hides_states else moves, moves[number]
