"""The player `ismcts`: Monte Carlo tree search over information sets."""

from ggp.players.ismcts.ismcts import IsmctsPlayer

__all__ = ["IsmctsPlayer"]
