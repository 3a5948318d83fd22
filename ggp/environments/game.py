"""A game as learning code sees it: the roles that agents take, numbered actions, rewards.

An *action* is the number of a move, the same for all roles: the moves that may ever be legal for any role, sorted by
their text, are numbered from 0. So an action means the same move whoever makes it, and numbers depend only on the
rules. From the mover's side, an action means what it would mean to the first agent: see `ggp.environments.perspective`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

import gdl
from gdl.engine import Engine, hides_states, is_nature
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.joint_moves import role_named
from gdl.simulator.partial_game import PartialGame
from gdl.simulator.simulator import Simulator
from gdl.terms import Term
from ggp.environments.perspective import Perspective, Side, View, views_of
from ggp.environments.rewards import Rewards, Scale, ScaleName, rewards_of
from ggp.rules.shipped_games import find_game, game_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ggp.environments.observations import ObserverName
    from ggp.environments.states import Source, States, StateSettings, Stepper
    from ggp.environments.symmetries import Symmetries

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
        perspective: Side = Perspective.FIXED,
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
        self._steppers: dict[StateSettings, Stepper] = {}
        if self.perspective is Perspective.MOVER:
            self._views = views_of(simulator, self.agents, self.actions)

    @classmethod
    def of(cls, rules: Rules | EnvironmentGame, perspective: Side | None) -> EnvironmentGame:
        """Return a game as it is, or compile its rules, by default with the perspective `"fixed"`.

        Raises as the constructor does, and ValueError for a game that has another perspective or no role for an agent.
        """
        if not isinstance(rules, cls):
            rules = cls(rules, perspective=Perspective.FIXED if perspective is None else perspective)
        if not rules.agents:
            raise ValueError(f"{rules.name} has no role for an agent")
        if perspective is not None and rules.perspective is not Perspective(perspective):
            raise ValueError(
                f"the game {rules.name} was made with the perspective {rules.perspective.value!r}, which it keeps; "
                f"make another EnvironmentGame for {Perspective(perspective).value!r}"
            )
        return rules

    def __deepcopy__(self, _memo: object) -> EnvironmentGame:
        """Return the game itself, as it never changes."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the rules, and the options of the compiler: numbers of facts depend on what is compiled."""
        return partial(EnvironmentGame, perspective=self.perspective), (self.simulator,)

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
        """Return the move that an action means to a role. Raises ValueError for a number that is no action."""
        if not 0 <= action < len(self.actions):
            raise ValueError(f"an action is a number from 0 to {len(self.actions) - 1}, not {action}")
        return self.actions[self._views[role].meant[action] if role in self._views else action]

    def joint_move(self, actions: Sequence[int]) -> tuple[Term, ...]:
        """Return the moves that the actions of all roles mean."""
        return tuple(self.move(action, role) for role, action in enumerate(actions))

    def facts_seen(self, role: int, facts: Sequence[int]) -> list[int]:
        """Return the numbers of the facts that a role sees in the places of some facts; -1 where there are none."""
        return [self._views[role].facts[fact] for fact in facts] if role in self._views else list(facts)

    @cached_property
    def action_lists(self) -> tuple[list[int], ...]:
        """The actions of each role's moves, in the order of `Simulator.all_moves(role)`."""
        simulator = self.simulator
        return tuple([self.action(move, i) for move in simulator.all_moves(role)] for i, role in enumerate(self.roles))

    @cached_property
    def move_numbers(self) -> tuple[dict[int, int], ...]:
        """For each role, the number of each action's move in the circuit."""
        moves = self.simulator.circuit
        return tuple(
            dict(zip(actions, moves.moves_of(role), strict=True)) for role, actions in enumerate(self.action_lists)
        )

    @cached_property
    def actions_of(self) -> tuple[NDArray[np.int32], ...]:
        """The same as arrays."""
        import numpy as np

        return tuple(np.array(actions, np.int32) for actions in self.action_lists)

    @cached_property
    def numbering(self) -> str:
        """A hash of the order of facts and moves, on which the memory of matches depends."""
        circuit = self.simulator.circuit
        texts = [fact.text for fact in circuit.facts] + [f"{role} {move.text}" for role, move in circuit.moves]
        return sha256("\n".join(texts).encode(errors="surrogateescape")).hexdigest()

    @cached_property
    def moves_of(self) -> NDArray[np.int32]:
        """The position of each action in each role's moves: (roles, actions), -1 if it is none of them."""
        import numpy as np

        found = np.full((len(self.roles), len(self.actions)), -1, np.int32)
        for role, actions in enumerate(self.actions_of):
            found[role, actions] = np.arange(len(actions))
        return found

    def states(
        self,
        source: Source = 1,
        *,
        seed: int | NDArray[np.uint64] = 0,
        ask_always: bool = False,
        ask_chance: bool = False,
        max_plies: int = MAX_PLIES,
        rewards: ScaleName = Scale.UNIT,
    ) -> States:
        """Return many states as one value.

        Args:
            source: The number of matches that begin; or the states in which they begin: states of the Simulator, their
                facts as KIF text, or packed states (n, state_words), uint64, as in `gdl.Arrays`, which must be
                reachable.
            seed: Determines the random moves of chance: one number, or one for each state (n,), uint64.
            ask_always: Ask roles also where they have only one legal move; otherwise, a step makes forced moves.
            ask_chance: Ask chance (the role `random`) as the other roles are; otherwise, a step makes its moves.
            max_plies: A longer match is over.
            rewards: `"unit"` or `"centered"`; see `Scale`.

        Raises TermError and UnreachableStateError for text that is no reachable state, NoLegalMoveError, and ValueError
        and TypeError for other arguments that make no sense.
        """
        from ggp.environments.lanes import checked_plies
        from ggp.environments.states import StateSettings

        settings = StateSettings(ask_always, ask_chance, checked_plies(max_plies), Scale(rewards))
        return self.stepper(settings).begin(source, seed)

    def symmetries(
        self,
        most: int = 16,
        *,
        observation: ObserverName = "facts",
        keep_roles: bool = False,
        keep_start: bool = True,
    ) -> Symmetries:
        """Return symmetries of the game, as permutations of observations and actions; all are proved from the rules.

        Args:
            most: The largest number of symmetries.
            observation: `"facts"` or `"planes"`.
            keep_roles: Keep only those that map each role to itself. From the mover's side, there are no others.
            keep_start: Keep only those that keep the initial state, so that images of states can be reached, too.

        It may take some seconds, so keep the result. Raises ValueError and NoBoardError for other observations.
        """
        from ggp.environments.symmetries import find_symmetries

        return find_symmetries(self, most, observation, keep_roles=keep_roles, keep_start=keep_start)

    def stepper(self, settings: StateSettings) -> Stepper:
        """Return what makes the steps of states with some settings."""
        from ggp.environments.states import Stepper

        if settings not in self._steppers:
            self._steppers[settings] = Stepper(self, settings)
        return self._steppers[settings]

    def rewards(self, scale: ScaleName = Scale.UNIT) -> Rewards:
        """Return the rewards on a scale. Raises ValueError if it is unknown."""
        scale = Scale(scale)
        if scale not in self._rewards:
            self._rewards[scale] = rewards_of(self.simulator, scale)
        return self._rewards[scale]


def _compiled(rules: Rules, progress: Callable[[str], None] | None) -> Simulator:
    """Return a game's Simulator."""
    if isinstance(rules, Simulator | PartialGame):
        return rules.whole("an environment")
    if isinstance(rules, str | Path):
        return gdl.compile(find_game(str(rules)), progress=progress).whole("an environment")
    rulesheet = rules if isinstance(rules, Rulesheet) else getattr(rules, "rulesheet", None)
    if not isinstance(rulesheet, Rulesheet):
        raise TypeError(f"expected the rules of a game, not {rules!r}")
    return gdl.compile(rulesheet, progress=progress).whole("an environment")


def _sorted_moves(simulator: Simulator) -> tuple[Term, ...]:
    moves = {move for role in simulator.roles for move in simulator.all_moves(role)}
    return tuple(sorted(moves, key=lambda move: move.text))
