"""The game `ggp` of OpenSpiel: one registered game, with the rules as a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

from ggp.environments.game import Rules
from ggp.environments.openspiel.observer import NodeObserver
from ggp.environments.openspiel.parameters import DEFAULTS, Parameters, rules_parameter
from ggp.environments.openspiel.tree import CHANCE, TERMINAL, Node, Tree, tree_of
from ggp.players.openspiel.games import load as load_openspiel

pyspiel = load_openspiel()

_Type = pyspiel.GameType


def load(
    rules: Rules,
    *,
    max_plies: int = 0,
    simultaneous: bool = False,
    general_sum: bool = False,
    observation: str = "facts",
) -> Any:
    """Return an OpenSpiel game for rules: a path, the name of a shipped game, a Rulesheet, or an engine.

    Matches are cut after `max_plies` plies; by default after 500, or never if a smaller length is proved. Properties
    that are only seen in playouts may turn out to be wrong, which is an error later: `simultaneous` and `general_sum`
    declare that agents may choose at once, and that the sum of utilities may vary. `observation` is the name of an
    observer in `ggp.environments.observations`.

    Raises ValueError, TypeError, and the errors of `EnvironmentGame`.
    """
    given = Parameters(rules_parameter(rules), max_plies, simultaneous, general_sum, observation)
    return pyspiel.load_game("ggp", Parameters.read(given.values()).values())


def _game_type(tree: Tree | None) -> Any:
    """Return the type of a game; without one, the type for registration, of which the rules are still unknown."""
    dynamics, chance = _Type.Dynamics.SEQUENTIAL, _Type.ChanceMode.DETERMINISTIC
    information, utility = _Type.Information.PERFECT_INFORMATION, _Type.Utility.GENERAL_SUM
    if tree is not None and tree.simultaneous:
        dynamics = _Type.Dynamics.SIMULTANEOUS
    if tree is not None and tree.outcomes:
        chance = _Type.ChanceMode.EXPLICIT_STOCHASTIC
    if tree is not None and tree.game.hides_states:
        information = _Type.Information.IMPERFECT_INFORMATION
    if tree is not None and tree.utility_sum is not None:
        utility = _Type.Utility.CONSTANT_SUM if tree.utility_sum else _Type.Utility.ZERO_SUM
    players = None if tree is None else len(tree.game.agents)
    return _Type(
        short_name="ggp",
        long_name="ggp: games in the Game Description Language" if tree is None else f"ggp: {tree.game.name}",
        dynamics=dynamics,
        chance_mode=chance,
        information=information,
        utility=utility,
        reward_model=_Type.RewardModel.TERMINAL,
        max_num_players=players or 100,
        min_num_players=players or 1,
        provides_information_state_string=True,
        provides_information_state_tensor=tree is not None and tree.game.hides_states,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
        default_loadable=False,
    )


def _game_info(tree: Tree) -> Any:
    return pyspiel.GameInfo(
        num_distinct_actions=len(tree.game.actions),
        max_chance_outcomes=tree.outcomes,
        num_players=len(tree.game.agents),
        min_utility=tree.rewards.lowest,
        max_utility=tree.rewards.highest,
        utility_sum=tree.utility_sum,
        max_game_length=tree.max_plies,
    )


@final
class GgpGame(pyspiel.Game):  # type: ignore[misc, name-defined]
    """A rule file as a game. OpenSpiel makes it, by `pyspiel.load_game("ggp", {"rules": ...})`."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """Find the rules, and compile them unless they are kept. Raises as `load` does."""
        parameters = Parameters.read(params or {})
        #: The nodes of the game.
        self.tree = tree_of(parameters)
        super().__init__(_game_type(self.tree), _game_info(self.tree), parameters.values())

    def new_initial_state(self) -> GgpState:
        """Return the root."""
        return GgpState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the largest number of chance nodes: one for each ply."""
        return self.tree.max_plies if self.tree.outcomes else 0

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> NodeObserver:
        """Return an observer. Raises ValueError for what the rules do not tell apart."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if params:
            raise ValueError(f"observers have no parameters: {params}")
        if self.tree.game.hides_states and kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("in games with hidden states, observers show what a single player sees")
        if not kind.public_info:
            raise ValueError("observers show public and private information together")
        return NodeObserver(self.tree, kind.perfect_recall)


@final
class GgpState(pyspiel.State):  # type: ignore[misc, name-defined]
    """A node of the game, with OpenSpiel's history."""

    def __init__(self, game: GgpGame) -> None:
        """Begin at the root."""
        super().__init__(game)
        #: The only attribute: OpenSpiel copies and pickles all of them.
        self.node: Node = game.tree.root

    def current_player(self) -> int:
        """Return the number of the player that decides, or that of chance, of all players, or of the end."""
        return self.node.player

    def is_terminal(self) -> bool:
        """Return True if the game is over, or the match is cut."""
        return self.node.player == TERMINAL

    def returns(self) -> list[float]:
        """Return the utilities; zeros before the end."""
        return self.node.returns()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of chance with their probabilities."""
        return self.node.chance()

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.node.legal[player])

    def _apply_action(self, action: int) -> None:
        self.node = self.node.after((action,))

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self.node = self.node.after(tuple(actions))

    def _action_to_string(self, player: int, action: int) -> str:
        tree = self.node.tree
        return tree.text(tree.action_of(action) if player == CHANCE else action)

    def __str__(self) -> str:
        """Return everything that the future depends on, and in games that hide states what each player knows."""
        node, tree = self.node, self.node.tree
        lines = [str(node.position.state)]
        if node.chosen:
            moves = (f"{tree.game.roles[role]} {tree.text(action)}" for role, action in node.chosen.items())
            lines.append(f"chosen: {', '.join(moves)}")
        if tree.cuts:
            lines.append(f"ply {node.position.plies} of {tree.max_plies}")
        if tree.game.hides_states:
            observer = NodeObserver(tree, recall=True)
            lines += [observer.string_from(self, player) for player in range(len(tree.game.agents))]
        return "\n".join(lines)


pyspiel.register_game(_game_type(None), GgpGame)
