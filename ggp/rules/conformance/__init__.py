"""Conformance tests of rule files: `ggp test FILE...` and the pytest plugin.

- `expectations`: the expectations about a game, kept in a file next to the rules
- `expectation_file`: reads that file; `toml` and `line_numbers` know its syntax, `vocabulary` the terms of the rules
- `playouts`, `perft`, `positions`: the three ways to examine a game
- `checks`: the checks that follow from a rule file and its expectations
- `writing`: writes what holds in a position as an expectation
- `report`: runs all checks of a rule file, and reports on them
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
