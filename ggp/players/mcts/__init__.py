"""The player `mcts`: Monte Carlo tree search in compiled code, for any game."""

from ggp.players.mcts.mcts import MctsPlayer

__all__ = ["MctsPlayer"]
