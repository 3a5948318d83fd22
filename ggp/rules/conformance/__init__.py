"""Conformance tests of rule files: `ggp test FILE...` and the pytest plugin.

- `expectations`: the expectations about a game, kept in a file next to the rules
- `expectation_file`: reads that file; `toml` and `line_numbers` know its syntax, `vocabulary` the terms of the rules
- `playouts`, `perft`, `positions`: the three ways to examine a game
- `checks`: the checks that follow from a rule file and its expectations
- `command`: the `ggp test` command
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
