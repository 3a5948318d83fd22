"""Conformance tests of rule files: `ggp test FILE...` and the pytest plugin.

- `expectations`: what a file beside the rules expects of a game
- `reading`: that file, read; `toml` and `places` know its syntax, `vocabulary` the terms of the rules
- `playouts`, `perft`, `positions`: the three ways to look at a game
- `checks`: a rule file, what is expected of it, and the checks that follow
- `command`: what `ggp test` prints
"""

from ggp.rules.conformance.checks import EXPECTATIONS, RULES, Check, Finding, Settings, check_names, checks, load_game
from ggp.rules.conformance.command import run_command
from ggp.rules.conformance.expectation_file import load_expectations
from ggp.rules.conformance.expectations import ExpectationError, Expectations, Position, expectations_path

__all__ = [
    "EXPECTATIONS",
    "RULES",
    "Check",
    "ExpectationError",
    "Expectations",
    "Finding",
    "Position",
    "Settings",
    "check_names",
    "checks",
    "expectations_path",
    "load_expectations",
    "load_game",
    "run_command",
]
