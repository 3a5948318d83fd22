"""Conformance tests of rule files: `ggp test FILE...` and the pytest plugin.

- `expectations`: what a file beside the rules expects of a game
- `reading`: that file, read; `toml` and `places` know its syntax, `vocabulary` the terms of the rules
- `playouts`, `perft`, `positions`: the three ways to look at a game
- `checks`: a rule file, what is expected of it, and the checks that follow
- `report`: all checks of a rule file, and a report on them
"""

from ggp.rules.conformance.checks import EXPECTATIONS, RULES, Check, Finding, Settings, check_names, checks, load_game
from ggp.rules.conformance.expectation_file import load_expectations
from ggp.rules.conformance.expectations import ExpectationError, Expectations, Position, expectations_path
from ggp.rules.conformance.report import FileReport, examine

__all__ = [
    "EXPECTATIONS",
    "RULES",
    "Check",
    "ExpectationError",
    "Expectations",
    "FileReport",
    "Finding",
    "Position",
    "Settings",
    "check_names",
    "checks",
    "examine",
    "expectations_path",
    "load_expectations",
    "load_game",
]
