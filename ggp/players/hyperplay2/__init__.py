"""The player `hyperplay2`: nested playouts, in which each role acts on what it knows."""

from ggp.players.hyperplay2.hyperplay2 import Hyperplay2Player

__all__ = ["Hyperplay2Player"]
