"""A game as learning code sees it: the roles that agents take, numbered actions, rewards.

An *action* is the number of a move, the same for all roles: the moves that may ever be legal for any role, sorted by
their text, are numbered from 0. So an action means the same move whoever makes it, and numbers depend only on the
rules. From the mover's side, an action means what it would mean to the first agent: see `ggp.environments.perspective`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

import gdl
from gdl.engine import Engine, hides_states, is_nature
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.joint_moves import role_named
from gdl.simulator.simulator import Simulator
from gdl.terms import Term
from ggp.environments.perspective import Perspective, View, views_of
from ggp.environments.rewards import Rewards, Scale, rewards_of
from ggp.rules.shipped_games import find_game, game_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: An episode with more plies is truncated, unless an environment is told otherwise.
MAX_PLIES: Final = 500

#: The rules of a game: a path, the name of a shipped game, rules, or an engine.
Rules = str | Path | Rulesheet | Engine


@final
class EnvironmentGame:
    """A compiled game with numbered actions. All environments of the same game may share one."""

    def __init__(
        self,
        rules: Rules,
        *,
        perspective: Perspective | str = Perspective.FIXED,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        """Compile the rules, or read what was compiled from the cache.

        With the perspective `"mover"`, every agent sees the game as the first one does, in observations and actions.

        Raises UnknownGameError, AmbiguousGameError, FileError, RulesheetError, and CompileError for rules that cannot
        be compiled: without that, the actions are not known. Raises NotSymmetricError for the perspective `"mover"` of
        rules that are not the same for all agents, and ValueError for an unknown one.
        """
        self.perspective = Perspective(perspective)
        self.simulator = simulator = _compiled(rules, progress)
        self.name: str = game_name(Path(simulator.rulesheet.source.name))
        #: All roles, in the order of the rules.
        self.roles: tuple[str, ...] = simulator.roles
        #: The numbers of the roles that agents take: all except chance.
        self.agents: tuple[int, ...] = tuple(i for i, role in enumerate(self.roles) if not is_nature(role))
        #: The moves that actions stand for.
        self.actions: tuple[Term, ...] = _sorted_moves(simulator)
        #: True if agents see only their own moves and percepts, not the state.
        self.hides_states: bool = hides_states(simulator)
        self._numbers = {move: number for number, move in enumerate(self.actions)}
        self._rewards: dict[Scale, Rewards] = {}
        self._views: dict[int, View] = {}
        if self.perspective is Perspective.MOVER:
            self._views = views_of(simulator, self.agents, self.actions)

    @classmethod
    def of(cls, rules: Rules | EnvironmentGame, perspective: Perspective | str) -> EnvironmentGame:
        """Return a game as it is, or compile its rules. Raises as the constructor does."""
        return rules if isinstance(rules, cls) else cls(rules, perspective=perspective)

    def __repr__(self) -> str:
        """Return the name of the game."""
        return f"<EnvironmentGame {self.name}>"

    @property
    def agent_roles(self) -> tuple[str, ...]:
        """The roles that agents take, in the order of the rules."""
        return tuple(self.roles[number] for number in self.agents)

    def agent(self, role: str) -> int:
        """Return the number of a role that an agent takes, by its name. Raises UnknownRoleError."""
        return self.roles.index(role_named(role, self.agent_roles))

    def action(self, move: Term, role: int | None = None) -> int:
        """Return the action of a move, as a role sees it. Raises KeyError if it is never legal."""
        number = self._numbers[move]
        return self._views[role].shown[number] if role in self._views else number

    def move(self, action: int, role: int | None = None) -> Term:
        """Return the move that an action means to a role."""
        return self.actions[self._views[role].meant[action] if role in self._views else action]

    def joint_move(self, actions: Sequence[int]) -> tuple[Term, ...]:
        """Return the moves that the actions of all roles mean."""
        return tuple(self.move(action, role) for role, action in enumerate(actions))

    def facts_seen(self, role: int, facts: Sequence[int]) -> list[int]:
        """Return the numbers of the facts that a role sees in the places of some facts; -1 where there are none."""
        return [self._views[role].facts[fact] for fact in facts] if role in self._views else list(facts)

    @cached_property
    def actions_of(self) -> tuple[NDArray[np.int32], ...]:
        """The actions of each role's moves, in the order of `Simulator.all_moves(role)`."""
        import numpy as np

        return tuple(
            np.array([self.action(move, number) for move in self.simulator.all_moves(role)], np.int32)
            for number, role in enumerate(self.roles)
        )

    @cached_property
    def moves_of(self) -> NDArray[np.int32]:
        """The position of each action in each role's moves: (roles, actions), -1 if it is none of them."""
        import numpy as np

        found = np.full((len(self.roles), len(self.actions)), -1, np.int32)
        for role, actions in enumerate(self.actions_of):
            found[role, actions] = np.arange(len(actions))
        return found

    def rewards(self, scale: Scale | str = Scale.UNIT) -> Rewards:
        """Return the rewards on a scale. Raises ValueError if it is unknown."""
        scale = Scale(scale)
        if scale not in self._rewards:
            self._rewards[scale] = rewards_of(self.simulator, scale)
        return self._rewards[scale]


def _compiled(rules: Rules, progress: Callable[[str], None] | None) -> Simulator:
    """Return a game's Simulator."""
    if isinstance(rules, Simulator):
        return rules
    if isinstance(rules, str | Path):
        return gdl.compile(find_game(str(rules)), progress=progress)
    rulesheet = rules if isinstance(rules, Rulesheet) else getattr(rules, "rulesheet", None)
    if not isinstance(rulesheet, Rulesheet):
        raise TypeError(f"expected the rules of a game, not {rules!r}")
    return gdl.compile(rulesheet, progress=progress)


def _sorted_moves(simulator: Simulator) -> tuple[Term, ...]:
    moves = {move for role in simulator.roles for move in simulator.all_moves(role)}
    return tuple(sorted(moves, key=lambda move: move.text))
