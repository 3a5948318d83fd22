"""Views of a node for OpenSpiel's agents: tensors and text, by OpenSpiel's interface for observers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from ggp.environments.openspiel.tree import Node, Tree
from ggp.environments.position import Position

if TYPE_CHECKING:
    from numpy.typing import NDArray


@final
class NodeObserver:
    """An observer of nodes, as `open_spiel.python.observation` describes it.

    With perfect recall, an agent knows everything that it has seen and done. In a game that hides its states, this is a
    row for each ply, with its percepts and its own action. In other games it is the history, which has no tensor.

    Without, it sees the state; or, in a game that hides its states, what it has seen and done since its last choice.
    """

    def __init__(self, tree: Tree, recall: bool) -> None:
        """Make the tensor, all zeros."""
        self._tree = tree
        self._recall = recall
        self._hidden = tree.game.hides_states
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if self._hidden or not recall:
            shape = (tree.max_plies, *tree.observer.shape) if recall else tree.observer.shape
            self.tensor = np.zeros(int(np.prod(shape)), np.float32)
            self.dict["information_state" if recall else "observation"] = self.tensor.reshape(shape)

    def set_from(self, state: Any, player: int) -> None:
        """Write what a player sees of a state to `tensor`, of which `dict` is a view."""
        if self.tensor is None:
            return
        (out,) = self.dict.values()
        self.tensor.fill(0)
        node: Node = state.node
        agent = self._tree.game.agents[player]
        observe = self._tree.observer.observe
        if not self._hidden:
            out[:] = observe(node.position, agent)
        elif self._recall:
            for position in node.seen()[1:]:
                out[position.plies - 1] = observe(position, agent)
        else:
            for position in node.seen_since_choice(player):
                np.maximum(out, observe(position, agent), out=out)

    def string_from(self, state: Any, player: int) -> str:
        """Return what a player sees of a state as text."""
        node: Node = state.node
        if self._hidden:
            seen = node.seen() if self._recall else reversed(node.seen_since_choice(player))
            return (
                f"{self._role(player)}: {'; '.join(self._ply(position, player) for position in seen if position.plies)}"
            )
        if self._recall:
            return f"{self._role(player)}: {state.history_str()}"
        return f"{self._role(player)}: {node.position.state}"

    def _role(self, player: int) -> str:
        return self._tree.game.agent_roles[player]

    def _ply(self, position: Position, player: int) -> str:
        """Return the number of a ply, the player's own move, and its percepts."""
        agent = self._tree.game.agents[player]
        percepts = " ".join(percept.text for percept in position.percepts[agent])
        move = self._tree.text(position.last_actions[agent])
        return f"{position.plies} {move}" + (f" sees {percepts}" if percepts else "")
