"""Surveys: the same work for each of many rule files, as jobs for several processes or a cluster.

- `checks`: simulations for `ggp check --simulate`
- `puzzles`: the player `planner` on games of one role
- `survey_process`: the process that does both
"""
