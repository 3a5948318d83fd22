"""One match of an environment: the state, who is asked, and what each agent has seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, final

from gdl.simulator.packed_state import PackedState
from gdl.terms import Term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ggp.environments.game import EnvironmentGame


@final
class Position:
    """One match, advanced by joint moves. Chance chooses uniformly at random from its legal moves.

    Roles are numbers, as in `EnvironmentGame.roles`.
    """

    def __init__(self, game: EnvironmentGame, state: PackedState | None = None) -> None:
        """Begin in the initial state, or in another state."""
        self.game = game
        self.state = game.simulator.initial_state() if state is None else state
        #: True if the game is over.
        self.is_terminal: bool = game.simulator.is_terminal(self.state)
        #: The number of joint moves so far.
        self.plies = 0
        #: The last joint move: an action for each role. Empty before the first.
        self.last_actions: tuple[int, ...] = ()
        #: The percepts of the last joint move, for each role.
        self.percepts: tuple[tuple[Term, ...], ...] = ((),) * len(game.roles)
        #: The legal actions of roles in this state, once they were asked for.
        self._legal: dict[int, tuple[int, ...]] = {}

    def legal(self, role: int) -> tuple[int, ...]:
        """Return the legal actions of a role, in ascending order. Raises NoLegalMoveError."""
        legal = self._legal.get(role)
        if legal is None:
            game = self.game
            actions = game.action_lists[role]
            places = game.simulator.legal_places(self.state, role)
            legal = self._legal[role] = tuple(sorted([actions[place] for place in places]))
        return legal

    def mask(self, role: int) -> NDArray[np.int8]:
        """Return 1 for each legal action of a role, and 0 for all others: (actions,), int8. Zeros after the end."""
        import numpy as np

        mask = bytearray(len(self.game.actions))  # which are set faster than elements of arrays
        if not self.is_terminal:
            for action in self.legal(role):
                mask[action] = 1
        return np.frombuffer(mask, np.int8)

    def deciding(self) -> tuple[int, ...]:
        """Return the agents that have more than one legal move, in the order of the roles; none after the end."""
        if self.is_terminal:
            return ()
        return tuple(agent for agent in self.game.agents if len(self.legal(agent)) > 1)

    def advance(self, actions: Mapping[int, int], rng: np.random.Generator) -> None:
        """Do a joint move: the given actions, the only legal one of each agent without, and random ones of chance.

        Raises IllegalMoveError, ValueError if an agent without an action has a choice, and NoLegalMoveError.
        """
        chosen = [self._chosen(role, actions, rng) for role in range(len(self.game.roles))]
        game, simulator = self.game, self.game.simulator
        numbers = [known.get(action, -1) for known, action in zip(game.move_numbers, chosen, strict=True)]
        if game.hides_states or self.is_terminal or -1 in numbers:
            moves = game.joint_move(chosen)
            if game.hides_states:
                seen = simulator.percepts(self.state, moves)
                self.percepts = tuple(seen[role] for role in game.roles)
            self.state = simulator.next_state(self.state, moves)
        else:
            self.state = simulator.next_by_numbers(self.state, numbers)
        self.is_terminal = simulator.is_terminal(self.state)
        self._legal = {}
        self.last_actions = tuple(chosen)
        self.plies += 1

    def goals(self) -> dict[int, int]:
        """Return the goal value of each agent. Raises GoalError."""
        return {agent: self.game.simulator.goal(self.state, self.game.roles[agent]) for agent in self.game.agents}

    def _chosen(self, role: int, actions: Mapping[int, int], rng: np.random.Generator) -> int:
        if role in actions:
            return actions[role]
        legal = self.legal(role)
        if len(legal) > 1 and role in self.game.agents:
            raise ValueError(f"{self.game.roles[role]} has a choice, but there is no action of it")
        return legal[int(rng.integers(len(legal)))] if len(legal) > 1 else legal[0]
