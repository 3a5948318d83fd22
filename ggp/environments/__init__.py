"""Environments for learning from any rule file: Gymnasium, PettingZoo, OpenSpiel, and many states at once.

All of them share `EnvironmentGame` (roles, numbered actions, rewards), `Position` (one match), and the observers of
`ggp.environments.observations`.
"""
