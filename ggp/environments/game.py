"""A game as learning code sees it: the roles that agents take, numbered actions, rewards.

An *action* is the number of a move, the same for all roles: the moves that may ever be legal for any role, sorted by
their text, are numbered from 0. So an action means the same move whoever makes it, and numbers depend only on the
rules.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

import gdl
from gdl.engine import Engine, hides_states, is_nature
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.joint_moves import role_named
from gdl.simulator.simulator import Simulator
from gdl.terms import Term
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

    def __init__(self, rules: Rules, *, progress: Callable[[str], None] | None = None) -> None:
        """Compile the rules, or read what was compiled from the cache.

        Raises UnknownGameError, AmbiguousGameError, FileError, RulesheetError, and CompileError for rules that cannot
        be compiled: without that, the actions are not known.
        """
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

    def action(self, move: Term) -> int:
        """Return the action of a move. Raises KeyError if it is never legal."""
        return self._numbers[move]

    @cached_property
    def actions_of(self) -> tuple[NDArray[np.int32], ...]:
        """The actions of each role's moves, in the order of `Simulator.all_moves(role)`."""
        import numpy as np

        return tuple(
            np.array([self._numbers[move] for move in self.simulator.all_moves(role)], np.int32) for role in self.roles
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
