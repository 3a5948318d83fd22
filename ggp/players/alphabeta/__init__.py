"""The player `alphabeta`: alpha-beta search in compiled code, for games of two roles that take turns."""

from ggp.players.alphabeta.alphabeta import AlphaBetaPlayer

__all__ = ["AlphaBetaPlayer"]
