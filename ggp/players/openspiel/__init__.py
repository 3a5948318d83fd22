"""OpenSpiel as a peer: its games, the translation of its moves, and its search as a player."""
