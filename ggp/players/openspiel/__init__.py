"""OpenSpiel as a peer: its games, its moves in terms of a rule file, and its search as a player."""
