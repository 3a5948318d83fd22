"""Learned values: what positions are worth, by networks over the facts of a state, and the files that keep them.

`mcts`, `alphabeta` and `planner` search with them, and `ggp train` makes them. Nothing here knows a search.
"""
